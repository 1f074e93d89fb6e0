"""CHAID: trees of merged levels, split by significance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from treewright.binning.coded_bins import binned
from treewright.data.encoded import Encoded
from treewright.data.frame import Frame
from treewright.data.schema import Kind, Level, Schema
from treewright.data.user_warnings import warn_user
from treewright.errors import OptionError
from treewright.explain.number_text import plural
from treewright.model.base import TreeModel
from treewright.model.column_reports.competitors import Competitors, rank_columns, rank_columns_of
from treewright.model.learners.classifier import ClassifierModel
from treewright.model.learners.regressor import RegressorModel
from treewright.model.level_warnings import warn_of_pairs
from treewright.model.model_pruning import PRUNE
from treewright.model.options.option_limits import CHAID_LIMITS
from treewright.prune.pruning_report import PruningReport
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import Recipe
from treewright.recipes.chaid import FLAVOURS, FLOAT, chaid, floating
from treewright.tree.tree import Tree
from treewright.typing import Floats, Ints, Mask

_BINS = 10  # of columns that ``bins`` does not name
_ALPHA = 0.05
_ONE_TEST = {
    "test": ("chi2", "that program has no other test"),
    "missing": (FLOAT, "that program knows no other way"),
}
_ONLY: dict[str, dict[str, tuple[Any, str]]] = {  # what options must be with a flavour, and a hint
    "r": {**_ONE_TEST, "exhaustive": (False, "that program does not merge exhaustively")},
    "pypi": {
        **_ONE_TEST,
        "bonferroni": (False, "that program has no multipliers: pass bonferroni=False"),
        "exhaustive": (False, "what that program calls exhaustive is max_branches=2"),
        "alpha_resplit": (None, "that program does not split groups again"),
    },
}
_CLOSE = 10  # an adjusted p above alpha divided by this is close to it
_COCHRAN = 5.0, 0.2, 1.0  # expected counts below the first in more than this share of cells, or one below the last


def check_resplit(options: Any) -> None:
    if options.alpha_resplit is None:
        return
    if options.exhaustive:
        raise OptionError("exhaustive merging does not split groups again", "leave alpha_resplit out")
    if options.alpha_resplit >= options.alpha_merge:
        raise OptionError(
            f"alpha_resplit={options.alpha_resplit!r} is not below alpha_merge={options.alpha_merge!r}",
            "what is split again would be merged again; Kass uses 0.049 and 0.05",
        )


def check_scores(options: Any) -> None:
    if options.scores is not None and options.test != "scores":
        raise OptionError(f"scores are for test='scores', got test={options.test!r}", "leave scores out")


def check_flavour(options: Any) -> None:
    """Programs that are followed have no more than they have."""
    for option, (only, hint) in _ONLY.get(options.flavour, {}).items():
        given = getattr(options, option)
        if given != only:
            raise OptionError(f"flavour={options.flavour!r} goes with {option}={only!r}, got {given!r}", hint)
    if options.flavour == "pypi" and options.alpha_split not in (_ALPHA, options.alpha_merge):
        raise OptionError(
            f"flavour='pypi' asks for no p to split with, got alpha_split={options.alpha_split!r}",
            "leave it out: columns whose groups differ by alpha_merge are split by",
        )


@dataclass(kw_only=True, eq=False, repr=False)
class ChaidModel(TreeModel):
    """What both CHAID trees share."""

    missing: Any = FLOAT
    alpha_merge: float = _ALPHA
    alpha_split: float = _ALPHA
    alpha_resplit: float | None = None
    bonferroni: bool = True
    exhaustive: bool = False
    bins: Any = _BINS
    max_branches: int | None = None
    max_leaves: int | None = None
    min_rows_split: int = 20
    min_rows_leaf: int = 7
    small_node_share: float = 1.0
    min_gain: float = 0.0
    prune: Any = PRUNE

    test: str = field(default="f", init=False)
    scores: Any = field(default=None, init=False)
    flavour: str = field(default=FLAVOURS[0], init=False)

    option_limits = CHAID_LIMITS
    option_checks: ClassVar[tuple[Callable[[Any], None], ...]] = (check_resplit,)

    _usual = FLOAT

    def _policies(self, schema: Schema) -> tuple[Missing, ...]:
        return floating(self.missing, schema.names)

    def _recipe(self, encoded: Encoded) -> Recipe:
        recipe = chaid(
            flavour=self.flavour, test=self.test, missing=self._policies(encoded.schema), leaf=self._leaf(),
            surrogates=self._surrogating(), max_depth=self.max_depth, max_leaves=self.max_leaves,
            min_rows_split=self.min_rows_split, min_rows_leaf=self.min_rows_leaf, min_gain=float(self.min_gain),
            alpha_merge=self.alpha_merge, alpha_split=self.alpha_split, alpha_resplit=self.alpha_resplit or 0.0,
            bonferroni=self.bonferroni, exhaustive=self.exhaustive, max_branches=self.max_branches,
            small_share=self.small_node_share, scores=self._class_scores(encoded.schema.target.classes or ()),
        )  # fmt: skip
        return replace(recipe, prune=self._fit_pruner())

    def _class_scores(self, classes: tuple[Level, ...]) -> tuple[float, ...]:
        """Of ordered classes; none for other tests."""
        if self.test != "scores":
            return ()
        if self.scores is None:
            return tuple(float(place) for place in range(1, len(classes) + 1))
        unscored = [label for label in classes if label not in self.scores]
        if unscored:
            raise OptionError(f"scores has no number for class {unscored[0]!r}", f"the classes are {classes}")
        return tuple(float(self.scores[label]) for label in classes)

    def _encode(self, frame: Frame, y: Any, sample_weight: Any) -> Encoded:
        # Significance is that of the rows as they are: costs and priors change what a leaf predicts, not the tests.
        encoded = self._coded_rows(frame, y, sample_weight)
        return binned(encoded, _bins_by_column(self.bins, encoded.schema))

    def _grow(self, encoded: Encoded, recipe: Recipe) -> tuple[Tree, PruningReport | None]:
        warn_of_pairs(encoded)
        tree, told = super()._grow(encoded, recipe)
        self.__dict__["_coded"] = encoded
        return tree, told

    def competitors(  # type: ignore[override]
        self, node: int = 0, X: Any = None, y: Any = None, sample_weight: Any = None
    ) -> Competitors:
        """Every column at one node, the most significant first: groups, statistic, p and adjusted p.

        node: the number of any node of the tree, leaf or not. The columns are compared anew with the rows of the fit,
        of which a model keeps the codes, a byte for most cells. They are neither saved nor pickled: of a loaded model
        pass ``X``, ``y`` and ``sample_weight``.

        >>> import treewright as tw
        >>> table = tw.datasets.load("play_tennis")
        >>> X = {name: column for name, column in table.X.items() if name != "day"}
        >>> model = tw.CHAIDClassifier(min_rows_split=2, min_rows_leaf=2).fit(X, table.y)
        >>> print(model.competitors())
        column       groups      χ²  df       p  adjusted p
        humidity          2     2.8   1  0.0943      0.0943
        outlook           2   3.111   1  0.0778       0.233
        windy             2  0.9333   1   0.334       0.334
        temperature       2  0.4978   1    0.48           1
        """
        self._check_fitted()
        return rank_columns(self, node, X, y, sample_weight)

    def _competitors_of(self, node: int, whole: Encoded, here: Encoded) -> Competitors:
        return rank_columns_of(self, node, here)


def _bins_by_column(bins: Any, schema: Schema) -> list[int | Floats]:
    """A number of bins, or edges, for every column."""
    if not isinstance(bins, Mapping):
        return [int(bins)] * len(schema.columns)
    unknown = [name for name in bins if name not in schema.names]
    if unknown:
        raise OptionError(f"bins names a column that does not exist: {unknown[0]!r}", f"there are {schema.names}")
    for column in schema.columns:
        if column.name in bins and column.kind is not Kind.NUMERIC:
            raise OptionError(f"column {column.name!r} has levels and cannot be binned", "leave it out of bins")
    wishes = (bins.get(name, _BINS) for name in schema.names)
    return [int(wish) if np.ndim(wish) == 0 else np.asarray(wish, np.float64) for wish in wishes]


@dataclass(kw_only=True, eq=False, repr=False)
class CHAIDClassifier(ChaidModel, ClassifierModel):
    """CHAID (Kass 1980) for classes: levels that do not differ are merged, the most significant column is split by.

    At every node the levels of each column are merged pair by pair, the least different first, while the difference of
    a pair has a p above ``alpha_merge``: any pair of a nominal column, neighbours of an ordinal one. Missing values are
    a level of their own, which may join any other. Two groups at least are left. Groups of three or more levels that
    come apart again with a p up to ``alpha_resplit`` are split (None: they are not). The p of the groups that are left
    is multiplied by the number of ways in which the levels could have been merged (``bonferroni``), and the column of
    the smallest p is split by, a branch per group, if that is at most ``alpha_split``.

    ``exhaustive`` merges down to two groups and takes the stage of the smallest p (Biggs, de Ville & Suen 1991);
    ``alpha_merge`` is not asked then. ``test`` is Pearson's "chi2", the likelihood ratio "g", or "scores" for ordered
    classes: mean scores of groups are compared by (N - 1)·(Σ between groups) / (Σ in all), the sums being of squares
    about the mean score; this is the score test of the row effects model, χ² with a degree of freedom less than groups
    (Cochran–Mantel–Haenszel). ``scores`` maps classes to numbers; None: 1, 2, 3, … in the order of the classes.

    Numbers are cut into ``bins`` at quantiles of all rows and merged as ordinal levels. A mapping gives columns a
    number of bins or edges of their own: ``{"age": [18, 30, 65]}``. A node of fewer than ``min_rows_split`` rows is not
    split. While a group has fewer than ``min_rows_leaf`` rows merging goes on, and two groups are not merged if that
    leaves fewer beside them; in small nodes ``small_node_share`` of the node's rows may be enough. ``max_branches`` is
    the largest number of groups. ``min_gain`` and ``max_leaves`` stop early as in other trees: what a split gains is
    the decrease in Gini impurity (of numbers: in variance), and with ``max_leaves`` the split that gains most, times
    the weight of its node, is taken first. Weights count as rows throughout. ``costs`` and ``priors`` change what
    leaves predict, not the tests; nor do ``attribute_costs``, which ``expected_cost`` adds up.

    ``flavour`` is whose merging is followed: "kass" is what is published. "r" and "pypi" do as R-Forge's CHAID 0.1-2
    and PyPI's CHAID 5.5.1 do, slips included, for those who have to arrive at the same tree. They are slower, for χ²
    only, and not better. "r" mixes up p-values of pairs when it merges levels of a nominal column that are no
    neighbours, merges levels that are declared but absent first, does not merge what it has split again, and draws
    the p-values of tables of fewer than 100 rows that have a cell below 10 (here with a fixed seed; R's trees of small
    nodes differ from run to run). "pypi" goes with ``bonferroni=False``. It takes the smallest p whatever it is
    (``alpha_split`` is not asked), of p-values below all floats the largest χ²; it stops merging when it meets two
    levels of one and the same class and the pairs before them differ, asks only the pair it compared last whether
    groups are large enough, splits a root of fewer than ``min_rows_split`` rows, and does not join ordered levels
    across one that is absent, of whole numbers across one that is left out: 2 and 4 are no neighbours. Weights count as
    rows; that program has another test for them, which is not followed.

    When predicting, a level that was not seen is treated as missing. Missing values go to the group they were merged
    with; where there were none in training, to the heaviest branch. That is ``missing="floating"``, CHAID's own way to
    learn their direction ("learned" means the same). Other policies are those of other trees, for all columns or by
    name: "branch" keeps missing values a group of their own that is never merged, however small, beside at most
    ``max_branches`` others; "common" counts them as the commonest level or the median bin; under "fractional", "every",
    "surrogate", "stop" and "drop" levels are merged and tested by the rows whose value is known.

    >>> import treewright as tw
    >>> table = tw.datasets.load("play_tennis")
    >>> X = {name: column for name, column in table.X.items() if name != "day"}
    >>> print(tw.CHAIDClassifier(alpha_split=0.1, min_rows_split=2, min_rows_leaf=2).fit(X, table.y))
    CHAIDClassifier: y — 14 rows, 2 leaves, depth 1, training error 28.6 %
    [0]  χ² = 2.8, df = 1, p = 0.0943
    humidity = High: No [1] (7, 43% wrong)
    humidity = Normal: Yes [2] (7, 14% wrong)
    """

    test: str = "chi2"
    scores: Any = None
    flavour: str = FLAVOURS[0]

    option_checks = (check_resplit, check_scores, check_flavour)

    def _counts_unused(self) -> bool:
        return self.flavour == "r"

    def split_scores(self) -> Floats:
        """What the test of each node was chosen by, 0 at leaves: -ln of the adjusted p."""
        self._check_fitted()
        tests = self.tree_.test
        return np.where(self.tree_.n_branches > 0, -tests[:, -1], 0.0) if tests.size else np.zeros(self.tree_.n_nodes)

    def rough_splits(self) -> Ints:
        """The numbers of nodes whose p-value is rough because expected counts are small: below 1, or below 5 in over
        20 % of the cells (Cochran 1954). Mean scores (``test="scores"``) need no such counts."""
        self._check_fitted()
        return np.flatnonzero(_has_small_counts(self.tree_)) if self.test != "scores" else np.empty(0, np.int64)

    def _grow(self, encoded: Encoded, recipe: Recipe) -> tuple[Tree, PruningReport | None]:
        tree, told = super()._grow(encoded, recipe)
        if self.test != "scores" and tree.n_nodes > 1:
            _warn_of_doubt(tree, self.alpha_split)
        return tree, told


def _has_small_counts(tree: Tree) -> Mask:
    """Cochran's rule: χ² is trusted if no expected count is below 1 and few are below 5."""
    child = np.arange(1, tree.n_nodes)
    parent = tree.parent[child]
    weight = tree.stats.sum(-1)
    expected = tree.stats[parent] * (weight[child] / weight[parent])[:, None]
    occurs = tree.stats[parent] > 0
    small, most, least = _COCHRAN
    counts = occurs.sum(-1), (occurs & (expected < small)).sum(-1)
    cells, few = (np.bincount(parent, count, minlength=tree.n_nodes) for count in counts)
    rare = np.bincount(parent, (occurs & (expected < least)).any(-1), minlength=tree.n_nodes) > 0
    return np.asarray(rare | (few > most * cells))


