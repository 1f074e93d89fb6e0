"""``model.rows_by_level``: rows sent down a tree step by step, who is where, and who is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.data.frame import Frame, read_frame
from treewright.data.labelled import Labelled, labelled
from treewright.display import Displayed, DisplayedRecord, Sheet
from treewright.errors import DataError, OptionError
from treewright.explain.condition_text import condition, level_text, one_line
from treewright.explain.node_text import NodeText
from treewright.explain.number_text import format_number, format_share, plural
from treewright.model.model_pruning import fitted_rows
from treewright.tree.tree import Node
from treewright.typing import Array, Ints

_MOST_NAMES = 12  # of the rows of a node that are shown


@dataclass(frozen=True, repr=False)
class LevelNode(DisplayedRecord):
    """The rows that come to a node: their names, and of a leaf its answer and the names of those it is wrong about."""

    node: int
    condition: str
    rows: tuple[Any, ...]
    answer: str | None
    wrong: tuple[Any, ...]

    def __str__(self) -> str:
        end = "" if self.answer is None else f" → {self.answer}"
        end += f", wrong: {_names_text(self.wrong)}" if self.wrong else ""
        return f"[{self.node}] {self.condition}: {_names_text(self.rows)}{end}"


@dataclass(frozen=True, repr=False)
class WrongRow(DisplayedRecord):
    name: Any
    truth: Any
    prediction: Any
    leaf: int

    def __str__(self) -> str:
        truth, prediction = level_text(self.truth), level_text(self.prediction)
        return f"{self.name} is {truth}, predicted {prediction} in [{self.leaf}]"


@dataclass(frozen=True, repr=False)
class RowsByLevel(Displayed):
    """``levels[k]`` are the nodes at depth k, each with its rows; ``print`` shows all of it.

    ``error`` is the share of the weight that is predicted wrongly, of numbers the root mean squared error; None where
    the target is not known. ``wrong`` are the rows of another class than predicted.
    """

    levels: tuple[tuple[LevelNode, ...], ...]
    wrong: tuple[WrongRow, ...]
    error: float | None
    of_classes: bool

    def at(self, node: int) -> tuple[Any, ...]:
        """The names of the rows that come to a node."""
        for one in (one for level in self.levels for one in level):
            if one.node == node:
                return one.rows
        raise OptionError(f"there is no node {node!r}", "nodes are numbered from 0, level by level")

    def where(self, name: Any) -> tuple[int, ...]:
        """The nodes that a row comes by, from the root on."""
        return tuple(one.node for level in self.levels for one in level if name in one.rows)

    def __str__(self) -> str:
        lines = []
        for depth, level in enumerate(self.levels):
            lines += [f"level {depth}", *(f"  {one}" for one in level)]
        return "\n".join([*lines, self.summary()]).rstrip()

    def summary(self) -> str:
        """Who is wrong, in words; nothing where the target is not known."""
        if self.error is None:
            return ""
        if not self.of_classes:
            return f"RMSE {format_number(self.error, 4)}"
        n_rows = len(self.levels[0][0].rows)
        told = [f"{len(self.wrong):,} of {plural(n_rows, 'row')} wrong, error {format_share(self.error, ' ')}"]
        told += [f"  {one}" for one in self.wrong[:_MOST_NAMES]]
        more = len(self.wrong) - _MOST_NAMES
        return "\n".join([*told, f"  and {more:,} more"] if more > 0 else told)

    def _sheet(self) -> Sheet:
        nodes = [(depth, one) for depth, level in enumerate(self.levels) for one in level]
        columns: dict[str, list[Any]] = {
            "level": [depth for depth, _ in nodes],
            "node": [one.node for _, one in nodes],
            "condition": [one.condition for _, one in nodes],
            "rows": [_names_text(one.rows) for _, one in nodes],
            "answer": [one.answer or "" for _, one in nodes],
            "wrong": [_names_text(one.wrong) if one.wrong else "" for _, one in nodes],
        }
        return Sheet(columns, notes=tuple(map(str, self.wrong)))


def _names_text(names: tuple[Any, ...]) -> str:
    shown = ", ".join(one_line(str(name)) for name in names[:_MOST_NAMES])
    more = f" +{len(names) - _MOST_NAMES:,}" if len(names) > _MOST_NAMES else ""
    return f"{shown}{more}" or "no rows"


def rows_by_level(model: Any, X: Any, y: Any, names: Any, sample_weight: Any) -> RowsByLevel:
    """See ``TreeModel.rows_by_level``."""
    frame, rows = _given(model, X, y, sample_weight)
    called = _names(names, frame)
    if rows is not None:
        frame, called = rows.frame, called[rows.row]
    at_node = model.decision_path(frame).tocsc()
    of_node = [np.sort(at_node.indices[at_node.indptr[v] : at_node.indptr[v + 1]]) for v in range(model.tree_.n_nodes)]
    wrong, error = _errors(model, frame, rows)
    return RowsByLevel(
        _levels(model, of_node, called, wrong), _wrong_rows(model, frame, rows, called, wrong), error,
        model.schema_.target.classes is not None,
    )  # fmt: skip


def _given(model: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Frame, Labelled | None]:
    """The rows, and what is known of their target."""
    is_classifier = model.schema_.target.classes is not None
    if X is not None:
        known = None if y is None else labelled(X, y, is_classifier=is_classifier, sample_weight=sample_weight)
        return read_frame(X), known
    if y is not None:
        raise OptionError("y goes with the rows it belongs to, and X is None", "pass X and y, or neither")
    table, target, _ = model.__dict__.get("_fitted_to", (None, None, None))
    if table is not None and target is None and table.recall() is not None:
        return read_frame(table.recall()), None
    rows = fitted_rows(model, "sending the rows down")
    return read_frame(table.recall()), rows


def _names(names: Any, frame: Frame) -> Array:
    """What rows are called: by a column of the table, a list, or their number from 0."""
    if names is None:
        return np.arange(frame.n_rows).astype(object)
    if isinstance(names, str):
        place = frame.place(names)
        if place is None:
            raise DataError(f"there is no column {names!r} to call rows by", frame.hint_for(names))
        names = list(frame.raw[place]) if frame.matrix is None else frame.matrix[:, place].tolist()
    given = np.empty(len(names), object)
    given[:] = list(names)
    if len(given) != frame.n_rows:
        raise DataError(f"there are {len(given)} names for {frame.n_rows} rows", "give one name per row")
    return given


def _errors(model: Any, frame: Frame, rows: Labelled | None) -> tuple[Ints, float | None]:
    """The places of the rows that are predicted wrongly, and the error."""
    if rows is None:
        return np.empty(0, np.int64), None
    predicted = model.predict(frame)
    weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
    if rows.classes is None:
        return np.empty(0, np.int64), float(np.sqrt(np.average((predicted - rows.y) ** 2, weights=weights)))
    is_wrong = np.array([a != b for a, b in zip(predicted.tolist(), rows.labels.tolist())])
    return np.flatnonzero(is_wrong), float(np.average(is_wrong, weights=weights))


def _levels(model: Any, of_node: list[Ints], called: Array, wrong: Ints) -> tuple[tuple[LevelNode, ...], ...]:
    tree, words = model.tree_, NodeText(model.tree_, model.schema_)
    depths = tree.depths()
    made = [
        LevelNode(
            v,
            _condition(model, v),
            tuple(called[of_node[v]].tolist()),
            words.text(v) if tree.n_branches[v] == 0 else None,
            tuple(called[np.intersect1d(of_node[v], wrong)].tolist()) if tree.n_branches[v] == 0 else (),
        )
        for v in range(tree.n_nodes)
    ]
    return tuple(tuple(one for one in made if depths[one.node] == depth) for depth in range(int(depths.max()) + 1))


def _condition(model: Any, v: int) -> str:
    if v == 0:
        return "all rows"
    parent = int(model.tree_.parent[v])
    split = Node(model.tree_, parent).split
    assert split is not None
    column, seen = model.schema_.columns[split.column], bool(model.tree_.missing[parent])
    return condition(split, column, Node(model.tree_, v).branch, missing=seen, max_levels=_MOST_NAMES)


def _wrong_rows(model: Any, frame: Frame, rows: Labelled | None, called: Array, wrong: Ints) -> tuple[WrongRow, ...]:
    if rows is None or not wrong.size:
        return ()
    predicted, leaves, truth = model.predict(frame).tolist(), model.apply(frame), rows.labels.tolist()
    return tuple(WrongRow(called[i], truth[i], predicted[i], int(leaves[i])) for i in wrong.tolist())
