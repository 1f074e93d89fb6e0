"""How a lesson writes its symbols: En or H for entropy, and a name for the rows of a node, K or S."""

from __future__ import annotations

import re
from dataclasses import replace

from treewright.errors import OptionError
from treewright.teach.lesson import Lesson, Step

NOTATIONS = ("En", "H", "K", "S", "En,K", "En,S", "H,K", "H,S")
_OF_ROWS = r"En|H|Gini|V"
_OF_TESTS = r"Gain|GiniGain|GR|Split"
_INSIDE = r"((?:[^()]|\([^()]*\))*)"


def with_notation(lesson: Lesson, notation: str) -> Lesson:
    """The same lesson in another notation; ``values`` keep their names.

    "En" or "H" is how entropy is written. "K" or "S" is what the rows of a node are called: then Gain(outlook) is
    Gain(S, outlook), En(play) is En(S) and En(outlook = Rainy) is En(S[outlook = Rainy]). Both: "H,S".

    >>> from treewright import teach
    >>> print(teach.lesson("gain", notation="H,S").steps[1].formulas[0])
    H(S[outlook = Overcast]) = −4/4·log2 4/4 = 0
    """
    if notation not in NOTATIONS:
        raise OptionError(f"the notation {notation!r} is not known", f"choose one of {', '.join(NOTATIONS)}")
    parts = notation.split(",")
    entropy = "H" if "H" in parts else "En"
    rows = next((part for part in parts if part in ("K", "S")), None)
    return replace(lesson, steps=tuple(_step(step, entropy, rows, _target(lesson)) for step in lesson.steps))


def _target(lesson: Lesson) -> str:
    """The target, which the title names."""
    return lesson.title.rpartition("target ")[2]


def _step(step: Step, entropy: str, rows: str | None, target: str) -> Step:
    def written(text: str) -> str:
        return _written(text, entropy, rows, target)

    return replace(
        step,
        title=step.title if step.verbatim else written(step.title),
        table=tuple(tuple(map(written, row)) for row in step.table),
        formulas=step.formulas if step.verbatim else tuple(map(written, step.formulas)),
        result=written(step.result),
        remark=written(step.remark),
    )


def _written(text: str, entropy: str, rows: str | None, target: str) -> str:
    text = re.sub(r"\bEn\b(?=\(|$| after| =)", entropy, text)
    if rows is None:
        return text
    text = re.sub(rf"\b({_OF_TESTS})\({_INSIDE}\)", lambda found: f"{found[1]}({rows}, {found[2]})", text)
    return re.sub(rf"\b({_OF_ROWS})\({_INSIDE}\)", lambda found: _of_rows(found[1], found[2], rows, target), text)


def _of_rows(symbol: str, what: str, rows: str, target: str) -> str:
    if what == target:
        return f"{symbol}({rows})"
    given = f"{target} | "
    return f"{symbol}({rows} | {what[len(given) :]})" if what.startswith(given) else f"{symbol}({rows}[{what}])"
