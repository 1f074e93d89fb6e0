"""C5.0 as an estimator: a tree, rules that vote, or several of either that were boosted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeVar

import numpy as np

from treewright.c50.c50_options import C50Settings
from treewright.c50.case_table import case_table, codings
from treewright.c50.column_warnings import warn_of_columns
from treewright.c50.finished_tree import LEAF
from treewright.c50.predictor import Answers, boosted
from treewright.c50.program import C50Run, run
from treewright.c50.training_evaluation import TrainingEvaluation, evaluate_run
from treewright.data.encode import make_schema, prediction_matrix
from treewright.data.frame import Frame, read_frame
from treewright.data.labelled import Labelled
from treewright.data.schema import Schema
from treewright.data.weights import with_row_costs
from treewright.errors import DataError, OptionError
from treewright.explain.readable_tree import readable
from treewright.export.c50_model_file import text_of_run
from treewright.kernels.c50_kernels.c50_search import CaseTable
from treewright.kernels.c50_kernels.c50_work import work_on
from treewright.kernels.jit import runner
from treewright.leaves import Leaf
from treewright.model.batch_prediction import Predictions
from treewright.model.class_or_number import TargetRows
from treewright.model.column_reports.split_competitors import SplitCompetitors
from treewright.model.expected_cost import ExpectedCost
from treewright.model.learners.c50_competitors import NodeComparison
from treewright.model.learners.c50_run import beside_of, costs_in_use, importances, models_of, part_of, sampled_rows
from treewright.model.learners.c50_text import (
    TrialVotes,
    boosted_text,
    tree_text,
    trials_table,
    usage_text,
    votes_of,
)
from treewright.model.learners.c50_trials import answer_of, columns_asked, cost_of_answers, default_class, gain_shares
from treewright.model.learners.classifier import ClassifierModel
from treewright.model.model_pruning import remember
from treewright.model.one_row import one_row
from treewright.model.options.option_limits import C50_LIMITS
from treewright.model.options.rules_option import RulesOption
from treewright.model.progress import steps
from treewright.model.table_model import TableModel
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import ByRatio, Recipe
from treewright.rules.rule import NO_RULE
from treewright.rules.rule_set import RuleSet
from treewright.tree.tree import Tree
from treewright.typing import Array, Floats, Ints

Self = TypeVar("Self", bound="C50Classifier")
_PLAIN_SECONDS = 5e-6  # that a cell takes longer without compiled kernels, but for hot loops
_MOST_CASES = 10**9  # no table has more, and a float holds it


def _check_bands(model: C50Classifier) -> None:
    if model.bands is not None and not model.rules:
        raise OptionError("bands order rules by their use, and there are no rules", "use rules=True as well")


@dataclass(kw_only=True, eq=False, repr=False)
class C50Classifier(ClassifierModel):
    """C5.0 (RuleQuest, release 2.07), the successor of C4.5: trees, rules that vote, boosting, winnowing.

    Trees, rules and predictions are those of the program, whose model text ``to_c50()`` writes. Numbers are rounded to
    32 bits, as there, and a row whose tested value is missing goes down every branch by its share.

    ``rules`` makes rules of the tree: all that a row meets vote. ``trials`` is the most trees, or sets of rules, that
    are boosted; they are fewer if one is perfect or no better than chance, unless ``early_stopping`` is off. ``winnow``
    first leaves out columns that do not help a trial tree on half of the rows. ``subset`` merges levels into groups.
    ``confidence`` is that of the estimated errors by which the tree is pruned, less of it prunes more; ``min_cases``
    what two branches must weigh at least. ``global_pruning`` then cuts the weakest subtrees while errors stay within a
    standard error. ``soft_thresholds`` lets numbers near a threshold take both branches. ``bands`` orders rules by
    their use. ``sample`` is the share of rows to learn from, drawn by the program's own generator from
    ``random_state``. ``costs`` are told with the truth first, as everywhere here; costs up to 1 count as 1, as there.
    ``not_applicable={"weeks": -1}`` names numbers that mean "not applicable", which is a value of its own and not a
    missing one; so is a level called N/A.

    Ordinal columns of three or more levels are cut between levels. Dates are days and times are minutes.
    ``tree_`` is the tree, ``rule_set_`` the rules; a boosted model has ``trees_`` or ``rule_sets_``. ``evaluation_``
    has what the program prints beside: sizes, training errors, and the share of rows that each column was asked of.

    >>> import treewright as tw
    >>> table = tw.datasets.load("play_tennis")
    >>> X = {name: column for name, column in table.X.items() if name != "day"}
    >>> print(tw.C50Classifier(rules=True).fit(X, table.y))
    RuleSet: y — 5 rules, all that are met vote
    [1] if outlook = Sunny and humidity = High then y = No   (21 % of rows, 100 % right, lift 2.8)
    [2] if outlook = Rainy and windy = Strong then y = No   (14 % of rows, 100 % right, lift 2.8)
    [3] if outlook = Overcast then y = Yes   (29 % of rows, 100 % right, lift 1.56)
    [4] if outlook = Rainy and windy = Weak then y = Yes   (21 % of rows, 100 % right, lift 1.56)
    [5] if humidity = Normal then y = Yes   (50 % of rows, 86 % right, lift 1.33)
    otherwise y = Yes
    attribute usage:
       85.71%  outlook
       71.43%  humidity
       35.71%  windy
    """

    holds: ClassVar[str] = "several trees or rule sets"
    _predictor: ClassVar[str] = "c5.0"
    grown_by_recipe: ClassVar[bool] = False

    rules: Any = RulesOption()  # noqa: RUF009 - a descriptor, whose default the class reads
    trials: int = 1
    winnow: bool = False
    subset: bool = True
    confidence: float = 0.25
    min_cases: int = 2
    soft_thresholds: bool = False
    global_pruning: bool = True
    bands: int | None = None
    sample: float | None = None
    early_stopping: bool = True
    not_applicable: Any = None
    random_state: Any = None

    max_depth: int | None = field(default=None, init=False)
    missing: Any = field(default=Missing.FRACTIONAL.value, init=False)
    missing_at_predict: Any = field(default=None, init=False)
    surrogates: str = field(default="breiman", init=False)
    max_surrogates: int = field(default=5, init=False)
    surrogate_agreement: str = field(default="all", init=False)
    surrogate_otherwise: str = field(default="majority", init=False)
    attribute_costs: Any = field(default=None, init=False)
    test_groups: Any = field(default=None, init=False)
    cost_rule: str = field(default="tan-schlimmer", init=False)
    cost_weight: float = field(default=1.0, init=False)
    priors: Any = field(default=None, init=False)
    progress: bool = field(default=False, init=False)

    trees_: tuple[Tree, ...] = field(init=False)
    rule_set_: RuleSet = field(init=False)
    rule_sets_: tuple[RuleSet, ...] = field(init=False)
    evaluation_: TrainingEvaluation = field(init=False)
    winnowed_: dict[str, float] = field(init=False)
    c50_text_: str = field(init=False)

    option_limits = C50_LIMITS
    option_checks = (_check_bands,)

    _default_policy = Missing.FRACTIONAL
    _usual = Missing.FRACTIONAL.value

    # ---- fit -----------------------------------------------------------------------------------------------------

    def fit(self: Self, X: Any, y: Any, sample_weight: Any = None, row_costs: Any = None) -> Self:
        """Learn a tree or rules from a table and its target.

        X: any dataframe, array, list of dicts or dict of columns. y: the target, a value per row. sample_weight: what
        rows count, relative to their mean; rows of weight 0 are left out. row_costs: what an error on each row costs.
        """
        self._check_options()
        frame = read_frame(X)
        weight = sample_weight if row_costs is None else with_row_costs(sample_weight, row_costs, frame.n_rows)
        used, told = self._read_target(y, frame.n_rows, weight).of(frame)
        schema = make_schema(used, told.target, self.kinds, unused=True, leave_out=True)
        learned = self._learned_by_program(schema, used, told)
        schema = replace(schema, target=replace(schema.target, costs=costs_in_use(schema.target)))
        self._keep(schema, learned, named=frame.named)
        self._fitted_to = remember(X, y, weight)
        return self

    def _learned_by_program(self, schema: Schema, frame: Frame, told: TargetRows) -> dict[str, Any]:
        matrix = np.asarray(prediction_matrix(frame, schema), np.float64)
        coded = codings(schema, matrix, beside_of(self.not_applicable, schema))
        table = case_table(coded, matrix, told.y.astype(np.int64), len(schema.target.classes or ()))
        warn_of_columns(coded, matrix, table, subset=self.subset)
        del matrix  # it is larger than the cases, and no more needed
        table, weights = table, told.weights
        if self.sample is not None:
            taken = sampled_rows(len(table.labels), float(self.sample), self.random_state)
            table, weights = part_of(table, weights, taken)
        is_usable = np.array([coding.is_usable for coding in coded], np.bool_)
        made = self._run(table, weights, schema, is_usable)
        return {
            **models_of(made, schema, coded),
            "evaluation_": evaluate_run(made, self._n_jobs()),
            "c50_text_": text_of_run(made, schema),
            "winnowed_": importances(made, schema),
        }

    def _run(self, table: CaseTable, weights: Floats | None, schema: Schema, is_usable: Array) -> C50Run:
        runner(_PLAIN_SECONDS * table.values.size * int(self.trials), work_on)  # switches kernels on if that pays
        costs = self._program_costs(schema)
        with steps("trials", int(self.trials)) as told:
            return run(table, self._settings(), weights, costs, is_usable, self._n_jobs(), told)

    def _program_costs(self, schema: Schema) -> Floats | None:
        """[predicted, true]."""
        return None if schema.target.costs is None else np.array(schema.target.costs, np.float64).T

    def _settings(self) -> C50Settings:
        return C50Settings(
            rules=bool(self.rules), trials=int(self.trials), winnow=self.winnow, subset=self.subset,
            confidence=float(self.confidence), min_cases=float(min(self.min_cases, _MOST_CASES)),
            soft_thresholds=self.soft_thresholds, global_pruning=self.global_pruning, bands=int(self.bands or 0),
            early_stopping=self.early_stopping,
        )  # fmt: skip

    def _keep(self, schema: Schema, learned: Mapping[str, Any], *, named: bool) -> None:
        if "tree_" in learned:
            super()._keep(schema, learned, named=named)
            return
        kept = dict(learned)
        if "trees_" in learned:
            kept["trees_"] = tuple(readable(tree, schema) for tree in learned["trees_"])
        TableModel._keep(self, schema, kept, named=named)

    def _recipe(self, encoded: Any) -> Recipe:
        raise OptionError(
            "C5.0 grows its trees in a way of its own", "name another learner, such as tw.C45Classifier()"
        )

    def _comparing(self, rows: Labelled) -> Callable[[int], SplitCompetitors]:
        if "tree_" not in self.__dict__:
            raise OptionError(
                "columns are compared at the nodes of one tree, and this model has rules or several trees",
                "fit with rules=False and trials=1",
            )
        return NodeComparison(self, rows).at

    def _choice(self) -> ByRatio:
        return ByRatio()

    def _counts_unused(self) -> bool:
        return True

    def _leaf(self) -> Leaf:
        return LEAF

    # ---- predict -------------------------------------------------------------------------------------------------

    def predict(self, X: Any) -> Array:
        """The class that the tree, or the votes of rules or trials, give; with costs that of least expected cost."""
        codes = self._answers(X).label
        return np.take(self.classes_, codes)

    def predict_proba(self, X: Any) -> Floats:
        """The value of each class, in the order of ``classes_``, as shares of 1.

        Of a tree these are the shares of the leaf, drawn to those of the root by one case; of rules and of trials they
        come from the votes.
        """
        value = self._answers(X).value
        return np.asarray(value / value.sum(axis=1, keepdims=True))

    def _answers(self, X: Any) -> Answers:
        self._check_fitted()
        trials = self._trials
        asked = sorted({j for trial in trials for j in columns_asked(trial, self.schema_.names)})
        matrix = np.ascontiguousarray(self._matrix(X, asked), np.float64)
        answers = [answer_of(trial, matrix, self._costs) for trial in trials]
        return answers[0] if len(answers) == 1 else boosted(answers, self._default)

    @property
    def _trials(self) -> tuple[Tree | RuleSet, ...]:
        """Every tree, or every set of rules."""
        known = self.__dict__
        if "trees_" in known or "rule_sets_" in known:
            return tuple(known.get("trees_") or known["rule_sets_"])
        return (known["tree_"] if "tree_" in known else known["rule_set_"],)

    @property
    def _costs(self) -> Floats | None:
        """[predicted, true]"""
        costs = self.schema_.target.costs
        return None if costs is None else np.array(costs, np.float64).T

    @property
    def _default(self) -> int:
        return default_class(self._trials[0], self._costs)

    def sizes(self) -> dict[str, Any]:
        """How many trials there were, and how often they were wrong in training."""
        return {"trials": len(self.evaluation_.sizes), "training_errors": self.evaluation_.all_errors}

    def _predictions(self, X: Any) -> Predictions:
        """What ``predictions_of`` tells of rows: also the leaf, or the rule, of each where there is one."""
        answers = self._answers(X)
        value = answers.value / answers.value.sum(axis=1, keepdims=True)
        return Predictions(self._places(X, len(value)), value, answers.label)

    def _places(self, X: Any, n_rows: int) -> Ints:
        if "tree_" in self.__dict__:
            return self.apply(X)
        if "rule_set_" in self.__dict__:
            return self.rule_set_.fired(X)
        return np.full(n_rows, NO_RULE)

    def _tested(self, X: Any) -> Array:
        self._check_fitted()
        self._check_tree()
        return super()._tested(X)

    # ---- look ----------------------------------------------------------------------------------------------------

    def to_c50(self) -> str:
        """The model as the text that C5.0 writes, line by line."""
        self._check_fitted()
        if "c50_text_" not in self.__dict__:
            raise OptionError("the tree was changed after the fit: C5.0 did not write this one", "use model.to_text()")
        return self.c50_text_

    def rule_set(self) -> RuleSet:
        """The rules; of a tree, its leaves as rules."""
        self._check_fitted()
        if "rule_set_" in self.__dict__:
            return self.rule_set_
        self._check_tree()
        return super().rule_set()

    def explain(self, row: Any) -> Any:
        """Why a row is predicted as it is: the path down the tree, the rules that vote, or the votes of the trials."""
        self._check_fitted()
        if "rule_set_" in self.__dict__:
            return self.rule_set_.explain(row)
        if "tree_" in self.__dict__:
            return super().explain(row)
        return self._explain_trials(row)

    def _explain_trials(self, row: Any) -> TrialVotes:
        frame = read_frame(one_row(row, self.schema_))
        if frame.n_rows != 1:
            raise DataError(f"one row is explained at a time, got {frame.n_rows}", "pick one, for example X[:1]")
        matrix = np.asarray(self._matrix(frame, range(len(self.schema_.columns))), np.float64)
        answers = [answer_of(trial, matrix, self._costs) for trial in self._trials]
        return votes_of(answers, boosted(answers, self._default), self.schema_.target)

    @property
    def feature_importances_(self) -> Floats:
        """The share of every column in what the splits gain, the mean over the trials. Rules have none."""
        self._check_fitted()
        return gain_shares(self._trials, self.schema_)

    @property
    def training_stats(self) -> Floats:
        """The weight of each class of the rows that were learned from."""
        self._check_fitted()
        first = self._trials[0]
        return np.asarray(first.stats[0] if isinstance(first, Tree) else first.stats)

    def expected_cost(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> ExpectedCost:
        """What errors cost on average, by ``costs`` or 1 each; tests cost nothing. Of a tree also without X.

        With y the errors are those made, without it those expected by the probabilities.
        """
        self._check_fitted()
        if X is None:
            self._check_tree()
            return super().expected_cost(X, y, sample_weight)
        return cost_of_answers(self._answers(X), self.schema_.target, y, sample_weight)

    def to_text(self, **style: Any) -> str:
        """The tree, the rules or all trials as text, and the share of rows that each column was asked of."""
        self._check_fitted()
        usage = usage_text(self.evaluation_, self.schema_.names)
        if "tree_" in self.__dict__:
            return f"{super().to_text(**style)}\n{usage}"
        if "rule_set_" in self.__dict__:
            return f"{self.rule_set_.to_text(max_rules=style.get('max_lines', 200))}\n{usage}"
        texts = [self._trial_text(trial, style) for trial in self._trials]
        return boosted_text(texts, self.evaluation_, of_rules=bool(self.rules)) + f"\n{usage}"

    def to_dict(self) -> dict[str, Any]:
        """The nodes of the tree, the rules, or the trials as columns of a table."""
        self._check_fitted()
        if "tree_" in self.__dict__:
            return super().to_dict()
        if "rule_set_" in self.__dict__:
            return dict(self.rule_set_.to_dict())
        return trials_table(self.evaluation_, of_rules=bool(self.rules))

    def _trial_text(self, trial: Tree | RuleSet, style: dict[str, Any]) -> str:
        if isinstance(trial, RuleSet):
            return trial.to_text(max_rules=style.get("max_lines", 200))
        return tree_text(trial, self.schema_, title="tree", **style)

    def __str__(self) -> str:
        return self.to_text() if "schema_" in self.__dict__ else repr(self)

    def _check_tree(self) -> None:
        if "tree_" not in self.__dict__:
            raise OptionError("this C50Classifier is not one tree", self._where_it_is())

    def _where_it_is(self) -> str:
        for name in ("rule_set_", "trees_", "rule_sets_"):
            if name in self.__dict__:
                return f"look at model.{name}"
        return "fit it"
