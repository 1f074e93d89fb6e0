"""Models for commands: trees, rules, neighbours, and ensembles."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from treewright.errors import ModelFileError, OptionError

ModelPath = Annotated[str, typer.Argument(metavar="MODEL", help="A model that treewright fit saved.")]


def load(path: str) -> Any:
    """A tree, or a rule set: what a rule learner saved is read as an estimator, rules alone as they are."""
    from treewright.model.model_files import load as load_model

    return load_model(path)


def model_made_by(model: Any, command: str) -> Any:
    """The model, which says in its file that this command made it, after those that made what it was made of."""
    from treewright.model.model_origin import Origin

    before = model.__dict__.get("origin_")
    model.__dict__["origin_"] = Origin.now((*(before.commands if before else ()), command))
    return model


def load_tree(path: str) -> Any:
    """A tree, for commands that need one."""
    model = load(path)
    if not hasattr(model, "tree_"):
        raise ModelFileError(f"{path!r} holds {held(model)}, and a tree is needed", "name the model of a tree")
    return model


def held(model: Any) -> str:
    """What a model is, in errors."""
    return "rules" if rules_in(model) is not None else str(model.holds)


def rules_in(model: Any) -> Any:
    """The rule set, or those of a committee; None where the model is no rules."""
    from treewright.rules.rule_set import RuleSet

    for name in ("rule_set_", "cubist_"):
        if hasattr(model, name):
            return getattr(model, name)
    return model if isinstance(model, RuleSet) else None


def rules_record(rules: Any) -> dict[str, Any]:
    """Rules as JSON; those of a committee member by member."""
    from treewright.rules.rule_json import rules_to_json

    if hasattr(rules, "members"):
        return {"members": [rules_to_json(member) for member in rules.rule_sets()]}
    return rules_to_json(rules)


def schema_of(model: Any) -> Any:
    rules = rules_in(model)
    return model.schema_ if rules is None else rules.schema


def text_of(model: Any, unfold: str, **folds: Any) -> str:
    """The tree, the rules, or what another model is like; ``unfold`` names the options that show more."""
    rules = rules_in(model)
    if rules is not None:
        return str(rules.to_text(max_rules=folds.get("max_lines", 200)))
    return str(model.to_text(unfold=unfold, **folds)) if hasattr(model, "tree_") else str(model.to_text())


def rule_texts(model: Any) -> dict[int, str]:
    """The rules in words, by the number of their leaf or their own; -1 is where none is met."""
    from treewright.rules.rule import NO_RULE
    from treewright.rules.rule_text import outcome, sentence

    rules = rules_in(model)
    if rules is None and not hasattr(model, "rules"):
        raise OptionError(f"--rule is for trees and rules, and the model holds {model.holds}", "leave it out")
    if rules is None:
        return {rule.leaf: str(rule) for rule in model.rules()}
    if hasattr(rules, "members"):
        return {NO_RULE: "the mean of all rules that are met"}
    texts = {rule.number: sentence(rule, rules.schema) for rule in rules}
    return {**texts, NO_RULE: f"otherwise {outcome(rules.otherwise, rules.schema)}"}
