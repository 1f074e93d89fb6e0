"""The tree as rules: one for every leaf, in the order the leaves are printed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

from treewright.data.schema import Level, Schema
from treewright.display import Displayed, DisplayedRecord, Sheet
from treewright.explain.condition_text import one_line, phrase, to_ascii
from treewright.explain.node_text import NodeText
from treewright.explain.number_text import format_share, plural
from treewright.explain.region import MissingRoute, Region, intersect, region_of
from treewright.tree.tree import Node, Tree

Path = TypeVar("Path")


@dataclass(frozen=True, repr=False)
class LeafRule(DisplayedRecord):
    """What one leaf says. Rows that meet all ``conditions`` are predicted ``prediction``.

    >>> print(LeafRule(("outlook = sunny", "humidity = high"), 4, "no", 1.0, 3, "play = no", "3 rows, 100 %"))
    if outlook = sunny and humidity = high then play = no   (3 rows, 100 %)
    """

    conditions: tuple[str, ...]
    leaf: int
    prediction: Level | float
    probability: float | None  # of the predicted class; None for a numeric target
    rows: int
    outcome: str
    evidence: str

    def __str__(self) -> str:
        start = f"if {' and '.join(self.conditions)} then" if self.conditions else "always"
        return f"{start} {self.outcome}   ({self.evidence})"


class LeafRules(Displayed, list[LeafRule]):
    """Rules in printed order: a list that shows itself as a table."""

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    def _sheet(self) -> Sheet:
        columns: dict[str, list[Any]] = {
            "leaf": [rule.leaf for rule in self],
            "if": [" and ".join(rule.conditions) for rule in self],
            "then": [rule.outcome for rule in self],
            "probability": [rule.probability for rule in self],
            "rows": [rule.rows for rule in self],
        }
        if all(rule.probability is None for rule in self):
            del columns["probability"]
        return Sheet(columns)


def rules(
    tree: Tree, schema: Schema, *, ascii: bool = False, exact: bool = False, max_levels: int | None = None
) -> LeafRules:
    """One rule per leaf, in printed order.

    Tests on the same column are joined: ``age > 30`` and ``age > 40`` become ``age > 40``. Missing values are mentioned
    where training rows had some and all tests of the column let them pass. ``exact`` writes thresholds in full.

    >>> import treewright as tw
    >>> ages, buys = [20, 22, 25, 30, 31, 40, 45, 50, 60], ["no"] * 4 + ["yes", "yes", "no", "yes", "yes"]
    >>> model = tw.CARTClassifier(max_depth=1).fit({"age": ages}, buys)
    >>> print(*rules(model.tree_, model.schema_), sep="\\n")
    if age ≤ 30.5 then y = no   (4 rows, 100 %)
    if age > 30.5 then y = yes   (5 rows, 80 %)
    """
    answers = NodeText(tree, schema)
    made = (_rule(leaf, path, answers, exact, max_levels, ascii) for leaf, path in joined_paths(tree, schema))
    return LeafRules(made)


@dataclass(frozen=True)
class _Test:
    """All tests of one column on a path: what they let pass, and whether training rows without a value met them."""

    region: Region
    missing_seen: bool

    def joined(self, later: _Test) -> _Test:
        return _Test(intersect(self.region, later.region), self.missing_seen and later.missing_seen)


def paths(
    tree: Tree, schema: Schema, start: Path, longer: Callable[[Path, int, Region], Path]
) -> Iterator[tuple[int, Path]]:
    """Every leaf, in printed order, with what its path comes to.

    A path begins as ``start``; each test on the way makes it ``longer(path, node, region)``, the region being what the
    branch taken accepts.
    """
    waiting = [(0, start)]
    while waiting:
        v, path = waiting.pop()
        split = Node(tree, v).split
        if split is None:
            yield v, path
            continue
        column, first = schema.columns[split.column], int(tree.first_child[v])
        for branch in reversed(range(int(tree.n_branches[v]))):
            waiting.append((first + branch, longer(path, v, region_of(split, column, branch))))


def joined_paths(tree: Tree, schema: Schema) -> Iterator[tuple[int, dict[int, _Test]]]:
    """Every leaf with the joined tests on its path, by column in the order of first use."""

    def longer(path: dict[int, _Test], v: int, region: Region) -> dict[int, _Test]:
        column, test = int(tree.column[v]), _Test(region, bool(tree.missing[v]))
        return {**path, column: path[column].joined(test) if column in path else test}

    return paths(tree, schema, {}, longer)


def path_conditions(
    tree: Tree, schema: Schema, v: int, *, exact: bool = False, max_levels: int | None = None
) -> tuple[str, ...]:
    """What a row has met when it comes by a node, tests on the same column joined; nothing at the root."""
    path: dict[int, _Test] = {}
    for parent, child in pairwise(Node(tree, v).path()):
        split = parent.split
        assert split is not None
        region = region_of(split, schema.columns[split.column], child.branch)
        test = _Test(region, bool(tree.missing[parent.id]))
        path[split.column] = path[split.column].joined(test) if split.column in path else test
    return _conditions(path, ascii=False, exact=exact, max_levels=max_levels)


def _conditions(path: dict[int, _Test], *, ascii: bool, exact: bool, max_levels: int | None) -> tuple[str, ...]:
    return tuple(
        _words(
            phrase(test.region, ascii=ascii, missing=test.missing_seen, exact=exact, max_levels=max_levels),
            alone=len(path) == 1 or not _is_either(test),
        )
        for test in path.values()
    )


def _rule(
    leaf: int, path: dict[int, _Test], answers: NodeText, exact: bool, max_levels: int | None, ascii: bool
) -> LeafRule:
    words = _conditions(path, ascii=ascii, exact=exact, max_levels=max_levels)
    outcome = f"{one_line(answers.schema.target.name)} = {answers.text(leaf)}"
    return LeafRule(
        conditions=words,
        leaf=leaf,
        prediction=answers.prediction(leaf),
        probability=answers.probability(leaf),
        rows=int(answers.tree.rows[leaf]),
        outcome=to_ascii(outcome) if ascii else outcome,
        evidence=_evidence(answers, leaf),
    )


def _is_either(test: _Test) -> bool:
    """Whether the words contain an ``or``, which ``and`` would bind more tightly than."""
    region = test.region
    if region.is_nothing or region.is_everything:
        return False
    return len(region.intervals) > 1 or (test.missing_seen and region.missing is not MissingRoute.ELSEWHERE)


def _words(words: str, alone: bool) -> str:
    return words if alone else f"({words})"


def _evidence(answers: NodeText, leaf: int) -> str:
    probability = answers.probability(leaf)
    if not answers.weight(leaf):
        quality = answers.source(leaf)
    elif probability is None:
        quality = answers.quality(leaf)
    else:
        quality = format_share(probability, " ")
    parts = [plural(int(answers.tree.rows[leaf]), "row"), answers.weight_text(leaf), quality]
    return ", ".join(part for part in parts if part)
