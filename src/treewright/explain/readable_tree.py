"""A tree that knows the names of its columns and classes, and so can print itself."""

from __future__ import annotations

from typing import Any

from treewright.data.schema import Schema
from treewright.display import code_block, data_frame, preformatted
from treewright.explain.condition_text import phrase
from treewright.explain.node_text import NodeText
from treewright.explain.region import region_of
from treewright.explain.tree_text import render
from treewright.tree.tree import Node, Tree


class ReadableTree(Tree):
    """What ``model.tree_`` is: the arrays of a tree, and ``text()``."""

    schema: Schema

    def _replace(self, **changes: Any) -> ReadableTree:
        """Another tree over the same columns."""
        return readable(super()._replace(**changes), self.schema)

    def text(
        self,
        *,
        depth: int | None = None,
        max_lines: int | None = 200,
        width: int | None = None,
        ascii: bool = False,
        ids: bool = True,
    ) -> str:
        """The tree in words, a line per node; see ``model.to_text`` for the errors of the model in the first line.

        >>> import treewright as tw
        >>> model = tw.CARTClassifier().fit({"age": [20, 30, 40, 50]}, ["no", "no", "yes", "yes"])
        >>> print(model.tree_.text())
        y — 4 rows, 2 leaves, depth 1
        age ≤ 35: no [1] (2)
        age > 35: yes [2] (2)
        """
        return render(self, self.schema, depth=depth, max_lines=max_lines, width=width, ascii=ascii, ids=ids)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        """What notebooks show: the tree as it is printed."""
        return preformatted(self.text())

    def to_markdown(self) -> str:
        """The tree as it is printed, in a block of code."""
        return code_block(self.text())

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns by name, a row for every node: its parent, the test that leads there, rows, gain and prediction, and
        the probability of each class."""
        return node_columns(self, self.schema)

    def to_frame(self) -> Any:
        """The same as a data frame."""
        return data_frame(self.to_dict())


def node_columns(tree: Tree, schema: Schema) -> dict[str, list[Any]]:
    """All nodes of a tree as columns of a table."""
    answers, classes = NodeText(tree, schema), schema.target.classes
    columns: dict[str, list[Any]] = {
        "node": list(range(tree.n_nodes)),
        "parent": [None if parent < 0 else int(parent) for parent in tree.parent],
        "depth": tree.depths().tolist(),
        "condition": ["", *(_condition(tree.node(v), schema) for v in range(1, tree.n_nodes))],
        "rows": tree.rows.tolist(),
        "gain": [float(gain) if inner else None for gain, inner in zip(tree.gain, tree.n_branches)],
        "prediction": [answers.prediction(v) for v in range(tree.n_nodes)],
    }
    if classes is not None:
        columns |= {str(label): tree.value[:, k].tolist() for k, label in enumerate(classes)}
    return columns


def _condition(node: Node, schema: Schema) -> str:
    parent = node.parent
    assert parent is not None
    split = parent.split
    assert split is not None
    return phrase(region_of(split, schema.columns[split.column], node.branch), missing=False)


def readable(tree: Tree, schema: Schema) -> ReadableTree:
    made: Any = ReadableTree._make(tree)
    made.schema = schema
    return made  # type: ignore[no-any-return]
