"""Trees that are searched for: several splits are kept near the root, and the best tree is chosen afterwards."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeVar

import numpy as np

from treewright.data.encoded import Encoded
from treewright.data.folds import is_one_out
from treewright.engines.workers import Workers
from treewright.errors import OptionError
from treewright.explain.number_text import plural
from treewright.explain.printed_cuts import printed_edges
from treewright.explain.readable_tree import readable
from treewright.model.greedy import GreedyModel
from treewright.model.learners.classifier import ClassifierModel
from treewright.model.learners.regressor import RegressorModel
from treewright.model.learners.search_alternatives import SplitAlternatives, alternatives_at
from treewright.model.options.option_limits import (
    SEARCH_CLASSIFIER_LIMITS,
    SEARCH_REGRESSOR_LIMITS,
    check_significance,
)
from treewright.model.progress import Bar, steps
from treewright.prune.option_checks import check_whole
from treewright.prune.search_curve import KeptTrees, SearchCurve, kept_trees
from treewright.prune.tree_search import (
    AndOrGrower,
    CostedTree,
    LeftOutErrors,
    Resampling,
    place_of,
    search_trees,
)
from treewright.prune.tree_selection import standard_errors
from treewright.recipe_parts.recipe import Limits, Recipe, Splits

Self = TypeVar("Self", bound="SearchModel")

_FEW_ROWS, _REPEATS = 500, 3  # up to so many rows cross-validation is repeated
OUT_OF_BAG = "oob"


def check_samples(model: Any) -> None:
    """There are as many bootstrap samples as there would be folds."""
    if model.choose == OUT_OF_BAG:
        check_whole("cv", model.cv, least=2, hint="with choose='oob' it is the number of bootstrap samples")


@dataclass(kw_only=True, eq=False, repr=False)
class SearchModel(GreedyModel):
    """Shared by trees that are searched for.

    Nodes at depth d keep the best split of each of their best ``search[d]`` columns, deeper nodes one; every branch is
    grown to the end. For a complexity parameter α, the cost of a leaf as a share of the weight, the tree of least
    error + α·leaves is found from the bottom up. With one split kept this is cost-complexity pruning on errors. Of many
    splits some look good by chance: to take the one of rank r costs α·``alternative_cost``·log2(r) as well. α is
    chosen from 37 values by stratified cross-validation with ``cv`` folds, ``repeats`` times (None: 3 times up to 500
    rows, else once), or by ``choose="oob"`` with as many bootstrap samples. ``rule`` is how many standard errors worse
    than the best a smaller tree may be. ``alpha`` sets α instead, and no rows are left out. Of trees with more than
    ``max_leaves`` leaves none is chosen; a given α is raised until the tree has no more. ``curve_`` has the errors of
    all trees, ``with_leaves`` picks another, ``alternatives`` tells what else a node could have tested.

    Missing values go one way: taking every branch in parts, or by surrogates, is not offered. Rows are copied for every
    alternative, 8 million cells at a time, whatever the number of threads, or those of one node for each of them.
    """

    search: Any = (5, 3, 2)
    rule: Any = 0.5
    cv: Any = 10
    repeats: int | None = None
    choose: str = "cv"
    alpha: float | None = None
    alternative_cost: float = 1.0

    missing_at_predict: Any = field(default=None, init=False)
    surrogates: str = field(default="breiman", init=False)
    max_surrogates: int = field(default=5, init=False)
    surrogate_agreement: str = field(default="all", init=False)
    surrogate_otherwise: str = field(default="majority", init=False)

    option_checks: ClassVar[Any] = (check_significance, check_samples)

    curve_: SearchCurve = field(init=False)
    searched_: KeptTrees = field(init=False)

    def _limits(self) -> Limits:
        """How many leaves the tree may have is seen to when it is chosen."""
        return replace(super()._limits(), max_leaves=None)

    def _recipe(self, encoded: Encoded) -> Recipe:
        return Recipe(splits=Splits.SUBSET, **self._pieces(encoded))

    # ---- fit ---------------------------------------------------------------------------------------------------

    def _learned(self, encoded: Encoded) -> dict[str, Any]:
        resampling = self._resampling(encoded)
        grower = AndOrGrower(self._recipe, tuple(self.search), float(self.alternative_cost))
        parts = () if resampling is None else resampling.parts(encoded.y)
        n_steps = encoded.n_rows + sum(len(rest) for rest, _ in parts)
        bar = Bar(n_steps, type(self).__name__) if self.progress else steps("searching", n_steps)
        with bar as report, Workers(self._n_jobs()) as workers:
            found = search_trees(encoded, grower, self.alpha, resampling, workers, report)
            errors = found.errors or LeftOutErrors(*np.full((2, len(found.alphas)), np.nan))
            curve = self._curve(found.whole, found.alphas, found.total, errors)
            kept = kept_trees(found.whole, found.chosen, curve)
            kept = with_printed_edges(kept, encoded, workers)
        return {"tree_": kept.tree(curve.place)[0], "curve_": curve, "searched_": kept}

    def _resampling(self, encoded: Encoded) -> Resampling | None:
        """None: nothing is left to choose."""
        if self.alpha is not None or encoded.n_rows == 1:
            return None
        seed = int(self.random_state) if isinstance(self.random_state, (int, np.integer)) else 0
        cv = min(self.cv, encoded.n_rows) if isinstance(self.cv, (int, np.integer)) else self.cv
        return Resampling(cv, self._repeats(encoded.n_rows), self.choose == OUT_OF_BAG, seed)

    def _repeats(self, n_rows: int) -> int:
        """How often rows are left out: once if it would be the same rows again."""
        out_of_bag = self.choose == OUT_OF_BAG
        if not out_of_bag and is_one_out(self.cv, n_rows):
            return 1
        few = n_rows <= _FEW_ROWS and (out_of_bag or not hasattr(self.cv, "get_n_splits"))
        return int(self.repeats or (_REPEATS if few else 1))

    def _curve(self, whole: CostedTree, alphas: Any, total: Any, errors: LeftOutErrors) -> SearchCurve:
        loss, leaves = total.T
        place = self._place(alphas, errors, leaves, int(whole.tree.rows[0]))
        return SearchCurve(
            alphas, leaves.astype(np.int64), loss / whole.weight, errors.error, errors.standard_error, place
        )

    def _place(self, alphas: Any, errors: LeftOutErrors, leaves: Any, n_rows: int) -> int:
        """Which tree the options take."""
        most = n_rows if self.max_leaves is None else min(self.max_leaves, n_rows)
        if self.alpha is not None:
            return int(np.flatnonzero((alphas >= self.alpha) & (leaves <= most))[0])
        if np.isnan(errors.error).all():
            return len(alphas) - 1
        unit = 1 / n_rows
        if not isinstance(self, ClassifierModel):
            unit *= float(errors.error.min())
        return place_of(errors, leaves, unit, standard_errors(self.rule), most)

    # ---- what else there was ---------------------------------------------------------------------------------------

    def alternatives(self, node: int = 0) -> SplitAlternatives:
        """The splits that a node kept, and what each would have led to at the same α, that of least cost first.

        >>> import treewright as tw
        >>> table = tw.datasets.load("play_tennis")
        >>> X = {name: column for name, column in table.X.items() if name != "day"}
        >>> print(tw.SearchTreeClassifier(alpha=0.05).fit(X, table.y).alternatives())
        column          gain  leaves   error    cost         branches
        outlook        0.226       3  0.1429  0.2929  taken  outlook in {Rainy, Sunny} | outlook = Overcast
        humidity      0.1518       3  0.1429  0.3429         humidity = High | humidity = Normal
        windy        0.04813       6       0  0.3792         windy = Strong | windy = Weak
        temperature  0.02508       3  0.2143  0.4643         temperature = Hot | temperature in {Cool, Mild}
        """
        self._check_fitted()
        return alternatives_at(self.tree_, self.schema_, self.searched_, self.curve_, node)

    def with_leaves(self: Self, most: int) -> Self:
        """A copy of the model with another tree of the curve: the largest of at most so many leaves."""
        self._check_fitted()
        check_whole("most", most, least=0, hint="it is how many leaves the tree may have")
        places = self.searched_.places
        fitting = places[self.curve_.leaves[places] <= most]
        if not len(fitting):
            least = int(self.curve_.leaves[places].min())
            raise OptionError(f"no tree of the curve has at most {most!r} leaves", f"the smallest has {least}")
        place = int(fitting[np.argmax(self.curve_.leaves[fitting])])
        other = copy.copy(self)
        tree = readable(self.searched_.tree(place)[0], self.schema_)
        other.__dict__.update(tree_=tree, curve_=replace(self.curve_, place=place))
        other.__dict__.pop("holdout_", None)  # of the nodes of the other tree
        if "_fitted_to" in self.__dict__:
            other.__dict__["_fitted_to"] = self.__dict__["_fitted_to"]
        return other

    def summary(self) -> str:
        """What was tried, and why this tree was chosen, in one paragraph."""
        self._check_fitted()
        curve, chosen = self.curve_, self.curve_.chosen
        tried = f"{_widths(self.search)}{_bins(self.engine)}, and chose among {plural(len(curve), 'tree')}"
        if np.isnan(chosen.error):
            leaves, alpha = plural(chosen.leaves, "leaf", "leaves"), curve.alphas[curve.place]
            return f"{tried} by α = {alpha:.3g}, the cost of a leaf: {leaves}. No rows were left out to choose it."
        best = int(np.argmin(curve.errors))
        return (
            f"{tried} by {self._how()}. The one taken has {plural(chosen.leaves, 'leaf', 'leaves')} and an error of "
            f"{self._told(chosen.error)} ± {self._told(chosen.standard_error)} on rows left out; the least error was "
            f"{self._told(curve.errors[best])}, with {plural(int(curve.leaves[best]), 'leaf', 'leaves')}. {self._why()}"
        )

    def _how(self) -> str:
        """How rows were left out."""
        n_rows = int(self.tree_.rows[0])
        repeats = self._repeats(n_rows)
        if self.choose == OUT_OF_BAG:
            return f"{min(self.cv, n_rows) * repeats} bootstrap samples and the rows that are not in them"
        if is_one_out(self.cv, n_rows):
            return "leaving out one row at a time"
        by_number = not hasattr(self.cv, "get_n_splits")
        folds = f"{self.cv}-fold cross-validation" if by_number else f"cross-validation with {type(self.cv).__name__}"
        return f"{folds}, {repeats} times" if repeats > 1 else folds

    def _why(self) -> str:
        """Why the tree of the model was taken."""
        curve = self.curve_
        errors = LeftOutErrors(curve.errors, curve.standard_errors)
        taken = self._place(curve.alphas, errors, curve.leaves, int(self.tree_.rows[0]))
        if curve.step_of(taken) != curve.step_of(curve.place):
            return f"It was picked by its leaves; the rule takes the one with {curve.leaves[taken]}."
        within = standard_errors(self.rule)
        which = "the smallest that is" if within else "the one that is"
        how = f"at most {within:.4g} standard errors worse than the best" if within else "the best"
        counts = "half an error" if self.schema_.target.classes is not None else "half the error of a row"
        return f"It is {which} {how}, where every doubling of the leaves counts as {counts}."

    def _told(self, error: float) -> str:
        plain = self.schema_.target.classes is not None and self.schema_.target.costs is None
        return f"{100 * error:.1f} %" if plain else f"{error:.4g}"


def _bins(engine: str) -> str:
    return " with numbers in bins" if engine == "histogram" else ""


def _widths(search: Any) -> str:
    wide = [str(width) for width in search]
    if not any(width > 1 for width in search):
        return "Grew one split per node"
    *first, last = wide
    words = f"{', '.join(first)} and {last}" if first else last
    levels = "level" if len(wide) == 1 else f"{len(wide)} levels"
    return f"Kept the best splits of {words} columns at the nodes of the first {levels}"


def with_printed_edges(kept: KeptTrees, encoded: Encoded, workers: Workers) -> KeptTrees:
    tree = kept.whole.tree
    column = np.repeat(tree.splits.column, tree.splits.edge_size)
    printed = printed_edges(column, tree.splits.edges, tree.splits.below, encoded, workers)
    return replace(kept, whole=replace(kept.whole, tree=replace(tree, printed=printed)))


@dataclass(kw_only=True, eq=False, repr=False)
class SearchTreeClassifier(SearchModel, ClassifierModel):
    """The most accurate tree that one can read: a search over the splits near the root, leaves that cost α each.

    Binary splits by information gain, nominal columns by subsets of their levels. See :class:`SearchModel` for the
    search and the options.

    >>> import treewright as tw
    >>> table = tw.datasets.load("play_tennis")
    >>> X = {name: column for name, column in table.X.items() if name != "day"}
    >>> model = tw.SearchTreeClassifier(alpha=0.05).fit(X, table.y)
    >>> print(model)
    SearchTreeClassifier: y — 14 rows, 3 leaves, depth 2, training error 14.3 %
    outlook in {Rainy, Sunny} [1]
    │  humidity = High: No [3] (5, 20% wrong)
    │  humidity = Normal: Yes [4] (5, 20% wrong)
    outlook = Overcast: Yes [2] (4)
    >>> model.with_leaves(7).tree_.n_leaves
    7
    """

    criterion: Any = "entropy"

    option_limits: ClassVar[Any] = SEARCH_CLASSIFIER_LIMITS


@dataclass(kw_only=True, eq=False, repr=False)
class SearchTreeRegressor(SearchModel, RegressorModel):
    """The same for numbers: by squared error, α being in units of the squared target. See :class:`SearchModel`.

    Alternatives cost nothing here unless it is said: for numbers nothing was gained by it.

    >>> import treewright as tw
    >>> X, y = [[1], [2], [3], [4]], [1.0, 1.0, 5.0, 5.0]
    >>> tw.SearchTreeRegressor(alpha=0.1).fit(X, y).predict([[1.5], [9]]).tolist()
    [1.0, 5.0]
    """

    criterion: Any = "squared_error"
    alternative_cost: float = 0.0

    option_limits: ClassVar[Any] = SEARCH_REGRESSOR_LIMITS
