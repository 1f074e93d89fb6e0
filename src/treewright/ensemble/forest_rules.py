"""The few rules that carry most of the votes of a forest.

Candidates are the paths of all trees down to a few conditions, numbers being cut at the nearest of ten quantiles so
that trees agree on them (as in SIRUS: Bénard, Biau, Da Veiga & Scornet 2021). From those that most trees have, rules
are taken one by one: each time the one that carries most votes of rows no rule before it has met.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.data.schema import Kind, Schema
from treewright.display import Displayed, DisplayedRecord, Sheet
from treewright.ensemble.ensemble_rows import EnsembleRows
from treewright.ensemble.row_draw import member_generator
from treewright.explain.number_text import format_share
from treewright.explain.printed_cuts import printed_cuts
from treewright.explain.region import Interval, region_of
from treewright.leaves import decided
from treewright.rules.rule import NO_RULE, Condition, Rule, merged
from treewright.rules.rule_set import RuleSet
from treewright.rules.rule_text import sentence
from treewright.tree.tree import LeafKind, Node, Tree
from treewright.typing import Array, Floats, Ints, Mask

_QUANTILES = 10
_MOST_CANDIDATES = 400
_RESAMPLES = 20
_RESAMPLED = 1 << 59  # beside the seeds of draws
Conditions = tuple[Condition, ...]


@dataclass(frozen=True, repr=False)
class ForestRule(DisplayedRecord):
    """``coverage`` is the share of the training rows that the rule decides: they meet its conditions, and those of no
    rule before it; ``votes`` of these rows' votes the share that is for what the rule predicts, and ``accuracy`` the
    share whose class it is (numbers have none); ``frequency`` is the share of trees that have the path, ``stability``
    the share of resamples of the trees that choose the rule."""

    rule: Rule
    coverage: float
    votes: float | None
    accuracy: float | None
    frequency: float
    stability: float


@dataclass(frozen=True, repr=False)
class ForestRules(Displayed):
    """Rules in order: the first that is met decides. ``rule_set`` predicts, prints and is saved as any other;
    ``fidelity`` is how often it predicts as the forest does or, of numbers, R² against the forest's predictions."""

    rules: tuple[ForestRule, ...]
    rule_set: RuleSet
    fidelity: float

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[ForestRule]:
        return iter(self.rules)

    def __str__(self) -> str:
        what = "as the forest" if self.rule_set.classes else "of what the forest's numbers vary"
        lines = [f"{len(self.rules)} rules, the first that is met decides: {format_share(self.fidelity, ' ')} {what}"]
        lines += [self._line(one) for one in self.rules]
        return "\n".join([*lines, f"otherwise {_outcome(self.rule_set)}"])

    def _line(self, one: ForestRule) -> str:
        facts = [f"{format_share(one.coverage, ' ')} of rows"]
        if one.votes is not None and one.accuracy is not None:
            facts += [f"{format_share(one.votes, ' ')} of their votes", f"{format_share(one.accuracy, ' ')} right"]
        facts += [f"in {format_share(one.frequency, ' ')} of trees", f"stability {format_share(one.stability, ' ')}"]
        return f"[{one.rule.number}] {sentence(one.rule, self.rule_set.schema)}   ({', '.join(facts)})"

    def _sheet(self) -> Sheet:
        schema = self.rule_set.schema
        columns: dict[str, list[Any]] = {
            "rule": [one.rule.number for one in self.rules],
            "words": [sentence(one.rule, schema) for one in self.rules],
        }
        for name in ("coverage", "votes", "accuracy", "frequency", "stability"):
            columns[name] = [getattr(one, name) for one in self.rules]
        return Sheet(columns, str(self).partition("\n")[0], (f"otherwise {_outcome(self.rule_set)}",))


def _outcome(rules: RuleSet) -> str:
    return sentence(rules.otherwise, rules.schema).removeprefix("always ")


