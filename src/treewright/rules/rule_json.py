"""Rule sets to and from JSON, checked before they are believed. The format is part of ``tree/model.schema.json``."""

from __future__ import annotations

import math
from itertools import chain
from os import PathLike
from typing import Any

import numpy as np

from treewright.data.schema import Schema
from treewright.errors import ModelFileError, TreewrightError
from treewright.explain.region import Interval
from treewright.rules.rule import NO_RULE, Condition, Rule
from treewright.rules.rule_model import RuleModel, RuleTerm
from treewright.rules.rule_set import FIRST, RuleSet
from treewright.tree.check import HINT, check_leaf_kind, check_weights, require, required_list
from treewright.tree.io import leaf_from_json, schema_to_json, write_document
from treewright.tree.tree import LeafKind
from treewright.tree.values import float_from_text, value_from_json, value_to_json
from treewright.typing import Floats

NAME = "RuleSet"  # in the place of an estimator's
_MODEL, _TERM = {"intercept", "terms", "low", "high"}, {"column", "slope", "missing", "scores"}
_RULE = {"number", "conditions", "prediction", "value", "stats"}
_CONDITION = {"column", "intervals", "levels", "missing"}
_PRINTED = "printed"  # of a condition, where shorter numbers are printed for the ends of its intervals
_ANY_CONDITION = _CONDITION | {_PRINTED}
_LEVEL_TYPES = {str, bool, int, float}


def save(rules: RuleSet, path: str | PathLike[str]) -> None:
    write_document(path, document_of(rules, NAME, {}, {}))


def document_of(rules: RuleSet, name: str, parameters: dict[str, Any], facts: dict[str, Any]) -> dict[str, Any]:
    """The sections of a file that holds rules."""
    return {
        "estimator": name,
        "parameters": parameters,
        "schema": schema_to_json(rules.schema),
        "rules": rules_to_json(rules),
        "facts": facts,
    }


def rules_to_json(rules: RuleSet) -> dict[str, Any]:
    """What rules predict, the rules in order, what is predicted otherwise, and the statistics of all training rows."""
    return {
        "leaf": rules.leaf.value,
        **({} if rules.answer == FIRST else {"answer": rules.answer}),
        "rules": [_rule_to_json(rule) for rule in rules],
        "otherwise": _rule_to_json(rules.otherwise),
        "stats": list(rules.stats),
    }


def rules_from_json(data: Any, schema: Schema) -> RuleSet:
    """The rule set a file describes, equal to the one that was saved; ModelFileError if it is not one."""
    needed = {"rules", "otherwise", "stats"}
    parts = _entries(data, "rules", needed, needed | {"leaf", "answer"})
    leaf = leaf_from_json(parts, schema.target, len(required_list(parts["stats"], "stats")))
    check_leaf_kind(leaf, schema.target)
    require(leaf is not LeafKind.LOGISTIC, "rules do not hold logistic models")
    *rules, otherwise = _rules_of([*required_list(parts["rules"], "rules"), parts["otherwise"]], schema, leaf)
    require(not otherwise.conditions and otherwise.number == NO_RULE, "what is predicted otherwise has conditions")
    require(all(rule.number != NO_RULE for rule in rules), f"a rule has the number {NO_RULE}")
    has_models = any(rule.model is not None for rule in (*rules, otherwise))
    require(leaf is LeafKind.LINEAR or not has_models, f"the rules are {leaf.value}, and have linear models")
    answer = str(parts.get("answer", FIRST))
    try:
        return RuleSet(schema, tuple(rules), otherwise, _weights(parts["stats"], schema, leaf), leaf, answer)
    except TreewrightError as error:
        raise ModelFileError(f"the rules do not fit their columns: {error.problem}", HINT) from error


def _rule_to_json(rule: Rule) -> dict[str, Any]:
    return {
        "number": rule.number,
        "conditions": [_condition_to_json(condition) for condition in rule.conditions],
        "prediction": value_to_json(rule.prediction, "a prediction"),
        "value": list(rule.value),
        "stats": list(rule.stats),
        **({} if rule.model is None else {"model": _model_to_json(rule.model)}),
    }


def _model_to_json(model: RuleModel) -> dict[str, Any]:
    terms = [
        {"column": one.column, "slope": one.slope, "missing": one.missing, "scores": list(one.scores)}
        for one in model.terms
    ]
    return {"intercept": model.intercept, "terms": terms, "low": _bound(model.low), "high": _bound(model.high)}


def _model_from_json(data: Any) -> RuleModel | None:
    if data is None:
        return None
    parts = _entries(data, "a model", _MODEL, _MODEL)
    terms = tuple(_term_from_json(term) for term in required_list(parts["terms"], "terms"))
    low, high = _number(parts["low"]), _number(parts["high"])
    require(low <= high, "the limits of a model are in the wrong order")
    return RuleModel(_finite(parts["intercept"]), terms, low, high)


def _term_from_json(data: Any) -> RuleTerm:
    parts = _entries(data, "a term", _TERM, _TERM)
    require(isinstance(parts["column"], str), "the column of a term is not a name")
    scores = tuple(_finite(score) for score in required_list(parts["scores"], "scores"))
    return RuleTerm(parts["column"], _finite(parts["slope"]), _finite(parts["missing"]), scores)


def _finite(x: Any) -> float:
    number = _number(x)
    require(math.isfinite(number), "a model holds a number that is not finite")
    return number


