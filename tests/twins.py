"""Random trees whose statistics add up, and the obvious way to prune them: by walking nodes. Slow, and meant to be.

Every twin returns the numbers of the nodes to be made leaves.
"""

from __future__ import annotations

import math

import numpy as np

from made_trees import Made, tree_of
from treewright.data.schema import Column, Kind, Schema, Target
from treewright.prune.pruning_report import untouched

LEAST = 1e-9  # differences below this are rounding


def schema_of(n_classes: int | None) -> Schema:
    columns = (Column("x", Kind.NUMERIC), Column("colour", Kind.NOMINAL, ("red", "green", "blue")))
    classes = None if n_classes is None else tuple("abcdefgh"[:n_classes])
    return Schema(columns, Target("y", classes))


def random_tree(seed: int, n_inner: int, n_classes: int | None = 2):
    """A tree of so many inner nodes; leaves may be empty. Gains are random."""
    rng = np.random.default_rng(seed)
    root = Made((0.0,))
    leaves = [root]
    for _ in range(n_inner):
        leaf = leaves.pop(int(rng.integers(len(leaves))))
        if rng.random() < 0.5:
            leaf.column, leaf.edges, leaf.branch_of = 0, (float(rng.normal()),), (0, 0, 1)
        else:
            leaf.column, leaf.edges, leaf.branch_of = 1, (), (0, 0, 1, 2)
        leaf.children = [Made((0.0,)) for _ in range(max(leaf.branch_of) + 1)]
        leaves += leaf.children
    _fill(root, rng, n_classes)
    if sum(root.stats) == 0:
        return random_tree(seed + 1000, n_inner, n_classes)
    tree = tree_of(root, regression=n_classes is None)
    gain = np.where(tree.n_branches > 0, rng.random(tree.n_nodes).round(2), 0.0)
    return tree._replace(gain=gain), schema_of(n_classes)


def _fill(node: Made, rng: np.random.Generator, n_classes: int | None) -> None:
    for child in node.children:
        _fill(child, rng, n_classes)
    if node.children:
        node.stats = tuple(np.sum([child.stats for child in node.children], axis=0))
    elif n_classes is None:
        y = rng.normal(size=rng.integers(1, 6)).round(1)
        node.stats = (float(len(y)), float(y.sum()), float((y * y).sum()))
    else:
        node.stats = tuple((rng.integers(0, 8, n_classes) * (rng.random(n_classes) < 0.6)).astype(float))
    if n_classes is not None:
        total = sum(node.stats)
        node.value = [s / total for s in node.stats] if total else [1.0] + [0.0] * (n_classes - 1)


def held_out(seed: int, tree, n_classes: int | None, n_rows: int = 40):
    """Leaves and targets of rows that were not grown from."""
    rng = np.random.default_rng(seed)
    leaves = rng.choice(np.flatnonzero(tree.n_branches == 0), n_rows)
    y = rng.normal(size=n_rows).round(1) if n_classes is None else rng.integers(0, n_classes, n_rows)
    return leaves, y


def leaves_in(tree, smaller, leaves):
    """The leaves that rows reach in a tree that was cut: where they come by on their way in the whole one."""
    place = {int(old): new for new, old in enumerate(untouched(smaller, tree).place) if smaller.n_branches[new] == 0}
    paths = [[node.id for node in tree.node(int(leaf)).path()] for leaf in leaves]
    return np.array([next(place[v] for v in path if v in place) for path in paths])


def below(node) -> list:
    """The leaves of a node's subtree."""
    return [leaf for child in node.children for leaf in below(child)] if not node.is_leaf else [node]


def inner(tree, cut: set) -> list:
    """The inner nodes of the tree as cut so far."""
    found, waiting = [], [tree.root]
    while waiting:
        node = waiting.pop()
        if not node.is_leaf and node.id not in cut:
            found.append(node)
            waiting += node.children
    return found


def visible(node, cut: set) -> list:
    """The leaves below a node in the tree as cut so far."""
    if node.is_leaf or node.id in cut:
        return [node]
    return [leaf for child in node.children for leaf in visible(child, cut)]