def forest_rules(
    trees: Sequence[Tree], training: EnsembleRows, said: Floats, *, top: int, max_conditions: int, seed: int
) -> ForestRules:
    """``said`` is what the forest says of the training rows: shares of votes, or numbers."""
    schema, columns = training.schema, {column.name: column for column in training.schema.columns}
    cuts = _cuts(training)
    found = [set(_paths(tree, schema, cuts, columns, max_conditions)) for tree in trees]
    common = [rule for rule, _ in _sorted(Counter(rule for rules in found for rule in rules))[:_MOST_CANDIDATES]]
    has = np.array([[rule in rules for rule in common] for rules in found])
    met = np.array([meets(rule, training.matrix, schema) for rule in common]).reshape(len(common), training.n_rows)
    votes = _Votes.of(said, training)
    chosen = _chosen(met, votes, top)
    often = np.zeros(len(common))
    for sample in range(_RESAMPLES):
        picked = member_generator(seed + _RESAMPLED, sample).integers(0, len(trees), len(trees))
        among = _by_frequency(has[picked].mean(0))
        often[among[_chosen(met[among], votes, top)]] += 1 / _RESAMPLES
    return _made([(common[c], met[c], has[:, c].mean(), often[c]) for c in chosen], votes, training)


def _sorted(counts: Counter[Conditions]) -> list[tuple[Conditions, int]]:
    """The commonest first; of equals the shortest, then by name, so that sets do not decide."""
    return sorted(counts.items(), key=lambda item: (-item[1], len(item[0]), repr(item[0])))


def _by_frequency(frequency: Floats) -> Ints:
    return np.argsort(-frequency, kind="stable")[: np.count_nonzero(frequency)]


# ---- paths -----------------------------------------------------------------------------------------------------------


def _cuts(training: EnsembleRows) -> list[Floats | None]:
    """Quantiles of the numeric columns, as short numbers that separate the same rows; None of others."""
    cuts: list[Floats | None] = []
    for j, column in enumerate(training.schema.columns):
        if column.kind is not Kind.NUMERIC:
            cuts.append(None)
            continue
        numbers = np.asarray(training.matrix[:, j], np.float64)
        numbers = numbers[np.isfinite(numbers)]
        shares = np.linspace(0, 1, _QUANTILES + 1)[1:-1]
        quantiles = np.unique(np.quantile(numbers, shares)) if len(numbers) else np.empty(0)
        cuts.append(np.unique(printed_cuts(quantiles, numbers, column.unit)))
    return cuts


def _paths(
    tree: Tree, schema: Schema, cuts: list[Floats | None], columns: dict[str, Any], most: int
) -> Iterator[Conditions]:
    """The conditions of every node down to so many tests."""
    waiting: list[tuple[int, Conditions, int]] = [(0, (), 0)]
    while waiting:
        v, path, depth = waiting.pop()
        if path:
            yield tuple(sorted(path, key=repr))
        split = Node(tree, v).split
        if split is None or depth == most:
            continue
        for branch in range(int(tree.n_branches[v])):
            region = region_of(split, schema.columns[split.column], branch)
            condition = _coarse(Condition.of(region), cuts[split.column])
            longer = merged((*path, condition), columns) if condition is not None else None
            if longer:
                waiting.append((int(tree.first_child[v]) + branch, longer, depth + 1))


def _coarse(condition: Condition, cuts: Floats | None) -> Condition | None:
    """Numbers cut at the nearest quantile; None if nothing is left between them."""
    if cuts is None or not condition.intervals:
        return condition
    if not len(cuts):
        return None
    intervals = []
    for one in condition.intervals:
        low = None if one.low is None else float(cuts[np.abs(cuts - one.low).argmin()])
        high = one.high if np.isinf(one.high) else float(cuts[np.abs(cuts - one.high).argmin()])
        if low is None or low < high:
            intervals.append(Interval(low, high))
    return Condition(condition.column, tuple(intervals), (), condition.missing) if intervals else None


def meets(rule: Conditions, matrix: Array, schema: Schema) -> Mask:
    """Which rows of a matrix meet all conditions."""
    met = np.ones(len(matrix), np.bool_)
    for condition in rule:
        place = schema.names.index(condition.column)
        cells = np.asarray(matrix[:, place], np.float64)
        known = np.zeros(len(matrix), np.bool_)
        for one in condition.intervals:
            known |= (cells <= one.high) & (True if one.low is None else cells > one.low)
        codes = [schema.columns[place].code_of[level] for level in condition.levels]
        known |= np.isin(cells, codes) if codes else False
        met &= known | (np.isnan(cells) & condition.missing)
    return met


