"""Formulas of lessons as symbols, from which LaTeX and MathML are written.

A line of a lesson is text such as ``Gain(outlook) = 0.9403 − (4/14·0 + 5/14·0.9710) = 0.2467``. Here it is read:
numbers, fractions, logarithms, roots and signs are symbols, and the names of columns and classes between them words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

_NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?(?:e[+−-]?\d+)?"
_TOKEN = re.compile(
    rf"(?P<fraction>{_NUMBER}/{_NUMBER}(?![\d.]))"
    rf"|(?P<number>{_NUMBER})"
    r"|(?P<log>\blog(?:2|10)\b|\bln\b)"
    r"|(?P<root>√)"
    r"|(?P<rows>\b[KS]\[[^\]]*\])"
    r"|(?P<function>[^\W\d_][\w'²]*(?=\())"
    r"|(?P<variable>\b(?:SE|En|Gini|df|LL|[A-Za-zχαℓ])(?:²|'|′)?(?![\w']))"
    r"|(?P<sign>[=≤≥<>+−·/()²½Σ…|∞±×→^]|\d)"
    r"|(?P<space>\s+)"
    r"|(?P<word>[^\s=≤≥<>+−·/()²½Σ…|∞±×→^√]+)"
)
_RELATED = re.compile(r"[=≤≥<>]\s*[(−√Σ]*(?:\d|½|[A-Za-z]\b)")
_SIGNS = {
    "≤": r"\leq", "≥": r"\geq", "−": "-", "·": r"\cdot", "½": r"\tfrac{1}{2}", "Σ": r"\sum", "…": r"\dots",
    "|": r"\mid", "∞": r"\infty", "±": r"\pm", "×": r"\times", "→": r"\to", "²": "^{2}",
}  # fmt: skip
_LETTERS = {"χ": r"\chi", "α": r"\alpha", "ε": r"\varepsilon", "ℓ": r"\ell"}


class Symbol(NamedTuple):
    """One symbol: its kind, and its text."""

    kind: str
    text: str


def is_formula(line: str) -> bool:
    """Whether a line relates numbers; others are sentences.

    >>> is_formula("En(outlook = Rainy) = −4/4·log2 4/4 = 0"), is_formula("Result: all is kept")
    (True, False)
    """
    return _RELATED.search(line) is not None


def symbols(line: str) -> list[Symbol]:
    """The symbols of a line; words that stand side by side are one.

    >>> [symbol.kind for symbol in symbols("Gain(wind) = 4/14·log2 3")]
    ['function', 'sign', 'word', 'sign', 'sign', 'fraction', 'sign', 'log', 'number']
    """
    found: list[Symbol] = []
    spaced = False
    for match in _TOKEN.finditer(line.strip()):
        kind = match.lastgroup or "word"
        if kind == "space":
            spaced = True
            continue
        if kind == "word" and found and found[-1].kind == "word":
            found[-1] = Symbol("word", found[-1].text + (" " if spaced else "") + match[0])
        else:
            found.append(Symbol(kind, match[0]))
        spaced = False
    return found


# ---- LaTeX -----------------------------------------------------------------------------------------------------------

_TEX_TEXT = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "≤": r"$\leq$", "≥": r"$\geq$", "→": r"$\to$", "−": r"$-$",
    "·": r"$\cdot$", "…": r"\dots{}", "½": r"$\tfrac{1}{2}$", "²": r"$^{2}$", "√": r"$\surd$", "χ": r"$\chi$",
    "α": r"$\alpha$", "Σ": r"$\sum$", "ℓ": r"$\ell$", "∞": r"$\infty$", "×": r"$\times$", "│": r"$|$", "<": r"$<$",
    ">": r"$>$", "|": r"$|$", "ȳ": r"$\bar{y}$", "—": "---", "–": "--", "′": "'",
    "ε": r"$\varepsilon$", "€": r"\texteuro{}",
    **{digit: f"$_{{{number}}}$" for number, digit in enumerate("₀₁₂₃₄₅₆₇₈₉")},
}  # fmt: skip


def latex_text(text: str) -> str:
    """Text in which nothing is a command.

    >>> latex_text("50 % of a_b & c ≤ 3")
    '50 \\\\% of a\\\\_b \\\\& c $\\\\leq$ 3'
    """
    return "".join(_TEX_TEXT.get(character, character) for character in text)


def latex_formula(line: str) -> str:
    """A line in math mode, without the dollars.

    >>> print(latex_formula("Gain(wind_speed) = 0.94 − 6/14·log2 3"))
    \\operatorname{Gain}(\\text{wind\\_speed}) = 0.94 - \\frac{6}{14} \\cdot \\log_{2} 3
    """
    parts, waiting = [], symbols(line)
    while waiting:
        symbol = waiting.pop(0)
        if symbol.kind == "root":
            inside, waiting = _in_brackets(waiting)
            parts.append(rf"\sqrt{{{_joined_latex(inside)}}}")
        elif symbol.text == "^" and parts:
            inside, waiting = _in_brackets(waiting)
            parts[-1] += f"^{{{_joined_latex(inside)}}}"
        else:
            parts.append(_latex_symbol(symbol))
    return _spaced(parts)


def _joined_latex(found: list[Symbol]) -> str:
    return _spaced([_latex_symbol(symbol) for symbol in found])


def _latex_symbol(symbol: Symbol) -> str:
    kind, text = symbol
    if kind == "fraction":
        above, below = text.split("/")
        return rf"\frac{{{above}}}{{{below}}}"
    if kind == "log":
        return r"\ln" if text == "ln" else rf"\log_{{{text[3:]}}}"
    if kind == "function":
        return rf"\operatorname{{{_named(text)}}}"
    if kind == "rows":
        return rf"{text[0]}_{{\text{{{latex_text(text[2:-1])}}}}}"
    if kind == "variable":
        return _variable(text)
    if kind == "sign":
        return _SIGNS.get(text, text)
    return text.replace("−", "-") if kind == "number" else rf"\text{{{latex_text(text)}}}"


def _named(name: str) -> str:
    return "".join(_LETTERS.get(letter, latex_text(letter) if letter != "²" else "^{2}") for letter in name)


def _variable(text: str) -> str:
    name, power = text.rstrip("²'′"), "^{2}" if "²" in text else "'" if text[-1] in "'′" else ""
    return (_LETTERS.get(name) or (name if len(name) == 1 else rf"\mathrm{{{name}}}")) + power


def _spaced(parts: list[str]) -> str:
    """With spaces between, none after an opening bracket or before a closing one or a power."""
    text = " ".join(parts)
    text = re.sub(r"\( ", "(", text)
    return re.sub(r" (\)|\^\{2\})", r"\1", re.sub(r"(\\operatorname\{[^}]*(?:\{2\})?\}) \(", r"\1(", text))


def _in_brackets(waiting: list[Symbol]) -> tuple[list[Symbol], list[Symbol]]:
    """What stands in the brackets that follow, or the next symbol; and the rest."""
    if not waiting or waiting[0].text != "(":
        return waiting[:1], waiting[1:]
    depth = 0
    for place, symbol in enumerate(waiting):
        depth += (symbol.text == "(") - (symbol.text == ")")
        if not depth:
            return waiting[1:place], waiting[place + 1 :]
    return waiting[1:], []


# ---- MathML ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Element:
    """One element of MathML."""

    name: str
    content: str

    def __str__(self) -> str:
        return f"<{self.name}>{self.content}</{self.name}>"


def mathml_formula(line: str) -> str:
    """A line as MathML, which browsers show without any script.

    >>> mathml_formula("p = 4/14")
    '<math><mi>p</mi><mo>=</mo><mfrac><mn>4</mn><mn>14</mn></mfrac></math>'
    """
    parts, waiting = [], _with_spaces(_with_plain_brackets(symbols(line)))
    while waiting:
        symbol = waiting.pop(0)
        if symbol.kind == "root":
            inside, waiting = _in_brackets(waiting)
            parts.append(str(_Element("msqrt", _row(inside))))
        elif symbol.text == "^" and parts:
            inside, waiting = _in_brackets(waiting)
            parts.append(str(_Element("msup", parts.pop() + _row(inside))))
        else:
            parts.append(_mathml_symbol(symbol))
    return str(_Element("math", _powers(parts)))


def _row(inside: list[Symbol]) -> str:
    return str(_Element("mrow", _powers(map(_mathml_symbol, inside))))


def _with_plain_brackets(found: list[Symbol]) -> list[Symbol]:
    """Brackets of a function are as high as its name, whatever else is in the line."""
    made, open_ones = list(found), []
    for place, symbol in enumerate(found):
        if symbol.text == "(":
            open_ones.append(place if place and found[place - 1].kind == "function" else -1)
        elif symbol.text == ")" and open_ones and (first := open_ones.pop()) >= 0:
            made[first], made[place] = Symbol("bracket", "("), Symbol("bracket", ")")
    return made


def _with_spaces(found: list[Symbol]) -> list[Symbol]:
    """Words keep away from numbers and names; signs keep away by themselves."""
    apart = [False, *(symbol.kind not in ("sign", "bracket", "word") for symbol in found), False]
    spaces = [_SPACE if is_apart else "" for is_apart in apart]
    return [
        Symbol("word", f"{spaces[k]}{symbol.text}{spaces[k + 2]}") if symbol.kind == "word" else symbol
        for k, symbol in enumerate(found)
    ]


_POWER, _SPACE = "²", "\N{NO-BREAK SPACE}"


def _powers(parts: Iterable[str]) -> str:
    """A power belongs to what stands before it."""
    made: list[str] = []
    for part in parts:
        if part == _POWER and made:
            made.append(str(_Element("msup", made.pop() + str(_Element("mn", "2")))))
        else:
            made.append(part)
    return "".join(made)


def _mathml_symbol(symbol: Symbol) -> str:
    kind, text = symbol
    if kind == "fraction":
        above, below = (str(_Element("mn", part)) for part in text.split("/"))
        return str(_Element("mfrac", above + below))
    if kind == "log" and text != "ln":
        return str(_Element("msub", str(_Element("mi", "log")) + str(_Element("mn", text[3:]))))
    if kind == "rows":
        return str(_Element("msub", str(_Element("mi", text[0])) + str(_Element("mtext", escape(text[2:-1])))))
    if kind == "sign" and text == _POWER:
        return _POWER
    if kind == "bracket":
        return f'<mo stretchy="false">{text}</mo>'
    names = {"number": "mn", "sign": "mo", "word": "mtext"}
    return str(_Element(names.get(kind, "mi"), escape(text)))
