"""The tree as text: one line per node, the answer of a leaf on the line of its test."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import islice

from treewright.data.schema import Schema
from treewright.explain.condition_text import condition, one_line, to_ascii
from treewright.explain.holdout_statistics import HoldOutStatistics
from treewright.explain.node_text import NodeText
from treewright.explain.number_text import plural
from treewright.explain.significance_text import split_test
from treewright.tree.tree import Node, Tree

MOST_LEVELS = 20  # of a list, however wide the page
_MOST_BARS = 40  # levels of indentation on a page of any width
_LEAST_NAME = 6  # columns of a name that is clipped
_LEAST_LEVEL = 4  # columns of a level that is clipped


def render(
    tree: Tree,
    schema: Schema,
    *,
    depth: int | None = None,
    max_lines: int | None = 200,
    width: int | None = None,
    ascii: bool = False,
    title: str | None = None,
    training_error: float | None = None,
    holdout: HoldOutStatistics | None = None,
    more: tuple[str, ...] = (),
    ids: bool = True,
    max_levels: int | None = MOST_LEVELS,
    counts: bool = False,
    unfold: str = "depth=None, max_lines=None",
) -> str:
    """A header line, then the tree, ``[7]`` being the number of a node in ``apply``, rules and pictures.

    Errors are shares of rows for classes, and root mean squared errors for numbers (mean absolute errors where nodes
    predict medians); ``more`` facts follow them. ``holdout`` has those of a second set of
    rows, and its counts. A tree of more than ``max_lines`` lines shows the nodes of most rows
    and says how many are left out, and that ``unfold`` shows them; a node whose children are not shown ends in ``…``.
    ``width`` None sets no limit; of more than ``max_levels`` levels the first are shown. The branch that takes missing
    values says so when training rows had some. ``counts`` tells the classes of every node, the root and inner ones too.

    >>> import treewright as tw
    >>> ages, buys = [20, 22, 25, 30, 31, 40, 45, 50, 60], ["no"] * 4 + ["yes", "yes", "no", "yes", "yes"]
    >>> model = tw.CARTClassifier(max_depth=1).fit({"age": ages}, buys)
    >>> print(render(model.tree_, model.schema_, title="CARTClassifier", training_error=1 / 9))
    CARTClassifier: y — 9 rows, 2 leaves, depth 1, training error 11.1 %
    age ≤ 30.5: no [1] (4)
    age > 30.5: yes [2] (5, 20% wrong)
    """
    page = _Page(NodeText(tree, schema), width, ascii, ids, max_levels, holdout, counts)
    fits = max_lines is None or tree.n_nodes <= max_lines
    shown = _shown(tree, depth, tree.n_nodes if fits or max_lines is None else max(1, max_lines - 2))
    lines = [
        page.header(title, training_error, more),
        *page.root_test(),
        *(page.line(*node) for node in shown),
    ]
    left_out = tree.n_nodes - len(shown) - (shown[0][0] != 0)
    return "\n".join([*lines, page.footer(left_out, unfold)] if left_out else lines)


def _shown(tree: Tree, depth: int | None, budget: int) -> list[tuple[int, int, bool]]:
    """The nodes that get a line: number, level of indentation, and whether their children get lines too.

    The root gets one only when nothing else does. Takes time by what is shown, not by the size of the tree.
    """
    if depth == 0 or tree.n_nodes == 1:
        return [(0, 0, False)]
    opened = _opened(tree, depth, budget)
    return [(v, level, v in opened) for v, level in islice(_walk(tree, opened), budget)]


def _opened(tree: Tree, depth: int | None, budget: int) -> set[int]:
    """The nodes whose children are shown: those of most rows first, for as long as there are lines left.

    The root is always one of them, even if not all of its children find room.
    """
    opened: set[int] = set()
    waiting = [(0, 0, 0)]
    while waiting and budget > 0:
        _, v, level = heappop(waiting)
        count = int(tree.n_branches[v])
        if count <= budget or v == 0:
            opened.add(v)
            budget -= count
            for child in _children(tree, v) if level + 1 != depth and budget > 0 else ():
                if tree.n_branches[child]:
                    heappush(waiting, (-int(tree.rows[child]), child, level + 1))
    return opened


def _walk(tree: Tree, opened: set[int]) -> Iterator[tuple[int, int]]:
    """Nodes below the root with their level, parents before children, branches in order."""
    trail = [iter(_children(tree, 0))]
    while trail:
        v = next(trail[-1], None)
        if v is None:
            trail.pop()
            continue
        yield v, len(trail) - 1
        if v in opened:
            trail.append(iter(_children(tree, v)))


def _children(tree: Tree, v: int) -> range:
    first = int(tree.first_child[v])
    return range(first, first + int(tree.n_branches[v]))


@dataclass(frozen=True)
class _Page:
    answers: NodeText
    width: int | None
    ascii: bool
    ids: bool
    max_levels: int | None
    holdout: HoldOutStatistics | None
    counts: bool

    @property
    def dots(self) -> str:
        return "..." if self.ascii else "…"

    def header(self, title: str | None, training_error: float | None, more: tuple[str, ...]) -> str:
        target, facts = one_line(self.answers.schema.target.name), self.answers.facts(training_error)
        facts += [self.holdout.fact(self.answers)] if self.holdout is not None else []
        named = f"{title}: {target}" if title else target
        return self._wrap(f"{named} {'-' if self.ascii else '—'} {', '.join([*facts, *more])}")

    def footer(self, left_out: int, unfold: str) -> str:
        return self._wrap(f"{self.dots} {plural(left_out, 'more node')} (show with {unfold})")

    def root_test(self) -> list[str]:
        """The significance of the first split, and its counts, which have no line of their own."""
        if self.answers.tree.n_nodes == 1:
            return []
        words = self._inner(0)
        return [self._wrap(words.lstrip())] if words != self._id(0) else []

    def _inner(self, v: int) -> str:
        """What is told of a node whose children are shown: its number, its counts and the significance of its split."""
        counts = f" {self._class_counts(v)}" if self.counts else ""
        return f"{self._id(v)}{counts}  {self._tested(v)}".rstrip()

    def _class_counts(self, v: int) -> str:
        """What an inner node has of each class."""
        counts = self.answers.counts(v)
        rows = f"{int(self.answers.tree.rows[v]):,}"
        return f"({', '.join(part for part in (rows, to_ascii(counts) if self.ascii else counts) if part)})"

    def _tested(self, v: int) -> str:
        test = Node(self.answers.tree, v).test
        return "" if test is None else split_test(test, ascii=self.ascii)

    def line(self, v: int, level: int, opened: bool) -> str:
        node = Node(self.answers.tree, v)
        tail = self._inner(v) if opened else self._answer(node)
        if v == 0:
            return self._clip(tail, self.width)
        start, tail = self._indent(level), tail if opened else f": {tail}"
        room = self._room(start, tail)
        if room is not None and room < _columns(self._words(node, 1)) and self.holdout is not None and not opened:
            tail = f": {self._answer(node, with_holdout=False)}"  # what is asked tells more
            room = self._room(start, tail)
        return self._clip(start + self._test(node, room) + tail, self.width)

    def _room(self, start: str, tail: str) -> int | None:
        return None if self.width is None else max(8, self.width - _columns(start) - _columns(tail))

    def _answer(self, node: Node, *, with_holdout: bool = True) -> str:
        answer = to_ascii(self.answers.text(node.id)) if self.ascii else self.answers.text(node.id)
        held_out = f"; {self.holdout.text(self.answers, node.id)}" if self.holdout is not None and with_holdout else ""
        told = self.answers.counts(node.id) if self.counts and self.answers.weight(node.id) else ""
        told = f"; {to_ascii(told) if self.ascii else told}" if told else ""
        words = f"{answer}{self._id(node.id)} ({self.answers.evidence(node.id)}{told}{held_out})"
        return words if node.is_leaf else f"{words} {self.dots}"

    def _words(self, node: Node, most_levels: int) -> str:
        """The condition that leads to a node."""
        parent = int(self.answers.tree.parent[node.id])
        split = self.answers.tests.split_at(parent)
        column, seen = self.answers.schema.columns[split.column], bool(self.answers.tree.missing[parent])
        return condition(split, column, node.branch, ascii=self.ascii, missing=seen, max_levels=most_levels)

    def _test(self, node: Node, room: int | None) -> str:
        """The condition that leads to a node, with as many levels as there is room for."""
        column = self.answers.schema.columns[self.answers.tests.split_at(int(self.answers.tree.parent[node.id])).column]
        words, n_levels = "", max(1, len(column.levels))
        for most in range(n_levels if self.max_levels is None else min(max(1, self.max_levels), n_levels), 0, -1):
            words = self._words(node, most)
            if room is None or _columns(words) <= room:
                return words
        return self._shortened(words, column.name, room)

    def _shortened(self, words: str, name: str, room: int | None) -> str:
        """A test without the end of its one level, or of its column's name, as long as something is left of that."""
        start, brace, levels = words.partition("{")
        level, others, end = levels.partition(" +")
        if room is not None and others and room - _columns(start + brace + others + end) >= _LEAST_LEVEL:
            left = room - _columns(start + brace + others + end)
            return f"{start}{brace}{self._clip(level, left)}{others}{end}"
        name = to_ascii(one_line(name)) if self.ascii else one_line(name)
        if room is not None and words.startswith(name):
            for asked in (words[len(name) :], words[len(name) :].removesuffix(" (shared)")):
                if room - _columns(asked) >= _LEAST_NAME:
                    return self._clip(name, room - _columns(asked)) + asked
        return self._clip(words, room)

    def _id(self, v: int) -> str:
        return f" [{v}]" if self.ids else ""

    def _indent(self, level: int) -> str:
        """Guide bars, but no more than half the width; deeper levels are written as a number."""
        bar = "|  " if self.ascii else "│  "
        most = _MOST_BARS if self.width is None else self.width // (2 * len(bar))
        return bar * level if level <= most else f"{bar * (most - 4)}(depth {level + 1}) "

    def _wrap(self, text: str) -> str:
        text = to_ascii(text.replace("→", "->")) if self.ascii else text
        return text if self.width is None else textwrap.fill(text, max(self.width, 20), subsequent_indent="  ")

    def _clip(self, text: str, room: int | None) -> str:
        if room is None or _columns(text) <= room:
            return text
        while text and _columns(text) > room - len(self.dots):
            text = text[:-1]
        return text + self.dots


def _columns(text: str) -> int:
    """How many columns of a terminal the text takes: wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
