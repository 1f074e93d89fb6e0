"""``model.alternatives``: the other splits that a node kept, and what they would have led to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from treewright.data.schema import Schema
from treewright.display import Displayed, DisplayedRecord, Sheet
from treewright.errors import OptionError
from treewright.explain.condition_text import condition, one_line
from treewright.model.column_reports.competitors import check_node
from treewright.prune.search_curve import KeptTrees, SearchCurve
from treewright.split import Split
from treewright.tree.and_or_tree import AndOrTree
from treewright.tree.tree import Tree


@dataclass(frozen=True, repr=False)
class SplitAlternative(DisplayedRecord):
    """One split of the node, and the best tree below the node that begins with it: its leaves, and the error that its
    rows add to that of all training rows. ``cost`` is that error plus α for each leaf, and for each split that is not
    the best of its node as ``alternative_cost`` says; ``taken``: the tree has it."""

    column: str
    branches: tuple[str, ...]
    gain: float
    leaves: int
    error: float
    cost: float
    taken: bool


@dataclass(frozen=True, repr=False)
class SplitAlternatives(Displayed):
    """A table of the splits of a node, that of least cost first; ``print`` shows it. A leaf has an entry for itself,
    of no column."""

    node: int
    rows: list[SplitAlternative]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[SplitAlternative]:
        return iter(self.rows)

    def __getitem__(self, place: int) -> SplitAlternative:
        return self.rows[place]

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns by name, as every dataframe takes them."""
        return {name: [asdict(row)[name] for row in self.rows] for name in SplitAlternative.__dataclass_fields__}

    def _sheet(self) -> Sheet:
        columns = self.to_dict()
        columns[""] = ["taken" if row.taken else "" for row in self.rows]
        columns["branches"] = [" | ".join(row.branches) for row in self.rows]
        shown = ("column", "gain", "leaves", "error", "cost", "", "branches")
        return Sheet({name: columns[name] for name in shown}, f"node {self.node}")

    def __str__(self) -> str:
        lines = [("column", "gain", "leaves", "error", "cost", "", "branches"), *(_cells(row) for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines)]
        return "\n".join("  ".join(_aligned(line, widths)).rstrip() for line in lines)


def _cells(row: SplitAlternative) -> tuple[str, ...]:
    numbers = f"{row.gain:.4g}", str(row.leaves), f"{row.error:.4g}", f"{row.cost:.4g}"
    return one_line(row.column), *numbers, "taken" if row.taken else "", " | ".join(row.branches)


def _aligned(line: tuple[str, ...], widths: list[int]) -> Iterator[str]:
    yield line[0].ljust(widths[0])
    yield from (cell.rjust(width) for cell, width in zip(line[1:5], widths[1:5]))
    yield line[5].ljust(widths[5])
    yield line[6]


def alternatives_at(tree: Tree, schema: Schema, kept: KeptTrees, curve: SearchCurve, node: int) -> SplitAlternatives:
    """The splits that a node of the model's tree kept."""
    check_node(node, tree)
    made, nodes = kept.tree(curve.place)
    if made.n_nodes != tree.n_nodes or (made.column != tree.column).any():
        raise OptionError("the tree is not the one that was searched for", "ask the model that was fitted")
    if not kept.compared[kept.at(curve.place)]:
        raise OptionError(
            f"alternatives to the splits of a tree of {tree.n_leaves} leaves are not kept if another was chosen",
            f"fit with max_leaves={tree.n_leaves}",
        )
    whole, here = kept.whole, int(nodes[node])
    start, stop = whole.tree.split_start[here], whole.tree.split_start[here + 1]
    taken = start + kept.chosen[kept.at(curve.place)][here]
    alpha = float(curve.alphas[curve.place])
    rows = [_row(kept, schema, split, curve.place, alpha, taken=bool(split == taken)) for split in range(start, stop)]
    if tree.n_branches[node] == 0:
        error = float(whole.loss[here] / whole.weight)
        rows.append(SplitAlternative("", (), 0.0, 1, error, error + alpha, taken=True))
    return SplitAlternatives(node, sorted(rows, key=lambda row: (not row.taken, row.cost)))


def _row(kept: KeptTrees, schema: Schema, split: int, place: int, alpha: float, *, taken: bool) -> SplitAlternative:
    loss, leaves, used = kept.below(split, place)
    error, test = loss / kept.whole.weight, split_of(kept.whole.tree, split)
    column = schema.columns[test.column]
    missing = bool(kept.whole.tree.splits.missing[split])
    branches = tuple(condition(test, column, branch, missing=missing) for branch in range(test.n_branches))
    gain = float(kept.whole.tree.splits.gain[split])
    cost = error + alpha * (leaves + float(kept.whole.charge[used].sum()))
    return SplitAlternative(column.name, branches, gain, leaves, error, cost, taken)


def split_of(tree: AndOrTree, split: int) -> Split:
    lists = tree.lists
    edges = slice(lists.edge_start[split], lists.edge_start[split + 1])
    branches = slice(lists.branch_start[split], lists.branch_start[split + 1])
    printed = np.asarray(tree.printed[edges]) if tree.printed.size else None
    return Split(int(lists.column[split]), lists.edges[edges], lists.branch_of[branches], printed=printed)
