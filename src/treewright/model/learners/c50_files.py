"""What a C5.0 model has learned, as plain values for a JSON file, and back."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from treewright.c50.training_evaluation import TrainingEvaluation
from treewright.data.schema import Schema
from treewright.errors import ModelFileError
from treewright.model.learners.c50_classifier import C50Classifier
from treewright.rules.rule_json import rules_from_json, rules_to_json
from treewright.tree.check import HINT, require, required_list
from treewright.tree.io import tree_from_json, tree_to_json

_PARTS = {"trees", "rule_sets", "evaluation", "winnowed", "text"}


def c50_to_json(model: C50Classifier) -> dict[str, Any]:
    known = model.__dict__
    trees = known.get("trees_") or ([known["tree_"]] if "tree_" in known else [])
    sets = known.get("rule_sets_") or ([known["rule_set_"]] if "rule_set_" in known else [])
    return {
        "trees": [tree_to_json(tree, model.schema_) for tree in trees],
        "rule_sets": [rules_to_json(rules) for rules in sets],
        "evaluation": asdict(model.evaluation_),
        "winnowed": model.winnowed_,
        "text": known.get("c50_text_"),
    }


def c50_from_json(section: Any, schema: Schema) -> dict[str, Any]:
    """The attributes by name; ModelFileError if the section is not one of C5.0."""
    require(isinstance(section, dict) and section.keys() == _PARTS, "what was learned is not that of C5.0")
    trees = tuple(tree_from_json(tree, schema) for tree in required_list(section["trees"], "trees"))
    sets = tuple(rules_from_json(rules, schema) for rules in required_list(section["rule_sets"], "rule sets"))
    require(isinstance(section["winnowed"], dict), "winnowed columns go by their names")
    require(bool(trees) != bool(sets), "a C5.0 model has trees or rules")
    found: dict[str, Any] = {"evaluation_": _evaluation(section["evaluation"]), "winnowed_": dict(section["winnowed"])}
    if section["text"] is not None:
        found["c50_text_"] = str(section["text"])
    if len(trees) == 1:
        return {**found, "tree_": trees[0]}
    if len(sets) == 1:
        return {**found, "rule_set_": sets[0]}
    return {**found, "trees_": trees} if trees else {**found, "rule_sets_": sets}


def _evaluation(parts: Any) -> TrainingEvaluation:
    try:
        return TrainingEvaluation(
            n_cases=int(parts["n_cases"]),
            sizes=tuple(int(size) for size in parts["sizes"]),
            errors=tuple(int(errors) for errors in parts["errors"]),
            all_errors=int(parts["all_errors"]),
            usage=tuple(float(share) for share in parts["usage"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ModelFileError("the evaluation of a C5.0 model is not one", HINT) from error
