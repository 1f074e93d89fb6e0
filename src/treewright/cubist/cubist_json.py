"""Cubist's rules in model files."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.cubist.cubist_learner import CubistCondition, CubistRule
from treewright.cubist.cubist_model import CubistModel, NeighbourCases
from treewright.cubist.cubist_table import CubistColumns, TargetFacts
from treewright.data.schema import Schema
from treewright.errors import ModelFileError
from treewright.kernels.cubist_kernels.cubist_kinds import BINARY, IGNORED, NOMINAL, NUMERIC, ORDERED
from treewright.kernels.cubist_kernels.cubist_rules import ABOVE, AMONG, BELOW
from treewright.tree.check import HINT, require, required_list
from treewright.typing import Array, Floats

_WHOLE = ("kind", "n_levels")
_NUMBERS = ("mean", "low", "high", "error", "least", "most")


def cubist_to_json(model: CubistModel) -> dict[str, Any]:
    """Rules, what is known of columns and target and, where neighbours correct rules, the training cases."""
    made = {
        "columns": {name: np.asarray(part, np.float64).tolist() for name, part in model.columns._asdict().items()},
        "target": {name: float(part) for name, part in model.target._asdict().items()},
        "members": [[_rule_to_json(rule) for rule in rules] for rules in model.members],
        "extrapolation": model.extrapolation,
        "moments": list(model.moments),
    }
    if model.cases is not None:
        x, y = (part.astype(np.float64).tolist() for part in (model.cases.x, model.cases.y))
        made["cases"] = {"x": x, "y": y, "farthest": model.cases.farthest}
    return made


def _rule_to_json(rule: CubistRule) -> dict[str, Any]:
    numbers = (rule.mean, rule.low, rule.high, rule.error, *rule.limits)
    return {
        "conditions": [[one.attribute, one.kind, float(one.cut), list(one.levels)] for one in rule.conditions],
        "intercept": rule.intercept,
        "attributes": list(rule.attributes),
        "slopes": list(rule.slopes),
        "cover": rule.cover,
        "numbers": [float(number) for number in numbers],
        "moments": list(rule.moments),
    }


def cubist_from_json(data: Any, schema: Schema) -> CubistModel:
    """The model a file describes; ModelFileError if it does not make sense."""
    try:
        return _read(data, schema)
    except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
        raise ModelFileError(f"the rules of Cubist do not make sense ({error})", HINT) from error


def _read(data: Any, schema: Schema) -> CubistModel:
    columns = _columns(data["columns"], schema)
    facts = {name: np.float32(data["target"][name]) for name in TargetFacts._fields}
    require(all(np.isfinite(list(facts.values()))), "a number of the target is not finite")
    unit, decimals = float(data["target"]["unit"]), int(data["target"]["decimals"])
    target = TargetFacts(**{**facts, "unit": unit, "decimals": decimals})
    members = [
        tuple(_rule(rule, columns) for rule in required_list(rules, "rules"))
        for rules in required_list(data["members"], "members")
    ]
    require(members and all(members), "a member of the committee has no rules")
    moments = _floats(data["moments"], 3)
    cases = _cases(data["cases"], columns) if "cases" in data else None
    share = float(data["extrapolation"])
    require(0 <= share <= 1, "extrapolation is not between 0 and 1")
    return CubistModel(schema, columns, target, tuple(members), share, _three(moments), cases)


def _columns(data: Any, schema: Schema) -> CubistColumns:
    n = len(schema.columns)
    read: dict[str, Any] = {
        name: _floats(data[name], n).astype(np.int64 if name in _WHOLE else np.float32)
        for name in CubistColumns._fields
    }
    made = CubistColumns(**read)
    require(np.isin(made.kind, (IGNORED, NUMERIC, BINARY, NOMINAL, ORDERED)).all(), "a column is of unknown kind")
    levels = np.array([max(1, len(column.levels)) for column in schema.columns])
    require((made.n_levels == levels).all(), "the levels of a column are not those of the schema")
    numeric = np.array([not column.levels for column in schema.columns])
    require((numeric[made.kind == NUMERIC]).all() and not numeric[made.kind > NUMERIC].any(), "a column is of no kind")
    inside = (made.replacement >= 0) & (made.replacement < levels)
    require((inside | (made.kind == NUMERIC)).all(), "a missing level counts as one there is not")
    return made


def _rule(data: Any, columns: CubistColumns) -> CubistRule:
    conditions = tuple(_condition(one, columns) for one in required_list(data["conditions"], "conditions"))
    attributes = tuple(int(j) for j in required_list(data["attributes"], "attributes"))
    require(all(0 <= j < len(columns.kind) for j in attributes), "a rule has a term of no column")
    require((columns.kind[list(attributes)] == NUMERIC).all(), "a rule has a term that is no number")
    numbers = _floats(data["numbers"], len(_NUMBERS)).astype(np.float32)
    mean, low, high, error, least, most = numbers
    require(least <= most, "the limits of a rule are in the wrong order")
    slopes, (intercept,) = _floats(data["slopes"], len(attributes)), _floats([data["intercept"]], 1)
    moments = _floats(data["moments"], 3)
    return CubistRule(
        conditions, float(intercept), attributes, tuple(slopes.tolist()), int(data["cover"]), mean, low, high, error,
        (least, most), float(moments[0]), _three(moments),
    )  # fmt: skip


def _condition(data: Any, columns: CubistColumns) -> CubistCondition:
    attribute, kind, cut, levels = data
    require(0 <= attribute < len(columns.kind), "a condition asks for no column")
    require(kind in ((BELOW, ABOVE) if columns.kind[attribute] == NUMERIC else (AMONG,)), "a condition is of no kind")
    require(all(0 <= level < columns.n_levels[attribute] for level in levels), "a condition names no level")
    (number,) = _floats([cut], 1)
    return CubistCondition(int(attribute), int(kind), np.float32(number), tuple(int(level) for level in levels))


def _cases(data: Any, columns: CubistColumns) -> NeighbourCases:
    y = _floats(data["y"], None).astype(np.float32)
    x: Array = np.array(data["x"], np.float64)
    require(x.shape == (len(columns.kind), len(y)) and len(y) > 1, "the cases do not fit the columns")
    require(np.isfinite(x).all(), "a case holds a number that is not finite")
    inside = (x >= 0) & (x < columns.n_levels[:, None]) & (x == np.floor(x))
    require((inside | (columns.kind == NUMERIC)[:, None]).all(), "a case has a level there is not")
    (farthest,) = _floats([data["farthest"]], 1)
    return NeighbourCases(np.ascontiguousarray(x, np.float32), y, float(farthest))


def _floats(data: Any, n: int | None) -> Floats:
    items = required_list(data, "numbers")
    require(set(map(type, items)) <= {int, float}, "what should be numbers are none")
    made = np.array(items, np.float64)
    require(np.isfinite(made).all() and (n is None or len(made) == n), "numbers are too many, too few or not finite")
    return made


def _three(moments: Floats) -> tuple[float, float, float]:
    first, second, third = moments.tolist()
    return first, second, third
