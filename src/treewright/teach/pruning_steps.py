"""Lessons about pruning: what each method asks at every inner node, with its numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright import prune
from treewright.data.schema import Column, Kind, Schema, Target
from treewright.explain.arriving_levels import ArrivingLevels
from treewright.explain.condition_text import condition, level_text
from treewright.model.base import TreeModel
from treewright.prune.holdout import HoldOut
from treewright.prune.methods.bottom_up import highest, sum_up
from treewright.prune.pruning_report import report
from treewright.teach.formula_text import count, rounded, share, total
from treewright.teach.growing_tree import pruned_to
from treewright.teach.lesson import Step
from treewright.tree.tree import LeafKind, Node, Tree
from treewright.typing import Floats, Mask

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Subject:
    """A tree to prune and, where there are any, rows that it was not grown from."""

    tree: Tree
    schema: Schema
    held_out: HoldOut | None = None
    model: TreeModel | None = None

    @property
    def inner(self) -> list[Node]:
        """Nodes with branches, those at the bottom first."""
        return [node for node in self.tree.nodes() if not node.is_leaf][::-1]

    def name(self, node: Node) -> str:
        tests = [self._test(parent, child) for parent, child in zip(node.path(), node.path()[1:])]
        return f"node {node.id} ({' and '.join(tests) or 'root'})"

    def _test(self, parent: Node, child: Node) -> str:
        split = ArrivingLevels(self.tree, self.schema).split_at(parent.id)
        return condition(split, self.schema.columns[split.column], child.branch, missing=False)

    @property
    def classes(self) -> tuple[str, ...]:
        return tuple(map(level_text, self.schema.target.classes or ()))


def subtree(*leaves: Sequence[float], classes: Sequence[str]) -> Subject:
    """A root with leaves of these class counts, as lecture notes draw it.

    >>> subtree([15, 1, 1], [0, 3, 0], classes=["c1", "c2", "c3"]).tree.n_leaves
    2
    """
    stats = np.array([np.sum(leaves, axis=0), *leaves], np.float64)
    n, n_leaves = len(stats), len(leaves)
    names = tuple(f"K{k}" for k in range(1, n_leaves + 1))
    tree = Tree(
        parent=np.array([-1] + [0] * n_leaves, np.int32),
        first_child=np.array([1] + [-1] * n_leaves, np.int32),
        n_branches=np.array([n_leaves] + [0] * n_leaves, np.int32),
        column=np.array([0] + [-1] * n_leaves, np.int32),
        edge_start=np.zeros(n + 1, np.int64),
        edges=np.empty(0),
        branch_start=np.array([0] + [n_leaves + 1] * n, np.int64),
        branch_of=np.array([0, *range(n_leaves)], np.int32),
        stats=stats,
        rows=stats.sum(1).astype(np.int64),
        missing=np.zeros(n, np.int64),
        gain=np.zeros(n),
        value=stats / stats.sum(1, keepdims=True),
        leaf=LeafKind.CLASSES,
    )
    return Subject(tree, Schema((Column("leaf", Kind.NOMINAL, names),), Target("class", tuple(classes))))


# ---------------------------------------------------------------- the methods


def minimum_error(subject: Subject) -> Step:
    """(N − n + q − 1) / (N + q), n of N rows being of the most frequent of q classes (Niblett & Bratko)."""
    stats, pruner = subject.tree.stats, prune.MinimumError()
    expected, q = pruner.expected(stats), stats.shape[1]

    def as_leaf(v: int) -> str:
        n, most = stats[v].sum(), stats[v].max()
        return f"({count(n)} − {count(most)} + {q} − 1)/({count(n)} + {q})"

    lines, values = _bottom_up(subject, expected, as_leaf, by_share=True)
    return _step(
        "Minimum error (Niblett & Bratko): the error expected of new rows",
        subject,
        ["e = (N − n + q − 1)/(N + q), n of the N rows being of the most frequent of q classes", *lines],
        pruner(subject.tree, subject.schema),
        values,
    )


def pessimistic(subject: Subject) -> Step:
    """Errors with a half added for every leaf, and one standard error of the subtree's count (Quinlan)."""
    tree = subject.tree
    n, wrong = tree.stats.sum(1), tree.stats.sum(1) - tree.stats.max(1)
    below = sum_up(tree, wrong + 0.5)
    lines = ["A node becomes a leaf if E + ½ ≤ E' + SE; E' = Σ (errors + ½) over the leaves below"]
    values: dict[str, float] = {}
    gone: set[int] = set()
    for node in reversed(subject.inner):
        v, leaves = node.id, _leaves_below(node)
        if int(tree.parent[v]) in gone:
            gone.add(v)
            continue
        error = math.sqrt(max(below[v] * (n[v] - below[v]) / n[v], 0.0))
        limit, cut = below[v] + error, wrong[v] + 0.5 <= below[v] + error + _ROUNDING
        gone |= {v} if cut else set()
        terms = " + ".join(f"({count(wrong[leaf.id])} + ½)" for leaf in leaves)
        lines += [
            f"{subject.name(node)}: as a leaf {count(wrong[v])} + ½ = {count(wrong[v] + 0.5)}",
            f"  subtree: E' = {terms} = {count(below[v])}",
            f"  SE = √({count(below[v])}·({count(n[v])} − {count(below[v])})/{count(n[v])}) = {rounded(error)}",
            f"  {count(wrong[v] + 0.5)} {'≤' if cut else '>'} {count(below[v])} + {rounded(error)} = {rounded(limit)}: "
            + _verdict(cut),
        ]
        values |= {f"leaf {v}": wrong[v] + 0.5, f"subtree {v}": below[v], f"SE {v}": error, f"limit {v}": limit}
    smaller = prune.Pessimistic()(tree, subject.schema)
    return _step("Pessimistic (Quinlan): training errors with a correction", subject, lines, smaller, values)


