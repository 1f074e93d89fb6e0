"""Lessons as text for a terminal and as Markdown for slides."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

from treewright.cli.output import columns


def as_text(lesson: Any) -> str:
    """Steps one below the other; titles in bold on a terminal."""
    parts = [_bold(lesson.title), *(_step_text(step) for step in lesson.steps)]
    return "\n\n".join(parts + ([f"Erratum: {lesson.erratum}."] if lesson.erratum else []))


def _step_text(step: Any) -> str:
    lines = [_bold(f"Step {step.number}. {step.title}")]
    if step.table:
        lines += [f"  {line}" for line in columns(step.table, right=_number_columns(step.table)).splitlines()]
    lines += [f"  {line}" for line in step.formulas]
    lines += [f"  → {step.result}"] if step.result else []
    lines += [f"  Note: {step.remark}"] if step.remark else []
    return "\n".join(lines)


def as_markdown(lesson: Any) -> str:
    """A heading for each step, tables, formulas in blocks of code."""
    parts = [f"# {lesson.title}", *("\n\n".join(_step_markdown(step)) for step in lesson.steps)]
    return "\n\n".join(parts + ([f"> **Erratum:** {lesson.erratum}."] if lesson.erratum else []))


def _step_markdown(step: Any) -> Iterator[str]:
    yield f"## {step.number}. {step.title}"
    if step.table:
        yield _table_markdown(step.table)
    if step.formulas:
        yield "\n".join(["```text", *step.formulas, "```"])
    if step.result:
        yield f"**{step.result}**"
    if step.remark:
        yield f"> {step.remark}"


def _table_markdown(table: Any) -> str:
    right = _number_columns(table)
    rule = ["--:" if place in right else ":--" for place in range(len(table[0]))]
    heading, *rows = ([cell.replace("|", "\\|") for cell in row] for row in table)
    return "\n".join(f"| {' | '.join(row)} |" for row in (heading, rule, *rows))


def _number_columns(table: Any) -> list[int]:
    """Columns that hold numbers; they are aligned to the right."""
    return [place for place, cells in enumerate(zip(*table[1:])) if all(cell[:1] in "−0123456789∞" for cell in cells)]


def _bold(text: str) -> str:
    import typer

    wanted = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    return typer.style(text, bold=True) if wanted else text
