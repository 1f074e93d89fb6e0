"""Error-based pruning by the book, one node after the other, with rows as arrays of weights. Slow, and meant to be."""

from __future__ import annotations

import math

import numpy as np

from routing import parts_of, sides, stopped
from strategies import Problem
from treewright.prune.growth_path import most_gaining_first
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import Limits
from treewright.recipe_parts.significance import p_values
from treewright.tree.edit import cut
from treewright.tree.tree import LeafKind, Tree
from treewright.typing import Mask

Z = {"c4.5": 0.84 - 0.25 * 0.59, "j48": 0.6744897501960817}  # at a confidence of 0.25
HOPELESS = {"c4.5": 0.67, "j48": 1.0}


def by_hand(n: float, e: float, flavour: str, confidence: float = 0.25) -> float:
    """Errors of a leaf: the upper limit of the binomial, exact for none and normal for one and more."""
    if n <= 0:
        return 0.0
    if e < 1:
        none = n * (1 - confidence ** (1 / n))
        return e + none + e * (by_hand(n, 1, flavour) - 1 - none) if e > 0 else none
    if e + 0.5 >= n:
        return e + HOPELESS[flavour] * max(n - e, 0)
    c, f = Z[flavour] ** 2, e + 0.5
    return n * (f + c / 2 + math.sqrt(c * (f * (1 - f / n) + c / 4))) / (n + c)


class Plain:
    """A tree that is pruned by the book, one node after the other."""

    def __init__(self, node, problem: Problem, policies, flavour: str) -> None:
        self.split, self.surrogates = node.split, node.surrogates
        self.sons = [Plain(child, problem, policies, flavour) for child in node.children]
        self.problem, self.policies, self.flavour = problem, policies, flavour

    def classes(self, cases: np.ndarray) -> np.ndarray:
        return np.bincount(self.problem.y, cases, minlength=self.problem.n_classes)

    def as_leaf(self, cases: np.ndarray) -> float:
        weights = self.classes(cases)
        return by_hand(weights.sum(), weights.sum() - weights.max(), self.flavour)

    def parts(self, cases: np.ndarray, *, counting: bool = False) -> list[np.ndarray]:
        """Rows that take every branch in full are judged by their shares, and counted in full."""
        in_full = counting and self.policies[self.split.column] is Missing.EVERY
        side = sides(self.problem, self.split, self.surrogates)
        return parts_of(side, cases, len(self.sons), in_full=in_full)

    def of_stopped(self, cases: np.ndarray) -> float:
        """Rows that stop here get the class of all that come by."""
        weights = self.classes(stopped(sides(self.problem, self.split, self.surrogates), cases))
        return by_hand(weights.sum(), weights.sum() - weights[self.classes(cases).argmax()], self.flavour)

    def errors(self, cases: np.ndarray) -> float:
        if not self.sons:
            return self.as_leaf(cases)
        return self.of_stopped(cases) + sum(son.errors(part) for son, part in zip(self.sons, self.parts(cases)))

    def prune(self, cases: np.ndarray, raising: bool) -> None:
        if not self.sons:
            return
        parts = self.parts(cases)
        for son, part in zip(self.sons, parts):
            son.prune(part, raising)
        sizes = np.array([part.sum() for part in parts]).round(6)
        largest = self.sons[len(sizes) - 1 - sizes[::-1].argmax()]
        leaf, below = self.as_leaf(cases), self.errors(cases)
        raised = largest.errors(cases) if raising else np.inf
        if leaf <= min(below, raised) + 0.1 + 1e-6:
            self.split, self.sons = None, []
        elif raised <= below + 0.1 + 1e-6:
            self.split, self.surrogates, self.sons = largest.split, largest.surrogates, largest.sons
            self.prune(cases, raising)

    def asked(self):
        yield None if self.split is None else (self.split.column, *self.split.edges)
        for son in self.sons:
            yield from son.asked()

    def counted(self, cases: np.ndarray):
        """Class weights of all nodes that this tree has."""
        yield self.classes(cases)
        for son, part in zip(self.sons, self.parts(cases, counting=True) if self.sons else []):
            yield from son.counted(part)


def counted_below(node):
    yield node.stats
    for child in node.children:
        yield from counted_below(child)


def asked_below(node):
    yield None if node.is_leaf else (node.split.column, *node.split.edges)
    for child in node.children:
        yield from asked_below(child)


def as_if_stopped(tree: Tree, limits: Limits) -> Tree:
    """What a tree that was grown without limits would have become with them.

    Splits do not depend on what is done elsewhere in the tree, so it does not matter whether a node is never split or
    its split is undone. Looked at are ``max_leaves``, ``min_rows_split``, ``min_gain`` and ``significance``.
    """
    tree = cut(tree, _not_split(tree, limits))
    if limits.max_leaves is None:
        return tree
    taken = np.zeros(tree.n_nodes, np.bool_)
    taken[most_gaining_first(tree, limits.max_leaves)] = True
    return cut(tree, ~taken & (tree.n_branches > 0))


def _not_split(tree: Tree, limits: Limits) -> Mask:
    inner = np.flatnonzero(tree.n_branches > 0)
    few = (tree.rows < limits.min_rows_split) | (tree.gain < limits.min_gain)
    if limits.significance is not None and inner.size:
        starts = np.append(tree.first_child[inner] - 1, tree.n_nodes - 1)  # all but the root stand family by family
        few[inner] |= p_values(tree.stats[1:], starts, moments=tree.leaf is not LeafKind.CLASSES) > limits.significance
    return few & (tree.n_branches > 0)