def cost_based(subject: Subject, costs: Any = None) -> Step:
    """N·Σ cost·(n + 1)/(N + q) of predicting each class; the least counts."""
    pruner, names = prune.CostBased(costs), subject.classes
    cost = pruner.of_predicting(subject.tree.stats, subject.schema.target.classes or ())
    lines, values = ["Cost(K, c) = N·Σ cost(c for j)·(n_j + 1)/(N + q); a leaf predicts the class of least cost"], {}
    for node in subject.tree.nodes():
        who = f"K{node.id}" if node.id else "K"
        for c, name in enumerate(names):
            lines.append(
                f"Cost({who}, {name}) = {_cost_terms(node.stats, c, costs, names)} = {rounded(cost[node.id, c])}"
            )
            values[f"Cost({who}, {name})"] = float(cost[node.id, c])
    least = cost.min(1)
    said = [names[int(c)] for c in cost.argmin(1)]
    more, costs_below = _bottom_up(
        subject, least, lambda v: f"Cost(K{v or ''}, {said[v]})", by_share=False, strictly=True
    )
    smaller = pruner(subject.tree, subject.schema)
    values["least cost"] = float(least[0])
    return _step("Cost-based with Laplace's correction", subject, [*lines, *more], smaller, {**values, **costs_below})


def _cost_terms(counts: Floats, predicted: int, costs: Any, names: Sequence[str]) -> str:
    from treewright.costs import cost_matrix

    matrix, n, q = cost_matrix(costs, tuple(names)), float(counts.sum()), len(names)
    terms = [
        f"{count(matrix[j, predicted])}·({count(counts[j])} + 1)/({count(n)} + {q})"
        for j in range(q)
        if matrix[j, predicted]
    ]
    return f"{count(n)}·{total(terms)}" if terms else "0"


def reduced_error(subject: Subject) -> Step:
    """Errors on rows that the tree was not grown from."""
    rows = subject.held_out
    assert rows is not None
    lines, values = _bottom_up(subject, rows.loss, lambda v: f"{count(rows.loss[v])} of {count(rows.weight[v])} wrong")
    for order in ("bottom-up", "top-down", "greedy"):
        smaller = prune.ReducedError(order=order)(subject.tree, subject.schema, rows)
        lines.append(f"order {order}: {_cut_text(subject, smaller)}")
        values[f"leaves, {order}"] = float(smaller.n_leaves)
    improved = prune.ReducedError(strict=True)(subject.tree, subject.schema, rows)
    lines.append(f"only where the error falls, error(T') < error(T): {_cut_text(subject, improved)}")
    values["leaves, strict"] = float(improved.n_leaves)
    title = f"Reduced error: {rows.n_rows} validation rows, error(T') ≤ error(T)"
    return _step(title, subject, lines, prune.ReducedError()(subject.tree, subject.schema, rows), values)


