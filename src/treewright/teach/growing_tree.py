"""The tree as far as it is grown: drawn after each step of a lesson, as text, TikZ and SVG."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from treewright.explain.condition_text import condition
from treewright.explain.node_text import NodeText
from treewright.explain.number_text import plural
from treewright.model.base import TreeModel
from treewright.teach.formula_symbols import latex_text
from treewright.teach.lesson import Step
from treewright.tree.edit import cut
from treewright.tree.tree import Node, Tree

_BAR = "│  "


@dataclass(frozen=True, eq=False)
class GrowingTree:
    """A tree with the nodes up to ``last`` split; those that are split later are open, marked ``?``. The model says
    what its columns are.

    Nodes are numbered level by level, so that a node has the same number in every drawing.
    """

    model: TreeModel
    whole: Tree
    last: int

    @cached_property
    def tree(self) -> Tree:
        whole = self.whole
        return cut(whole, (whole.n_branches > 0) & (np.arange(whole.n_nodes) > self.last))

    @cached_property
    def _text(self) -> NodeText:
        return NodeText(self.tree, self.model.schema_)

    def _is_open(self, node: Node) -> bool:
        return node.is_leaf and not self.whole.node(node.id).is_leaf

    def lines(self) -> list[str]:
        """A line per node, as trees are printed.

        >>> from treewright import teach
        >>> print(*teach.lesson("id3", "play_tennis", depth=1).steps[0].drawing.lines(), sep=chr(10))
        outlook = Overcast: Yes [1] (4)
        outlook = Rainy: Yes [2] (5, 40% wrong)
        outlook = Sunny: No [3] (5, 40% wrong)
        """
        if self.tree.n_nodes == 1:
            return [self._said(self.tree.root)]
        return list(self._below(self.tree.root, 0))

    def _below(self, node: Node, level: int) -> Iterator[str]:
        for child in node.children:
            said = f" [{child.id}]" if not child.is_leaf else f": {self._said(child)}"
            yield f"{_BAR * level}{self._test(node, child)}{said}"
            yield from self._below(child, level + 1)

    def _test(self, node: Node, child: Node) -> str:
        split = self._text.tests.split_at(node.id)
        return condition(split, self.model.schema_.columns[split.column], child.branch, missing=False)

    def _said(self, node: Node) -> str:
        if self._is_open(node):
            return f"? [{node.id}] ({plural(node.n, 'row')})"
        return f"{self._text.short(node.id)} [{node.id}] ({self._text.evidence(node.id)})"

    def tikz(self) -> str:
        """A picture for LaTeX with the package tikz; nothing else is needed."""
        depth = self.tree.depth
        widths = [f"level {k + 1}/.style={{sibling distance={_distance(self.tree, k + 1)}em}}" for k in range(depth)]
        style = ", ".join(["level distance=5em", "every node/.style={align=center, font=\\small}", *widths])
        return f"\\begin{{tikzpicture}}[{style}]\n\\{self._tikz_node(self.tree.root)};\n\\end{{tikzpicture}}"

    def _tikz_node(self, node: Node) -> str:
        children = "".join(f"\n{'  ' * (len(node.path()))}{self._tikz_child(node, child)}" for child in node.children)
        return f"node[draw, rounded corners] {{{self._tikz_text(node)}}}{children}"

    def _tikz_child(self, node: Node, child: Node) -> str:
        split = self._text.tests.split_at(node.id)
        name = self.model.schema_.columns[split.column].name
        label = latex_text(self._test(node, child).removeprefix(name).strip())
        edge = f"edge from parent node[fill=white, inner sep=1pt] {{\\footnotesize {label}}}"
        return f"child {{{self._tikz_node(child)} {edge}}}"

    def _tikz_text(self, node: Node) -> str:
        if self._is_open(node):
            return f"?\\\\ {latex_text(plural(node.n, 'row'))}"
        if node.is_leaf:
            return f"{latex_text(self._text.short(node.id))}\\\\ ({latex_text(self._text.evidence(node.id))})"
        split = node.split
        assert split is not None
        return latex_text(self.model.schema_.columns[split.column].name)

    def svg(self) -> str:
        """A picture as trees are drawn."""
        small = copy.copy(self.model)
        small.__dict__["tree_"] = self.tree
        return small.to_svg()


def tree_after(step: Step, model: TreeModel) -> Step:
    """The step with the tree as it is after it, if it splits a node."""
    if step.node is None or model.tree_.node(step.node).is_leaf:
        return step
    return replace(step, drawing=GrowingTree(model, model.tree_, step.node))


def pruned_to(step: Step, model: TreeModel | None, smaller: Tree) -> Step:
    """The step with the tree that pruning leaves."""
    return step if model is None else replace(step, drawing=GrowingTree(model, smaller, smaller.n_nodes))


def _distance(tree: Tree, level: int) -> int:
    """Em between neighbours of a level: wide at the top, so that what hangs below finds room."""
    below = int((tree.depths() >= level).sum())
    at = max(1, int((tree.depths() == level).sum()))
    return max(6, round(8 * max(1.0, below / at)))
