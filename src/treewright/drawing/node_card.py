"""What a node shows, as data: its test or answer, the rows behind it, bars, evidence. Pictures and pages share it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from treewright.data.schema import Schema
from treewright.explain.condition_text import level_text, one_line
from treewright.explain.holdout_statistics import HoldOutStatistics
from treewright.explain.leaf_rules import path_conditions
from treewright.explain.node_text import NodeText
from treewright.explain.number_text import format_number, plural
from treewright.explain.significance_text import p_text
from treewright.leaves import decided
from treewright.palette import MOST_HUES
from treewright.split import EVERY_BRANCH, STOP
from treewright.tree.tree import Node, Tree

TOP_CLASSES = 3  # bars of a node, where classes are more than there are colours
_LONGEST_NAME = 200  # characters
_CERTAIN = np.log(0.001)
_SMALLEST_GAIN = 0.001


@dataclass(frozen=True)
class ClassBar:
    """The share of a class at a node, as it is predicted; ``place`` is its place among the classes, None of others."""

    name: str
    share: float
    place: int | None


@dataclass(frozen=True)
class Spread:
    """A number with its spread: mean and standard deviation, median and mean distance, or median and quartiles."""

    centre: float
    low: float
    high: float
    ends: tuple[float, float] | None = None  # least and greatest, where rows are known


@dataclass(frozen=True)
class NodeCard:
    """One node. ``share`` is that of the predicted class, None of a number; ``notes`` are short facts, least last.

    Where the rows came without a target, as those of a tree by hand may, there are neither shares nor bars.
    """

    node: int
    test: str  # the name of the column, nothing at a leaf
    answer: str
    share: float | None
    place: int | None  # of the predicted class
    rows: int
    rows_text: str
    bars: tuple[ClassBar, ...]
    spread: Spread | None
    notes: tuple[str, ...]
    holdout: str
    differs: bool  # the hold-out contradicts the training rows
    about: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values by name, for pages."""
        spread = None if self.spread is None else vars(self.spread)
        return {**vars(self), "bars": [vars(bar) for bar in self.bars], "spread": spread}


@dataclass(frozen=True)
class Cards:
    """The cards of one tree."""

    tree: Tree
    schema: Schema
    holdout: HoldOutStatistics | None = None

    @cached_property
    def answers(self) -> NodeText:
        return NodeText(self.tree, self.schema)

    @property
    def has_hues(self) -> bool:
        """Whether colour means class."""
        return 0 < len(self.answers.classes) <= MOST_HUES

    def card(self, v: int) -> NodeCard:
        answers, node, classes = self.answers, Node(self.tree, v), self.answers.classes
        held_out = "" if self.holdout is None else self.holdout.text(answers, v, before_sign=" ")
        return NodeCard(
            node=v,
            test="" if node.is_leaf else one_line(self.schema.columns[int(self.tree.column[v])].name[:_LONGEST_NAME]),
            answer=self._answer(v),
            share=answers.probability(v) if answers.knows_target else None,
            place=int(decided(self.tree.value[v], self.schema.target)) if classes else None,
            rows=int(self.tree.rows[v]),
            rows_text=plural(int(self.tree.rows[v]), "row"),
            bars=self._bars(v) if classes and answers.knows_target else (),
            spread=None if classes else self._spread(v),
            notes=tuple(self._notes(node)),
            holdout=held_out,
            differs=self.holdout is not None and bool(self.holdout.differs[v]),
            about=self._about(v, held_out),
        )

    def _answer(self, v: int) -> str:
        """What the node predicts; of a linear model the mean of its rows, of a logistic one the commonest class."""
        answers = self.answers
        if not answers.of_models:
            return answers.short(v)
        if not answers.classes:
            return f"mean {answers.number(float(self.tree.value[v, 0]))}"
        return level_text(answers.classes[int(decided(self.tree.value[v], self.schema.target))])

    def spread_text(self, card: NodeCard) -> str:
        """How far numbers are from the answer, ``sd 2.4``; nothing of classes, or where nothing is known of it."""
        return "" if self.answers.classes or not card.rows else self.answers.quality(card.node)

    def _bars(self, v: int) -> tuple[ClassBar, ...]:
        """All classes in their order, or of too many the most frequent and the others together."""
        shares, classes = self.tree.value[v], self.answers.classes
        if self.has_hues:
            return tuple(ClassBar(level_text(label), float(shares[k]), k) for k, label in enumerate(classes))
        top = np.argsort(-shares, kind="stable")[:TOP_CLASSES].tolist()
        bars = [ClassBar(level_text(classes[k]), float(shares[k]), k) for k in top if shares[k] > 0]
        rest = float(shares.sum() - shares[top].sum())
        others = len(classes) - len(top)
        return (*bars, ClassBar(f"{others} others", rest, None)) if rest > 1e-9 else tuple(bars)

    def _spread(self, v: int) -> Spread:
        answers = self.answers
        centre = float(self.tree.value[v, 0])
        half = answers.distance(v) if answers.of_medians else answers.spread(v)
        return Spread(centre, centre - half, centre + half)

    def _notes(self, node: Node) -> list[str]:
        weight = [text] if (text := self.answers.weight_text(node.id)) else []
        if node.is_leaf:
            source = "" if self.answers.weight(node.id) else self.answers.source(node.id)
            return [*weight, source] if source else weight
        split, missing = node.split, int(self.tree.missing[node.id])
        assert split is not None
        notes = [_evidence(node), *weight] if self.answers.knows_target else []
        if missing and split.branch_of[0] == STOP:
            notes.append(f"{missing:,} missing stop here")
        if missing and split.branch_of[0] == EVERY_BRANCH and not node.surrogates:
            notes.append(f"{missing:,} missing, by share")
        if missing and node.surrogates:
            names = list(dict.fromkeys(one_line(self.schema.columns[s.split.column].name) for s in node.surrogates))
            more = f" +{len(names) - 2}" if len(names) > 2 else ""
            notes.append(f"{missing:,} missing, by {', '.join(names[:2])}{more}")
        return notes

    def _about(self, v: int, held_out: str) -> str:
        """The node as a sentence."""
        answers, target = self.answers, one_line(self.schema.target.name[:_LONGEST_NAME])
        path = [
            words if len(words) <= 400 else f"{words[:400]}…" for words in path_conditions(self.tree, self.schema, v)
        ]
        start = f"Node {v}: if {' and '.join(path)}" if path else f"Node {v}: all rows"
        counts = answers.counts(v)
        facts = [answers.evidence(v), counts if len(counts) <= 400 else f"{counts[:400]}…", held_out]
        return (
            f"{start}, then {target} = {answers.short(v)[:_LONGEST_NAME]} ({'; '.join(fact for fact in facts if fact)})"
        )


def _evidence(node: Node) -> str:
    """The p-value of the split, adjusted where it is, or else its gain."""
    test = node.test
    if test is None:
        return (
            f"gain {format_number(node.gain, 3)}" if not 0 < node.gain < _SMALLEST_GAIN else f"gain < {_SMALLEST_GAIN}"
        )
    log_p = max(test.log_p, test.log_adjusted_p)
    return "p < 0.001" if log_p < _CERTAIN else f"p = {p_text(log_p)}"