def _warn_of_doubt(tree: Tree, alpha: float) -> None:
    """Deep in nearly every tree some counts are small. That matters where the p-value, were it exact, might be above
    alpha; and to the whole tree if that holds of the first split, or of most."""
    close = tree.test[:, -1] > np.log(alpha / _CLOSE)
    doubtful, count = _has_small_counts(tree) & close, int((tree.n_branches > 0).sum())
    n = int(doubtful.sum())
    if doubtful[0] or n > count / 2:
        warn_user(
            f"{n} of {plural(count, 'split')} may be chance: their adjusted p is close to alpha_split={alpha:g}, and "
            "rough, since expected counts are small (below 1, or below 5 in over 20 % of the cells). "
            "Hint: raise min_rows_leaf, or lower alpha_split."
        )


@dataclass(kw_only=True, eq=False, repr=False)
class CHAIDRegressor(ChaidModel, RegressorModel):
    """CHAID (Kass 1980) for numbers: groups of levels are compared by the F test of one-way analysis of variance.

    All else is as in ``tw.CHAIDClassifier``; leaves predict means.

    >>> import treewright as tw
    >>> X = {"colour": ["red", "green", "blue", "grey"] * 10}
    >>> y = [1.0, 1.1, 5.0, 5.2, 1.2, 0.9, 5.1, 4.9] * 5
    >>> print(tw.CHAIDRegressor().fit(X, y))
    CHAIDRegressor: y — 40 rows, 3 leaves, depth 1, training RMSE 0.1061
    [0]  F = 6580, df = 2, 37, p = 6.07e-48 (adjusted 3.64e-47)
    colour in {blue, grey}: 5.05 [1] (n=20, sd 0.11)
    colour = green: 1 [2] (n=10, sd 0.1)
    colour = red: 1.1 [3] (n=10, sd 0.1)
    """
