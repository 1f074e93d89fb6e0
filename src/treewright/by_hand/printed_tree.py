"""The printed form of a tree read back in: a line per branch, what is below it indented."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from treewright.by_hand.condition_reader import REST, ConditionReader
from treewright.by_hand.outline import Accepted, HandBranch, HandLeaf, HandSplit, Outline
from treewright.data.schema import Level
from treewright.errors import DataError
from treewright.explain.condition_text import level_text, to_ascii

_TITLE = re.compile(r"(?:(?P<estimator>\w+): )?(?P<target>.*?) (?:—|-) [\d,]+ rows?\b")
_INDENT = re.compile(r"[│| \t]*")
_DEEP = re.compile(r"\(depth (\d+)\) ")
_FOLDED = re.compile(r"(?:…|\.\.\.) [\d,]+ more nodes?")
_NODE = re.compile(r"\s*(?:\[\d+\])?(?:\s{2,}.*)?$")
_ANSWER = re.compile(r"\s*:\s*")
_BEHIND = re.compile(r"(?:\s+\[\d+\])?(?:\s+\((?:n=)?\d[^()]*\))?(?P<folded>\s+(?:…|\.\.\.))?$")
_BEHIND_TREE = "attribute usage:"  # C5.0 tells it behind the tree
_BAR = 3  # columns of a level of indentation
_UNFOLD = "print it with model.to_text(max_lines=None), without depth= and width="


class Title(NamedTuple):
    """What the first printed line says: the estimator and the target, None where it does not, and whether errors are
    absolute ones, of leaves that predict medians."""

    estimator: str | None = None
    target: str | None = None
    of_medians: bool = False


def title_of(text: str) -> Title:
    """
    >>> title_of("ID3Classifier: play — 14 rows, 5 leaves, depth 2, training error 0.0 %")
    Title(estimator='ID3Classifier', target='play', of_medians=False)
    """
    first = next((line for line in text.splitlines() if line.strip()), "")
    found = _TITLE.match(first)
    return Title(found["estimator"], found["target"], ", training MAE " in first) if found else Title()


def read_printed(text: str, reader: ConditionReader, classes: Sequence[Level] = ()) -> Outline:
    """The tree that a text shows; answers are texts, of ``classes`` where these are known.

    >>> from treewright.data.schema import Column, Kind
    >>> text = "age ≤ 30.5: no [1] (4)\\nage > 30.5: yes [2] (5, 20% wrong)"
    >>> read_printed(text, ConditionReader([Column("age", Kind.NUMERIC)])).branches[1].below
    HandLeaf(answer='yes', printed=True)
    """
    lines = _lines(text, reader, classes)
    if not lines:
        raise DataError("the text shows no tree", "write a line per branch, such as 'x ≤ 2.5: yes'")
    if len(lines) == 1 and lines[0].accepted is None:
        return HandLeaf(lines[0].answer, printed=True)
    for line in lines:
        if line.accepted is None:
            odd = reader.refusal(line.text)
            raise DataError(f"line {line.number}: {odd.problem}", odd.hint)
    return _nested(lines)


@dataclass
class _Line:
    number: int  # from 1
    indent: int
    text: str
    column: int | None = None  # None: else, or no condition at all
    accepted: Accepted | None = None
    answer: str | None = None
    below: list[_Line] = field(default_factory=list)


def _lines(text: str, reader: ConditionReader, classes: Sequence[Level]) -> list[_Line]:
    spelt = sorted(
        {spelling for c in classes for spelling in (level_text(c), to_ascii(level_text(c)), str(c))}, key=len
    )
    made: list[_Line] = []
    after_title = False
    for number, raw in enumerate(text.expandtabs(_BAR).splitlines(), start=1):
        start = _INDENT.match(raw)
        assert start is not None
        body, indent = raw[start.end() :].rstrip(), start.end()
        if _FOLDED.match(body):
            raise DataError(f"line {number} says that nodes are left out", _UNFOLD)
        if not made and _TITLE.match(raw) and reader.begin(body) is None:
            after_title = True
            continue
        if made and body.startswith(_BEHIND_TREE) and reader.begin(body) is None:
            break
        if not body or (not made and body.startswith("[0]")) or (not made and after_title and raw.startswith("  ")):
            continue
        if deep := _DEEP.match(body):
            body, indent = body[deep.end() :], _BAR * (int(deep[1]) - 1)
        made.append(_line(number, indent, body, reader, spelt[::-1]))
    return made


def _line(number: int, indent: int, body: str, reader: ConditionReader, spelt: list[str]) -> _Line:
    line = _Line(number, indent, body)
    rest = next((word for word in REST if re.match(rf"{word}\b", body)), None)
    found = reader.begin(body)
    if found is not None:
        line.column, line.accepted, end = found
    elif rest is not None:
        line.accepted, end = Accepted(rest=True), len(rest)
    else:
        line.answer = _answer(body, number, spelt)
        return line
    if answer := _ANSWER.match(body, end):
        line.answer = _answer(body[answer.end() :], number, spelt)
    elif not _NODE.match(body, end):
        raise DataError(f"line {number} goes on after its condition: {body[end:][:60]!r}", "write 'x ≤ 2.5: yes'")
    return line


def _answer(text: str, number: int, spelt: list[str]) -> str:
    """The answer without the node's number and rows behind it; a class that is known may look like these."""
    for known in spelt:
        if text.startswith(known) and (found := _BEHIND.match(text, len(known))):
            break
    else:
        found = _BEHIND.search(text)
    assert found is not None
    if found["folded"]:
        raise DataError(f"what is below line {number} is left out", _UNFOLD)
    return text[: found.start()].strip()


def _nested(lines: list[_Line]) -> Outline:
    """Lines of one indentation below the same line are the branches of one split."""
    root = _Line(0, -1, "")
    trail = [root]
    for line in lines:
        while line.indent <= trail[-1].indent:
            trail.pop()
        siblings = trail[-1].below
        if siblings and siblings[0].indent != line.indent:
            raise DataError(
                f"line {line.number} is indented like no line above it: {line.text[:60]!r}",
                "indent the branches of a split alike",
            )
        siblings.append(line)
        trail.append(line)
    return _outline(root)


def _outline(line: _Line) -> Outline:
    """Bottom-up without recursion: prints of deep trees have thousands of levels."""
    order, made = [line], dict[int, Outline]()
    for one in order:
        order.extend(one.below)
    for one in reversed(order):
        made[id(one)] = _split(one, made) if one.below else HandLeaf(one.answer, printed=True)
    return made[id(line)]


def _split(line: _Line, made: dict[int, Outline]) -> HandSplit:
    if line.answer is not None:
        raise DataError(f"line {line.number} has an answer and branches below it", "leave one of them out")
    columns = dict.fromkeys(child.column for child in line.below if child.column is not None)
    tested = next(iter(columns), -1)
    for child in line.below:
        if child.column not in (tested, None) or tested < 0:
            raise DataError(
                f"line {child.number} is no branch of the split that line {line.below[0].number} begins: "
                f"{child.text[:60]!r}",
                "the branches of a split test one column; indent what is below a branch",
            )
    return HandSplit(tested, tuple(HandBranch(child.accepted or Accepted(), made[id(child)]) for child in line.below))
