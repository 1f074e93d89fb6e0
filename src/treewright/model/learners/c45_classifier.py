"""C4.5 and its kin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from treewright.compat.c45_programs import FLAVOURS
from treewright.data.encoded import Encoded
from treewright.data.frame import read_frame
from treewright.data.labelled import row_mask, split_rows
from treewright.data.weights import with_row_costs
from treewright.errors import DataError, OptionError
from treewright.leaves import Leaf
from treewright.model.base import learned
from treewright.model.class_or_number import altered
from treewright.model.learners.classifier import ClassifierModel
from treewright.model.level_warnings import warn_of_repeated_pairs
from treewright.model.model_pruning import PruneOption, remember
from treewright.model.options.c45_options import C45Options, check_branching
from treewright.model.options.missing_policy import complete_rows
from treewright.model.options.option_limits import C45_LIMITS, check_significance
from treewright.prune.fit_pruning import C45Pruning, HeldOutPruning
from treewright.prune.methods.error_based import ErrorBased
from treewright.prune.pruning_report import PruningReport
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import ByRatio, Limits, Recipe
from treewright.recipes.c45 import MANY_LEVELS, c45
from treewright.tree.tree import LeafKind, Tree
from treewright.typing import Mask

Self = TypeVar("Self", bound="C45Classifier")
_REDUCED_ERROR = "reduced-error"
_HELD_OUT = 1 / 3


@dataclass(kw_only=True, eq=False, repr=False)
class C45Classifier(C45Options, ClassifierModel):
    """C4.5 (Quinlan 1993): gain ratio, one branch per level, ``x <= t`` for numbers, error-based pruning.

    A row whose tested value is missing goes down every branch, with the share of weight that the branch has of the
    rows whose value is known; so it does when predicting, and the leaves' shares are summed. ``missing`` names another
    policy for all columns, or by column: ``{"income": "branch"}``; columns that are not named stay "fractional". The
    policies are those of other trees, grown by an engine that is slower. Those that send missing values one way count
    them there, in gain and split information; for the others the gain counts the known part, and the missing values are
    one more outcome in the split information, as in C4.5.

    ``flavour`` is whose small print is followed: "c4.5" is Quinlan's release 8 but for numbers of a small scale,
    "c4.5-release8" that too, "j48" Weka's. Both programs take neighbouring numbers for equal that are less than 1e-5
    apart, so they never split a column of 4e-7 and 6e-7; "c4.5" takes for equal what is less than a billionth of the
    column's spread apart, and 1e-5 at most. ``confidence`` is that of the pessimistic errors by which the tree is
    pruned: less of it prunes more. ``min_cases`` is the least weight two
    branches of a test must have. ``criterion="gain"`` chooses by information gain instead of the gain ratio.
    Other measures are refused: what makes this C4.5 is its choice of the best ratio among columns of at least average
    gain, with a charge for cuts in the unit of the gain. :class:`TreeClassifier` takes every measure.
    ``binary`` tests one level against the rest; ``subset`` merges levels into branches as long as that raises the gain
    ratio, and levels that hardly occur at a node share the last branch. ``mdl`` charges numeric tests log2(cuts) / N
    for the choice of a cut. ``thresholds`` are "values" of the training rows or "midpoints". ``collapse`` undoes splits
    that save no training error, ``prune`` those that save no pessimistic error, ``raising`` lets a branch take the
    place of its parent meanwhile. ``laplace`` draws probabilities towards equal ones: (m₊ + 1) / (m + K).
    Levels that a categorical column declares but that occur in no row have empty branches, as they have there.
    ``max_leaves``, ``min_rows_split``, ``min_gain``, ``significance`` and ``significance_of`` stop early as in other
    trees, before anything is pruned.
    ``prune`` may also name another method (see :class:`CARTClassifier`). ``prune="reduced-error"`` grows from some of
    the rows and cuts what does no good on the others (see ``fit``), as J48 -R does: nothing is collapsed or raised, and
    the tree is not fitted anew. ``soft_thresholds`` gives every threshold the bounds to which it could be moved before
    training errors rise by a standard error; a number between them goes down both branches, in equal parts at the
    threshold itself.

    >>> import treewright as tw
    >>> table = tw.datasets.load("play_tennis")
    >>> X = {name: column for name, column in table.X.items() if name != "day"}
    >>> model = tw.C45Classifier().fit(X, table.y)
    >>> print(model.explain({"outlook": None, "temperature": "Mild", "humidity": "High", "windy": "Weak"}))
    start [0]: 14 rows (No: 5, Yes: 9)
    outlook is missing, so outlook = Overcast or missing (shared) [1] for 29 % of the row: 4 rows (No: 0, Yes: 4)
    outlook is missing, so outlook = Rainy or missing (shared) [2] for 36 % of the row: 5 rows (No: 2, Yes: 3)
    outlook is missing, so outlook = Sunny or missing (shared) [3] for 36 % of the row: 5 rows (No: 3, Yes: 2)
    windy = Weak [5] for 36 % of the row: 3 rows (No: 0, Yes: 3)
    humidity = High [6] for 36 % of the row: 3 rows (No: 3, Yes: 0)
    prediction: y = Yes (No: 36 %, Yes: 64 %)
    """

    soft_thresholds: bool = False
    prune: PruneOption = PruneOption(True)  # noqa: RUF009 - a descriptor, whose default the class reads
    raising: bool = True
    laplace: bool = False

    option_limits = C45_LIMITS
    option_checks = (check_branching, check_significance)

    _default_policy = Missing.FRACTIONAL
    _usual = Missing.FRACTIONAL.value

    def fit(
        self: Self, X: Any, y: Any, sample_weight: Any = None, row_costs: Any = None, prune_rows: Any = None
    ) -> Self:
        """Learn a tree from a table and its target.

        X: any dataframe, array, list of dicts or dict of columns. y: the target, a value per row. row_costs: what an
        error on each row costs, a number per row. prune_rows: with ``prune="reduced-error"`` the rows to prune with, as
        a mask or by number, the others being grown from; by default a third of each class, drawn with random_state.
        """
        if not self._holds_out():
            if prune_rows is not None:
                raise OptionError(
                    "prune_rows is given, but nothing is pruned with them", f'use prune="{_REDUCED_ERROR}"'
                )
            return super().fit(X, y, sample_weight, row_costs)
        self._check_options()
        frame = read_frame(X)
        weight = with_row_costs(sample_weight, row_costs, frame.n_rows) if row_costs is not None else sample_weight
        # Rows with missing values that are not to be grown from may still be pruned with.
        encoded = altered(self._coded_rows(frame, y, weight, drop=False))
        held_out = self._held_out(encoded, prune_rows, frame.n_rows, self._read_target(y, frame.n_rows, weight).keep)
        self._keep(encoded.schema, learned(*self._grown_and_pruned(encoded, held_out)), named=frame.named)
        self._fitted_to = remember(X, y, sample_weight)
        return self

    def _holds_out(self) -> bool:
        option = self.__dict__["prune"]
        return isinstance(option, str) and option == _REDUCED_ERROR

    def _held_out(self, encoded: Encoded, prune_rows: Any, n_rows: int, kept: Mask | None) -> Mask:
        """Which of the encoded rows are pruned with."""
        if prune_rows is not None:
            mask = row_mask(prune_rows, n_rows, "prune_rows")
            return mask if kept is None else mask[kept]
        mask = np.zeros(encoded.n_rows, np.bool_)
        mask[split_rows(np.arange(encoded.n_rows), encoded.y, _HELD_OUT, self.random_state)[1]] = True
        return mask

    def _grown_and_pruned(self, encoded: Encoded, held_out: Mask) -> tuple[Tree, PruningReport | None]:
        """Grow from some rows and prune with the others. Thresholds are values of all of them, as in J48."""
        to_grow = ~held_out & complete_rows(encoded, self._policies(encoded.schema))
        if not to_grow.any() or not held_out.any():
            raise DataError("rows are needed both to grow from and to prune with", "hold out a third of them")
        grown_from, held = encoded.take(to_grow), encoded.take(held_out)
        many_levels = MANY_LEVELS * encoded.n_rows / grown_from.n_rows  # of all rows
        prune = HeldOutPruning(held, self.soft_thresholds, self.subset, self._n_jobs())
        return self._grow(grown_from, self._recipe(grown_from, many_levels, prune))

    def _recipe(
        self, encoded: Encoded, many_levels: float = MANY_LEVELS, prune: HeldOutPruning | None = None
    ) -> Recipe:
        return c45(
            flavour=self.flavour, missing=self._policies(encoded.schema), criterion=self.criterion,
            min_cases=float(self.min_cases), mdl=self.mdl, binary=self.binary, subset=self.subset,
            thresholds=self.thresholds, laplace=self.laplace, many_levels=many_levels,
            stop=Limits(
                max_depth=self.max_depth, max_leaves=self.max_leaves, min_rows_split=self.min_rows_split,
                min_gain=float(self.min_gain), significance=self.significance,
                significance_of=self.significance_of,
            ),
            surrogates=self._surrogating(), test_costs=self._test_costs(encoded.schema),
            prune=prune or self._pruning(),
        )  # fmt: skip

    def _grow(self, encoded: Encoded, recipe: Recipe) -> tuple[Tree, PruningReport | None]:
        if self.subset:
            warn_of_repeated_pairs(encoded)
        return super()._grow(encoded, recipe)

    def _choice(self) -> ByRatio:
        return ByRatio()

    def _counts_unused(self) -> bool:
        """To tell columns of many levels; and each has an empty branch."""
        return True

    def _pruning(self) -> C45Pruning:
        error_based = ErrorBased(self.confidence, flavour=self.flavour, raising=self.raising)
        asked_for = self._fit_pruner()
        wanted = asked_for.pruner if asked_for else error_based if self.__dict__["prune"] else None
        return C45Pruning(wanted, self.collapse, self.soft_thresholds, self.subset, self._n_jobs())

    def _leaf(self) -> Leaf:
        sure = FLAVOURS[self.flavour].empty_as_class
        return Leaf(LeafKind.CLASSES, smoothing="laplace" if self.laplace else 0.0, empty_as_class=sure)
