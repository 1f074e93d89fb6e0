"""Whole trees node by node, as C4.5 and CART grow them: what each asks of every column, and which wins."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright import criteria
from treewright.data.schema import Kind
from treewright.errors import TreewrightWarning
from treewright.explain.number_text import plural
from treewright.model.learners.c45_classifier import C45Classifier
from treewright.model.learners.classifier import CARTClassifier
from treewright.recipe_parts.recipe import ByRatio
from treewright.recipes.c45 import MANY_LEVELS
from treewright.teach.formula_text import count, entropy_terms, enumeration, rounded
from treewright.teach.growing_tree import tree_after
from treewright.teach.lesson import Lesson, Step
from treewright.teach.lesson_rows import CandidateTest, LessonRows
from treewright.teach.lesson_tree import LessonTree
from treewright.teach.measures import gini_gain, information_gain, sizes_of
from treewright.teach.node_tests import Learner, columns_of, named_as, target_of, test_of_column, why_taken
from treewright.teach.split_steps import rank
from treewright.typing import Mask

_MIN_CASES = 2.0
_NEAR = ByRatio().near_average


def cart_lesson(rows: LessonRows, depth: int | None = None) -> Lesson:
    """CART's tree: binary splits by Gini gain, levels in two sets."""
    tree = grown_on(CARTClassifier, rows, depth)
    measure = gini_gain()

    def inner(node: int) -> Step:
        rows, at = tree.rows, tree.at(node)
        tests = [t for j in range(len(rows.codes)) if (t := test_of_column(CARTClassifier, rows, j, at)) is not None]
        tests.sort(key=lambda test: -rank(test, measure.better))
        winner = _taken(tree, node, tests)
        first = measure.impurity.line(rows.target, rows.counts(at))
        lines = [line for test in tests for line in measure.lines(test)]
        values = {measure.key(test): measure.score(test) for test in tests}
        why = why_taken({test.name: measure.score(test) for test in tests}, winner.name, measure.symbol)
        return _step(tree, node, tests, (first, *lines), why, values)

    return lesson_of("cart", "CART", tree, rows, inner, [])


# ---- C4.5 ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RatioTest:
    """A test as C4.5 judges it: a threshold pays log2(cuts)/N of its gain for having been chosen among so many."""

    test: CandidateTest
    gain: float
    cuts: int
    split: float

    @property
    def ratio(self) -> float:
        return self.gain / self.split if self.split > 0 else 0.0

    def lines(self) -> list[str]:
        test, plain = self.test, float(criteria.gain(self.test.table))
        made = information_gain().lines(test)
        if self.cuts:
            n = count(test.table.weights.sum())
            made.append(f"Gain'({test.name}) = {rounded(plain)} − log2({self.cuts})/{n} = {rounded(self.gain)}")
        return [
            *made,
            f"Split({test.name}) = {entropy_terms(sizes_of(test), 2)} = {rounded(self.split)}",
            f"GR({test.name}) = {rounded(self.gain)} / {rounded(self.split)} = {rounded(self.ratio)}",
        ]


def c45_lesson(rows: LessonRows, depth: int | None = None) -> Lesson:
    """C4.5's tree: gain ratio among tests of at least average gain, then error-based pruning."""
    tree = grown_on(_unpruned, rows, depth)

    def inner(node: int) -> Step:
        rows, at = tree.rows, tree.at(node)
        tests = [t for j in range(len(rows.codes)) if (t := _ratio_test(tree, node, j, at)) is not None]
        few = [t for t in tests if _counts_in_average(rows, t.test.column)] or tests
        average = float(np.mean([t.gain for t in few]))
        enough = [t for t in tests if t.gain >= average - _NEAR and t.split > 0]
        tests.sort(key=lambda t: (t not in enough, -round(t.ratio, 9)))
        enough.sort(key=lambda t: -round(t.ratio, 9))
        column = _split_column(tree, node)
        winner = next(t for t in enough if t.test.column == column)
        first = information_gain().impurity.line(rows.target, rows.counts(at))
        sums = " + ".join(rounded(t.gain) for t in few)
        running = enumeration([t.test.name for t in enough])
        about = f"average gain = ({sums}) / {len(few)} = {rounded(average)}; in the running: {running}"
        lines = (first, *(line for t in tests for line in t.lines()), about)
        values = {f"GR({t.test.name})": t.ratio for t in tests} | {"average gain": average}
        why = why_taken({t.test.name: t.ratio for t in enough}, winner.test.name, "GR")
        return _step(tree, node, [t.test for t in tests], lines, why, values)

    return lesson_of("c4.5", "C4.5", tree, rows, inner, [_pruned_step(tree, depth)])


def _unpruned(**options: Any) -> C45Classifier:
    return C45Classifier(prune=False, collapse=False, **options)


def _ratio_test(tree: LessonTree, node: int, column: int, at: Mask) -> RatioTest | None:
    """None where no test has two branches of two cases or, of numbers, where the charge leaves nothing."""
    rows, split = tree.rows, tree.tree.node(node).split
    if rows.schema.columns[column].kind is Kind.NOMINAL:
        found = rows.candidates(column, at)
        if not found or (found[0].table.weights >= _MIN_CASES).sum() < 2:
            return None
        return RatioTest(found[0], float(criteria.gain(found[0].table)), 0, float(criteria.split_info(found[0].table)))
    test = test_of_column(_unpruned, rows, column, at)
    if test is None:
        return None
    if split is not None and split.column == column:  # the threshold is a value of all rows, not of those here
        test = named_as(test, split, rows.schema.columns[column])
    return _charged(rows, column, at, test)