def _rules_of(items: list[Any], schema: Schema, leaf: LeafKind) -> list[Rule]:
    """Rules one by one, but their numbers all at once: a file may have hundreds of thousands."""
    parts = [_entries(item, "a rule", _RULE, _RULE | {"model"}) for item in items]
    require({type(part["number"]) for part in parts} <= {int}, "the number of a rule is not a whole number")
    n_classes = len(schema.target.classes or ())
    values = _float_rows([part["value"] for part in parts], "value", leaf.n_values(n_classes))
    stats = _float_rows([part["stats"] for part in parts], "stats", leaf.n_stats(n_classes))
    check_weights(leaf, stats)
    predictions = [value_from_json(part["prediction"], "a prediction") for part in parts]
    _check_predictions(predictions, values, leaf)
    return [
        Rule(
            _conditions_of(part["conditions"]),
            prediction,
            tuple(value),
            tuple(own),
            part["number"],
            _model_from_json(part.get("model")),
        )
        for part, prediction, value, own in zip(parts, predictions, values.tolist(), stats.tolist())
    ]


def _check_predictions(predictions: list[Any], values: Floats, leaf: LeafKind) -> None:
    known = {type(prediction) for prediction in predictions} <= {str, bool, int, float}
    require(known, "a rule predicts what is no class and no number")
    if leaf is LeafKind.CLASSES:
        shares = (values >= 0).all() and (abs(values.sum(axis=1) - 1) <= 1e-6).all()
        require(shares, "the probabilities of a rule are not shares of 1")
    else:
        same = all(type(p) is float and p == value for p, value in zip(predictions, values[:, 0].tolist()))
        require(same, "a rule predicts something else than its value")


def _conditions_of(data: Any) -> tuple[Condition, ...]:
    return tuple([_condition_from_json(part) for part in required_list(data, "conditions")])


def _condition_to_json(condition: Condition) -> dict[str, Any]:
    shorter = any(interval.in_print != (interval.low, interval.high) for interval in condition.intervals)
    printed = {_PRINTED: [_ends(*interval.in_print) for interval in condition.intervals]} if shorter else {}
    return {
        "column": condition.column,
        "intervals": [_ends(interval.low, interval.high) for interval in condition.intervals],
        "levels": [value_to_json(level, "a level") for level in condition.levels],
        "missing": condition.missing,
        **printed,
    }


def _condition_from_json(data: Any) -> Condition:
    parts = _entries(data, "a condition", _CONDITION, _ANY_CONDITION)
    require(isinstance(parts["column"], str), "the column of a condition is not a name")
    require(isinstance(parts["missing"], bool), "a condition must say whether missing values meet it")
    levels = tuple([value_from_json(level, "a level") for level in required_list(parts["levels"], "levels")])
    require(_LEVEL_TYPES.issuperset(map(type, levels)), "a condition names what is no level")
    ends = [_ends_from_json(pair) for pair in required_list(parts["intervals"], "intervals")]
    return Condition(parts["column"], _intervals(ends, parts), levels, parts["missing"])


_Ends = tuple[float | None, float]


def _intervals(ends: list[_Ends], parts: dict[str, Any]) -> tuple[Interval, ...]:
    if _PRINTED not in parts:
        return tuple([Interval(low, high) for low, high in ends])
    printed = [_ends_from_json(pair) for pair in required_list(parts[_PRINTED], _PRINTED)]
    require(len(printed) == len(ends), "what is printed for the intervals of a condition are not as many")
    for (low, high), (low_text, high_text) in zip(ends, printed):
        alike = _is_finite(low) == _is_finite(low_text) and _is_finite(high) == _is_finite(high_text)
        require(alike, "what is printed for an interval is not one")
    return tuple([Interval(low, high, text) for (low, high), text in zip(ends, printed)])


def _ends_from_json(pair: Any) -> _Ends:
    if type(pair) is not list or len(pair) != 2:
        raise ModelFileError("an interval must have two ends", HINT)
    low = pair[0] if pair[0] is None or type(pair[0]) is float else _number(pair[0])
    high = pair[1] if type(pair[1]) is float else _number(pair[1])
    if high != high or not (low is None or low < high):
        raise ModelFileError("an interval is empty", HINT)
    return low, high


def _is_finite(end: float | None) -> bool | None:
    return None if end is None else math.isfinite(end)


def _ends(low: float | None, high: float) -> list[Any]:
    return [_bound(low), _bound(high)]


def _bound(x: float | None) -> Any:
    return x if x is None or math.isfinite(x) else str(x)


def _number(x: Any) -> float:
    if isinstance(x, str):
        return float_from_text(x)
    require(type(x) in (int, float), "an interval must end in numbers")
    try:
        return float(x)
    except OverflowError as error:
        raise ModelFileError("the end of an interval is out of range", HINT) from error


def _weights(data: Any, schema: Schema, leaf: LeafKind) -> tuple[float, ...]:
    stats = _float_rows([data], "stats", leaf.n_stats(len(schema.target.classes or ())))
    check_weights(leaf, stats)
    return tuple(stats[0].tolist())


def _float_rows(rows: list[Any], name: str, width: int) -> Floats:
    """As many lists of finite numbers, one below the other."""
    fits = all(type(row) is list and len(row) == width for row in rows)
    require(fits and set(map(type, chain.from_iterable(rows))) <= {int, float}, f"{name!r} must be {width} numbers")
    try:
        made = np.array(rows, np.float64)
    except OverflowError as error:
        raise ModelFileError(f"a number in {name!r} is out of range", HINT) from error
    require(np.isfinite(made).all(), f"{name!r} holds a number that is not finite")
    return made


def _entries(data: Any, name: str, keys: set[str], all_keys: set[str]) -> dict[str, Any]:
    if not isinstance(data, dict) or not keys <= data.keys() <= all_keys:
        raise ModelFileError(f"{name} must have the entries {', '.join(sorted(keys))}", HINT)
    return data