# ---- choosing --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Votes:
    """What the forest says of every row, and what it predicts."""

    said: Floats
    codes: Ints | None

    @classmethod
    def of(cls, said: Floats, training: EnsembleRows) -> _Votes:
        target = training.schema.target
        return cls(said, None if target.classes is None else decided(said, target))

    def carried(self, met: Mask, left: Mask) -> Floats:
        """Of every candidate, what its rows among those that are left carry: votes for the commonest prediction above
        an even share; of numbers what they explain of the spread."""
        rows = (met & left).astype(np.float64)
        weight = rows.sum(1)
        sums = rows @ self.said
        if self.codes is not None:
            return np.asarray(sums.max(1) - weight / self.said.shape[1])
        middle = self.said[left].mean() if left.any() else 0.0
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(weight > 0, (sums[:, 0] - weight * middle) ** 2 / weight, 0.0)


def _chosen(met: Mask, votes: _Votes, top: int) -> list[int]:
    left = np.ones(len(votes.said), np.bool_)
    chosen: list[int] = []
    while len(chosen) < min(top, len(met)) and left.any():
        carried = votes.carried(met, left)
        best = int(carried.argmax())
        if carried[best] <= 0:
            break
        chosen.append(best)
        left &= ~met[best]
    return chosen


def _made(chosen: list[tuple[Conditions, Mask, float, float]], votes: _Votes, training: EnsembleRows) -> ForestRules:
    left, rules = np.ones(training.n_rows, np.bool_), []
    for number, (conditions, met, frequency, stability) in enumerate(chosen, 1):
        mine = met & left
        rule = _rule(conditions, mine, votes, training, number)
        share, right = _quality(rule, mine, votes, training)
        rules.append(ForestRule(rule, float(mine.mean()), share, right, float(frequency), float(round(stability, 9))))
        left &= ~met
    rest = left if left.any() else np.ones(training.n_rows, np.bool_)
    otherwise = _rule((), rest, votes, training, NO_RULE)
    leaf = LeafKind.MEANS if training.schema.target.classes is None else LeafKind.CLASSES
    stats = tuple(_stats(np.ones(training.n_rows, np.bool_), training))
    rule_set = RuleSet(training.schema, tuple(one.rule for one in rules), otherwise, stats, leaf)
    return ForestRules(tuple(rules), rule_set, _fidelity(rule_set, votes, training))


def _rule(conditions: Conditions, rows: Mask, votes: _Votes, training: EnsembleRows, number: int) -> Rule:
    value, target = votes.said[rows].mean(0), training.schema.target
    stats = tuple(_stats(rows, training))
    if target.classes is None:
        return Rule(conditions, float(value[0]), (float(value[0]),), stats, number)
    place = int(decided(value[None], target)[0])
    return Rule(conditions, target.classes[place], tuple((value / value.sum()).tolist()), stats, number)


def _stats(rows: Mask, training: EnsembleRows) -> list[float]:
    weights, y = training.weights[rows], training.y[rows]
    if training.encoded.n_classes:
        return list(map(float, np.bincount(y, weights, training.encoded.n_classes)))
    return [float((weights * y**power).sum()) for power in range(3)]


def _quality(rule: Rule, rows: Mask, votes: _Votes, training: EnsembleRows) -> tuple[float | None, float | None]:
    classes = training.schema.target.classes
    if classes is None:
        return None, None
    place = classes.index(rule.prediction)
    right = np.average(training.y[rows] == place, weights=training.weights[rows])
    return float(votes.said[rows, place].mean()), float(right)


def _fidelity(rules: RuleSet, votes: _Votes, training: EnsembleRows) -> float:
    values = rules.values(rules.decide(training.matrix, 1))
    if votes.codes is not None:
        return float((decided(values, training.schema.target) == votes.codes).mean())
    said = votes.said[:, 0]
    spread = ((said - said.mean()) ** 2).sum()
    return float(1 - ((said - values[:, 0]) ** 2).sum() / spread) if spread else 1.0
