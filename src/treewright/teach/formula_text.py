"""Numbers and terms as they are written in a calculation by hand."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from treewright.criteria.argument_checks import Base
from treewright.errors import OptionError
from treewright.explain.number_text import format_rounded
from treewright.typing import Floats

_WHOLE = 1e-9
MOST_TERMS = 8  # of a sum
_TINY = 5e-5  # what four decimals do not show
BASES: dict[str, Base] = {"2": 2, "e": "e", "10": 10}


def rounded(x: float) -> str:
    """Four decimals; whole numbers without.

    >>> rounded(0.971), rounded(1.0), rounded(-0.0), rounded(3.2e-7)
    ('0.9710', '1', '0', '3.2e-07')
    """
    x = float(x)
    if not math.isfinite(x):
        return "∞" if x > 0 else "−∞" if x < 0 else "?"
    if abs(x - round(x)) < _WHOLE:
        return minus(str(round(x)))
    return minus(f"{x:.4f}" if abs(x) >= _TINY else f"{x:.2g}")


def probability(p: float) -> str:
    """A p-value: however small, it is no rounding error.

    >>> probability(0.0943), probability(2.7e-33)
    ('0.0943', '2.7e-33')
    """
    return f"{p:.2g}" if 0 < p < _TINY else rounded(p)


def count(x: float) -> str:
    """A number of rows, which may be a fraction.

    >>> count(5.0), count(7 / 13)
    ('5', '0.5385')
    """
    return minus(format_rounded(float(x), 4))


def share(part: float, whole: float) -> str:
    """A share with its numbers.

    >>> share(5, 14), share(0.25, 1.0), share(1, 1)
    ('5/14', '0.25', '1/1')
    """
    return count(part) if whole == 1 != part else f"{count(part)}/{count(whole)}"


def minus(text: str) -> str:
    """With the sign that is as wide as a plus, and never before a zero."""
    return text.replace("-", "−", 1) if text.startswith("-") and text.strip("-0.") else text.lstrip("-")


def total(terms: Iterable[str]) -> str:
    """A sum, in brackets where it has more than one term; of many the first and the last.

    >>> total(["5/14·1", "9/14·0"]), total(["1"])
    ('(5/14·1 + 9/14·0)', '1')
    """
    parts = list(terms)
    if len(parts) > MOST_TERMS:
        parts = [*parts[:3], "…", parts[-1]]
    return f"({' + '.join(parts)})" if len(parts) != 1 else parts[0]


def log_name(base: Base) -> str:
    """How the logarithm is written.

    >>> log_name(2), log_name("e"), log_name(10)
    ('log2', 'ln', 'log10')
    """
    return "ln" if base == "e" else f"log{base:g}" if not isinstance(base, str) else base


def read_base(text: str) -> Base:
    """The base from the command line or a program.

    >>> read_base("e"), read_base("2")
    ('e', 2)
    """
    if str(text) not in BASES:
        raise OptionError(f"the base {text!r} is not accepted", f"choose one of {', '.join(BASES)}")
    return BASES[str(text)]


def entropy_terms(counts: Floats, base: Base) -> str:
    """−Σ p·log p with its numbers; classes without rows have no term.

    >>> import numpy as np
    >>> entropy_terms(np.array([9.0, 5.0]), 2)
    '−(9/14·log2 9/14 + 5/14·log2 5/14)'
    """
    whole, log = float(counts.sum()), log_name(base)
    parts = [share(part, whole) for part in counts if part > 0]
    return f"−{total(f'{part}·{log} {part}' for part in parts)}" if parts else "0"


def gini_terms(counts: Floats) -> str:
    """1 − Σ p² with its numbers.

    >>> import numpy as np
    >>> gini_terms(np.array([9.0, 5.0]))
    '1 − (9/14)² − (5/14)²'
    """
    whole = float(counts.sum())
    return "1" + "".join(f" − ({share(part, whole)})²" for part in counts if part > 0) if whole else "0"


def enumeration(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> enumeration(["a", "b", "c"]), enumeration(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