def error_complexity(subject: Subject) -> Step:
    """g = (R(t) − R(T_t)) / (leaves − 1): what a leaf less costs; the weakest link goes first (Breiman et al.)."""
    tree, n = subject.tree, float(subject.tree.stats[0].sum())
    wrong = tree.stats.sum(1) - tree.stats.max(1)
    path = prune.ErrorComplexity().path(tree, subject.schema)
    lines, values = ["g(t) = (R(t) − R(T_t))/(leaves − 1); R is the share of the rows that is wrong"], {}
    for k, alpha in enumerate(path.alphas[1:], start=1):
        leaf = (path.step < k) | (tree.n_branches == 0)
        below, leaves = _over_leaves(tree, leaf, wrong), _over_leaves(tree, leaf, np.ones(tree.n_nodes))
        lines.append(f"the tree of {count(leaves[0])} leaves:")
        for node in [node for node in subject.inner if not any(leaf[each.id] for each in node.path())]:
            v = node.id
            g = (wrong[v] - below[v]) / n / (leaves[v] - 1)
            left, right = share(wrong[v], n), share(below[v], n)
            lines.append(f"  {subject.name(node)}: g = ({left} − {right})/({count(leaves[v])} − 1) = {rounded(g)}")
            values[f"g {v} of {count(leaves[0])} leaves"] = float(g)
        weakest = [node.id for node in subject.inner if path.step[node.id] == k]
        lines.append(f"  the smallest is α = {rounded(alpha)}: node {min(weakest)} goes")
        values[f"α {k}"] = float(alpha)
    table = (
        ("α from", "leaves", "R"),
        *zip(map(rounded, path.alphas), map(count, path.leaves), map(rounded, path.risks)),
    )
    free = [node.id for node in subject.inner if path.step[node.id] == 0]
    remark = f"Nodes that save no error go before anything else: {', '.join(map(str, free))}." if free else ""
    return Step("Error-complexity (Breiman et al.): the weakest link goes first", tuple(table), tuple(lines),
                "The table has the smallest best tree for every α, from its α on", remark, values)  # fmt: skip


def _over_leaves(tree: Tree, leaf: Mask, amounts: Floats) -> Floats:
    """The sum over the leaves of a smaller tree, the nodes of which are leaves where ``leaf`` says so."""
    sums = np.array(amounts, np.float64)
    for node in reversed(list(tree.nodes())):
        if not leaf[node.id]:
            sums[node.id] = sum(sums[child.id] for child in node.children)
    return sums


def critical_value(subject: Subject, value: float | None = None) -> Step:
    """A node stays if its own split, or one below it, scores at least the critical value (Mingers)."""
    tree = subject.tree
    best = highest(tree, tree.gain)
    chosen = float(np.median(best[tree.n_branches > 0])) if value is None else value
    lines = [f"The critical value is {rounded(chosen)}; a node is judged by the best Gain at it or below it"]
    for node in subject.inner:
        v, stays = node.id, best[node.id] >= chosen - _ROUNDING
        sign = "≥" if stays else "<"
        lines.append(
            f"{subject.name(node)}: Gain {rounded(node.gain)}, best at or below {rounded(best[v])} {sign} "
            f"{rounded(chosen)}: {_verdict(not stays)}"
        )
    values = {f"best {node.id}": float(best[node.id]) for node in subject.inner}
    smaller = prune.CriticalValue(chosen)(tree, subject.schema)
    return _step("Critical value (Mingers): the score the tree was grown by", subject, lines, smaller, values)


