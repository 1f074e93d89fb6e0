"""All columns at one node, ranked by how significantly they split it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from treewright.data.encode import encode
from treewright.data.encoded import Encoded
from treewright.data.labelled import Labelled, labelled
from treewright.data.matrix import as_learned
from treewright.data.schema import Kind
from treewright.data.user_warnings import without_warnings
from treewright.display import Displayed, DisplayedRecord, row_at
from treewright.engines.workers import Workers
from treewright.errors import DataError, OptionError
from treewright.explain.arriving_levels import ArrivingLevels
from treewright.explain.condition_text import condition, one_line
from treewright.explain.printed_cuts import printed_cuts
from treewright.explain.significance_text import p_text, statistic_text
from treewright.model.options.pruning_option import growing_recipe
from treewright.prediction import reached
from treewright.recipe_parts.missing import Missing
from treewright.split import Split
from treewright.tree.tree import CRISP, SplitTest, Tree
from treewright.typing import Array, Floats, Mask

_ROUNDING = 1e-9  # a row that all but this part of comes by is a whole row


@dataclass(frozen=True, repr=False)
class Competitor(DisplayedRecord):
    """One column at the node. ``groups`` are its merged levels in words, none if no two groups are large enough.

    ``freedom`` are the degrees of freedom of the statistic, ``within`` those within groups where it is F.
    """

    column: str
    groups: tuple[str, ...]
    statistic: float
    freedom: float
    within: float
    p: float
    adjusted_p: float
    log_adjusted_p: float


@dataclass(frozen=True, repr=False)
class Competitors(Displayed):
    """A table of columns, the most significant first; ``print`` shows it."""

    node: int
    statistic: str
    rows: list[Competitor]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Competitor]:
        return iter(self.rows)

    def __getitem__(self, column: str | int) -> Competitor:
        """A column by its name or its place."""
        return row_at(column, self.rows, [row.column for row in self.rows], "column")

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns by name, as every dataframe takes them."""
        return {name: [asdict(row)[name] for row in self.rows] for name in Competitor.__dataclass_fields__}

    def __str__(self) -> str:
        head = ("column", "groups", self.statistic, "df", "p", "adjusted p")
        lines = [head, *(_cells(row) for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines)]
        return "\n".join(
            "  ".join([line[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(line[1:], widths[1:]))])
            for line in lines
        )


def _cells(row: Competitor) -> tuple[str, ...]:
    if not row.groups:
        return one_line(row.column), "0", "", "", "", ""
    freedom = f"{row.freedom:g}, {row.within:g}" if row.within else f"{row.freedom:g}"
    adjusted = p_text(row.log_adjusted_p)
    return one_line(row.column), str(len(row.groups)), statistic_text(row.statistic), freedom, f"{row.p:.3g}", adjusted


def rank_columns(model: Any, node: int, X: Any, y: Any, sample_weight: Any) -> Competitors:
    """Compare all columns at a node of a fitted CHAID tree, with the rows of the fit unless others are given."""
    check_node(node, model.tree_)
    return rank_columns_of(model, node, _encoded_at(model, node, X, y, sample_weight))


def rank_columns_of(model: Any, node: int, encoded: Encoded) -> Competitors:
    """The same with the rows of the node as the engine takes them."""
    from treewright.engines.candidates import candidates
    from treewright.engines.dispatch import engine_for

    with Workers(model._n_jobs()) as workers:
        found = candidates(engine_for(encoded, growing_recipe(model, encoded), workers))
    arriving = ArrivingLevels(model.tree_, model.schema_)
    told = [(test, split and told_split(arriving, node, split, encoded)) for test, split in found]
    rows = [_competitor(encoded, j, *pair) for j, pair in enumerate(told)]
    # Equal p-values may differ in the last digits; then the first column comes first.
    ranked = sorted(rows, key=lambda row: (not row.groups, round(row.log_adjusted_p, 9)))
    return Competitors(node, found[0][0].name, ranked)


def check_node(node: Any, tree: Tree) -> None:
    if isinstance(node, bool) or not isinstance(node, (int, np.integer)) or not 0 <= node < tree.n_nodes:
        raise OptionError(f"there is no node {node!r}", f"nodes are numbered from 0 to {tree.n_nodes - 1}")


def _encoded_at(model: Any, node: int, X: Any, y: Any, sample_weight: Any) -> Encoded:
    """The rows at the node as the engine takes them, by the part of each that comes by. Bins are those of all rows."""
    if X is None:
        encoded = _fitted_codes(model)
        return rows_at(model, node, encoded, _matrix_of(encoded))
    rows = labelled(X, y, is_classifier=model.schema_.target.classes is not None, sample_weight=sample_weight)
    return rows_at(model, node, *encoded_rows(model, rows))


