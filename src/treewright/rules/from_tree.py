"""A tree as a rule set: one rule per leaf, one condition per test on its path."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sklearn.utils.validation import check_is_fitted

from treewright.data.schema import Schema
from treewright.errors import DataError, OptionError
from treewright.explain.leaf_rules import joined_paths, paths
from treewright.explain.node_text import NodeText
from treewright.explain.region import Region
from treewright.rules.rule import NO_RULE, Condition, Rule
from treewright.rules.rule_model import RuleModel, rule_model
from treewright.rules.rule_set import RuleSet
from treewright.tree.tree import LeafKind, Tree

MOST_CONDITIONS = 1_000_000  # of all rules of a tree: in a chain they grow with the square of its depth
Conditions = tuple[Condition, ...]


def from_tree(model: Any) -> RuleSet:
    """The rules of a fitted tree, in printed order; a rule has the number of its leaf.

    Where that would be over a million conditions in all, those on the same column are joined.

    Without missing values they predict exactly as the tree does; a level that did not occur at a node is missing there.
    Where a missing value takes every branch by share (C4.5), stops at a node or is decided by surrogates, it meets no
    condition here: such a row is left to another rule, or to what the root predicts.

    >>> import treewright as tw
    >>> table = tw.datasets.load("play_tennis")
    >>> X = {name: column for name, column in table.X.items() if name != "day"}
    >>> print(tw.rules.from_tree(tw.ID3Classifier().fit(X, table.y)))
    RuleSet: y — 5 rules, the first that is met decides
    [1] if outlook = Overcast then y = Yes   (29 % of rows, 100 % right, lift 1.56)
    [4] if (outlook = Rainy or missing) and windy = Strong then y = No   (14 % of rows, 100 % right, lift 2.8)
    [5] if (outlook = Rainy or missing) and (windy = Weak or missing) then y = Yes   (21 % of rows, ...)
    [6] if outlook = Sunny and (humidity = High or missing) then y = No   (21 % of rows, 100 % right, lift 2.8)
    [7] if outlook = Sunny and humidity = Normal then y = Yes   (14 % of rows, 100 % right, lift 1.56)
    otherwise y = Yes
    """
    if not hasattr(model, "fit"):
        raise DataError(f"a fitted tree is expected, got a {type(model).__name__}", "fit a model first")
    check_is_fitted(model)
    if not hasattr(model, "tree_"):
        raise DataError(f"a {type(model).__name__} has no tree", "its rules are in model.rule_set_")
    return rules_of(model.tree_, model.schema_)


def rules_of(tree: Tree, schema: Schema, most_conditions: int = MOST_CONDITIONS) -> RuleSet:
    """The same from a tree and its schema."""
    if tree.leaf is LeafKind.LOGISTIC:
        raise OptionError(
            "rules hold the shares of classes, and the leaves of this tree are logistic models", "use the tree as it is"
        )
    answers = NodeText(tree, schema)

    def model(node: int) -> RuleModel | None:
        return rule_model(tree.models, node, schema) if tree.leaf is LeafKind.LINEAR else None

    def rule(node: int, conditions: tuple[Condition, ...], number: int) -> Rule:
        value, stats = tree.value[node].tolist(), tree.stats[node].tolist()
        return Rule(conditions, answers.prediction(node), tuple(value), tuple(stats), number, model(node))

    n_conditions = int(tree.depths()[tree.n_branches == 0].sum())
    found = _one_per_test(tree, schema) if n_conditions <= most_conditions else _one_per_column(tree, schema)
    made = tuple(rule(leaf, conditions, leaf) for leaf, conditions in found)
    return RuleSet(schema, made, rule(0, (), NO_RULE), tuple(tree.stats[0].tolist()), tree.leaf)


def _one_per_test(tree: Tree, schema: Schema) -> Iterator[tuple[int, Conditions]]:
    def longer(path: Conditions, node: int, region: Region) -> Conditions:
        return (*path, Condition.of(region))

    start: Conditions = ()
    return paths(tree, schema, start, longer)


def _one_per_column(tree: Tree, schema: Schema) -> Iterator[tuple[int, Conditions]]:
    """The tests of a column joined, which mean the same."""
    return (
        (leaf, tuple(Condition.of(test.region) for test in path.values())) for leaf, path in joined_paths(tree, schema)
    )
