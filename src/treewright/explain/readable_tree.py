"""A tree that knows the names of its columns and classes, and so can print itself."""

from __future__ import annotations

from typing import Any

from treewright.data.schema import Schema
from treewright.explain.tree_text import render
from treewright.tree.tree import Tree


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


def readable(tree: Tree, schema: Schema) -> ReadableTree:
    made: Any = ReadableTree._make(tree)
    made.schema = schema
    return made  # type: ignore[no-any-return]
