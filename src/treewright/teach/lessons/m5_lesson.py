"""The lesson about M5': a tree grown by fifth roots of variances, a linear model at every node, pruned and smoothed."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from treewright.errors import DataError
from treewright.explain.equation_text import model_text
from treewright.explain.number_text import plural
from treewright.kernels.linear_kernels.m5_models import error_factor
from treewright.model.learners.m5_estimators import M5Regressor
from treewright.teach.formula_text import rounded
from treewright.teach.lesson import Lesson, Step
from treewright.teach.lesson_tree import LessonTree
from treewright.teach.node_tests import columns_of, target_of
from treewright.teach.number_rows import NumberRows
from treewright.typing import Mask

_SMOOTHING = 15  # what the model above counts as, in rows
_NOTHING = 1e-5  # of the spread of the target: errors below this count as none


def m5_lesson(rows: NumberRows) -> Lesson:
    """M5' (Wang & Witten 1997) of a table, as :class:`treewright.M5Regressor` makes it."""
    if float(np.ptp(rows.y)) == 0.0:
        raise DataError(f"all values of {rows.target} are the same: there is nothing to split", "choose another target")
    grown, smooth = _fitted(rows, prune=False, smooth=False), _fitted(rows, prune=True, smooth=True)
    tree = LessonTree(rows.filled().columns, grown)
    steps = [_growing(tree, node.id, rows.target) for node in grown.tree_.nodes() if not node.is_leaf]
    is_leaf, pruning = _pruned(tree, rows)
    steps += [*pruning, *_smoothing(tree, smooth, is_leaf, rows.target)]
    size = {"leaves": float(smooth.tree_.n_leaves)}
    steps.append(Step("The tree", formulas=tuple(str(smooth).splitlines()), values=size, verbatim=True))
    title = f"M5': {rows.name}, {plural(rows.n_rows, 'row')}, target {rows.target}"
    return Lesson("m5", title, tuple(steps))


def _fitted(rows: NumberRows, *, prune: bool, smooth: bool) -> M5Regressor:
    every: Mask = np.ones(rows.n_rows, np.bool_)
    model = M5Regressor(prune=prune, smooth=smooth, kinds=rows.kinds())
    model.fit(columns_of(rows, every), target_of(rows, every))
    return model


def _growing(tree: LessonTree, v: int, target: str) -> Step:
    """The decrease in the fifth root of the variance, V^⅕ − Σ n_b/n·V_b^⅕, of the best cut of every column."""
    found = [row for row in tree.model.competitors(v) if row.branches]
    lines = [("column", "branches", "score")]
    lines += [(row.column, " | ".join(row.branches), rounded(row.gain)) for row in found]
    taken = next(row for row in found if row.taken)
    return Step(
        f"Grow node {v}: {tree.path(v)}",
        tuple(lines),
        result=f"{taken.column} leaves least of the fifth root of the variance of {target}: it is taken.",
        remark="Score: the fifth root of the variance, less those of the branches weighted by their rows. Each branch "
        "has more than a fifth of the rows.",
        values={f"score({row.column})": row.gain for row in found} if v == 0 else {},
        node=v,
    )


def _pruned(tree: LessonTree, rows: NumberRows) -> tuple[Mask, list[Step]]:
    """Which nodes are leaves in the end, and a step for every inner node that was grown, from the leaves up.

    A node becomes a leaf if RMSE·(n + 2v)/(n − v) of its model, of v parameters, is not greater than that of its
    subtree.
    """
    shape = tree.tree
    squares, parameters = np.array(shape.models.error), np.ones(shape.n_nodes)  # of every subtree as it stands
    is_leaf = np.array([node.is_leaf for node in shape.nodes()])
    steps = []
    for v in range(shape.n_nodes - 1, -1, -1):  # children come after their parents
        if is_leaf[v]:
            continue
        n, children = int(shape.rows[v]), [child.id for child in shape.node(v).children]
        model = float(squares[v]), 1 + sum(slope != 0 for _, slope in shape.models.terms_of(v))
        subtree = float(squares[children].sum()), 1 + int(parameters[children].sum())
        lines, errors = zip(*(_estimate(name, n, *one) for name, one in (("model", model), ("subtree", subtree))))
        is_leaf[v] = errors[0] <= errors[1] or errors[0] < _NOTHING * float(np.std(rows.y))
        squares[v], parameters[v] = model if is_leaf[v] else subtree
        equation = f"{rows.target} = {model_text(shape, tree.model.schema_, v)}"
        result = "The model is no worse: the node becomes a leaf." if is_leaf[v] else "The subtree is better: it stays."
        values = {f"model {v}": errors[0], f"subtree {v}": errors[1]}
        title = f"Prune node {v}: {tree.path(v)}"
        steps.append(Step(title, formulas=(equation, *lines), result=result, values=values, node=v, verbatim=True))
    return is_leaf, steps


def _estimate(name: str, n: int, squares: float, parameters: int) -> tuple[str, float]:
    """The error that is expected of other rows."""
    rmse, factor = (squares / n) ** 0.5, float(error_factor(n, parameters))
    what = f"({n} + 2·{parameters})/({n} − {parameters})" if n > parameters else "no more rows than parameters: 10"
    return f"{name}: RMSE {rounded(rmse)} · {what} = {rounded(rmse * factor)}", rmse * factor


def _smoothing(tree: LessonTree, smooth: M5Regressor, is_leaf: Mask, target: str) -> list[Step]:
    """Every leaf with the models that are mixed on its path, and what they come to."""
    steps, waiting, places = [], [(0, 0)], tree.model.schema_
    while waiting:
        v, now = waiting.pop()
        if not is_leaf[v]:
            pairs = zip(tree.tree.node(v).children, smooth.tree_.node(now).children)
            waiting += [(before.id, after.id) for before, after in pairs][::-1]
            continue
        path = [node.id for node in tree.tree.node(v).path()][::-1]
        lines = [f"model [{v}]: {model_text(tree.tree, places, v)}"]
        for lower, upper in pairwise(path):
            n = int(tree.tree.rows[lower])
            above = model_text(tree.tree, places, upper)
            lines.append(f"{n}/{n + _SMOOTHING} of it, and {_SMOOTHING}/{n + _SMOOTHING} of [{upper}]: {above}")
        result = f"{target} = {model_text(smooth.tree_, smooth.schema_, now)}"
        steps.append(Step(f"Smooth leaf {v}: {tree.path(v)}", formulas=tuple(lines), result=result, verbatim=True))
    return steps
