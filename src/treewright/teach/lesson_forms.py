"""Lessons as text, Markdown, LaTeX and HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING

from treewright.teach.formula_symbols import is_formula, latex_formula, latex_text, mathml_formula

if TYPE_CHECKING:
    from treewright.teach.lesson import Lesson, Step

Table = Sequence[Sequence[str]]


def number_columns(table: Table) -> list[int]:
    """Columns that hold numbers; they are aligned to the right."""
    return [place for place, cells in enumerate(zip(*table[1:])) if all(cell[:1] in "−0123456789∞" for cell in cells)]


# ---- text ------------------------------------------------------------------------------------------------------------


def as_text(lesson: Lesson, heading: Callable[[str], str] = str) -> str:
    """Steps one below the other; ``heading`` may put titles in bold."""
    parts = [heading(lesson.title), *(step_text(step, heading) for step in lesson.steps)]
    return "\n\n".join(parts + ([f"Erratum: {lesson.erratum}."] if lesson.erratum else []))


def step_text(step: Step, heading: Callable[[str], str] = str) -> str:
    """One step for a terminal."""
    lines = [heading(f"Step {step.number}. {step.title}")]
    if step.table:
        lines += [f"  {line}" for line in _columns_text(step.table)]
    lines += [f"  {line}" for line in step.formulas]
    lines += [f"  → {step.result}"] if step.result else []
    lines += [f"  Note: {step.remark}"] if step.remark else []
    lines += ["  The tree now:", *(f"    {line}" for line in step.drawing.lines())] if step.drawing else []
    return "\n".join(lines)


def _columns_text(table: Table) -> list[str]:
    right, widths = number_columns(table), [max(map(len, cells)) for cells in zip(*table)]
    return [
        "  ".join(
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths))
        ).rstrip()
        for row in table
    ]


# ---- Markdown --------------------------------------------------------------------------------------------------------


def as_markdown(lesson: Lesson) -> str:
    """A heading for each step, tables, formulas between dollars as notebooks and GitHub show them."""
    parts = [f"# {lesson.title}", *map(step_markdown, lesson.steps)]
    return "\n\n".join(parts + ([f"> **Erratum:** {lesson.erratum}."] if lesson.erratum else []))


def step_markdown(step: Step) -> str:
    """One step as Markdown."""
    return "\n\n".join(_markdown_parts(step))


def _markdown_parts(step: Step) -> Iterator[str]:
    yield f"## {step.number}. {step.title}"
    if step.table:
        yield _table_markdown(step.table)
    for lines, of_formulas in _runs(step):
        yield "\n\n".join(f"$${latex_formula(line)}$$" for line in lines) if of_formulas else _code(lines)
    if step.result:
        yield f"**{step.result}**"
    if step.remark:
        yield f"> {step.remark}"
    if step.drawing:
        yield _code(step.drawing.lines())


def _code(lines: Sequence[str]) -> str:
    return "\n".join(["```text", *lines, "```"])


def _table_markdown(table: Table) -> str:
    right = number_columns(table)
    rule = ["--:" if place in right else ":--" for place in range(len(table[0]))]
    heading, *rows = ([cell.replace("|", "\\|") for cell in row] for row in table)
    return "\n".join(f"| {' | '.join(row)} |" for row in (heading, rule, *rows))


def _runs(step: Step) -> Iterator[tuple[list[str], bool]]:
    """Lines that follow each other and are formulas, or are none."""
    run: list[str] = []
    kind = False
    for line in step.formulas:
        is_one = not step.verbatim and is_formula(line)
        if run and is_one != kind:
            yield run, kind
            run = []
        run.append(line)
        kind = is_one
    if run:
        yield run, kind


# ---- LaTeX -----------------------------------------------------------------------------------------------------------

_PREAMBLE = r"""\documentclass[a4paper]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage[margin=2.5cm]{geometry}
\usepackage{amsmath}
\usepackage{tikz}
\setlength{\parindent}{0pt}
\setlength{\parskip}{6pt}
\allowdisplaybreaks"""


_WIDEST = 80  # signs of a formula that is set as it is; longer ones may be wider than the page
_FIT = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}"


def _fitted(latex: str) -> str:
    """What is wider than the page is made smaller, by TeX, which knows how wide it is; tikz brings what that needs."""
    return f"{_FIT}{{{latex}}}"


def as_latex(lesson: Lesson, *, document: bool = True) -> str:
    """A document of its own, or without ``document`` what goes into one that uses amsmath and tikz."""
    head = rf"\section*{{{latex_text(lesson.title)}}}"
    parts = [head, *("\n\n".join(_step_latex(step)) for step in lesson.steps)]
    parts += [rf"\textbf{{Erratum:}} {latex_text(lesson.erratum)}."] if lesson.erratum else []
    body = "\n\n".join(parts)
    return f"{_PREAMBLE}\n\\begin{{document}}\n\n{body}\n\n\\end{{document}}\n" if document else f"{body}\n"


def _step_latex(step: Step) -> Iterator[str]:
    yield rf"\subsection*{{{step.number}. {latex_text(step.title)}}}"
    if step.table:
        yield _table_latex(step.table)
    for lines, of_formulas in _runs(step):
        yield _formulas_latex(lines) if of_formulas else _lines_latex(lines)
    if step.result:
        yield rf"$\to$ \textbf{{{latex_text(step.result)}}}"
    if step.remark:
        yield rf"\emph{{{latex_text(step.remark)}}}"
    if step.drawing:
        yield f"\\begin{{center}}\n{_fitted(step.drawing.tikz())}\n\\end{{center}}"


def _table_latex(table: Table) -> str:
    right = number_columns(table)
    columns = "".join("r" if place in right else "l" for place in range(len(table[0])))
    heading, *rows = (" & ".join(map(latex_text, row)) + r" \\" for row in table)
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\hline", heading, r"\hline", *rows, r"\hline", r"\end{tabular}"]
    return _fitted("\n".join(lines))


def _formulas_latex(lines: Sequence[str]) -> str:
    """Below each other; each long one by itself, since TeX does not break a sum in brackets."""
    parts = []
    for is_long, those in groupby(lines, lambda line: len(line) > _WIDEST):
        formulas = list(map(latex_formula, those))
        if is_long:
            parts += [_fitted(rf"$\displaystyle {formula}$") for formula in formulas]
        else:
            rows = " \\\\\n".join(f"&{formula}" for formula in formulas)
            parts.append(f"\\begin{{align*}}\n{rows}\n\\end{{align*}}")
    return "\n\n".join(parts)


def _lines_latex(lines: Sequence[str]) -> str:
    """Lines as they are, in a fixed width; what indents them stays."""
    told = [rf"\texttt{{{latex_text(line).replace('  ', '~~')}}}" for line in lines]
    return "\\begin{flushleft}\n" + " \\\\\n".join(told) + "\n\\end{flushleft}"


# ---- HTML ------------------------------------------------------------------------------------------------------------

_STYLE = (
    "<style>.tw-lesson{font-family:system-ui,sans-serif;max-width:60em;line-height:1.4}"
    ".tw-lesson table{border-collapse:collapse;margin:.5em 0}"
    ".tw-lesson th,.tw-lesson td{padding:.15em .8em .15em 0;text-align:left}.tw-lesson .n{text-align:right}"
    ".tw-lesson th{border-bottom:1px solid #888}.tw-lesson p,.tw-lesson pre{margin:.4em 0}"
    ".tw-lesson pre{background:none;color:inherit}.tw-lesson .f{overflow-x:auto;overflow-y:hidden}"
    ".tw-lesson svg{max-width:100%;height:auto}</style>"
)


def as_html(lesson: Lesson, *, document: bool = True) -> str:
    """A page of its own, or without ``document`` what goes into one. Formulas are MathML, trees SVG: no script."""
    parts = [f"<h2>{escape(lesson.title)}</h2>", *("".join(_step_html(step)) for step in lesson.steps)]
    parts += [f"<p><b>Erratum:</b> {escape(lesson.erratum)}.</p>"] if lesson.erratum else []
    body = _styled("".join(parts))
    if not document:
        return body
    head = f'<meta charset="utf-8"><title>{escape(lesson.title)}</title>'
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>{body}</body></html>\n'


def step_html(step: Step) -> str:
    """One step as a part of a page."""
    return _styled("".join(_step_html(step)))


def _styled(parts: str) -> str:
    return f'{_STYLE}<div class="tw-lesson">{parts}</div>'


def _step_html(step: Step) -> Iterator[str]:
    yield f"<h3>{step.number}. {escape(step.title)}</h3>"
    if step.table:
        yield _table_html(step.table)
    for lines, of_formulas in _runs(step):
        if of_formulas:
            yield "".join(f'<p class="f">{mathml_formula(line)}</p>' for line in lines)
        else:
            yield f"<pre>{escape(chr(10).join(lines))}</pre>"
    if step.result:
        yield f"<p>→ <b>{escape(step.result)}</b></p>"
    if step.remark:
        yield f"<p><i>{escape(step.remark)}</i></p>"
    if step.drawing:
        yield f"<figure>{step.drawing.svg()}</figure>"


def _table_html(table: Table) -> str:
    right = number_columns(table)

    def row(cells: Sequence[str], tag: str) -> str:
        return "".join(
            f"<{tag}{' class=n' if place in right else ''}>{escape(cell)}</{tag}>" for place, cell in enumerate(cells)
        )

    heading, *rows = table
    lines = "".join(f"<tr>{row(cells, 'td')}</tr>" for cells in rows)
    return f"<table><thead><tr>{row(heading, 'th')}</tr></thead><tbody>{lines}</tbody></table>"
