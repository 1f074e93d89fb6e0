"""Lessons about choosing a split: entropy, gain, gain ratio, Gini index, and ID3's whole tree."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from treewright import criteria
from treewright.criteria.argument_checks import Base, log_of
from treewright.explain.number_text import plural
from treewright.teach.formula_text import count, log_name, rounded, share
from treewright.teach.growing_tree import tree_after
from treewright.teach.lesson import Lesson, Step
from treewright.teach.lesson_rows import CandidateTest, LessonRows
from treewright.teach.lesson_tree import LessonTree, grown, two_branches
from treewright.teach.measures import Measure, entropy_in, gain_ratio, gini_gain, information_gain
from treewright.teach.split_steps import (
    ColumnTests,
    choices,
    column_step,
    counts_heading,
    counts_table,
    first_best,
    next_step,
    node_step,
    pure_step,
    rivals_of,
    scores_table,
    tests_of,
    why,
)
from treewright.typing import Floats, Mask


def entropy_lesson(rows: LessonRows, base: Base = 2, node: int | None = None) -> Lesson:
    """The entropy of the target, and what is left of it once a column is known."""
    at = _at(rows, base, node)
    steps = [entropy_step(rows.target, rows.class_names, rows.counts(at), base, node)]
    gain = information_gain(base)
    for choice in choices(rows, gain, at):
        if choice.best is not None:
            steps.append(_conditional(rows, gain, choice.best, base, node))
    return Lesson("entropy", f"Entropy: {_about(rows, at, node)}", tuple(steps))


def entropy_step(target: str, names: Sequence[str], counts: Floats, base: Base, node: int | None = None) -> Step:
    """−Σ p·log p, a line for each class."""
    log, whole, q = log_name(base), float(counts.sum()), len(counts)
    heading = (target, "n", "p", f"{log} p", f"−p·{log} p")
    table = [heading, *(_entropy_row(name, n, whole, base) for name, n in zip(names, counts))]
    value, most = float(criteria.entropy(counts, base)), float(criteria.entropy(np.ones(q), base))
    return Step(
        f"The entropy of {target}",
        tuple(table),
        (entropy_in(base).line(target, counts),),
        f"En({target}) = {rounded(value)}",
        f"With {plural(q, 'class', 'classes')} it lies between 0 (one class only) and {log} {q} = {rounded(most)} "
        "(all alike).",
        {f"En({target})": value, "maximum": most},
        node,
    )


def _entropy_row(name: str, n: float, whole: float, base: Base) -> tuple[str, ...]:
    p = n / whole if whole else 0.0
    log = math.log(p) / log_of(base) if p else -math.inf
    return (name, count(n), share(n, whole), rounded(log), rounded(-p * log if p else 0.0))


def _conditional(rows: LessonRows, gain: Measure, test: CandidateTest, base: Base, node: int | None) -> Step:
    value = float(criteria.conditional_entropy(test.table, base))
    known = float(test.table.weights.sum())
    terms = [
        f"{share(n, known)}·{rounded(float(criteria.entropy(row, base)))}"
        for n, row in zip(test.table.weights, test.table.counts)
    ]
    line = f"En({rows.target} | {test.name}) = {' + '.join(terms)} = {rounded(value)}"
    branches = gain.lines(test)[:-1]
    values = {f"En({rows.target} | {test.name})": value}
    return Step(f"What is left once {test.name} is known", counts_table(rows, gain, [test]), (*branches, line),
                values=values, node=node)  # fmt: skip


def gain_lesson(rows: LessonRows, base: Base = 2, node: int | None = None) -> Lesson:
    """Information gain of every column at a node."""
    return measure_lesson("gain", rows, information_gain(base), base, node)


def gini_lesson(rows: LessonRows, node: int | None = None) -> Lesson:
    """Gini gain of every column at a node, a branch for every level, and then what CART finds, which makes two."""
    lesson, at = measure_lesson("gini", rows, gini_gain(), node=node), _at(rows, 2, node)
    in_two = None if rows.is_pure(at) else _in_two(rows, gini_gain(), at, node)
    return lesson if in_two is None else replace(lesson, steps=(*lesson.steps, replace(in_two, number=0)))


def _in_two(rows: LessonRows, measure: Measure, at: Mask | None, node: int | None) -> Step | None:
    """The best test of every column that CART finds, and the one it takes; None where no column has two values."""
    tests = [test for j in range(len(rows.schema.columns)) if (test := two_branches(rows, [j], at)) is not None]
    taken = two_branches(rows, range(len(rows.schema.columns)), at)
    if taken is None:
        return None
    return Step(
        "CART: two branches, each a set of levels",
        scores_table(measure, tests),
        tuple(measure.lines(test)[-1] for test in tests),
        f"CART takes {taken.name}, {measure.symbol} {rounded(measure.score(taken))}",
        values={key: value for test in tests for key, value in measure.values(test).items()},
        node=node,
    )


def measure_lesson(topic: str, rows: LessonRows, measure: Measure, base: Base = 2, node: int | None = None) -> Lesson:
    """A measure of every column at a node, and the best."""
    at = _at(rows, base, node)
    found = choices(rows, measure, at)
    tests = tests_of(found)
    winner = first_best(tests, measure.better)
    steps = [_first(rows, measure, at, node), *(column_step(rows, measure, choice, node) for choice in found)]
    title = f"{measure.title}: {_about(rows, at, node)}"
    if rows.is_pure(at):
        return Lesson(topic, title, (steps[0], pure_step(rows, at, node)))
    return Lesson(topic, title, (*steps, *_end(rows, measure, tests, winner, node, rivals_of(found))))


def gain_ratio_lesson(rows: LessonRows, base: Base = 2, node: int | None = None) -> Lesson:
    """Gain ratio of every column at a node. C4.5 looks only at columns of at least average gain."""
    at, measure, gain = _at(rows, base, node), gain_ratio(base), information_gain(base)
    found = choices(rows, measure, at, gain.better)
    tests = tests_of(found)
    steps = [_first(rows, measure, at, node), *(column_step(rows, measure, choice, node) for choice in found)]
    title = f"{measure.title}: {_about(rows, at, node)}"
    if rows.is_pure(at):
        return Lesson("gain-ratio", title, (steps[0], pure_step(rows, at, node)))
    if not tests:
        return Lesson("gain-ratio", title, (*steps, *_end(rows, measure, tests, None, node)))
    average = float(np.mean([gain.score(test) for test in tests]))
    enough = [test for test in tests if gain.score(test) >= average - 1e-9]
    steps.append(_average(gain, tests, enough, average, node))
    winner = first_best(enough, measure.better)
    return Lesson("gain-ratio", title, (*steps, *_end(rows, measure, enough, winner, node)))


def _average(
    gain: Measure, tests: list[CandidateTest], enough: list[CandidateTest], average: float, node: int | None
) -> Step:
    sums = " + ".join(rounded(gain.score(test)) for test in tests)
    kept = ", ".join(test.name for test in enough)
    return Step(
        "Only columns of at least average gain",
        formulas=(f"average Gain = ({sums}) / {len(tests)} = {rounded(average)}",),
        result=f"In the running: {kept}",
        remark="A split into very unequal parts has little Split and so a large ratio, whatever it gains.",
        values={"average Gain": average},
        node=node,
    )


def _first(rows: LessonRows, measure: Measure, at: Mask | None, node: int | None) -> Step:
    step = node_step(rows, measure, rows.counts(at), "The classes", node)
    if not rows.left_out:
        return step
    names = ", ".join(rows.left_out)
    remark = f"Left out, since it only names the rows: {names}. The option identifiers takes it in."
    return Step(step.title, step.table, step.formulas, remark=remark, values=step.values, node=node)


def _end(
    rows: LessonRows,
    measure: Measure,
    tests: list[CandidateTest],
    winner: CandidateTest | None,
    node: int | None,
    rivals: list[CandidateTest] | None = None,
) -> list[Step]:
    if winner is None:
        return [Step("No test is left", remark="No column has two values here: the node is a leaf.", node=node)]
    taken = Step("Which wins", scores_table(measure, tests), result=why(measure, rivals or tests, winner), node=node,
                 values={measure.key(winner): measure.score(winner)})  # fmt: skip
    return [taken, next_step(rows, winner, node)]


# ---------------------------------------------------------------- ID3


def id3_lesson(rows: LessonRows, base: Base = 2, depth: int | None = None) -> Lesson:
    """ID3's tree, node by node."""
    tree = grown(rows, base, depth)
    gain = information_gain(base)
    steps = [tree_after(_node(tree, gain, node.id), tree.model) for node in tree.tree.nodes()]
    if rows.missing_columns:
        names = ", ".join(rows.schema.names[j] for j in rows.missing_columns)
        steps.insert(
            0, Step("Missing values", remark=f"ID3 knows none. The most common value is put in for them ({names}).")
        )
    return Lesson("id3", f"ID3: {_about(rows, None, None)}", (*steps, _tree_step(tree), _rules_step(tree)))


