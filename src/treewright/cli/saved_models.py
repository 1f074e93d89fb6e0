"""Models for commands: trees, rules and neighbours."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from treewright.errors import ModelFileError, OptionError

ModelPath = Annotated[str, typer.Argument(metavar="MODEL", help="A model that treewright fit saved.")]


def load(path: str) -> Any:
    """A tree, or a rule set: what a rule learner saved is read as an estimator, rules alone as they are."""
    from treewright.model.model_files import load as load_model

    return load_model(path)


def load_tree(path: str) -> Any:
    """A tree, for commands that need one."""
    model = load(path)
    if not hasattr(model, "tree_"):
        held = "neighbours" if is_neighbours(model) else "rules"
        raise ModelFileError(f"{path!r} holds {held}, and a tree is needed", "name the model of a tree")
    return model


def is_neighbours(model: Any) -> bool:
    """Whether a model is its rows, and nearest neighbours among them decide."""
    return hasattr(model, "kneighbors")


def rules_in(model: Any) -> Any:
    """The rule set, or None if the model is a tree or neighbours."""
    if hasattr(model, "tree_") or is_neighbours(model):
        return None
    return model.rule_set_ if hasattr(model, "rule_set_") else model


def schema_of(model: Any) -> Any:
    rules = rules_in(model)
    return model.schema_ if rules is None else rules.schema


def text_of(model: Any, unfold: str, **folds: Any) -> str:
    """The tree, the rules, or a line about neighbours; ``unfold`` names the options that show more."""
    if is_neighbours(model):
        return str(model)
    rules = rules_in(model)
    if rules is not None:
        return str(rules.to_text(max_rules=folds.get("max_lines", 200)))
    return str(model.to_text(unfold=unfold, **folds))


def rule_texts(model: Any) -> dict[int, str]:
    """The rules in words, by the number of their leaf or their own; -1 is where none is met."""
    from treewright.rules.rule import NO_RULE
    from treewright.rules.rule_text import outcome, sentence

    rules = rules_in(model)
    if is_neighbours(model):
        raise OptionError("--rule is for trees and rules, and the model holds neighbours", "leave it out")
    if rules is None:
        return {rule.leaf: str(rule) for rule in model.rules()}
    texts = {rule.number: sentence(rule, rules.schema) for rule in rules}
    return {**texts, NO_RULE: f"otherwise {outcome(rules.otherwise, rules.schema)}"}
