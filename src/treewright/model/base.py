"""What every tree does: fit in five steps (encode, grow, prune, keep, return), predict, explain."""

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import is_classifier

from treewright.data.encode import encode, make_schema
from treewright.data.encoded import Encoded
from treewright.data.frame import Frame, listing, read_frame
from treewright.data.labelled import Labelled, labelled
from treewright.data.schema import Schema
from treewright.engines.workers import Workers
from treewright.errors import DataError, OptionError, shown
from treewright.explain.explanation import Explanation, explain_row
from treewright.explain.holdout_statistics import HoldOutStatistics
from treewright.explain.leaf_rules import LeafRules, rules
from treewright.explain.printed_cuts import with_printed_cuts
from treewright.explain.readable_tree import ReadableTree, readable
from treewright.explain.tree_text import MOST_LEVELS, render
from treewright.leaves import Leaf
from treewright.model.column_importance import column_importance
from treewright.model.growing_on import grown_on
from treewright.model.missing_routes import policies_at_predict, refuse_missing_cells, rerouted
from treewright.model.model_pruning import PRUNE, fitted_rows, remember
from treewright.model.options.missing_policy import complete_rows, refuse_missing
from treewright.model.options.pruning_option import FitPruning, fit_pruning, grown_and_pruned_by_rows
from treewright.model.progress import Bar, steps
from treewright.model.rows_by_level import RowsByLevel, rows_by_level
from treewright.model.table_model import TableModel
from treewright.model.target_side import TargetRows, altered
from treewright.prediction import TreeRouter, decision_path
from treewright.prune.complexity_table import ComplexityTable
from treewright.prune.fit_pruning import PruneBy
from treewright.prune.methods.cost_complexity import CostComplexity
from treewright.prune.pruning_path import PruningPath
from treewright.prune.pruning_report import PruningReport
from treewright.prune.training_counts import training_error
from treewright.recipe_parts.attribute_costs import AttributeCosts
from treewright.recipe_parts.missing import Missing, Surrogating, policies_of
from treewright.recipe_parts.recipe import Recipe
from treewright.rules.from_tree import from_tree
from treewright.rules.rule_set import RuleSet
from treewright.tree.tree import LeafKind, Tree
from treewright.typing import Array, Floats, Ints

if TYPE_CHECKING:
    from treewright.model.competitors import Competitors
    from treewright.model.split_competitors import SplitCompetitors
    from treewright.plot.scene import Scene

Self = TypeVar("Self", bound="TreeModel")
_HISTOGRAM_BINS = 255


_ROUTERS: WeakKeyDictionary[TreeModel, TreeRouter] = WeakKeyDictionary()  # of models that were predicted with


@dataclass(kw_only=True, eq=False, repr=False)
class TreeModel(TableModel):
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

    def competitors(
        self, node: int = 0, X: Any = None, y: Any = None, sample_weight: Any = None
    ) -> SplitCompetitors | Competitors:
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
        from treewright.model.split_competitors import rank_splits

        self._check_fitted()
        if X is None:
            return rank_splits(
                self, node, fitted_rows(self, "comparing columns", "pass them: model.competitors(node, X, y)")
            )
        is_classifier = self.schema_.target.classes is not None
        return rank_splits(self, node, labelled(X, y, is_classifier=is_classifier, sample_weight=sample_weight))

    def _comparing(self, rows: Labelled) -> Callable[[int], SplitCompetitors | Competitors]:
        """What compares the columns at a node with these rows: a summary asks for one node after the other."""
        from treewright.model.competitors import encoded_rows, rows_at

        whole, matrix = encoded_rows(self, rows)
        return lambda node: self._competitors_of(node, whole, rows_at(self, node, whole, matrix))

    def _competitors_of(self, node: int, whole: Encoded, here: Encoded) -> SplitCompetitors | Competitors:
        """The same with all rows, and those of the node, encoded."""
        from treewright.model.split_competitors import rank_splits_of

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

    # ---- explain -----------------------------------------------------------------------------------------------

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
        return explain_row(
            self.tree_, self.schema_, np.asarray(matrix[0], np.float64), _raw_values(frame, self.schema_)
        )

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
        from treewright.model.model_pictures import with_holdout

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
        from treewright.plot.axes_painter import save
        from treewright.plot.svg import to_svg

        style = {"content": content, "orientation": orientation, "theme": theme, "depth": depth, "node": node}
        scene = self._scene({**style, "max_leaves": max_leaves}, X, y, sample_weight)
        return to_svg(scene) if path is None else save(scene, path)

    def plot(self, ax: Any = None, *, X: Any = None, y: Any = None, sample_weight: Any = None, **style: Any) -> Any:
        """The picture of ``to_svg``, with the same options, on matplotlib's axes: new ones of its size, or ``ax``."""
        from treewright.plot.axes_painter import paint

        return paint(self._scene(style, X, y, sample_weight), ax)

    def _check_tree(self) -> None:
        """Raise where what was learned is not one tree."""

    def _scene(self, style: Mapping[str, Any], X: Any, y: Any, sample_weight: Any) -> Scene:
        from treewright.model.model_pictures import scene_of
        from treewright.plot.tree_picture import style_of

        self._check_fitted()
        self._check_tree()
        return scene_of(self, style_of(style), X, y, sample_weight)

    def _keep(self, schema: Schema, learned: Mapping[str, Any], *, named: bool) -> None:
        """The tree is kept with the names of its columns, so that it can print itself."""
        super()._keep(schema, {**learned, "tree_": readable(learned["tree_"], schema)}, named=named)


def learned(tree: Tree, told: PruningReport | None) -> dict[str, Any]:
    """What a fit leaves behind: the tree and, if it was pruned, the report."""
    return {"tree_": tree} if told is None else {"tree_": tree, "pruned_": told}


def one_row(row: Any, schema: Schema) -> Any:
    """A row given as a mapping or a plain sequence becomes a table of one row."""
    if isinstance(row, dict):
        if all(isinstance(value, (list, tuple, np.ndarray)) for value in row.values()):
            return row
        return [row]
    if hasattr(row, "to_dict") and getattr(row, "ndim", 1) == 1:
        return [row.to_dict()]
    if isinstance(row, (list, tuple, np.ndarray)) and not any(np.ndim(cell) or isinstance(cell, dict) for cell in row):
        if len(row) != len(schema.columns):
            raise DataError(
                f"the row has {len(row)} values, the model learned from {len(schema.columns)} columns",
                f"the columns are {listing(schema.names)}",
            )
        return [dict(zip(schema.names, row))]
    return row


def _raw_values(frame: Frame, schema: Schema) -> dict[str, Any]:
    names = frame.names if frame.named else schema.names
    cells = frame.raw if frame.matrix is None else frame.matrix.T
    return {name: column[0] for name, column in zip(names, cells)}


def _speaks_unicode() -> bool:
    return "utf" in (getattr(sys.stdout, "encoding", None) or "utf").lower()