def _node(tree: LessonTree, gain: Measure, node: int) -> Step:
    view = tree.tree.node(node)
    return _leaf_step(tree, node) if view.is_leaf else _inner_step(tree, gain, node)


def _inner_step(tree: LessonTree, gain: Measure, node: int) -> Step:
    rows, at = tree.rows, tree.at(node)
    found = choices(rows, gain, at)
    columns = [column_step(rows, gain, choice, node) for choice in found]
    winner = _taken(tree, node, found)
    first = node_step(rows, gain, rows.counts(at), "", node)
    table = [counts_heading(rows, gain)]
    table += [line for step in columns for line in step.table[1:]]
    zero = abs(gain.score(winner)) < 1e-9
    remark = "No test gains anything, but the node is not pure: ID3 splits it all the same." if zero else ""
    return Step(
        f"Node {node}: {tree.path(node)}",
        tuple(table),
        (*first.formulas, *(line for step in columns for line in step.formulas)),
        why(gain, rivals_of(found), winner),
        " ".join(filter(None, [remark, *(step.remark for step in columns if "thresholds" in step.remark)])),
        {**first.values, **{key: value for step in columns for key, value in step.values.items()}},
        node,
    )


def _taken(tree: LessonTree, node: int, found: list[ColumnTests]) -> CandidateTest:
    """The test that the tree has at a node."""
    split = tree.tree.node(node).split
    assert split is not None
    tests = next(choice.tests for choice in found if choice.tests and choice.tests[0].column == split.column)
    if not split.is_numeric:
        below = int(np.flatnonzero(split.branch_of[1:] == 0)[-1]) + 1.0
        return min(tests, key=lambda test: abs((test.edge or 0.0) - below - 0.5))
    return min(tests, key=lambda test: abs((test.edge or 0.0) - float(split.edges[0])))