def error_based(subject: Subject, confidence: float = 0.25) -> Step:
    """N times the upper limit of the error rate, the errors seen being a sample (Quinlan 1993)."""
    tree, pruner = subject.tree, prune.ErrorBased(confidence, raising=False)
    n, wrong = tree.stats.sum(1), tree.stats.sum(1) - tree.stats.max(1)
    thought = pruner.expected(tree.stats)

    def as_leaf(v: int) -> str:
        if wrong[v] == 0:
            return f"{count(n[v])}·(1 − {confidence:g}^(1/{count(n[v])}))" if n[v] else "0"
        return f"{count(n[v])}·U({count(wrong[v])} of {count(n[v])} wrong)"

    first = (
        f"U = (f + z²/2N + z·√(f/N − f²/N + z²/4N²))/(1 + z²/N) with f = (E + ½)/N and z = {rounded(pruner.z)}, "
        f"the upper end of the error rate at confidence {confidence:g}; with E = 0 it is 1 − {confidence:g}^(1/N)"
    )
    lines, values = _bottom_up(subject, thought, as_leaf, slack=0.1)
    leaves = [f"leaf {node.id}: {as_leaf(node.id)} = {rounded(thought[node.id])}" for node in tree.leaves() if node.n]
    values |= {f"expected {v}": float(x) for v, x in enumerate(thought)}
    remark = (
        "A leaf that is worse by up to 0.1 errors is preferred. Raising a branch in place of its node is not shown."
    )
    made = pruner(tree, subject.schema)
    step = _step(
        "Error-based (C4.5): the errors a leaf might well make", subject, [first, *leaves, *lines], made, values
    )
    return replace(step, remark=remark)


# ---------------------------------------------------------------- what they share


def _bottom_up(
    subject: Subject,
    cost: Floats,
    as_leaf: Callable[[int], str],
    *,
    by_share: bool = False,
    strictly: bool = False,
    slack: float = 0.0,
) -> tuple[list[str], dict[str, float]]:
    """A line for each inner node: what it costs as a leaf, what the best subtree below it costs, and the verdict."""
    best = np.array(cost, np.float64)
    n = subject.tree.stats.sum(1)
    lines: list[str] = []
    values: dict[str, float] = {}
    for node in subject.inner:
        v, children = node.id, [child.id for child in node.children]
        weights = n[children] / n[v] if by_share else np.ones(len(children))
        below = float(weights @ best[children])
        terms = [f"{share(n[c], n[v])}·{rounded(best[c])}" if by_share else rounded(best[c]) for c in children]
        cut = cost[v] < below - _ROUNDING if strictly else cost[v] <= below + slack + _ROUNDING
        sign = ("<" if strictly else "≤") if cut else ("≥" if strictly else ">")
        text = as_leaf(v)
        shown = text if "wrong" in text and "U(" not in text else f"{text} = {rounded(cost[v])}"
        limit = f"{rounded(below)} + {slack:g}" if slack else rounded(below)
        lines += [
            f"{subject.name(node)}: as a leaf {shown}",
            f"  subtree: {' + '.join(terms)} = {rounded(below)}",
            f"  {rounded(cost[v])} {sign} {limit}: {_verdict(cut)}",
        ]
        values |= {f"leaf {v}": float(cost[v]), f"subtree {v}": below}
        best[v] = cost[v] if cut else below
    return lines, values


def _verdict(cut: bool) -> str:
    return "prune" if cut else "keep the subtree"


def _leaves_below(node: Node) -> list[Node]:
    return [node] if node.is_leaf else [leaf for child in node.children for leaf in _leaves_below(child)]


def _cut_text(subject: Subject, smaller: Tree) -> str:
    nodes = report(subject.tree, smaller, subject.schema, "").nodes
    names = ", ".join(f"node {v}" for v in nodes)
    return (
        f"pruned at {names}; {smaller.n_leaves} of {subject.tree.n_leaves} leaves are left" if nodes else "all is kept"
    )


def _step(title: str, subject: Subject, lines: Sequence[str], smaller: Tree, values: dict[str, Any]) -> Step:
    floats = {key: float(value) for key, value in values.items()}
    step = Step(title, formulas=tuple(lines), result=f"Result: {_cut_text(subject, smaller)}", values=floats)
    return pruned_to(step, subject.model, smaller)
