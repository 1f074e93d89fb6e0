"""The lesson about likelihood: how probable a tree makes the classes of the training rows, and what a split adds."""

from __future__ import annotations

import numpy as np

from treewright import criteria
from treewright.explain.number_text import plural
from treewright.teach.formula_text import count, rounded, share
from treewright.teach.lesson import Lesson, Step
from treewright.teach.lesson_rows import CandidateTest, LessonRows
from treewright.teach.lesson_tree import LessonTree, grown
from treewright.teach.measures import log_likelihood_gain
from treewright.teach.split_steps import choices, first_best, pure_step, scores_table, tests_of, why
from treewright.typing import Floats


def likelihood_lesson(rows: LessonRows, node: int | None = None) -> Lesson:
    """ℓ = Σ n·ln p = −N·H of a leaf that predicts its own shares p = n/N, before and after every split, in nats."""
    tree = grown(rows, "e")
    at = None if node is None else tree.at(node)
    counts, measure = rows.counts(at), log_likelihood_gain()
    tests = tests_of(choices(rows, measure, at))
    steps = [_leaf_step(rows, counts, node)]
    if rows.is_pure(at) or not tests:
        steps.append(pure_step(rows, at, node) if rows.is_pure(at) else Step("No test is left", node=node))
    else:
        steps += [_test_step(test, counts, node) for test in tests]
        winner = first_best(tests, measure.better)
        assert winner is not None
        steps.append(Step("Which wins", scores_table(measure, tests), result=why(measure, tests, winner), node=node))
    if node is None:
        steps.append(_tree_step(tree))
    n = rows.n_rows if at is None else int(at.sum())
    where = "" if node is None else f", node {node} of ID3's tree"
    title = f"Log-likelihood: {rows.name}{where}, {plural(n, 'row')}, target {rows.target}"
    return Lesson("likelihood", title, tuple(steps))


def _leaf_step(rows: LessonRows, counts: Floats, node: int | None) -> Step:
    """The probability of a class at a leaf is its share, which makes the rows there most probable."""
    whole, value = float(counts.sum()), float(criteria.log_likelihood(counts))
    heading = (rows.target, "rows", "p")
    table = (heading, *((name, count(n), share(n, whole)) for name, n in zip(rows.class_names, counts)))
    entropy = float(criteria.entropy(counts, "e"))
    return Step(
        "One leaf: p = n/N makes its rows most probable",
        table,
        (
            f"ℓ(one leaf) = {_terms(counts)} = {rounded(value)}",
            f"−N·H = −{count(whole)}·{rounded(entropy)} = {rounded(value)}",
        ),
        values={"ℓ(one leaf)": value, "H": entropy},
        node=node,
    )


def _test_step(test: CandidateTest, counts: Floats, node: int | None) -> Step:
    after = [float(criteria.log_likelihood(row)) for row in test.table.counts]
    before, total = float(criteria.log_likelihood(counts)), float(sum(after))
    gain = float(criteria.log_likelihood_gain(test.table))
    lines = [f"ℓ({test.condition(k)}) = {_terms(row)} = {rounded(after[k])}" for k, row in enumerate(test.table.counts)]
    lines.append(f"ℓ after({test.name}) = {' + '.join(map(_in_brackets, after))} = {rounded(total)}")
    lines.append(f"LL({test.name}) = {rounded(total)} − {_in_brackets(before)} = {rounded(gain)}")
    values = {f"ℓ after({test.name})": total, f"LL({test.name})": gain}
    return Step(test.name, formulas=tuple(lines), values=values, node=node)


def _tree_step(tree: LessonTree) -> Step:
    """The sum over the leaves, and the likelihood it is the logarithm of."""
    rows = tree.rows
    leaves = [leaf for leaf in tree.tree.leaves() if leaf.n]
    found = [rows.counts(tree.at(leaf.id)) for leaf in leaves]
    values = [float(criteria.log_likelihood(counts)) for counts in found]
    lines = [
        f"{tree.path(leaf.id)}: ℓ = {_terms(counts)} = {rounded(value)}"
        for leaf, counts, value in zip(leaves, found, values)
    ]
    total = float(sum(values))
    lines.append(f"ℓ(T) = {' + '.join(map(_in_brackets, values))} = {rounded(total)}")
    lines.append(f"L(T) = e^{_in_brackets(total)} = {rounded(float(np.exp(total)))}")
    result = "Every row has its class for certain." if total > -1e-9 else ""
    return Step("The whole tree: the sum over its leaves", formulas=tuple(lines), result=result, values={"ℓ(T)": total})


def _terms(counts: Floats) -> str:
    whole = float(counts.sum())
    return " + ".join(f"{count(n)}·ln {share(n, whole)}" for n in counts if n > 0) or "0"


def _in_brackets(x: float) -> str:
    return f"({rounded(x)})" if x < -1e-9 else rounded(x)
