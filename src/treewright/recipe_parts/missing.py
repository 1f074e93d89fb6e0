"""What becomes of rows whose tested value is missing: one policy for all columns, or one for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from treewright.errors import OptionError


class Missing(str, Enum):
    """``LEARNED``, ``COMMON`` and ``BRANCH`` count missing values in the score of a split, the others leave them out
    and multiply the score by the part of the weight that is known."""

    LEARNED = "learned"  # the way that scores better
    FRACTIONAL = "fractional"  # every branch, with the branch's share of the weight (C4.5)
    EVERY = "every"  # every branch with all its weight
    COMMON = "common"  # as the commonest value at the node, or the median of numbers
    BRANCH = "branch"  # a branch of its own
    SURROGATE = "surrogate"  # as other columns suggest that agree with the split (CART), then the heavier branch
    STOP = "stop"  # stays at the node
    DROP = "drop"  # rows with a missing value are left out of the training; at prediction they stop at the node
    ERROR = "error"  # refused

    @property
    def is_shared(self) -> bool:
        return self in (Missing.FRACTIONAL, Missing.EVERY)

    @property
    def stops(self) -> bool:
        return self in (Missing.STOP, Missing.DROP)

    @property
    def leaves_out(self) -> bool:
        return self not in (Missing.LEARNED, Missing.COMMON, Missing.BRANCH)


@dataclass(frozen=True)
class Surrogating:
    """How surrogates are chosen: at most so many, agreement being counted over all rows whose tested value is known or
    only over those whose value in the surrogate's column is known too; and where a row goes about which none says
    anything: down the heaviest branch, or nowhere. ``as_rpart``: a nominal surrogate has to be right about two rows and
    wrong about two, not to send two rows either way."""

    most: int = 5
    over_all: bool = True
    then_stop: bool = False
    as_rpart: bool = False


def policies_of(choice: Any, names: Sequence[str], default: Missing, option: str = "missing") -> tuple[Missing, ...]:
    """The policy of every column: one for all, or by name with the default for those not named.

    >>> policies_of({"age": "fractional"}, ["age", "income"], Missing.LEARNED)
    (<Missing.FRACTIONAL: 'fractional'>, <Missing.LEARNED: 'learned'>)
    """
    if not isinstance(choice, Mapping):
        return (Missing(choice),) * len(names)
    unknown = [name for name in choice if name not in names]
    if unknown:
        raise OptionError(
            f"{option} names {unknown[0]!r}, which is no column", f"the columns are {', '.join(map(repr, names[:20]))}"
        )
    return tuple(Missing(choice.get(name, default)) for name in names)
