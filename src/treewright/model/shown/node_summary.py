"""One node of a summary: its counts, its split, what competed with it, and its surrogates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from treewright.data.schema import Level
from treewright.display import DisplayedRecord
from treewright.explain.condition_text import level_text, one_line
from treewright.explain.number_text import format_number, plural

_MOST_COMPETITORS = 5  # with the one that was taken, as rpart keeps them
_LONGEST_TEST = 200  # of a split that is not made, in letters
_MOST_CLASSES = 12  # whose counts are printed


@dataclass(frozen=True, repr=False)
class BranchSummary(DisplayedRecord):
    """One branch of a split: the node it leads to, its test in words, and its rows."""

    node: int
    test: str
    rows: int


@dataclass(frozen=True, repr=False)
class CompetitorSummary(DisplayedRecord):
    """The best split of a column at the node, by the measure that the table of competitors names."""

    column: str
    score: float
    measure: str
    branches: tuple[str, ...]
    taken: bool


@dataclass(frozen=True, repr=False)
class SurrogateSummary(DisplayedRecord):
    """A split that stands in where the tested value is missing."""

    column: str
    branches: tuple[str, ...]
    agreement: float
    adjusted: float


@dataclass(frozen=True, repr=False)
class NodeSummary(DisplayedRecord):
    """One node. ``path`` are the tests that lead to it, in ``heading`` with the first of many levels; ``counts`` are
    weights by class, or none for a number.

    ``complexity`` is the CP from which on the node is a leaf, None if it is one already. ``competitors`` is None where
    there were no rows to compare columns with.
    """

    id: int
    path: str
    heading: str
    rows: int
    weight: float
    prediction: str
    quality: str
    counts: dict[Level, float]
    centre: str
    complexity: float | None
    gain: float
    missing: int
    test: str
    branches: tuple[BranchSummary, ...]
    competitors: tuple[CompetitorSummary, ...] | None
    surrogates: tuple[SurrogateSummary, ...]

    def __str__(self) -> str:
        return "\n".join(_node_lines(self))

    def _facts(self) -> dict[str, Any]:
        told = super()._facts()
        told["counts"] = ", ".join(f"{level_text(label)} {format_number(n)}" for label, n in self.counts.items())
        told["branches"] = tuple(f"{branch.test} → node {branch.node}" for branch in self.branches)
        told["competitors"] = tuple(split.column for split in self.competitors or () if not split.taken)
        told["surrogates"] = tuple(split.column for split in self.surrogates)
        return told

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data; counts in the order of the classes."""
        return {**asdict(self), "counts": [*self.counts.values()]}


# ---- in words --------------------------------------------------------------------------------------------------------


def _node_lines(node: NodeSummary) -> Iterator[str]:
    yield f"Node {node.id}: {node.heading}"
    yield f"  {', '.join(_facts(node))}{_complexity_text(node)}"
    if any(node.counts.values()):
        yield f"  {_counts_text(node)}"
    elif node.centre:
        yield f"  {node.centre}"
    if node.branches:
        yield from _split_lines(node)
    others = [one for one in node.competitors or () if not one.taken][: _MOST_COMPETITORS - 1]
    if others:
        yield "  competing splits" + (f" ({others[0].measure})" if others[0].measure != "gain" else "")
        yield from aligned([f"    {one_line(c.column)}  {c.score:.4g}  {_clipped(c.branches)}" for c in others])
    if node.surrogates:
        yield "  surrogates (agreement, adjusted)"
        lines = [
            f"    {one_line(s.column)}  {s.agreement:.4g}  {s.adjusted:.4g}  {_clipped(s.branches)}"
            for s in node.surrogates
        ]
        yield from aligned(lines)


def _clipped(tests: tuple[str, ...]) -> str:
    """Tests that are not made; long lists of levels are cut."""
    return " | ".join(test if len(test) <= _LONGEST_TEST else f"{test[: _LONGEST_TEST - 1]}…" for test in tests)


def _facts(node: NodeSummary) -> list[str]:
    weight = abs(node.weight - node.rows) > 1e-6 * max(node.rows, 1) and node.weight > 0
    facts = [plural(node.rows, "row"), f"weight {format_number(node.weight, 4)}" if weight else ""]
    return [fact for fact in [*facts, f"predicts {node.prediction}", node.quality] if fact]


def _complexity_text(node: NodeSummary) -> str:
    if not node.branches:
        return "; a leaf"
    return "" if node.complexity is None else f"; complexity {node.complexity:.4g}"


def _counts_text(node: NodeSummary) -> str:
    total, shown = sum(node.counts.values()), list(node.counts.items())[:_MOST_CLASSES]
    more = f", and {len(node.counts) - len(shown)} more classes" if len(shown) < len(node.counts) else ""
    counts = ", ".join(f"{level_text(label)} {format_number(count, 6)}" for label, count in shown)
    shares = ", ".join(f"{level_text(label)} {count / total:.3f}" for label, count in shown) if total else ""
    return f"counts: {counts}{more}" + (f"; shares: {shares}{more}" if shares else "")


def _split_lines(node: NodeSummary) -> Iterator[str]:
    missing = f", {plural(node.missing, 'row')} without a value" if node.missing else ""
    yield f"  splits by gain {node.gain:.4g}{f', {node.test}' if node.test else ''}{missing}"
    for branch in node.branches:
        yield f"    {branch.test} → node {branch.node}, {plural(branch.rows, 'row')}"


def aligned(lines: list[str]) -> list[str]:
    """Cells that stand two spaces apart, in columns; the last may be as long as it is."""
    indent = len(lines[0]) - len(lines[0].lstrip())
    cells = [line.strip().split("  ") for line in lines]
    widths = [max(map(len, column)) for column in list(zip(*cells))[:-1]]
    return [
        " " * indent + "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths)), row[-1]]) for row in cells
    ]
