"""What every tree does: fit in five steps (encode, grow, prune, keep, return), predict, explain."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import is_classifier

from treewright.data.encode import encode, make_schema
from treewright.data.encoded import Encoded
from treewright.data.frame import Frame, read_frame
from treewright.data.labelled import Labelled, labelled
from treewright.data.schema import Schema
from treewright.engines.workers import Workers
from treewright.errors import DataError, OptionError, shown
from treewright.explain.explanation import Explanation, explain_row
from treewright.explain.holdout_statistics import HoldOutStatistics
from treewright.explain.printed_cuts import with_printed_cuts
from treewright.explain.readable_tree import ReadableTree, readable
from treewright.leaves import Leaf
from treewright.model.class_or_number import TargetRows, altered
from treewright.model.column_reports.column_importance import column_importance
from treewright.model.further_growth import grown_on
from treewright.model.missing_routes import policies_at_predict, refuse_missing_cells, rerouted
from treewright.model.model_pruning import PRUNE, fitted_rows, remember
from treewright.model.one_row import cells_of, one_row
from treewright.model.options.missing_policy import complete_rows, refuse_missing
from treewright.model.options.pruning_option import FitPruning, fit_pruning, grown_and_pruned_by_rows
from treewright.model.progress import Bar, steps
from treewright.model.shown.shown_tree import ShownTree
from treewright.prediction import TreeRouter, decision_path
from treewright.prune.complexity_table import ComplexityTable
from treewright.prune.fit_pruning import PruneBy
from treewright.prune.methods.cost_complexity import CostComplexity
from treewright.prune.pruning_path import PruningPath
from treewright.prune.pruning_report import PruningReport
from treewright.recipe_parts.attribute_costs import AttributeCosts
from treewright.recipe_parts.missing import Missing, Surrogating, policies_of
from treewright.recipe_parts.recipe import Recipe
from treewright.tree.tree import Tree
from treewright.typing import Array, Floats, Ints

if TYPE_CHECKING:
    from treewright.model.column_reports.competitors import Competitors
    from treewright.model.column_reports.split_competitors import SplitCompetitors

Self = TypeVar("Self", bound="TreeModel")
_HISTOGRAM_BINS = 255


_ROUTERS: WeakKeyDictionary[TreeModel, TreeRouter] = WeakKeyDictionary()  # of models that were predicted with


@dataclass(kw_only=True, eq=False, repr=False)
class TreeModel(ShownTree):
    """Shared by all trees. ``missing`` is a policy for all columns, or one for each; others keep the default.

    ``missing_at_predict`` is one for rows to be predicted, or one for each column, where that is to be another:
    "fractional" or "every" (all branches, by their share of the weight), "common" (as the commonest value at the node,
    or the median), "stop" or "drop" (the answer is that of the node) or "error" (refused). The tree is grown and pruned
    as without it. Then its missing values are sent that way: print, rules and files say so, and rows go that way when
    the tree is pruned again.
    """

    grown_by_recipe: ClassVar[bool] = True  # False: only ``fit`` makes its trees, also as a member of an ensemble

    max_depth: int | None = None
    missing: Any = Missing.LEARNED.value
    missing_at_predict: Any = None
    surrogates: str = "breiman"
    max_surrogates: int = 5
    surrogate_agreement: str = "all"
    surrogate_otherwise: str = "majority"
    progress: bool = False

    engine: str = field(default="exact", init=False)

    tree_: ReadableTree = field(init=False)
    pruned_: PruningReport = field(init=False)
    _by_hand: bool = field(init=False, repr=False)  # no fit has grown the tree; fitting anew forgets it
    complexity_table_: ComplexityTable = field(init=False)
    holdout_: HoldOutStatistics = field(init=False)

    prune = PRUNE  # estimators whose constructor takes it declare it as a field

    _predictor: ClassVar[str] = ""  # whose predictor answers, where it is not that of trees
    _default_policy: ClassVar[Missing] = Missing.LEARNED
    _usual: ClassVar[str] = Missing.LEARNED.value  # as users know it

    # ---- what the estimators say -------------------------------------------------------------------------------

    def _recipe(self, encoded: Encoded) -> Recipe:
        """The whole learner, for the columns of the table."""
        raise TypeError(f"{type(self).__name__} declares no recipe")

    def _read_target(self, y: Any, n_rows: int, sample_weight: Any) -> TargetRows:
        """What the side of the target says: :class:`Classifies` or :class:`PredictsNumbers`."""
        raise TypeError(f"{type(self).__name__} declares no target")

    def _leaf(self) -> Leaf:
        """What every node predicts, from its statistics."""
        raise TypeError(f"{type(self).__name__} declares no leaves")

    def _more_facts(self) -> tuple[str, ...]:
        """What else the first printed line says."""
        return ()

    def _test_costs(self, schema: Schema) -> AttributeCosts | None:
        """What tests cost; None: all the same."""
        return None

    def _counts_unused(self) -> bool:
        """Whether levels count that a column declares and no row has. Otherwise they are as unseen as any other."""
        return False

    def _policies(self, schema: Schema) -> tuple[Missing, ...]:
        return policies_of(self.missing, schema.names, self._default_policy)

    def _surrogating(self) -> Surrogating:
        return Surrogating(
            self.max_surrogates,
            over_all=self.surrogate_agreement == "all",
            then_stop=self.surrogate_otherwise == "stop",
            as_rpart=self.surrogates == "rpart",
        )

    def competitors(self, node: int = 0, X: Any = None, y: Any = None, sample_weight: Any = None) -> SplitCompetitors:
        """Every column at one node with its best split, the one that gains most first.

        node: the number of any node of the tree, leaf or not. The columns are compared anew, each by itself, with the
        rows of the fit; if these are gone, or the model was loaded, pass ``X``, ``y`` and ``sample_weight``.
        Constraints and costs of tests are not asked: the column that the tree took is marked.

        >>> import treewright as tw
        >>> table = tw.datasets.load("play_tennis")
        >>> X = {name: column for name, column in table.X.items() if name != "day"}
        >>> print(tw.CARTClassifier().fit(X, table.y).competitors())
        column          gain         branches
        outlook        0.102  taken  outlook in {Rainy, Sunny} | outlook = Overcast
        humidity     0.09184         humidity = High | humidity = Normal
        windy        0.03061         windy = Strong | windy = Weak
        temperature  0.01633         temperature = Hot | temperature in {Cool, Mild}
        """
        from treewright.model.column_reports.split_competitors import rank_splits

        self._check_fitted()
        if X is None:
            return rank_splits(
                self, node, fitted_rows(self, "comparing columns", "pass them: model.competitors(node, X, y)")
            )
        is_classifier = self.schema_.target.classes is not None
        return rank_splits(self, node, labelled(X, y, is_classifier=is_classifier, sample_weight=sample_weight))

    def _comparing(self, rows: Labelled) -> Callable[[int], SplitCompetitors | Competitors]:
        """What compares the columns at a node with these rows: a summary asks for one node after the other."""
        from treewright.model.column_reports.competitors import encoded_rows, rows_at

        whole, matrix = encoded_rows(self, rows)
        return lambda node: self._competitors_of(node, whole, rows_at(self, node, whole, matrix))

    def _competitors_of(self, node: int, whole: Encoded, here: Encoded) -> SplitCompetitors | Competitors:
        """The same with all rows, and those of the node, encoded."""
        from treewright.model.column_reports.split_competitors import rank_splits_of

        return rank_splits_of(self, node, whole, here)

    # ---- fit ---------------------------------------------------------------------------------------------------

    def fit(self: Self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn a tree from a table and its target.

        X: any dataframe, array, list of dicts or dict of columns. y: the target, a value per row.
        """
        self._check_options()
        pruning = fit_pruning(self)
        if pruning is not None and pruning.needs_rows:
            return self._fit_and_prune(pruning, X, y, sample_weight)
        frame = read_frame(X)
        encoded = self._encode(frame, y, sample_weight)
        self._keep(encoded.schema, self._learned(encoded), named=frame.named)
        self._fitted_to = remember(X, y, sample_weight)
        return self

    def _check_options(self) -> None:
        super()._check_options()
        fit_pruning(self)

    def _fit_pruner(self) -> PruneBy | None:
        """What prunes the tree as a part of growing it; methods that choose with rows come after that."""
        pruning = fit_pruning(self)
        if pruning is not None and pruning.needs_rows:
            raise OptionError(
                f"prune={shown(self.__dict__['prune'])} chooses with rows, and here a tree has none to spare",
                'use a method that needs none, such as "pessimistic", or cost-complexity with an alpha',
            )
        return None if pruning is None else PruneBy(pruning.pruner)

    def _fit_and_prune(self: Self, pruning: FitPruning, X: Any, y: Any, sample_weight: Any) -> Self:
        """By folds or held-out rows of the table: another model is grown and pruned, and this one takes after it."""
        rows = labelled(X, y, is_classifier=is_classifier(self), sample_weight=sample_weight)
        made = grown_and_pruned_by_rows(self, pruning, rows)
        learned = {name: value for name, value in made.__dict__.items() if name not in self._options()}
        for name in [kept.name for kept in fields(self) if not kept.init and kept.name not in learned]:
            self.__dict__.pop(name, None)
        self.__dict__.update(learned)
        self._fitted_to = remember(X, y, sample_weight)
        return self

    def _encode(self, frame: Frame, y: Any, sample_weight: Any) -> Encoded:
        """The rows to grow from, weighted by the costs and priors of their class."""
        return altered(self._coded_rows(frame, y, sample_weight))

    def _coded_rows(self, frame: Frame, y: Any, sample_weight: Any, *, drop: bool = True) -> Encoded:
        """The rows that count. Rows that are to be dropped leave no trace, be it a level or a number only they have."""
        frame, told = self._read_target(y, frame.n_rows, sample_weight).of(frame)
        encoded = self._codes(frame, told)
        policies = self._policies(encoded.schema)
        refuse_missing(encoded, policies, self._usual)
        whole = complete_rows(encoded, policies) if drop else None
        return encoded if whole is None or whole.all() else self._codes(frame.take(whole), told.take(whole))

    def _codes(self, frame: Frame, told: TargetRows) -> Encoded:
        schema = make_schema(frame, told.target, self.kinds, unused=self._counts_unused(), leave_out=True)
        max_bins = _HISTOGRAM_BINS if self.engine == "histogram" else None
        return encode(frame, schema, told.y, told.weights, max_bins=max_bins, n_jobs=self._n_jobs())

    def _learned(self, encoded: Encoded) -> dict[str, Any]:
        """What a fit leaves behind, attributes by name."""
        return learned(*self._grow(encoded, self._recipe(encoded)))

    def _grow(self, encoded: Encoded, recipe: Recipe) -> tuple[Tree, PruningReport | None]:
        """The tree to keep, and the report if it was pruned."""
        from treewright.grow import grown_and_pruned

        bar = Bar(encoded.n_rows, type(self).__name__) if self.progress else steps("growing", encoded.n_rows)
        with bar as report, Workers(self._n_jobs()) as workers:
            tree, told = grown_and_pruned(encoded, recipe, workers, report)
            return self._finished(tree, encoded, recipe, workers), told

    def _finished(self, tree: Tree, encoded: Encoded, recipe: Recipe, workers: Workers) -> Tree:
        """The tree as it predicts and prints."""
        tree = self._as_predicting(tree, encoded, recipe)
        return with_printed_cuts(tree, encoded, workers, as_grown=recipe.prune is None)

    def _as_predicting(self, tree: Tree, encoded: Encoded, recipe: Recipe) -> Tree:
        if self.missing_at_predict is None:
            return tree
        policies = policies_at_predict(self.missing_at_predict, encoded.schema, recipe.missing)
        return rerouted(tree, encoded, recipe.missing, policies, self._n_jobs())

    def grow_on(
        self: Self,
        X: Any = None,
        y: Any = None,
        *,
        learner: Any = None,
        nodes: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """A new model whose leaves are grown further; this one stays as it is.

        X, y: the rows to grow from, by default those of the fit. learner: the estimator by which to grow, this one by
        default; its limits count from the leaf on. nodes: the leaves to grow, by number; by default all that the
        learner splits.

        >>> import treewright as tw
        >>> table = tw.datasets.load("six_points")
        >>> stump = tw.tree_by_hand({"x1 ≤ 0.5": "+", "else": "-"}, table.X, table.y)
        >>> print(stump.grow_on(learner=tw.ID3Classifier()))
        TreeClassifier: y — 6 rows, 3 leaves, depth 2, training error 0.0 %
        x1 ≤ 0.5: + [1] (3)
        x1 > 0.5 [2]
        │  x2 ≤ 1.5: - [3] (2)
        │  x2 > 1.5: + [4] (1)
        """
        self._check_fitted()
        made: Self = grown_on(self, learner, nodes, X, y, sample_weight)
        return made

    # ---- prune -------------------------------------------------------------------------------------------------

    def pruning_path(self, risk: str | None = None, relative: bool = False, links: str = "exact") -> PruningPath:
        """The cost-complexity sequence, largest tree first: its ``alphas``, ``leaves``, ``risks`` and ``trees``.

        ``risk``, ``relative`` and ``links`` are those of :class:`tw.prune.CostComplexity`.
        """
        self._check_fitted()
        return CostComplexity(risk=risk, relative=relative, links=links).path(self.tree_, self.schema_)

    @property
    def training_stats(self) -> Floats:
        """The statistics of the rows of the fit, as the root has them."""
        self._check_fitted()
        return np.asarray(self.tree_.stats[0])

    # ---- importance --------------------------------------------------------------------------------------------

    @property
    def feature_importances_(self) -> Floats:
        """The share of every column in what the splits of the tree gain, each times the weight of its node.

        It is scikit-learn's definition: impurity-based, from the training rows alone. All are 0 in a tree of one leaf.
        A column of many values has many ways to gain by chance; ``tw.evaluate.measure_bias`` shows how many.
        """
        self._check_fitted()
        return column_importance(self.tree_, self.schema_, getattr(self, "criterion", None))

    # ---- predict -----------------------------------------------------------------------------------------------

    def _tested(self, X: Any) -> Array:
        """The rows to predict; columns that no node tests may be empty."""
        self._check_fitted()
        matrix = self._matrix(X, self._router.columns)
        self._refuse_missing(matrix)
        return matrix

    @property
    def _router(self) -> TreeRouter:
        """Of the tree there is now. It is kept outside: predicting leaves the model as it is."""
        router = _ROUTERS.get(self)
        if router is None or router.tree is not self.tree_:
            router = _ROUTERS[self] = TreeRouter(self.tree_)
        return router

    def _refuse_missing(self, matrix: Array) -> None:
        if self.missing_at_predict is not None:
            policies = policies_at_predict(self.missing_at_predict, self.schema_, self._policies(self.schema_))
            refuse_missing_cells(matrix, self.schema_, policies, self.tree_.columns_used)

    def apply(self, X: Any) -> Ints:
        """The number of the leaf each row reaches.

        Where a missing value takes every branch a row reaches several: then that of the largest share, the first of
        equals. ``decision_path`` has them all.
        """
        matrix = self._tested(X)
        return self._router.apply(matrix, self._n_jobs())

    def _values(self, X: Any) -> Floats:
        matrix = self._tested(X)
        return self._router.values(matrix, self._n_jobs())

    def decision_path(self, X: Any) -> csr_matrix:
        """A sparse rows × nodes matrix with a one for every node a row comes by."""
        matrix = self._tested(X)
        nodes, start = decision_path(self.tree_, matrix, self._n_jobs())
        return csr_matrix((np.ones(len(nodes), np.int64), nodes, start), shape=(len(matrix), self.tree_.n_nodes))

    def explain(self, row: Any) -> Explanation:
        """Why a row is predicted as it is: the path from the root in words, with the counts at each step.

        row: a dict of column to value, a one-row table, or a sequence of values.
        """
        self._check_fitted()
        frame = read_frame(one_row(row, self.schema_))
        if frame.n_rows != 1:
            raise DataError(f"one row is explained at a time, got {frame.n_rows}", "pick one, for example X[:1]")
        matrix = self._matrix(frame, self.tree_.columns_used)
        self._refuse_missing(matrix)
        return explain_row(self.tree_, self.schema_, np.asarray(matrix[0], np.float64), cells_of(frame, self.schema_))

    def _keep(self, schema: Schema, learned: Mapping[str, Any], *, named: bool) -> None:
        """The tree is kept with the names of its columns, so that it can print itself."""
        super()._keep(schema, {**learned, "tree_": readable(learned["tree_"], schema)}, named=named)


def learned(tree: Tree, told: PruningReport | None) -> dict[str, Any]:
    """What a fit leaves behind: the tree and, if it was pruned, the report."""
    return {"tree_": tree} if told is None else {"tree_": tree, "pruned_": told}
