"""What a node says about the target: its answer and the rows behind it, in the words every print uses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treewright.data.schema import Level, Schema
from treewright.explain.arriving_levels import ArrivingLevels
from treewright.explain.condition_text import level_text
from treewright.explain.equation_text import model_text
from treewright.explain.number_text import format_number, format_rounded, format_share, plural
from treewright.leaves import decided
from treewright.prune.training_counts import ROUNDING
from treewright.tree.tree import LeafKind, Tree

_FEW_TERMS = 2  # of a model, in a picture
MOST_CLASSES = 4  # more classes than this are not all shown


@dataclass(frozen=True)
class NodeText:
    """The answers of the nodes of one tree."""

    tree: Tree
    schema: Schema

    @cached_property
    def tests(self) -> ArrivingLevels:
        """The tests of the nodes as they are told."""
        return ArrivingLevels(self.tree, self.schema)

    @cached_property
    def classes(self) -> tuple[Level, ...]:
        """The classes, none for a numeric target."""
        return self.schema.target.classes or ()

    @cached_property
    def decimals(self) -> int:
        """As many decimals for every prediction as show a hundredth of the leading digit of the target's spread."""
        spread = self.spread(0)
        return 2 if spread == 0 else min(12, max(0, 2 - math.floor(math.log10(spread))))

    def prediction(self, v: int) -> Level | float:
        """The class of highest probability or least expected cost (the first of equals), or the predicted number."""
        return self.classes[self._class(v)] if self.classes else float(self.tree.value[v, 0])

    def probability(self, v: int) -> float | None:
        """The probability of the predicted class; None for a numeric target."""
        return float(self.tree.value[v, self._class(v)]) if self.classes else None

    def weight(self, v: int) -> float:
        """The weight of the rows at the node."""
        return float(self.tree.leaf.weight(self.tree.stats[v]))

    def spread(self, v: int) -> float:
        """Standard deviation of a numeric target at the node: sqrt(Σwy²/Σw - (Σwy/Σw)²)."""
        w, wy, wyy = self.tree.stats[v, :3].tolist()
        if w <= 0:
            return 0.0
        variance = wyy / w - (wy / w) ** 2
        return math.sqrt(variance) if variance > ROUNDING * (wyy / w) else 0.0

    @cached_property
    def of_medians(self) -> bool:
        """Whether nodes predict medians, and errors are absolute ones."""
        return self.tree.leaf is LeafKind.MEDIANS

    @property
    def error_name(self) -> str:
        """What the error of the whole tree is called."""
        return "error" if self.classes else "MAE" if self.of_medians else "RMSE"

    def error_text(self, error: float) -> str:
        """The error of the whole tree in words: a share, or a number."""
        return f"{100 * error:.1f} %" if self.classes else format_number(error, 4)

    def distance(self, v: int) -> float:
        """Mean distance of a numeric target from its median at the node."""
        weight = self.weight(v)
        return float(self.tree.stats[v, 4] / weight) if weight > 0 else 0.0

    def wrong(self, v: int) -> float:
        """The share of the node's weight that is of another class than predicted."""
        stats = self.tree.stats[v]
        total = stats.sum()
        if self.tree.models.exist:
            return self.model_error(v)
        return float(1 - stats[self._class(v)] / total) if total > 0 else 0.0

    def model_error(self, v: int) -> float:
        """The mean squared error of the node's model on its training rows, or the share of them it gets wrong."""
        weight = self.weight(v)
        return float(self.tree.models.error[v] / weight) if weight > 0 else 0.0

    def text(self, v: int) -> str:
        """The prediction in words."""
        if self.tree.models.exist:
            return model_text(self.tree, self.schema, v)
        answer = self.prediction(v)
        return level_text(answer) if self.classes else self.number(float(answer))

    def short(self, v: int) -> str:
        """The same where there is little room: of a model the first terms."""
        if self.tree.models.exist:
            return model_text(self.tree, self.schema, v, most_terms=_FEW_TERMS)
        return self.text(v)

    def number(self, x: float) -> str:
        """A value of a numeric target."""
        return format_rounded(x, self.decimals) if x == 0 or abs(x) >= 10.0**-self.decimals else format_number(x, 2)

    @property
    def of_models(self) -> bool:
        """Whether leaves predict by a model, so that the answer depends on the row."""
        return self.tree.models.exist

    @cached_property
    def knows_target(self) -> bool:
        """Whether rows came with a target; those of a tree by hand need not."""
        return self.weight(0) > 0

    def source(self, v: int) -> str:
        """Where a node without rows has its answer from: ``as parent``, ``as overall`` or nothing."""
        value = self.tree.value
        if not self.knows_target:
            return ""
        if v and np.array_equal(value[v], value[self.tree.parent[v]]):
            return "as parent"
        return "as overall" if v and np.array_equal(value[v], value[0]) else ""

    def evidence(self, v: int) -> str:
        """The rows behind the answer: ``168, 8% wrong``, ``n=45, sd 1.2``, ``n=45, MAE 0.9``, ``0, as parent``."""
        rows, weight = int(self.tree.rows[v]), self.weight(v)
        count = f"{rows:,}" if self.classes or not weight else f"n={rows:,}"
        parts = [count, self.weight_text(v), self.quality(v) if weight else self.source(v)]
        return ", ".join(part for part in parts if part)

    def weight_text(self, v: int) -> str:
        """The weight where it is not just the number of rows, else nothing."""
        rows, weight = int(self.tree.rows[v]), self.weight(v)
        if not self.knows_target:
            return ""
        return "" if abs(weight - rows) <= 1e-6 * max(rows, 1) else f"weight {format_number(weight, 4)}"

    def facts(self, training_error: float | None = None) -> list[str]:
        """What a first line says of the tree: its rows, its size and, where rows came with a target, its error."""
        tree = self.tree
        facts = [plural(int(tree.rows[0]), "row"), self.weight_text(0)]
        facts += [plural(tree.n_leaves, "leaf", "leaves"), f"depth {tree.depth}"]
        if training_error is not None:
            facts.append(f"training {self.error_name} {self.error_text(training_error)}")
        return [fact for fact in facts if fact]

    def counts(self, v: int) -> str:
        """The classes at the node with their weights, only the most frequent of many; or centre and spread."""
        if not self.weight(v):
            return self.source(v)
        if self.of_medians:
            return f"median {self.text(v)}, {self.quality(v)}"
        if not self.classes:
            return f"mean {self.number(self._mean(v))}, sd {self.number(self.spread(v))}"
        stats = self.tree.stats[v]
        order = range(len(stats)) if len(stats) <= MOST_CLASSES else np.argsort(-stats, kind="stable")[:3].tolist()
        classes = [f"{level_text(self.classes[k])}: {format_number(stats[k])}" for k in order]
        rest = float(stats.sum() - stats[list(order)].sum())
        return ", ".join(classes) + (f", others: {format_number(rest, 4)}" if rest > 1e-9 * self.weight(v) else "")

    def quality(self, v: int) -> str:
        """How far the rows at the node are from its answer, in words; nothing where all are right, or none is known."""
        if not self.knows_target:
            return ""
        if self.of_medians:
            return f"MAE {self.number(self.distance(v))}"
        if not self.classes and self.tree.models.exist:
            return f"RMSE {self.number(math.sqrt(self.model_error(v)))}"
        if not self.classes:
            return f"sd {self.number(self.spread(v))}"
        wrong = self.wrong(v)
        return f"{format_share(wrong)} wrong" if wrong > 1e-12 else ""

    def _class(self, v: int) -> int:
        return int(decided(self.tree.value[v], self.schema.target))

    def _mean(self, v: int) -> float:
        return float(self.tree.stats[v, 1] / self.tree.stats[v, 0])
