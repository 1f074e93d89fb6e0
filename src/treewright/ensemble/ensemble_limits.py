"""Which values the options of ensembles take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from treewright.ensemble.boosting_rounds import LOSSES, M1, SAMME
from treewright.ensemble.row_draw import BALANCED
from treewright.errors import OptionError, shown
from treewright.model.class_or_number import Classifies, PredictsNumbers
from treewright.model.options.limit import Being, Either, Limit, Number, OneOf, Whole, WholeUpTo
from treewright.model.options.option_limits import CLASSIFIER_LIMITS, LIMITS, REGRESSOR_LIMITS
from treewright.model.table_model import TableModel

_SHARE = Number(0.0, above=True, most=1.0)


class ColumnCount:
    """How many columns: a word, a whole number, a share with a decimal point, or None for all."""

    def accepts(self, value: Any) -> bool:
        if value is None or (isinstance(value, str) and value in ("sqrt", "third", "log2")):
            return True
        is_share = isinstance(value, (float, np.floating))
        return _SHARE.accepts(value) if is_share else Whole(1).accepts(value)

    def __str__(self) -> str:
        return "'sqrt', 'third', 'log2', a whole number of at least 1, a share such as 0.5, or None for all"

    @property
    def written(self) -> str:
        return "sqrt, third, log2, a whole number of at least 1, a share such as 0.5, or none for all"


_MEMBER = Being(lambda value: True, "a learner such as tw.C45Classifier()", "a method such as c4.5 or cart:max_depth=3")
_OF_DRAWS: Mapping[str, Limit] = {
    "member": _MEMBER,
    "n_trees": WholeUpTo(1, 2**31 - 1),
    "bootstrap": OneOf((True, False)),
    "row_share": _SHARE,
    "column_share": _SHARE,
    "stratify": OneOf((True, False, BALANCED)),
    "voting": OneOf(("mean", "votes")),
    "oob": OneOf((True, False)),
    "warm_start": OneOf((True, False)),
    "max_megabytes": Either((OneOf((None,)), Number(0.0, above=True))),
    "max_columns": ColumnCount(),
}
_OF_ROUNDS: Mapping[str, Limit] = {
    "member": _MEMBER,
    "n_rounds": Whole(1),
    "method": OneOf((SAMME, M1)),
    "loss": OneOf(LOSSES),
    "learning_rate": Number(0.0, above=True),
    "resample": OneOf((True, False)),
    "patience": Whole(1, optional=True),
    "validation_share": Number(0.0, above=True, most=0.5),
}
BOOSTING_LIMITS: Mapping[str, Limit] = {**LIMITS, **_OF_ROUNDS}
BAGGING_LIMITS: Mapping[str, Limit] = {**LIMITS, **_OF_DRAWS}
FOREST_CLASSIFIER_LIMITS: Mapping[str, Limit] = {**CLASSIFIER_LIMITS, **_OF_DRAWS}
FOREST_REGRESSOR_LIMITS: Mapping[str, Limit] = {**REGRESSOR_LIMITS, **_OF_DRAWS}


def check_member(ensemble: Any) -> None:
    """Refuse a member that is no learner of treewright, or one for the other kind of target."""
    member = ensemble.member
    if member is None:
        return
    side, other = (Classifies, "number") if isinstance(ensemble, Classifies) else (PredictsNumbers, "class")
    name = "tw.CARTClassifier()" if side is Classifies else "tw.CARTRegressor()"
    if isinstance(member, type) or not isinstance(member, TableModel) or not hasattr(member, "predict"):
        raise OptionError(f"member={shown(member)} is no learner of treewright", f"pass one, such as {name}")
    if not isinstance(member, side):
        raise OptionError(f"member={shown(member)} predicts a {other}", f"pass a learner such as {name}")
