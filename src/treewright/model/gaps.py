"""What estimators do about missing values: a policy for all columns, or one for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from treewright.data.encoded import Encoded
from treewright.data.frame import Frame
from treewright.data.schema import Schema, Target
from treewright.errors import DataError, OptionError
from treewright.model.base import TreeModel
from treewright.recipe.missing import Missing, Surrogating, policies_of
from treewright.typing import Array, Floats, Mask


@dataclass(kw_only=True, eq=False, repr=False)
class GapModel(TreeModel):
    """Trees that let users say what becomes of missing values. Columns that are not named keep the default."""

    missing: Any = Missing.LEARNED.value
    max_surrogates: int = 5
    surrogate_agreement: str = "all"
    surrogate_otherwise: str = "majority"

    _default_policy: ClassVar[Missing] = Missing.LEARNED
    _usual: ClassVar[str] = Missing.LEARNED.value  # as users know it

    def _policies(self, schema: Schema) -> tuple[Missing, ...]:
        return policies_of(self.missing, schema.names, self._default_policy)

    def _surrogating(self) -> Surrogating:
        return Surrogating(self.max_surrogates, self.surrogate_agreement == "all", self.surrogate_otherwise == "stop")

    def _encode_rows(self, frame: Frame, target: Target, codes: Array, weights: Floats | None) -> Encoded:
        """Rows that are to be dropped leave no trace, be it a level or a number that only they have."""
        encoded = super()._encode_rows(frame, target, codes, weights)
        policies = self._policies(encoded.schema)
        refuse_missing(encoded, policies, self._usual)
        whole = complete_rows(encoded, policies)
        if whole.all():
            return encoded
        kept = None if weights is None else weights[whole]
        return super()._encode_rows(frame.take(whole), target, codes[whole], kept)


def refuse_missing(encoded: Encoded, policies: tuple[Missing, ...], usual: str) -> None:
    for column, codes, policy in zip(encoded.schema.columns, encoded.columns, policies, strict=True):
        if codes.has_missing and policy is Missing.ERROR:
            count = int((codes.codes == 0).sum())
            raise DataError(
                f"column {column.name!r} has {count} missing values", f'fill them in, or use missing="{usual}"'
            )


def refuse_inexact(encoded: Encoded, policies: tuple[Missing, ...], smoothing: Any) -> None:
    """A monotone tree needs leaves whose values are those its splits were judged by."""
    if smoothing:
        raise OptionError(f"monotone does not go with smoothing={smoothing!r}", "leave one of them out")
    for column, coded, policy in zip(encoded.schema.columns, encoded.columns, policies, strict=True):
        if coded.has_missing and (policy.is_shared or policy is Missing.SURROGATE):
            raise OptionError(
                f"monotone does not go with missing={policy.value!r}, as column {column.name!r} has missing values",
                'use missing="learned", "branch", "common", "stop" or "drop"',
            )


def complete_rows(encoded: Encoded, policies: tuple[Missing, ...]) -> Mask:
    """Rows that miss no value of the columns whose missing values are to be dropped."""
    whole = np.ones(encoded.n_rows, np.bool_)
    for column, policy in zip(encoded.columns, policies, strict=True):
        if policy is Missing.DROP and column.has_missing:
            whole &= column.codes > 0
    if not whole.any():
        raise DataError('missing="drop" leaves no rows: every row misses a value', 'use another policy, as "learned"')
    return whole
