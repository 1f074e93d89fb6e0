"""What a fitted tree shows of itself: text, rules, rows level by level, pictures."""

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from treewright.explain.leaf_rules import LeafRules, rules
from treewright.explain.readable_tree import ReadableTree
from treewright.explain.tree_text import MOST_LEVELS, render
from treewright.model.shown.rows_by_level import RowsByLevel, rows_by_level
from treewright.model.table_model import TableModel
from treewright.prune.training_counts import training_error
from treewright.rules.from_tree import from_tree
from treewright.rules.rule_set import RuleSet
from treewright.tree.tree import LeafKind, Tree

if TYPE_CHECKING:
    from treewright.drawing.scene import Scene

Self = TypeVar("Self", bound="ShownTree")


class ShownTree(TableModel):
    """A model with a tree to be read. What is shown comes from the tree and its schema, never from the learner."""

    tree_: ReadableTree

    def rows_by_level(
        self, X: Any = None, y: Any = None, *, names: Any = None, sample_weight: Any = None
    ) -> RowsByLevel:
        """Rows sent down the tree level by level: who is where and, if the target is known, who is wrong.

        X, y: the rows, by default those of the fit. names: what rows are called, a column of X or a name per row; by
        default their number from 0.

        >>> import treewright as tw
        >>> X, y = {"who": ["Ann", "Bob", "Cid"], "age": [30, 40, 50]}, ["no", "yes", "no"]
        >>> print(tw.tree_by_hand({"age ≤ 35": "no", "else": "yes"}, X, y).rows_by_level(names="who"))
        level 0
          [0] all rows: Ann, Bob, Cid
        level 1
          [1] age ≤ 35: Ann → no
          [2] age > 35: Bob, Cid → yes, wrong: Cid
        1 of 3 rows wrong, error 33 %
          Cid is no, predicted yes in [2]
        """
        self._check_fitted()
        return rows_by_level(self, X, y, names, sample_weight)

    def rules(self) -> LeafRules:
        """One rule per leaf in words, in the order of the printed tree; ``rule_set()`` has them as data."""
        self._check_fitted()
        return rules(self.tree_, self.schema_)

    def rule_set(self) -> RuleSet:
        """The tree as a :class:`tw.rules.RuleSet`: rules as data, to predict with, report on, edit and save.

        Rows with missing values that the tree sends down several branches (C4.5), stops at a node or asks surrogates
        about may get another answer: here the first rule that is met decides.
        """
        return from_tree(self)

    def to_text(
        self,
        *,
        depth: int | None = None,
        max_lines: int | None = 200,
        width: int | None = None,
        max_levels: int | None = MOST_LEVELS,
        counts: bool = False,
        unfold: str = "depth=None, max_lines=None",
    ) -> str:
        """The tree as text: one line per node, the answer on the line of its test.

        ``counts`` tells at every node, inner ones too, how many rows of each class it has, or mean and spread. Of more
        than ``max_levels`` levels the first are shown, and how many more there are; None shows them all. A tree that is
        folded says how to see all of it: ``unfold=``, in words, if it is not by these arguments.
        """
        self._check_fitted()
        return render(
            self.tree_, self.schema_, depth=depth, max_lines=max_lines, width=width, ascii=not _speaks_unicode(),
            title=type(self).__name__, training_error=self._training_error(self.tree_),
            holdout=self.__dict__.get("holdout_"), more=self._more_facts(), max_levels=max_levels, counts=counts,
            unfold=unfold,
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """The nodes as columns of a table: parent, the test that leads there, rows, gain, prediction, and more."""
        self._check_fitted()
        return self.tree_.to_dict()

    def __str__(self) -> str:
        """The tree as text, as wide as the terminal if it is printed to one."""
        if "tree_" not in self.__dict__:
            return repr(self)
        return self.to_text(width=shutil.get_terminal_size().columns if sys.stdout.isatty() else None)

    def _training_error(self, tree: Tree) -> float | None:
        """The share of wrong rows; of numbers the root mean squared error, of medians the mean absolute error.

        None for a tree by hand whose rows came without a target.
        """
        error = training_error(tree, self.schema_)
        if math.isnan(error):
            return None
        return float(np.sqrt(error)) if tree.leaf in (LeafKind.MEANS, LeafKind.LINEAR) else error

    # ---- draw --------------------------------------------------------------------------------------------------

    def with_holdout(self: Self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """A copy of the model that also says what a second set of rows counts, and gets wrong, at every node.

        Print, picture and page show it; ``holdout_`` has it as data. Classes that the model does not know are always
        wrong.

        >>> import treewright as tw
        >>> model = tw.CARTClassifier().fit({"age": [20, 30, 40, 50]}, ["no", "no", "yes", "yes"])
        >>> print(model.with_holdout({"age": [25, 60, 70]}, ["no", "yes", "no"]))
        CARTClassifier: y — 4 rows, 2 leaves, depth 1, training error 0.0 %, hold-out error 33.3 %
        age ≤ 35: no [1] (2; hold-out 1, 0% wrong)
        age > 35: yes [2] (2; hold-out 2, 50% wrong)
        """
        from treewright.model.shown.model_pictures import with_holdout

        self._check_fitted()
        self._check_tree()
        made: Self = with_holdout(self, X, y, sample_weight)
        return made

    def to_svg(
        self,
        path: str | PathLike[str] | None = None,
        *,
        content: str = "auto",
        orientation: str = "auto",
        theme: str = "light",
        depth: int | None = None,
        max_leaves: int | str | None = "auto",
        node: int = 0,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
    ) -> str:
        """The tree as a picture: the text of an SVG file, also written to ``path`` if that is given.

        A path that ends in .png or .pdf is written as such, which needs matplotlib. content: "bars" (shares of the
        classes, or a number with its spread), "histogram" (of the column each node tests, the cut in it), "box"
        (quartiles of a numeric target) or "text". Histograms and boxes need rows: X and y, or the table of the fit for
        as long as it lives; "auto" shows bars and, where X and y are given, what these add. Only counts get into the
        picture, never rows. orientation: "down", "right" or "auto", which is down to 16 leaves. theme: "light" or
        "dark". A tree of more than 60 leaves is cut to two dozen ends, the nodes of most rows being kept;
        ``max_leaves`` is another number of ends, None shows all. ``depth`` cuts below that level, and
        ``node`` draws the tree below a node.
        """
        from treewright.drawing.axes_painter import save
        from treewright.drawing.svg import to_svg

        style = {"content": content, "orientation": orientation, "theme": theme, "depth": depth, "node": node}
        scene = self._scene({**style, "max_leaves": max_leaves}, X, y, sample_weight)
        return to_svg(scene) if path is None else save(scene, path)

    def plot(self, ax: Any = None, *, X: Any = None, y: Any = None, sample_weight: Any = None, **style: Any) -> Any:
        """The picture of ``to_svg``, with the same options, on matplotlib's axes: new ones of its size, or ``ax``."""
        from treewright.drawing.axes_painter import paint

        return paint(self._scene(style, X, y, sample_weight), ax)

    def _check_tree(self) -> None:
        """Raise where what was learned is not one tree."""

    def _scene(self, style: Mapping[str, Any], X: Any, y: Any, sample_weight: Any) -> Scene:
        from treewright.drawing.tree_picture import style_of
        from treewright.model.shown.model_pictures import scene_of

        self._check_fitted()
        self._check_tree()
        return scene_of(self, style_of(style), X, y, sample_weight)


def _speaks_unicode() -> bool:
    return "utf" in (getattr(sys.stdout, "encoding", None) or "utf").lower()
