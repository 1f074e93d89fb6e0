"""What estimators do about missing values that no policy can help."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.data.encoded import Encoded
from treewright.errors import DataError, OptionError
from treewright.recipe_parts.missing import Missing
from treewright.typing import Mask


def refuse_missing(encoded: Encoded, policies: tuple[Missing, ...], usual: str) -> None:
    for column, codes, policy in zip(encoded.schema.columns, encoded.columns, policies, strict=True):
        if policy is Missing.ERROR and codes.has_missing:
            count = int((codes.codes == 0).sum())
            raise DataError(
                f"column {column.name!r} has {count} missing values", f'fill them in, or use missing="{usual}"'
            )


def refuse_inexact(encoded: Encoded, policies: tuple[Missing, ...], smoothing: Any) -> None:
    """A monotone tree needs leaves whose values are those its splits were judged by."""
    if smoothing:
        raise OptionError(f"monotone does not go with smoothing={smoothing!r}", "leave one of them out")
    for column, coded, policy in zip(encoded.schema.columns, encoded.columns, policies, strict=True):
        if (policy.is_shared or policy is Missing.SURROGATE) and coded.has_missing:
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