def bottom_up(node, cost, *, of_split=lambda node: 0.0, strictly=False) -> tuple[float, set]:
    """Cost of the best subtree and where it is cut, a node being a leaf if that costs no more (or less)."""
    if node.is_leaf:
        return cost(node), set()
    parts = [bottom_up(child, cost, of_split=of_split, strictly=strictly) for child in node.children]
    subtree = of_split(node) + sum(part for part, _ in parts)
    if cost(node) < subtree - LEAST or (not strictly and cost(node) <= subtree + LEAST):
        return cost(node), {node.id}
    return subtree, set().union(*(cuts for _, cuts in parts))


def loss_of(leaves, y, n_classes):
    """What held-out rows lose at a node if it were a leaf."""

    def loss(node):
        ids = {leaf.id for leaf in below(node)}
        mine = y[[leaf in ids for leaf in leaves]]
        return ((mine - node.value[0]) ** 2).sum() if n_classes is None else (mine != node.value.argmax()).sum()

    return loss


def greedy(tree, loss, *, strictly=False) -> set:
    cut: set = set()
    least = LEAST if strictly else -LEAST
    while True:
        gains = {n.id: sum(map(loss, visible(n, cut))) - loss(n) for n in inner(tree, cut)}
        if not gains or max(gains.values()) < least:
            return cut
        best = max(gains.values())
        cut.add(min(v for v, gain in gains.items() if gain >= best - LEAST))


def one_by_one(tree, loss, *, strictly=False) -> set:
    """Nodes from the root down, each compared with what is left below it; again and again until none is cut."""
    cut: set = set()
    while True:
        before = set(cut)
        for node in list(tree.nodes()):
            if node.is_leaf or any(step.id in cut for step in node.path()):
                continue
            gain = sum(map(loss, visible(node, cut))) - loss(node)
            if gain > LEAST or (not strictly and gain >= -LEAST):
                cut = {v for v in cut if node.id not in [step.id for step in tree.node(v).path()]} | {node.id}
        if cut == before:
            return cut


def pessimistic(node, standard_errors: float, *, strictly=False) -> set:
    """From the root down, with the errors of the subtree as it was grown."""
    if node.is_leaf:
        return set()
    if _pessimistic_leaf(node, below(node), standard_errors, strictly):
        return {node.id}
    return set().union(*(pessimistic(child, standard_errors, strictly=strictly) for child in node.children))


def pessimistic_from_below(node, standard_errors: float, *, strictly=False) -> set:
    """From the bottom up, with the errors of what is left of the subtree."""
    if node.is_leaf:
        return set()
    cuts = set().union(*(pessimistic_from_below(c, standard_errors, strictly=strictly) for c in node.children))
    return {node.id} if _pessimistic_leaf(node, visible(node, cuts), standard_errors, strictly) else cuts


def _pessimistic_leaf(node, leaves, standard_errors, strictly) -> bool:
    def errors(node):
        return sum(node.stats) - node.stats[node.value.argmax()] + 0.5

    n, subtree = sum(node.stats), sum(map(errors, leaves))
    spread = math.sqrt(max(subtree * (n - subtree) / n, 0)) if n else 0.0
    limit = subtree + standard_errors * spread
    return errors(node) < limit - LEAST if strictly else errors(node) <= limit + LEAST


def critical(node, value: float) -> set:
    def reaches(node):
        return not node.is_leaf and (node.gain >= value - LEAST or any(map(reaches, node.children)))

    if node.is_leaf:
        return set()
    return set().union(*(critical(child, value) for child in node.children)) if reaches(node) else {node.id}


def weakest_links(tree, risk) -> list[tuple[float, set]]:
    """(α, cuts) of every tree of the sequence: cut all weakest links, look again."""
    sequence, cut, alpha = [], set(), 0.0
    while True:
        links = {}
        for node in inner(tree, cut):
            leaves = visible(node, cut)
            links[node.id] = (risk(node) - sum(map(risk, leaves))) / (len(leaves) - 1)
        weakest = min(links.values(), default=math.inf)
        if weakest > alpha + LEAST:
            sequence.append((alpha, set(cut)))
            if not links:
                return sequence
            alpha = weakest
        cut |= {v for v, link in links.items() if link <= alpha + LEAST}
