"""A whole run of C5.0: winnow, then trial after trial."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from treewright.c50.boosting import Booster, Verdict
from treewright.c50.c50_options import C50Settings
from treewright.c50.case_weights import StartWeights, start_weights
from treewright.c50.classification import Classified, Flattened
from treewright.c50.node import EMPTY, C50Node
from treewright.c50.rounding import single
from treewright.c50.soft_bounds import Softener
from treewright.c50.sorted_cases import sorted_columns
from treewright.c50.thresholds import to_training_values
from treewright.c50.training import Training
from treewright.c50.tree_learner import prune_globally, relabel, tidy
from treewright.c50.tree_maker import ColumnTest, TreeMaker
from treewright.c50.voting_rules import C50Rules, RuleChooser, classify_by_rules
from treewright.c50.winnowing import Winnowed, Winnower
from treewright.engines.workers import Workers
from treewright.kernels import switch
from treewright.kernels.c50_kernels.c50_exact_cuts import exact_cut
from treewright.kernels.c50_kernels.c50_groups import merge_groups
from treewright.kernels.c50_kernels.c50_search import NOMINAL, NUMBER, CaseTable
from treewright.typing import Floats, Ints, Mask

_MANY_VALUES = 0.3
_CUT_SECONDS = 5e-6  # that finding cuts takes longer for a number and trial where its loop is not compiled,
_MERGE_SECONDS = 1e-5  # and merging values for a level and trial
_FEW_VALUES = 3  # that are not merged
_FEW_TRIALS = 2  # so many are no boosting


@dataclass(frozen=True)
class Trial:
    """A tree, and its rules where rules are wanted."""

    root: C50Node
    rules: C50Rules | None = None

    @property
    def is_trivial(self) -> bool:
        return self.root.is_leaf or (self.rules is not None and not self.rules.rules)


class CasesAtNode(NamedTuple):
    """The cases at a node of a finished tree."""

    cases: Ints
    parts: Floats  # of each case, since unknown values take every branch
    tested: Ints  # how often each column is tested on the way to the node


@dataclass
class C50Run:
    """What a run has made."""

    table: CaseTable
    settings: C50Settings
    start: StartWeights
    trials: list[Trial] = field(default_factory=list)
    winnowed: Winnowed | None = None


def run(
    table: CaseTable,
    settings: C50Settings,
    raw_weights: Floats | None = None,
    costs: Floats | None = None,
    is_usable: Mask | None = None,
    n_jobs: int = 1,
    told: Callable[[int], None] = lambda trials: None,
) -> C50Run:
    """``costs``: [predicted, true]. ``is_usable``: columns that may be tested, None: all. ``n_jobs``: threads.

    ``told`` is told of every trial.
    """
    start = start_weights(table.labels, table.n_classes, raw_weights, costs, settings.min_cases)
    with Workers(n_jobs) as workers:
        return _Program(C50Run(table, settings, start), workers).run(is_usable, told)


def columns_at(
    table: CaseTable,
    settings: C50Settings,
    at: CasesAtNode,
    raw_weights: Floats | None = None,
    costs: Floats | None = None,
    is_usable: Mask | None = None,
    n_jobs: int = 1,
) -> list[ColumnTest | None]:
    """How every column would divide a node of the first trial, before anything is pruned."""
    start = start_weights(table.labels, table.n_classes, raw_weights, costs, settings.min_cases)
    with Workers(n_jobs) as workers:
        return _Program(C50Run(table, settings, start), workers).columns_at(at, is_usable)


class _Program:
    def __init__(self, made: C50Run, workers: Workers) -> None:
        self.workers = workers
        self.made, self.table, self.settings, self.start = made, made.table, made.settings, made.start
        self.n_cases = len(made.table.labels)
        self.all_many = bool((made.table.n_values >= _MANY_VALUES * self.n_cases).all())
        self.n_cuts: dict[int, int] = {}
        self.sorted = sorted_columns(made.table, workers)

    def run(self, is_usable: Mask | None, told: Callable[[int], None]) -> C50Run:
        self._boost(self._in_use(is_usable), told)
        return self.made

    def columns_at(self, at: CasesAtNode, is_usable: Mask | None) -> list[ColumnTest | None]:
        """See the function of this name."""
        training = self._training(self._in_use(is_usable), self.n_cases, self.start.least, is_winnowing=False)
        training.weights[at.cases] = np.float64(np.float32(training.weights[at.cases] * at.parts))
        return [self._finished(one) for one in TreeMaker(training, self.workers).columns_at(at.cases, at.tested)]

    def _finished(self, one: ColumnTest | None) -> ColumnTest | None:
        if one is not None:
            to_training_values(one.node, self.table)
        return one

    def _in_use(self, is_usable: Mask | None) -> Mask:
        """The columns that may be tested, after winnowing."""
        in_use = np.ones(len(self.table.kinds), np.bool_) if is_usable is None else is_usable
        if self.settings.winnow:
            self.made.winnowed = Winnower(self.table.labels, self._for_winnowing, self.workers).winnow(in_use)
            in_use = self.made.winnowed.keep
        return in_use

    def _training(self, in_use: Mask, n_cases: int, least: float, *, is_winnowing: bool) -> Training:
        settings, start = self.settings, self.start
        return Training(
            self.table, start.weights.copy(), start.factors, start.costs, settings.subset,
            float(single(settings.confidence)), least, in_use, n_cases, self.all_many, start.all_one,
            self.sorted, is_winnowing,
        )  # fmt: skip

    def _for_winnowing(self, in_use: Mask, n_cases: int) -> Training:
        least = max(self.start.least / 2, 2.0)
        return self._training(in_use, n_cases, least, is_winnowing=True)

    def _compile_hot(self, in_use: Mask) -> None:
        """Have the loops compiled that all trials spend most time in, if that pays."""
        kinds, values, n_cells = self.table.kinds, self.table.n_values, self.n_cases * self.settings.trials
        switch.compile_hot(_CUT_SECONDS * n_cells * int(np.sum(in_use & (kinds == NUMBER))), exact_cut)
        if self.settings.subset:
            n_merged = int(np.sum(in_use & (kinds == NOMINAL) & (values > _FEW_VALUES)))
            switch.compile_hot(_MERGE_SECONDS * n_cells * n_merged, merge_groups)

    def _boost(self, in_use: Mask, told: Callable[[int], None]) -> None:
        settings, trials = self.settings, self.made.trials
        self._compile_hot(in_use)
        training = self._training(in_use, self.n_cases, self.start.least, is_winnowing=False)
        lowest = min(1.0, float(self.start.factors.min()))
        booster = Booster(
            self.table.labels, training.weights, self.table.n_classes, settings.trials, settings.early_stopping, lowest
        )
        for trial in range(settings.trials):
            made = self._trial(training, booster.growing(), trial)
            trials.append(made)
            told(1)
            if trial + 1 == settings.trials:
                break
            alive = np.flatnonzero(training.weights > 0)
            found = self._classified(made, training, alive)
            verdict = booster.reweight(trial, alive, found, trivial=made.is_trivial)
            if verdict is Verdict.DISCARD and trial > 0:
                trials.pop()
            if verdict is not Verdict.GO_ON:
                break
            training = replace(training, regrows=False, unit_weights=False, leaves_per_case=self._leaves_per_case())
        if settings.early_stopping and len(trials) <= _FEW_TRIALS:
            del trials[1:]

    def _trial(self, training: Training, cases: Ints, trial: int) -> Trial:
        settings = self.settings
        maker = TreeMaker(training, self.workers)
        maker.grow(cases)
        alive = np.flatnonzero(training.weights > 0)
        maker.prune(alive)
        root = maker.root()
        if training.costs is not None:
            relabel(root, training)
        elif settings.global_pruning:
            prune_globally(root, training, alive, self.workers)
        tidy(root, training, only_empty=trial > 0 or settings.rules)
        n_cuts = to_training_values(root, self.table)
        if trial == 0:
            self.n_cuts = n_cuts
        if settings.soft_thresholds:
            Softener(training, root).soften()
        if not settings.rules:
            return Trial(root)
        return Trial(root, RuleChooser(training, self.n_cuts, settings.bands).rules_of(root))

    def _classified(self, made: Trial, training: Training, cases: Ints) -> Classified:
        if made.rules is None:
            flat = Flattened(made.root)
            return flat.classify(self.table.values, cases, costs=training.costs, workers=self.workers)
        label, confidence = classify_by_rules(made.rules, self.n_cases, self.table.n_classes)
        return Classified(label[cases], confidence[cases])

    def _leaves_per_case(self) -> float:
        first = self.made.trials[0].root
        leaves = sum(self._times(parent, branch) for parent in first.walk() for branch in enumerate(parent.branches))
        return float(single(1.1 * (leaves or 1) / self.n_cases))

    def _times(self, parent: C50Node, branch: tuple[int, C50Node]) -> int:
        """How often a leaf counts: without value groups, once for every value."""
        b, node = branch
        if not node.is_leaf or node.weight < EMPTY:
            return 0
        once = self.settings.subset or self.settings.rules or not len(parent.groups)
        return 1 if once else len(parent.values_of(b))
