"""How significant a split is, in words: ``χ² = 23.12, df = 1, p = 1.5e-06``."""

from __future__ import annotations

import math

from treewright.explain.number_text import format_number
from treewright.tree.tree import SplitTest

_SMALLEST = -700.0  # logarithms of smaller numbers than this are not floats any more


def p_text(log_p: float) -> str:
    """A p-value of any size.

    >>> p_text(math.log(0.0123456)), p_text(0.0), p_text(-2302.585092994)
    ('0.0123', '1', '1e-1000')
    """
    if log_p > _SMALLEST or log_p == -math.inf:
        return f"{math.exp(log_p):.3g}"
    exponent = math.floor(log_p / math.log(10))
    return f"{math.exp(log_p - exponent * math.log(10)):.2g}e{exponent}"


def statistic_text(statistic: float) -> str:
    return format_number(statistic, 4)


def split_test(test: SplitTest, *, ascii: bool = False) -> str:
    """The test of one split; the adjusted p is told where it differs.

    >>> split_test(SplitTest(0, 9.384307, 1, 0, math.log(0.0021885), math.log(0.0065655)))
    'χ² = 9.384, df = 1, p = 0.00219 (adjusted 0.00657)'
    """
    name = test.name.replace("χ²", "chi2") if ascii else test.name
    freedom = f"{format_number(test.freedom)}, {format_number(test.within)}" if test.within else f"{test.freedom:g}"
    more = f" (adjusted {p_text(test.log_adjusted_p)})" if test.log_adjusted_p > test.log_p else ""
    return f"{name} = {statistic_text(test.statistic)}, df = {freedom}, p = {p_text(test.log_p)}{more}"
