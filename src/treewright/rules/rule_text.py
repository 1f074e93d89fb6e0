"""Rules in words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from treewright.data.schema import Schema
from treewright.explain.condition_text import level_text, one_line, phrase, to_ascii
from treewright.explain.cost_text import cost_facts
from treewright.explain.number_text import format_number, format_share, plural
from treewright.explain.region import MissingRoute, Region
from treewright.rules.rule import Rule
from treewright.rules.rule_metrics import accuracy, lift
from treewright.tree.tree import LeafKind
from treewright.typing import Mask


def render(
    rules: tuple[Rule, ...],
    otherwise: Rule,
    schema: Schema,
    leaf: LeafKind,
    stats: tuple[float, ...],
    max_rules: int | None,
    ascii: bool,
    how: str,
) -> str:
    """A line for every rule, but no more than ``max_rules``, and one for rows that meet none."""
    shown = rules if max_rules is None else rules[:max_rules]
    facts = ", ".join([plural(len(rules), "rule"), how, *cost_facts(schema.target)])
    title = f"RuleSet: {one_line(schema.target.name)} — {facts}"
    lines = [f"[{rule.number}] {sentence(rule, schema, ascii)}{evidence(rule, schema, leaf, stats)}" for rule in shown]
    more = [f"… {plural(len(rules) - len(shown), 'more rule')}"] if len(shown) < len(rules) else []
    text = "\n".join([title, *lines, *more, f"otherwise {outcome(otherwise, schema)}"])
    return to_ascii(text.replace(" — ", " - ").replace("…", "...").replace("→", "->")) if ascii else text


def sentence(rule: Rule, schema: Schema, ascii: bool = False, exact: bool = False) -> str:
    """``if outlook = sunny and humidity > 75 then play = no``; numbers in full if ``exact``."""
    alone = len(rule.conditions) == 1
    words = [_words(region, alone, ascii, exact) for region in _told(rule, schema)]
    start = f"if {' and '.join(words)} then" if words else "always"
    return f"{start} {outcome(rule, schema)}"


def outcome(rule: Rule, schema: Schema) -> str:
    prediction = rule.prediction
    if rule.model is not None:
        return f"{one_line(schema.target.name)} = {rule.model.text(schema)}"
    text = level_text(prediction) if schema.target.classes is not None else format_number(float(prediction))
    return f"{one_line(schema.target.name)} = {text}"


def _told(rule: Rule, schema: Schema) -> Iterator[Region]:
    """What the conditions accept, without levels that conditions before them exclude."""
    columns = {column.name: column for column in schema.columns}
    possible: dict[str, Mask] = {}
    for condition in rule.conditions:
        name, region = condition.column, condition.region(columns[condition.column])
        left = region.levels & possible.get(name, region.levels)
        possible[name] = left
        yield replace(region, levels=left) if left.any() else region


def _words(region: Region, alone: bool, ascii: bool, exact: bool) -> str:
    """In brackets where the words contain an ``or``, which ``and`` would bind more tightly than."""
    words = phrase(region, ascii=ascii, exact=exact)
    plain = region.is_nothing or region.is_everything
    either = not plain and (len(region.intervals) > 1 or region.missing is not MissingRoute.ELSEWHERE)
    return f"({words})" if either and not alone else words


def evidence(rule: Rule, schema: Schema, leaf: LeafKind, stats: tuple[float, ...]) -> str:
    """What the training rows say, if the rule has seen any; ``stats`` are those of all."""
    weight, everything = (float(leaf.weight(np.array(part))) for part in (rule.stats, stats))
    if not weight:
        return ""
    if leaf.of_classes:
        quality = _of_class(rule, (schema.target.classes or ()).index(rule.prediction), stats)
    else:
        quality = _of_median(rule) if leaf is LeafKind.MEDIANS else _of_mean(rule)
    return f"   ({format_share(weight / everything, ' ')} of rows, {quality})"


def _of_class(rule: Rule, code: int, stats: tuple[float, ...]) -> str:
    right = format_share(accuracy(rule.stats, code), " ")
    return f"{right} right, lift {format_number(lift(rule.stats, code, stats), 3)}"


def _of_mean(rule: Rule) -> str:
    weight, total, squares = rule.stats
    variance = max(squares / weight - (total / weight) ** 2, 0.0)
    return f"sd {format_number(math.sqrt(variance), 3)}"


def _of_median(rule: Rule) -> str:
    weight, _, _, _, distance, _ = rule.stats
    return f"MAE {format_number(distance / weight, 3)}"
