"""The rows and columns of every member of an ensemble."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from treewright.data.column_values import smallest_unsigned
from treewright.ensemble.ensemble_rows import EnsembleRows
from treewright.ensemble.row_draw import BALANCED, STRATIFIED, RowDraw, column_sample, member_generator
from treewright.errors import DataError
from treewright.tree.check import require
from treewright.typing import Ints

_COLUMNS, _WITHIN = 1 << 62, 1 << 61  # beside the seeds of rows, which are below 2**31, and of draws that are repeated
_AGAIN = 32  # bits
_OPTIONS = {
    "seed": "random_state", "replace": "bootstrap", "share": "row_share", "by": "stratify",
    "column_share": "column_share",
}  # fmt: skip
_MOST_ATTEMPTS = 1000  # after so many draws of a single class there is nothing to hope for


@dataclass(frozen=True)
class MemberDraws:
    """They are made again whenever they are asked for: nothing has to be kept to know which rows a member left out."""

    seed: int
    rows: RowDraw
    column_share: float = 1.0
    several_classes: bool = False  # rows of a single class are drawn again: there are learners that refuse them

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_json(data: Any) -> MemberDraws:
        """ModelFileError if the values are not those of draws."""
        names = [one.name for one in fields(MemberDraws)]
        require(isinstance(data, dict) and sorted(data) == sorted(names), "draws do not have their parts")
        seed, rows, share = data["seed"], data["rows"], data["column_share"]
        require(type(seed) is int and 0 <= seed < 2**31, "the seed of draws is none")
        require(_is_share(share) and type(data["several_classes"]) is bool, "columns are not drawn so")
        require(isinstance(rows, dict) and rows.keys() == {"replace", "share", "by"}, "rows are not drawn so")
        known = rows["by"] in (None, STRATIFIED, BALANCED) and type(rows["replace"]) is bool
        require(known and _is_share(rows["share"]), "rows are not drawn so")
        return MemberDraws(seed, RowDraw(**rows), float(share), data["several_classes"])

    def options_unlike(self, others: MemberDraws) -> list[str]:
        """The names of the options by which these draws are not those."""
        mine, theirs = ({**asdict(one), **asdict(one.rows)} for one in (self, others))
        return [option for part, option in _OPTIONS.items() if mine[part] != theirs[part]]

    def counts(self, training: EnsembleRows, member: int) -> Ints | None:
        """How often each row is drawn; None: every row once."""
        if self.rows.takes_all:
            return None
        for attempt in range(_MOST_ATTEMPTS if self.several_classes else 1):
            generator = member_generator(self.seed + (attempt << _AGAIN), member)
            counts = self.rows.counts(generator, training.y, training.encoded.n_classes)
            if not self.several_classes or len(np.unique(training.y[counts > 0])) > 1:
                return counts.astype(smallest_unsigned(int(counts.max()) + 1))
        raise DataError(
            f"{_MOST_ATTEMPTS} draws of the rows had a single class each", "draw more rows, or by class: stratify=True"
        )

    def left_out(self, training: EnsembleRows, member: int) -> Ints:
        """The rows that a member did not learn from."""
        counts = self.counts(training, member)
        return np.empty(0, np.int64) if counts is None else np.flatnonzero(counts == 0)

    def columns(self, n_columns: int, member: int) -> Ints | None:
        """The columns of a member; None: all."""
        if self.column_share == 1.0:
            return None
        return column_sample(member_generator(self.seed + _COLUMNS, member), n_columns, self.column_share)

    def key(self, member: int) -> int:
        """The seed of all that is random within a member."""
        return int(member_generator(self.seed + _WITHIN, member).integers(2**63))


def _is_share(value: Any) -> bool:
    return type(value) in (int, float) and 0 < value <= 1