def _charged(rows: LessonRows, column: int, at: Mask, test: CandidateTest) -> RatioTest:
    """What the learner charged is the difference between the gain and its own ratio times the split information."""
    name = rows.schema.columns[column].name
    table = {name: columns_of(rows, at)[name]}
    stump = _unpruned(max_depth=1, kinds={name: rows.kinds()[name]}).fit(table, target_of(rows, at))
    split, n = float(criteria.split_info(test.table)), float(test.table.weights.sum())
    gain = float(criteria.gain(test.table))
    cuts = round(2 ** ((gain - float(stump.tree_.gain[0]) * split) * n))
    return RatioTest(test, gain - math.log2(cuts) / n, cuts, split)


def _counts_in_average(rows: LessonRows, column: int) -> bool:
    """Columns with a level for many of the rows have large gains for nothing."""
    about = rows.schema.columns[column]
    return about.kind is not Kind.NOMINAL or len(about.levels) < MANY_LEVELS * rows.n_rows


def _pruned_step(tree: LessonTree, depth: int | None) -> Step:
    every = np.ones(tree.rows.n_rows, np.bool_)
    rows = tree.rows
    model = C45Classifier(max_depth=depth, kinds=rows.kinds()).fit(columns_of(rows, every), target_of(rows, every))
    before, after = tree.tree.n_leaves, model.tree_.n_leaves
    said = "Nothing is pruned" if before == after else f"{before} leaves become {after}"
    return Step(
        "Error-based pruning, at a confidence of 0.25",
        formulas=tuple(str(model).splitlines()),
        result=f"{said}; teach pruning shows how it is reckoned.",
        values={"leaves, pruned": float(after)},
        verbatim=True,
    )


# ---- what they share -------------------------------------------------------------------------------------------------


def grown_on(learner: Learner, rows: LessonRows, depth: int | None) -> LessonTree:
    filled = rows.filled()
    every = np.ones(filled.n_rows, np.bool_)
    model = learner(max_depth=depth, kinds=filled.kinds())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TreewrightWarning)  # of small tables, which those of lessons are
        return LessonTree(filled, model.fit(columns_of(filled, every), target_of(filled, every)))


def lesson_of(
    topic: str, title: str, tree: LessonTree, rows: LessonRows, inner: Callable[[int], Step], more: Sequence[Step],
    before: Sequence[Step] = (),
) -> Lesson:  # fmt: skip
    """The nodes, the tree and its rules; ``inner`` makes the step of a node that is split, or that might have been."""
    made = [inner(node.id) if not node.is_leaf or before else _leaf(tree, node.id) for node in tree.tree.nodes()]
    steps = [tree_after(step, tree.model) for step in made]
    filled = []
    if rows.missing_columns:
        names = ", ".join(rows.schema.names[j] for j in rows.missing_columns)
        remark = f"The most common value is put in for them ({names}); teach missing shows other ways."
        filled = [Step("Missing values", remark=remark)]
    size = {"leaves": float(tree.tree.n_leaves), "depth": float(tree.tree.depth)}
    printed = Step("The tree", formulas=tuple(str(tree.model).splitlines()), values=size, verbatim=True)
    as_rules = Step("The tree as rules", formulas=tuple(map(str, tree.model.rules())), verbatim=True)
    about = f"{rows.name}, {plural(rows.n_rows, 'row')}, target {rows.target}"
    return Lesson(topic, f"{title}: {about}", (*filled, *before, *steps, printed, *more, as_rules))


def _step(
    tree: LessonTree, node: int, tests: Sequence[CandidateTest], lines: Sequence[str], result: str,
    values: dict[str, float],
) -> Step:  # fmt: skip
    """A node that is split, with the counts of every column's best test."""
    rows = tree.rows
    table = [("branch", *rows.class_names, "rows")]
    for test in tests:
        for k, counts in enumerate(test.table.counts):
            table.append((test.condition(k), *map(count, counts), count(counts.sum())))
    return Step(f"Node {node}: {tree.path(node)}", tuple(table), tuple(lines), result, values=values, node=node)


def _leaf(tree: LessonTree, node: int) -> Step:
    rows, counts = tree.rows, tree.rows.counts(tree.at(node))
    says = rows.class_names[int(tree.tree.node(node).value.argmax())]
    if not counts.sum():
        result = f"No row comes here: the leaf says {says}."
    elif counts.sum() == 1:
        result = f"The only row is {says}: a leaf."
    elif counts.max() == counts.sum():
        result = f"All {plural(int(counts.sum()), 'row')} are {says}: a leaf."
    else:
        mixed = ", ".join(f"{name} {count(n)}" for name, n in zip(rows.class_names, counts))
        result = f"{mixed}: no split is made, a leaf that says {says}."
    return Step(f"Node {node}: {tree.path(node)}", result=result, node=node)


def _split_column(tree: LessonTree, node: int) -> int:
    split = tree.tree.node(node).split
    assert split is not None
    return split.column


def _taken(tree: LessonTree, node: int, tests: Sequence[CandidateTest]) -> CandidateTest:
    """The test of the column that the tree has at a node."""
    column = _split_column(tree, node)
    return next(test for test in tests if test.column == column)