def encoded_rows(model: Any, rows: Labelled) -> tuple[Encoded, Array]:
    """Rows as the engine takes them, and as a tree does; without those that growing leaves out."""
    matrix = model._matrix(rows.frame, range(len(model.schema_.columns)))
    whole = _is_whole(matrix, model._policies(model.schema_))
    rows = rows.take(np.flatnonzero(whole))
    with without_warnings():
        encoded = model._encode(rows.frame, rows.target, rows.weights)
    return _as_learned(model, rows, encoded), matrix[whole]


def _as_learned(model: Any, rows: Labelled, encoded: Encoded) -> Encoded:
    """By the columns of the model, where these rows alone would make others: a level that it does not know is missing.
    A tree that was pruned with rows held out does not know a level that only these have."""
    schema = model.schema_
    if encoded.schema.columns == schema.columns:
        return encoded
    frame, max_bins = as_learned(rows.frame, schema), 255 if model.engine == "histogram" else None
    known = encode(frame, schema, encoded.y, encoded.weights, max_bins=max_bins, n_jobs=model._n_jobs())
    return replace(encoded, schema=replace(schema, target=encoded.schema.target), columns=known.columns)


def rows_at(model: Any, node: int, encoded: Encoded, matrix: Array) -> Encoded:
    """Those that come by a node."""
    part = part_at(model, node, matrix)
    here = part > 0
    if not here.any():
        raise DataError(f"none of the rows reaches node {node}", "pass the rows of the fit")
    columns = tuple(column.take(here) for column in encoded.columns)
    weights = None if encoded.weights is None else encoded.weights[here]
    if (part[here] < 1).any():
        weights = part[here] if weights is None else weights * part[here]
    return replace(encoded, columns=columns, y=encoded.y[here], weights=weights)


def _matrix_of(encoded: Encoded) -> Array:
    """Codes as rows of a table. A bin lies on one side of every edge, that of its upper end."""
    kinds = (column.kind for column in encoded.schema.columns)
    return np.column_stack(
        [
            np.append(np.nan, column.highs if kind is Kind.NUMERIC else np.arange(1.0, column.n_codes))[column.codes]
            for column, kind in zip(encoded.columns, kinds)
        ]
    )


def _is_whole(matrix: Array, policies: Sequence[Missing]) -> Mask:
    """Rows that growing did not leave out."""
    return np.asarray(~np.isnan(matrix[:, [policy is Missing.DROP for policy in policies]]).any(1))


def part_at(model: Any, node: int, matrix: Array) -> Floats:
    """How much of each row comes by a node: all of it where rows take every branch in full."""
    crisp = model.tree_._replace(bounds=CRISP)  # as rows went while the tree was grown
    rows, ends, parts = reached(crisp, np.ascontiguousarray(matrix, np.float64), model._n_jobs())
    part = np.bincount(rows, parts * _below(model.tree_, node)[ends], minlength=len(matrix))
    in_full = Missing.EVERY in model._policies(model.schema_)
    return np.where(part > (0.0 if in_full else 1 - _ROUNDING), 1.0, part)


def _fitted_codes(model: Any) -> Encoded:
    if "_coded" not in model.__dict__:
        raise OptionError(
            "comparing columns needs the rows of the fit, which are not saved with a model",
            "pass them: model.competitors(node, X, y)",
        )
    encoded: Encoded = model.__dict__["_coded"]
    return encoded


def _below(tree: Tree, node: int) -> Mask:
    """Which nodes are this one or below it: parents come before their children."""
    below = np.zeros(tree.n_nodes, np.bool_)
    below[node] = True
    for v in range(node + 1, tree.n_nodes):
        below[v] = below[tree.parent[v]]
    return below


def told_split(arriving: ArrivingLevels, node: int, split: Split, encoded: Encoded) -> Split:
    """The split of a node as it is told: by levels that can arrive there, and by short numbers that separate its rows.

    ``encoded`` are the rows of the node.
    """
    column, finite = encoded.columns[split.column], np.isfinite(split.edges)
    if not finite.any():
        return arriving.told_at(node, split)
    (low, high), codes = column.bounds, np.unique(column.codes)
    values, printed = np.concatenate([low[codes[codes > 0]], high[codes[codes > 0]]]), split.edges.copy()
    printed[finite] = printed_cuts(split.edges[finite], values, encoded.schema.columns[split.column].unit)
    return replace(split, printed=printed)


def _competitor(encoded: Encoded, j: int, test: SplitTest, split: Split | None) -> Competitor:
    column, missing = encoded.schema.columns[j], not encoded.columns[j].codes.all()
    branches = range(0 if split is None else split.n_branches)
    groups = tuple(condition(split, column, branch, missing=missing) for branch in branches if split is not None)
    p = (1.0, 1.0, 0.0) if split is None else (test.p, test.adjusted_p, test.log_adjusted_p)
    return Competitor(column.name, groups, test.statistic, test.freedom, test.within, *p)
