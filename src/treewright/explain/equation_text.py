"""Linear models as equations, in the data's own names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treewright.data.schema import Column, Schema
from treewright.explain.condition_text import level_text, one_line
from treewright.explain.number_text import format_number
from treewright.tree.linear_models import Term
from treewright.tree.tree import Tree

_DIGITS = 5
_MOST_LEVELS = 6


def model_text(tree: Tree, schema: Schema, v: int, *, most_terms: int | None = None) -> str:
    """What the model of a node says: ``40.847 - 0.74612 cyl - 2.2234 wt``; of classes their log-odds.

    ``most_terms`` leaves out terms after the first, which an ellipsis stands for.
    """
    classes = schema.target.classes
    if classes is None:
        return equation(tree, schema, v, 0, most_terms)
    parts = [
        f"log-odds of {level_text(classes[k])} = {equation(tree, schema, v, k, most_terms)}"
        for k in range(1, len(classes))
        if tree.models.start[v * len(classes) + k] < tree.models.start[v * len(classes) + k + 1] or len(classes) == 2
    ]
    return "; ".join(parts) or level_text(classes[int(tree.value[v].argmax())])


def equation(tree: Tree, schema: Schema, v: int, output: int = 0, most_terms: int | None = None) -> str:
    terms = list(tree.models.terms_of(v, output))
    return sum_text(float(tree.models.intercept[v, output]), terms, schema, most_terms)


def sum_text(
    intercept: float, terms: Sequence[tuple[Term, float]], schema: Schema, most_terms: int | None = None
) -> str:
    """``3.5 + 2 size - 0.7 [colour = red]``."""
    shown = terms if most_terms is None else terms[:most_terms]
    words = [format_number(intercept, _DIGITS)]
    words += [f"{'-' if slope < 0 else '+'} {product(term, abs(slope), schema)}" for term, slope in shown]
    return " ".join([*words, "+ …"] if len(shown) < len(terms) else words)


def product(term: Term, slope: float, schema: Schema) -> str:
    return f"{format_number(slope, _DIGITS)} {term_text(term, schema.columns[term.column])}"


def term_text(term: Term, column: Column) -> str:
    """What a slope is multiplied by: a column, or 1 where a level is one of several."""
    name = one_line(column.name)
    if not term.scores.size:
        return name
    if not term.is_step:
        return f"score({name})"
    levels = [level_text(column.levels[k]) for k in np.flatnonzero(term.scores == 1)]
    more = f", … {len(levels) - _MOST_LEVELS} more" if len(levels) > _MOST_LEVELS else ""
    words = ", ".join(levels[:_MOST_LEVELS]) + more
    return f"[{name} = {words}]" if len(levels) == 1 else f"[{name} in {{{words}}}]"
