"""A tree in all detail: every node with its counts, competing splits and surrogates, importance, the table of CP."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from treewright.data.labelled import Labelled, labelled
from treewright.display import Displayed, Sheet, data_frame, preformatted
from treewright.errors import OptionError, TreewrightError
from treewright.explain.condition_text import condition, one_line
from treewright.explain.leaf_rules import path_conditions
from treewright.explain.node_text import NodeText
from treewright.explain.number_text import format_share
from treewright.explain.significance_text import split_test
from treewright.model.column_reports.competitors import Competitors
from treewright.model.column_reports.split_competitors import SplitCompetitors
from treewright.model.model_pruning import fitted_rows, table_by_folds
from treewright.model.shown.node_summary import BranchSummary, CompetitorSummary, NodeSummary, SurrogateSummary, aligned
from treewright.prune.complexity_table import ComplexityTable, complexity_table
from treewright.prune.methods.cost_complexity import CostComplexity
from treewright.prune.refit import check_fitted_tree
from treewright.tree.tree import Node

_LEVELS_OF_HEADING = 6  # of a column on the path; where the split is made all of them are printed
COMPETITORS, LEFT_OUT = "competing splits", "errors of cross-validation (xerror)"  # what may not be told


@dataclass(frozen=True, repr=False)
class TreeSummary(Displayed):
    """A tree in all detail; ``print`` shows it. ``not_told`` says what could not be told, and how to have it."""

    header: str
    complexity: ComplexityTable | None
    importance: dict[str, float]
    nodes: tuple[NodeSummary, ...]
    not_told: dict[str, str]

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[NodeSummary]:
        return iter(self.nodes)

    def __getitem__(self, node: int) -> NodeSummary:
        known = {one.id: one for one in self.nodes}
        if node not in known:
            raise OptionError(f"the summary has no node {node!r}", f"it has the nodes {', '.join(map(str, known))}")
        return known[node]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "header": self.header,
            "complexity": None if self.complexity is None else asdict(self.complexity),
            "importance": self.importance,
            "nodes": [node.to_dict() for node in self.nodes],
            "not_told": self.not_told,
        }

    def _sheet(self) -> Sheet:
        columns: dict[str, list[Any]] = {
            "node": [node.id for node in self.nodes],
            "path": [node.path for node in self.nodes],
            "rows": [node.rows for node in self.nodes],
            "prediction": [node.prediction for node in self.nodes],
            "quality": [node.quality for node in self.nodes],
            "complexity": [node.complexity for node in self.nodes],
            "gain": [node.gain if node.branches else None for node in self.nodes],
            "split": [" | ".join(branch.test for branch in node.branches) for node in self.nodes],
        }
        return Sheet(columns, "Nodes", tuple(f"Not told: {what}: {how}" for what, how in self.not_told.items()))

    def _sheets(self) -> Iterator[Sheet]:
        if self.complexity is not None:
            yield self.complexity._sheet()
        ranked = sorted(self.importance.items(), key=lambda pair: -pair[1])
        shares: dict[str, list[Any]] = {"column": [name for name, _ in ranked], "share": [share for _, share in ranked]}
        yield Sheet(shares, "Importance (share of the gain of all splits)")
        yield self._sheet()

    def _repr_html_(self) -> str:
        """What notebooks show: the tables, and the whole text folded."""
        whole = f"<details><summary>Every node in all detail</summary>{preformatted(str(self))}</details>"
        return "".join([Sheet({}, self.header).html(), *(sheet.html() for sheet in self._sheets()), whole])

    def to_markdown(self) -> str:
        """The same as tables of Markdown."""
        return "\n\n".join([f"**{self.header}**", *(sheet.markdown() for sheet in self._sheets())])

    def to_frame(self) -> Any:
        """A data frame with a row for each node."""
        return data_frame(self._sheet().columns)

    def __str__(self) -> str:
        used = {name: share for name, share in self.importance.items() if share > 0}
        ranked = sorted(used.items(), key=lambda pair: -pair[1])
        shares = [f"  {one_line(name)}  {format_share(share, ' ')}" for name, share in ranked] or [
            "  no column is used"
        ]
        parts = [
            self.header,
            *([] if self.complexity is None else [f"{self.complexity.heading}\n{self.complexity}"]),
            "\n".join(["Importance (share of the gain of all splits)", *aligned(shares)]),
            *map(str, self.nodes),
            *(
                []
                if not self.not_told
                else ["\n".join(["Not told:", *(f"  {what}: {how}" for what, how in self.not_told.items())])]
            ),
        ]
        return "\n\n".join(parts)


def summarize(
    model: Any, X: Any = None, y: Any = None, sample_weight: Any = None, *, cv: Any = None, nodes: Any = None
) -> TreeSummary:
    """A fitted tree in all detail, as ``summary.rpart`` and ``printcp`` of R show it.

    Parameters
    ----------
    model : estimator
        A fitted tree.
    X : table or None, default None
        The rows of the fit: for the splits that competed at every node, and to cross-validate. Without them those of
        the fit are taken, as long as their table lives; a model that was loaded has none, and the summary says what is
        not told.
    y : array-like or None, default None
        Their target.
    sample_weight : array-like or None, default None
        How much each row counts; None counts all alike.
    cv : int, splitter or None, default None
        Cross-validate the table of CP with so many folds. Without it the table has the errors that pruning by
        cross-validation or held-out rows has left in the model, if it has.
    nodes : list of int or None, default None
        Only these nodes; all by default.

    Examples
    --------
    >>> import treewright as tw
    >>> table = tw.datasets.load("play_tennis")
    >>> X = {name: column for name, column in table.X.items() if name != "day"}
    >>> model = tw.CARTClassifier(max_depth=1).fit(X, table.y)
    >>> print(tw.summarize(model, X, table.y, nodes=[0]))
    CARTClassifier: y — 14 rows, 2 leaves, depth 1, training error 35.7 %
    <BLANKLINE>
    Complexity (risk: misclassification; an error of 1 is 0.3571, that of the root)
    CP  splits  leaves  rel error
     0       0       1     1.0000
    <BLANKLINE>
    Importance (share of the gain of all splits)
      outlook  100 %
    <BLANKLINE>
    Node 0: all rows
      14 rows, predicts Yes, 36% wrong; complexity 0
      counts: No 5, Yes 9; shares: No 0.357, Yes 0.643
      splits by gain 0.102
        outlook in {Rainy, Sunny} → node 1, 10 rows
        outlook = Overcast → node 2, 4 rows
      competing splits
        humidity     0.09184  humidity = High | humidity = Normal
        windy        0.03061  windy = Strong | windy = Weak
        temperature  0.01633  temperature = Hot | temperature in {Cool, Mild}
    <BLANKLINE>
    Not told:
      errors of cross-validation (xerror): pass cv=10, with the rows of the fit
    """
    check_fitted_tree(model)
    rows = _rows(model, X, y, sample_weight)
    table = _complexity(model, rows, cv) if model.tree_.weights[0] else None
    wanted = range(model.tree_.n_nodes) if nodes is None else [_node(model, node) for node in nodes]
    made = tuple(_summaries(model, rows, wanted, table))
    found = model.feature_importances_ if model.tree_.weights[0] else np.zeros(len(model.schema_.columns))
    shares = dict(zip(model.schema_.names, found.tolist()))
    return TreeSummary(model.to_text(depth=0).splitlines()[0], table, shares, made, dict(_not_told(model, rows, table)))


def _rows(model: Any, X: Any, y: Any, sample_weight: Any) -> Labelled | None:
    if (X is None) != (y is None):
        raise OptionError("X and y go together, got only one of them", "pass both, or neither")
    if X is not None:
        is_classifier = model.schema_.target.classes is not None
        return labelled(X, y, is_classifier=is_classifier, sample_weight=sample_weight)
    try:
        return fitted_rows(model, "a summary")
    except TreewrightError:  # the table is gone, or the model was loaded: the summary says so
        return None


def _node(model: Any, node: Any) -> int:
    if isinstance(node, bool) or not isinstance(node, (int, np.integer)) or not 0 <= node < model.tree_.n_nodes:
        raise OptionError(f"there is no node {node!r}", f"nodes are numbered from 0 to {model.tree_.n_nodes - 1}")
    return int(node)


def _complexity(model: Any, rows: Labelled | None, cv: Any) -> ComplexityTable:
    """The one that pruning has left in the model, or that of its tree by errors and costs, as rpart has it."""
    classes = model.schema_.target.classes is not None
    pruner = CostComplexity(risk="misclassification" if classes else None, relative=True)
    if cv is not None:
        if rows is None:
            raise OptionError("cross-validation needs the rows of the fit, and they are gone", "pass X and y")
        return table_by_folds(model, pruner, rows, cv)
    if hasattr(model, "complexity_table_"):
        kept: ComplexityTable = model.complexity_table_
        return kept
    return complexity_table(pruner, pruner.path(model.tree_, model.schema_), model.schema_)


def _not_told(model: Any, rows: Labelled | None, table: ComplexityTable | None) -> Iterator[tuple[str, str]]:
    if rows is None:
        yield COMPETITORS, "columns are compared anew with the rows of the fit; pass X and y"
    if table is not None and not table.left_out:
        yield LEFT_OUT, "pass cv=10, with the rows of the fit"


def _summaries(model: Any, rows: Labelled | None, wanted: Any, table: ComplexityTable | None) -> Iterator[NodeSummary]:
    text = NodeText(model.tree_, model.schema_)
    complexity = None if table is None else _complexities(model, table)
    comparing = None if rows is None else model._comparing(rows)
    for v in wanted:
        node = model.tree_.node(v)
        told = None
        if comparing is not None and not node.is_leaf:
            told = _competitors(comparing(v), text, node)
        yield _summary(text, node, complexity, told)


def _complexities(model: Any, table: ComplexityTable) -> Any:
    """Of every inner node the CP from which on it is a leaf, by the risk of the table."""
    of_classes = table.risk if table.risk in ("gini", "entropy") else "misclassification"
    risk = None if model.schema_.target.classes is None else of_classes
    path = CostComplexity(risk=risk, relative=True).path(model.tree_, model.schema_)
    return np.where(path.step < len(path), path.alphas[np.minimum(path.step, len(path) - 1)], np.inf)


def _summary(
    text: NodeText, node: Node, complexity: Any, competitors: tuple[CompetitorSummary, ...] | None
) -> NodeSummary:
    v, known = node.id, bool(text.weight(node.id))
    path, heading = (
        " and ".join(path_conditions(text.tree, text.schema, v, max_levels=most)) or "all rows"
        for most in (None, _LEVELS_OF_HEADING)
    )
    return NodeSummary(
        id=v,
        path=path,
        heading=heading,
        rows=node.n,
        weight=text.weight(v),
        prediction=text.text(v),
        quality=text.quality(v) if known else text.source(v),
        counts=dict(zip(text.classes, node.stats.tolist())) if text.classes else {},
        centre="" if text.classes else text.counts(v),
        complexity=None if node.is_leaf or complexity is None else float(complexity[v]),
        gain=node.gain,
        missing=int(text.tree.missing[v]),
        test="" if node.test is None else split_test(node.test),
        branches=() if node.is_leaf else tuple(_branches(text, node)),
        competitors=competitors,
        surrogates=tuple(_surrogates(text, node)),
    )


def _branches(text: NodeText, node: Node) -> Iterator[BranchSummary]:
    split, seen = text.tests.split_at(node.id), bool(text.tree.missing[node.id])
    column = text.schema.columns[split.column]
    for child in node.children:
        yield BranchSummary(child.id, condition(split, column, child.branch, missing=seen), child.n)


def _surrogates(text: NodeText, node: Node) -> Iterator[SurrogateSummary]:
    for one in node.surrogates:
        column = text.schema.columns[one.split.column]
        told = [condition(one.split, column, k, missing=False) for k in range(one.split.n_branches)]
        yield SurrogateSummary(column.name, tuple(told), one.agreement, one.adjusted)


def _competitors(found: Competitors | SplitCompetitors, text: NodeText, node: Node) -> tuple[CompetitorSummary, ...]:
    taken = text.schema.columns[int(text.tree.column[node.id])].name
    if isinstance(found, SplitCompetitors):
        return tuple(
            CompetitorSummary(row.column, row.gain, found.measure, row.branches, row.taken)
            for row in found
            if row.branches
        )
    return tuple(
        CompetitorSummary(row.column, row.adjusted_p, "adjusted p", row.groups, row.column == taken)
        for row in found
        if row.groups
    )
