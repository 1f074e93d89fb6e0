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


_ARTICLE = re.compile(r"[aA]\s+[^\W\d_]{2}")  # in a sentence; a column of that name stands before a sign


class Symbol(NamedTuple):
    """One symbol: its kind, its text, and whether a space stands before it."""

    kind: str
    text: str
    spaced: bool = False


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
        if kind == "variable" and _ARTICLE.match(line.strip(), match.start()):
            kind = "word"
        if kind == "word" and found and found[-1].kind == "word":
            found[-1] = found[-1]._replace(text=found[-1].text + (" " if spaced else "") + match[0])
        else:
            found.append(Symbol(kind, match[0], spaced))
        spaced = False
    return found


_SPACE = "\N{NO-BREAK SPACE}"


def _with_spaces(found: list[Symbol]) -> list[Symbol]:
    """Words keep away from what they stand apart from in the line, and brackets from numbers; signs do so alone."""
    made = []
    for before, symbol, after in zip([None, *found], found, [*found[1:], None]):
        if symbol.kind == "word":
            left = _SPACE if before and symbol.spaced and (before.kind != "sign" or before.text == ")") else ""
            right = _SPACE if after and after.spaced and (after.kind != "sign" or after.text == "(") else ""
            made.append(symbol._replace(text=f"{left}{symbol.text}{right}"))
        else:
            made.append(symbol)
            if symbol.kind == "number" and after and after.spaced and after.text == "(":
                made.append(Symbol("word", _SPACE))
    return made


_HIGH = ("fraction", "root")


def _with_brackets(found: list[Symbol]) -> list[Symbol]:
    """Brackets of a function are as high as its name, whatever else is in the line; others as what is in them."""
    made, open_ones = list(found), []
    for place, symbol in enumerate(found):
        if symbol.text == "(":
            open_ones.append(place)
        elif symbol.text == ")" and open_ones:
            first = open_ones.pop()
            of_function = first > 0 and found[first - 1].kind == "function"
            is_high = not of_function and any(inner.kind in _HIGH for inner in found[first:place])
            kind = "high bracket" if is_high else "bracket"
            made[first], made[place] = Symbol(kind, "("), Symbol(kind, ")")
    return made


# ---- LaTeX -----------------------------------------------------------------------------------------------------------

_TEX_TEXT = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "≤": r"$\leq$", "≥": r"$\geq$", "→": r"$\to$", "−": r"$-$",
    "·": r"$\cdot$", "…": r"\dots{}", "½": r"$\tfrac{1}{2}$", "²": r"$^{2}$", "√": r"$\surd$", "χ": r"$\chi$",
    "α": r"$\alpha$", "Σ": r"$\sum$", "ℓ": r"$\ell$", "∞": r"$\infty$", "×": r"$\times$", "│": r"$|$", "<": r"$<$",
    ">": r"$>$", "|": r"$|$", "ȳ": r"$\bar{y}$", "—": "---", "–": "--", "′": "'",
    "ε": r"$\varepsilon$", "\N{NO-BREAK SPACE}": " ", "€": r"\texteuro{}",
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
    parts, waiting = [], _with_brackets(_with_spaces(symbols(line)))
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
    kind, text, _ = symbol
    if kind == "fraction":
        above, below = text.split("/")
        return rf"\frac{{{above}}}{{{below}}}"
    if kind == "log":
        return r"\ln" if text == "ln" else rf"\log_{{{text[3:]}}}"
    if kind == "function":
        name = _named(text)  # letters such as ñ are of no font of mathematics
        return rf"\operatorname{{{name}}}" if name.isascii() else rf"\operatorname{{\text{{{name}}}}}"
    if kind == "rows":
        return rf"{text[0]}_{{\text{{{latex_text(text[2:-1])}}}}}"
    if kind == "variable":
        return _variable(text)
    if kind == "high bracket":
        return rf"\left{text}" if text == "(" else rf"\right{text}"
    if kind in ("sign", "bracket"):
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
    return re.sub(r" (\\right\)|\)|\^\{2\})", r"\1", re.sub(r"(\\operatorname\{[^}]*(?:\{2\})?\}) \(", r"\1(", text))


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
    parts, waiting = [], _with_brackets(_with_spaces(symbols(line)))
    while waiting:
        symbol = waiting.pop(0)
        if symbol.kind == "root":
            inside, waiting = _in_brackets(waiting)
            parts.append(str(_Element("msqrt", _row(inside))))
        elif symbol.text == "^" and parts:
            inside, waiting = _in_brackets(waiting)
            parts.append(_raised(parts, _row(inside)))
        else:
            parts.append(_mathml_symbol(symbol))
    return str(_Element("math", _powers(parts)))


def _row(inside: list[Symbol]) -> str:
    return str(_Element("mrow", _powers(map(_mathml_symbol, inside))))


_POWER = "²"


def _powers(parts: Iterable[str]) -> str:
    """A power belongs to what stands before it."""
    made: list[str] = []
    for part in parts:
        if part == _POWER and made:
            made.append(_raised(made, str(_Element("mn", "2"))))
        else:
            made.append(part)
    return "".join(made)


def _raised(parts: list[str], power: str) -> str:
    """The last part with a power; of a closing bracket all from the opening one on, so that both are of one height."""
    first, depth = len(parts) - 1, 0
    for place in reversed(range(len(parts))):
        depth += parts[place].endswith(">)</mo>") - parts[place].endswith(">(</mo>")
        if depth == 0:
            first = place
            break
    base = "".join(parts[first:])
    base = base if first == len(parts) - 1 else str(_Element("mrow", base))
    del parts[first:]
    return str(_Element("msup", base + power))


def _mathml_symbol(symbol: Symbol) -> str:
    kind, text, _ = symbol
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
    if text == "½":
        return str(_Element("mn", text))
    names = {"number": "mn", "sign": "mo", "high bracket": "mo", "word": "mtext"}
    return str(_Element(names.get(kind, "mi"), escape(text)))
