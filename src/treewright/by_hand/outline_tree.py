"""Rows down a tree that was written by hand: from an outline to the arrays of a tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from treewright.by_hand.outline import HandLeaf, HandSplit, Outline, level_by_level
from treewright.by_hand.outline_splits import UNNAMED, UNSAID, split_of
from treewright.data.schema import Level, Schema
from treewright.errors import DataError
from treewright.explain.condition_text import level_text
from treewright.leaves import Leaf, decided
from treewright.recipe_parts.missing import Missing
from treewright.split import EVERY_BRANCH, STOP, Split
from treewright.table import N_MOMENTS
from treewright.tree.build import offsets
from treewright.tree.tree import CRISP, LeafKind, Tree
from treewright.typing import Array, Floats, Ints


@dataclass(frozen=True)
class HandRows:
    """``matrix`` holds numbers and level codes, NaN where missing; ``y`` class codes or numbers, None: not known."""

    matrix: Array
    y: Array | None
    weights: Floats
    policies: Sequence[Missing]  # for missing values, column by column


@dataclass
class _Node:
    """A node and the rows that come by, each with the part of it that does."""

    outline: Outline
    parent: int
    rows: Ints
    part: Floats
    split: Split | None = None
    n_missing: int = 0
    children: list[int] = field(default_factory=list)


def tree_of(outline: Outline, schema: Schema, rows: HandRows, leaf: Leaf) -> Tree:
    """The tree with the statistics of the rows. A leaf predicts what was written, with the shares of its rows where
    these agree, and is sure of it where they do not; one that nothing was written for predicts what its rows say."""
    nodes = _sent_down(outline, schema, rows)
    parent = np.array([node.parent for node in nodes], np.int32)
    stats = _stats(nodes, rows, leaf.kind, len(schema.target.classes or ()))
    tree = _arrays(nodes, parent, stats, leaf.kind)
    if rows.y is None:
        return tree._replace(value=_values_of_answers(tree, nodes, schema))
    return _with_answers(tree._replace(value=leaf.values(stats, parent, schema.target)), nodes, schema)


# ---- rows ------------------------------------------------------------------------------------------------------------


def _sent_down(outline: Outline, schema: Schema, rows: HandRows) -> list[_Node]:
    """The nodes in the order of a tree, with their rows."""
    n = len(rows.matrix)
    nodes = [_Node(outline, -1, np.arange(n), np.ones(n))]
    for v, node in enumerate(nodes):
        if isinstance(node.outline, HandSplit):
            split = split_of(node.outline, schema.columns[node.outline.column])
            parts = _split_rows(node, split, schema, rows)
            for branch, (own, part) in zip(node.outline.branches, parts):
                node.children.append(len(nodes))
                nodes.append(_Node(branch.below, v, own, part))
    return nodes


def _split_rows(node: _Node, split: Split, schema: Schema, rows: HandRows) -> list[tuple[Ints, Floats]]:
    """Rows and parts of every branch; the split of the node is settled on the way."""
    values, weight = rows.matrix[node.rows, split.column], rows.weights[node.rows] * node.part
    branch, missing = split.branches(values), np.isnan(values)
    n_branches, policy = split.n_branches, rows.policies[split.column]
    _check_named(split, branch, missing, values, schema)
    known: Floats = np.bincount(branch[~missing], weight[~missing], minlength=n_branches).astype(np.float64)
    of_missing = int(split.branch_of[0])
    of_missing = _usual_way(policy, known) if of_missing == UNSAID else of_missing
    branch_of = np.where(np.isin(split.branch_of, (UNSAID, UNNAMED)), of_missing, split.branch_of)
    node.split, node.n_missing = replace(split, branch_of=branch_of), int(missing.sum())
    branch = np.where(missing, of_missing, branch)
    shares = known / known.sum() if known.sum() > 0 else np.full(n_branches, 1 / n_branches)
    shares = np.ones(n_branches) if policy is Missing.EVERY else shares
    parts = np.where(branch == EVERY_BRANCH, shares[:, None], branch == np.arange(n_branches)[:, None]) * node.part
    return [(node.rows[part > 0], part[part > 0]) for part in parts]


def _usual_way(policy: Missing, known: Floats) -> int:
    """Where missing values go if that is not written: as the model has it, else with the most rows."""
    if policy.is_shared:
        return EVERY_BRANCH
    return STOP if policy.stops else int(known.argmax())


def _check_named(split: Split, branch: Array, missing: Array, values: Array, schema: Schema) -> None:
    unnamed = np.flatnonzero((branch == UNNAMED) & ~missing)
    if unnamed.size:
        column = schema.columns[split.column]
        level = level_text(column.levels[int(values[unnamed[0]]) - 1])
        raise DataError(
            f"{len(unnamed)} rows with {column.name} = {level} come to a split whose branches do not name it",
            'add a branch for it, or "else"',
        )


# ---- statistics ------------------------------------------------------------------------------------------------------


def _stats(nodes: list[_Node], rows: HandRows, kind: LeafKind, n_classes: int) -> Floats:
    stats = np.zeros((len(nodes), kind.n_stats(n_classes)))
    if rows.y is None:
        return stats
    for v, node in enumerate(nodes):
        y, w = rows.y[node.rows], rows.weights[node.rows] * node.part
        if kind is LeafKind.CLASSES:
            stats[v] = np.bincount(y, w, minlength=n_classes)
            continue
        stats[v, :N_MOMENTS] = [(w * y**power).sum() for power in range(N_MOMENTS)]
        if kind is LeafKind.MEDIANS:
            middle = _median(y, w)
            above = stats[node.parent, 3] if v else middle
            stats[v, N_MOMENTS:] = middle, (w * abs(y - middle)).sum(), (w * abs(y - above)).sum()
    return stats


def _median(y: Floats, w: Floats) -> float:
    """Where half of the weight is on either hand of two values, the middle between them.

    >>> _median(np.array([3.0, 1.0, 2.0, 9.0]), np.ones(4))
    2.5
    """
    if not len(y):
        return 0.0
    order = np.argsort(y, kind="stable")
    total = np.cumsum(w[order])
    low, high = (int(np.searchsorted(total, total[-1] / 2, side=end)) for end in ("left", "right"))
    return float((y[order][low] + y[order][min(high, len(y) - 1)]) / 2)


def _arrays(nodes: list[_Node], parent: Array, stats: Floats, kind: LeafKind) -> Tree:
    splits = [node.split for node in nodes]
    edges = [np.empty(0) if split is None else split.edges for split in splits]
    branches = [np.empty(0, np.int32) if split is None else split.branch_of for split in splits]
    return Tree(
        parent=parent,
        first_child=np.array([node.children[0] if node.children else -1 for node in nodes], np.int32),
        n_branches=np.array([len(node.children) for node in nodes], np.int32),
        column=np.array([-1 if split is None else split.column for split in splits], np.int32),
        edge_start=offsets(np.array([len(part) for part in edges])),
        edges=np.concatenate(edges),
        branch_start=offsets(np.array([len(part) for part in branches])),
        branch_of=np.concatenate(branches).astype(np.int32),
        stats=stats,
        rows=np.array([len(node.rows) for node in nodes], np.int64),
        missing=np.array([node.n_missing for node in nodes], np.int64),
        gain=np.zeros(len(nodes)),
        value=np.empty((0, 0)),
        leaf=kind,
        bounds=_bounds(splits),
    )


def _bounds(splits: list[Split | None]) -> Floats:
    if not any(split is not None and split.bounds is not None for split in splits):
        return CRISP
    pairs = [split.bounds or (edge, edge) for split in splits if split is not None for edge in split.edges.tolist()]
    return np.array(pairs, np.float64)


# ---- answers ---------------------------------------------------------------------------------------------------------


def answers_of(outline: Outline) -> list[HandLeaf]:
    """What is written at the leaves, level by level."""
    return [node for node in level_by_level(outline) if isinstance(node, HandLeaf) and node.answer is not None]


def class_of(answer: Any, classes: Sequence[Level], *, printed: bool) -> int | None:
    """The place of the class that an answer names: a label, or its text; None: there is none."""
    for place, label in enumerate(classes):
        if not printed and type(answer) is type(label) and answer == label:
            return place
    texts = (level_text(answer), str(answer)) if not printed else (answer,)
    return next((k for k, label in enumerate(classes) if level_text(label) in texts or str(label) in texts), None)


def _with_answers(tree: Tree, nodes: list[_Node], schema: Schema) -> Tree:
    value = tree.value.copy()
    for v, node in enumerate(nodes):
        if not isinstance(node.outline, HandLeaf) or node.outline.answer is None:
            continue
        if schema.target.classes is None:
            value[v] = _written_number(node.outline, float(value[v, 0]))
            continue
        written = class_of(node.outline.answer, schema.target.classes, printed=node.outline.printed)
        if written != int(decided(value[v], schema.target)):
            value[v] = np.eye(value.shape[1])[written]
    return tree._replace(value=value)


def _written_number(leaf: HandLeaf, of_rows: float) -> float:
    """The number that is written, or that of the rows where a print, which has fewer digits, shows the same."""
    written = float(leaf.answer)
    decimals = len(str(leaf.answer).lower().partition("e")[0].partition(".")[2])
    is_same = leaf.printed and abs(written - of_rows) <= 0.5001 * 10.0 ** (_exponent(leaf.answer) - decimals)
    return of_rows if is_same else written


def _exponent(text: Any) -> int:
    return int(str(text).lower().partition("e")[2] or 0)


def _values_of_answers(tree: Tree, nodes: list[_Node], schema: Schema) -> Floats:
    """Without a target: leaves are sure of what is written, and other nodes say what the rows below them are told."""
    classes = schema.target.classes
    value = np.zeros((len(nodes), 1 if classes is None else len(classes)))
    weight = np.maximum(tree.rows, 1e-9)  # branches without rows count among each other
    for v in reversed(range(len(nodes))):
        node = nodes[v]
        if isinstance(node.outline, HandSplit):
            value[v] = np.average(value[node.children], axis=0, weights=weight[node.children])
        elif node.outline.answer is None:
            raise DataError("a leaf without an answer is decided by its rows, and y is None", "pass y, or write it")
        elif classes is None:
            value[v] = float(node.outline.answer)
        else:
            value[v, class_of(node.outline.answer, classes, printed=node.outline.printed)] = 1.0
    return value