def _leaf_step(tree: LessonTree, node: int) -> Step:
    rows, counts = tree.rows, tree.rows.counts(tree.at(node))
    says = rows.class_names[int(tree.tree.node(node).value.argmax())]
    n = float(counts.sum())
    if not n:
        result = f"No row comes here: the leaf says what its parent would, {says}."
    elif counts.max() == n:
        result = f"All {plural(int(n), 'row')} are {says}: a leaf." if n > 1 else f"The only row is {says}: a leaf."
    else:
        mixed = ", ".join(f"{name} {count(c)}" for name, c in zip(rows.class_names, counts))
        result = f"{mixed}: no split is made, a leaf that says {says}."
    return Step(f"Node {node}: {tree.path(node)}", result=result, node=node)


def _tree_step(tree: LessonTree) -> Step:
    sizes = {"leaves": float(tree.tree.n_leaves), "depth": float(tree.tree.depth)}
    return Step("The tree", formulas=tuple(str(tree.model).splitlines()), values=sizes, verbatim=True)


def _rules_step(tree: LessonTree) -> Step:
    return Step("The tree as rules", formulas=tuple(map(str, tree.model.rules())), verbatim=True)


def _at(rows: LessonRows, base: Base, node: int | None) -> Mask | None:
    """The rows of a node of ID3's tree."""
    return None if node is None else grown(rows, base).at(node)


def _about(rows: LessonRows, at: Mask | None, node: int | None) -> str:
    n = rows.n_rows if at is None else int(at.sum())
    where = "" if node is None else f", node {node} of ID3's tree"
    return f"{rows.name}{where}, {plural(n, 'row')}, target {rows.target}"
