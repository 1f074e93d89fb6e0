"""What class weights say about a rule: ``stats`` are those of the rows that meet it, ``code`` is its class."""

from __future__ import annotations

from collections.abc import Sequence


def accuracy(stats: Sequence[float], code: int) -> float:
    """The share of the rows that are of the rule's class; not a number where there are none.

    >>> accuracy((1, 3), 1)
    0.75
    """
    total = sum(stats)
    return stats[code] / total if total else float("nan")


def lift(stats: Sequence[float], code: int, everything: Sequence[float]) -> float:
    """How many times likelier the class is among these rows than among all, whose class weights are ``everything``.

    >>> lift((1, 3), 1, (5, 5))
    1.5
    """
    prior = accuracy(everything, code)
    return accuracy(stats, code) / prior if prior else float("nan")


def laplace(stats: Sequence[float], code: int, n_classes: int) -> float:
    """Accuracy shrunk towards that of equally frequent classes: (n₊ + 1) / (n + K).

    >>> laplace((1, 3), 1, 2)
    0.6666666666666666
    """
    return (stats[code] + 1) / (sum(stats) + n_classes)
