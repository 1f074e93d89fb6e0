"""CHAID's tree node by node: which levels are merged, in what order, and which column wins."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

from treewright.criteria import chi2_p
from treewright.data.schema import Kind
from treewright.errors import OptionError
from treewright.model.learners.chaid_estimators import CHAIDClassifier
from treewright.teach.formula_text import probability, rounded
from treewright.teach.lesson import Lesson, Step
from treewright.teach.lesson_rows import LessonRows
from treewright.teach.lesson_tree import LessonTree
from treewright.teach.lessons.tree_lessons import grown_on, lesson_of
from treewright.typing import Mask

_USUAL_ALPHA = 0.1
Group = tuple[int, ...]  # codes of levels


def chaid_lesson(rows: LessonRows, depth: int | None = None, alpha: float = _USUAL_ALPHA) -> Lesson:
    """CHAID's tree: levels that do not differ are merged, and the column of the smallest adjusted p is split by."""
    if not 0 < alpha < 1:
        raise OptionError(f"alpha={alpha:g} is not accepted", "alpha is a number above 0 and below 1")

    def learner(**options: Any) -> CHAIDClassifier:
        return CHAIDClassifier(min_rows_split=2, min_rows_leaf=1, alpha_merge=alpha, alpha_split=alpha, **options)

    tree = grown_on(learner, rows, depth)

    def shown(node: int) -> Step:
        return _chaid_step(tree, node, alpha)

    first = Step(
        "What is asked",
        formulas=(
            f"levels are merged while the p of a pair is above {alpha:g}",
            f"a node is split if the smallest adjusted p is at most {alpha:g}",
            "adjusted p = Bonferroni's multiplier · p, at most 1: in how many ways levels could have been merged",
        ),
        verbatim=True,
    )
    return lesson_of("chaid", "CHAID", tree, rows, shown, [], [first])


def _chaid_step(tree: LessonTree, node: int, alpha: float) -> Step:
    rows, at, ranked = tree.rows, tree.at(node), _chaid(tree).competitors(node).rows
    heading = ("column", "groups", "χ²", "df", "p", "multiplier", "adjusted p")
    table = [heading]
    for row in ranked:
        times = rounded(row.adjusted_p / row.p) if row.groups and row.p > 0 and row.adjusted_p < 1 else ""
        groups = "; ".join(group.removeprefix(row.column).strip() for group in row.groups) or "all merged"
        table.append((row.column, groups, rounded(row.statistic), rounded(row.freedom), probability(row.p), times,
                      probability(row.adjusted_p)))  # fmt: skip
    values = {f"adjusted p({row.column}) at {node}": float(row.adjusted_p) for row in ranked if row.groups}
    best = ranked[0]
    split = tree.tree.node(node).split
    if split is None:
        result = _stays(rows, at, best.groups, float(best.adjusted_p), alpha)
    else:
        result = f"{best.column} is taken: its adjusted p, {probability(float(best.adjusted_p))}, is the smallest."
    lines = tuple(line for row in ranked for line in _mergers(rows, row.column, at, alpha, len(row.groups)))
    return Step(
        f"Node {node}: {tree.path(node)}", tuple(table), lines, result, values=values, node=node, verbatim=bool(lines)
    )


def _chaid(tree: LessonTree) -> CHAIDClassifier:
    assert isinstance(tree.model, CHAIDClassifier)
    return tree.model


def _stays(rows: LessonRows, at: Mask, groups: tuple[str, ...], p: float, alpha: float) -> str:
    says = rows.class_names[int(rows.counts(at).argmax())]
    if rows.is_pure(at):
        return f"All rows are {says}: a leaf."
    if not groups:
        return f"No column has two groups: a leaf that says {says}."
    if p <= alpha:
        return f"No further split is made: a leaf that says {says}."
    return f"The smallest adjusted p, {probability(p)}, is above {alpha:g}: a leaf that says {says}."


def _mergers(rows: LessonRows, name: str, at: Mask, alpha: float, n_groups: int) -> list[str]:
    """Which levels of a column are merged one after the other, down to two groups. Nothing of numbers, nor where CHAID
    divided merged levels again: that is another search."""
    column = rows.schema.names.index(name)
    about, counts = rows.schema.columns[column], rows.table(column, at).counts
    groups: list[Group] = [(code,) for code in range(len(counts)) if counts[code].sum() > 0]
    if about.kind is Kind.NUMERIC or len(groups) < 3:
        return []
    lines = []
    while len(groups) > 2:
        pairs: list[tuple[Group, Group]] = list(
            pairwise(groups) if about.kind is Kind.ORDINAL else combinations(groups, 2)
        )
        p = [float(chi2_p([counts[list(group)].sum(0) for group in pair])) for pair in pairs]
        most = max(p)
        first, second = pairs[p.index(most)]
        done = "are merged" if most > alpha else "stay apart, and so do all"
        both = f"{_named(rows, column, first)} and {_named(rows, column, second)}"
        lines.append(f"{name}: {both} {done}: p = {probability(most)}, the largest of {len(pairs)} pairs")
        if most <= alpha:
            break
        groups = sorted([*(group for group in groups if group not in (first, second)), tuple(sorted(first + second))])
    return lines if len(groups) == n_groups else []


def _named(rows: LessonRows, column: int, group: Group) -> str:
    names = [rows.value_text(column, code) for code in group]
    return names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"
