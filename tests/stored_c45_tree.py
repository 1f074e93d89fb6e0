"""A tree that C4.5 release 8 printed, as a tree of ours: its tests, and the class and weight of its leaves."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from treewright.data.schema import Kind, Schema
from treewright.split import EVERY_BRANCH
from treewright.tree.build import offsets
from treewright.tree.tree import LeafKind, Tree

_LINE = re.compile(
    r"(?P<bars>(?:\|   )*)(?P<name>\S+) (?P<sign><=|>|=) (?P<value>.*?) ?:"
    r"(?:\[(?P<below>S\d+)\]| (?P<label>.*?) \((?P<weight>[\d.]+)(?:/[\d.]+)?\))?\s*"
)


@dataclass
class Branch:
    """One line: a test and what follows, a leaf or more lines."""

    name: str
    sign: str
    value: str
    label: str | None
    weight: float
    children: list[Branch] = field(default_factory=list)


def read_tree(text: str, schema: Schema, matrix: np.ndarray) -> Tree:
    """Six digits of a threshold are printed: it is the nearest value of its column."""
    columns, classes = {column.name: j for j, column in enumerate(schema.columns)}, schema.target.classes or ()
    nodes, parent = [Branch("", "", "", None, 0.0, _parsed(text))], [-1]
    column, edges, branch_of, first_child, n_branches = [], [], [], [], []
    for v, node in enumerate(nodes):  # which grows: level by level
        children = _in_order(node.children, schema, columns)
        j = columns[children[0].name] if children else -1
        column.append(j)
        edges.append([_nearest(float(children[0].value), matrix[:, j])] if children and children[0].sign != "=" else [])
        branch_of.append(_branches(children, schema, j) if children else [])
        first_child.append(len(nodes) if children else -1)
        n_branches.append(len(children))
        nodes += children
        parent += [v] * len(children)
    is_class = np.array([[float(label == node.label) for label in classes] for node in nodes])
    stats = is_class * np.array([[node.weight] for node in nodes])
    none = np.zeros(len(nodes))
    return Tree(
        parent=np.array(parent, np.int32),
        first_child=np.array(first_child, np.int32),
        n_branches=np.array(n_branches, np.int32),
        column=np.array(column, np.int32),
        edge_start=offsets(np.array(list(map(len, edges)))),
        edges=np.array(list(chain.from_iterable(edges))),
        branch_start=offsets(np.array(list(map(len, branch_of)))),
        branch_of=np.array(list(chain.from_iterable(branch_of)), np.int32),
        stats=stats,
        rows=stats.sum(1).astype(np.int64),
        missing=none.astype(np.int64),
        gain=none,
        value=is_class,
        leaf=LeafKind.CLASSES,
    )


def _parsed(text: str) -> list[Branch]:
    """The tree, with the parts that did not fit into the width where they belong."""
    whole, *parts = re.split(r"Subtree \[(S\d+)\]", text)
    below: dict[str, list[Branch]] = {}
    trees = [_block(whole, below), *(_block(part, below) for part in parts[1::2])]
    for name, tree in zip(parts[::2], trees[1:]):
        below[name] += tree
    return trees[0]


def _block(text: str, below: dict[str, list[Branch]]) -> list[Branch]:
    """``below`` collects, by its name, where the lines of each further part have to go."""
    at: list[list[Branch]] = [[]]
    for line in filter(str.strip, text.splitlines()):
        found = _LINE.fullmatch(line)
        assert found, line
        depth = len(found["bars"]) // 4
        branch = Branch(found["name"], found["sign"], found["value"], found["label"], float(found["weight"] or 0))
        at[depth].append(branch)
        at[depth + 1 :] = [branch.children]
        if found["below"]:
            below[found["below"]] = branch.children
    return at[0]


def _in_order(branches: list[Branch], schema: Schema, columns: dict[str, int]) -> list[Branch]:
    """Leaves are printed first. Levels that no row has, and their empty leaves, are left out."""
    if not branches or branches[0].sign != "=":
        return sorted(branches, key=lambda branch: branch.sign == ">")
    levels = schema.columns[columns[branches[0].name]].levels
    return sorted((b for b in branches if b.value in levels), key=lambda branch: levels.index(branch.value))


def _branches(children: list[Branch], schema: Schema, j: int) -> list[int]:
    if schema.columns[j].kind is Kind.NUMERIC:
        return [EVERY_BRANCH, 0, 1]
    named = [child.value for child in children]
    return [EVERY_BRANCH, *(named.index(level) for level in schema.columns[j].levels)]


def _nearest(value: float, cells: np.ndarray) -> float:
    known = cells[~np.isnan(cells)]
    return float(known[np.abs(known - value).argmin()])
