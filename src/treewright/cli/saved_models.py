"""Models for commands: trees, rules, and ensembles."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from treewright.errors import ModelFileError

ModelPath = Annotated[str, typer.Argument(metavar="MODEL", help="A model that treewright fit saved.")]


def load(path: str) -> Any:
    """A tree, or a rule set: what a rule learner saved is read as an estimator, rules alone as they are."""
    from treewright.model.model_files import load as load_model

    return load_model(path)


def load_tree(path: str) -> Any:
    """A tree, for commands that need one."""
    model = load(path)
    if not hasattr(model, "tree_"):
        held = "many trees" if is_ensemble(model) else "rules"
        raise ModelFileError(f"{path!r} holds {held}, and a tree is needed", "name the model of a tree")
    return model


def is_ensemble(model: Any) -> bool:
    return hasattr(model, "members_")


def oob_error(model: Any) -> float | None:
    """The out-of-bag error of an ensemble that has one."""
    return model.oob_.error if hasattr(model, "oob_") else None


def rules_in(model: Any) -> Any:
    """The rule set, or None if the model is a tree or an ensemble."""
    if hasattr(model, "tree_") or is_ensemble(model):
        return None
    return model.rule_set_ if hasattr(model, "rule_set_") else model


def schema_of(model: Any) -> Any:
    rules = rules_in(model)
    return model.schema_ if rules is None else rules.schema


def text_of(model: Any, unfold: str, **folds: Any) -> str:
    """The tree or the rules, or what an ensemble is like; ``unfold`` names the options that show more."""
    if is_ensemble(model):
        return str(model.to_text())
    rules = rules_in(model)
    if rules is not None:
        return str(rules.to_text(max_rules=folds.get("max_lines", 200)))
    return str(model.to_text(unfold=unfold, **folds))


def rule_texts(model: Any) -> dict[int, str]:
    """The rules in words, by the number of their leaf or their own; -1 is where none is met."""
    from treewright.rules.rule import NO_RULE
    from treewright.rules.rule_text import outcome, sentence

    rules = rules_in(model)
    if rules is None:
        return {rule.leaf: str(rule) for rule in model.rules()}
    texts = {rule.number: sentence(rule, rules.schema) for rule in rules}
    return {**texts, NO_RULE: f"otherwise {outcome(rules.otherwise, rules.schema)}"}
