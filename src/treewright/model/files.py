"""Models to and from JSON files. Loading builds arrays from checked numbers and runs nothing."""

from __future__ import annotations

from dataclasses import asdict
from os import PathLike
from typing import Any

from treewright.errors import ModelFileError, TreewrightError
from treewright.model.base import TreeModel
from treewright.model.c45 import C45Classifier
from treewright.model.c45_rules import C45RulesClassifier
from treewright.model.chaid import CHAIDClassifier, CHAIDRegressor
from treewright.model.classifier import CARTClassifier, ClassifierModel, ID3Classifier, TreeClassifier
from treewright.model.regressor import CARTRegressor, TreeRegressor
from treewright.prune.methods import METHODS
from treewright.prune.report import report_from_json, report_to_json
from treewright.rules.io import NAME as RULE_SET
from treewright.rules.io import document_of, rules_from_json
from treewright.rules.rule_set import RuleSet
from treewright.tree.io import (
    FORMAT,
    VERSION,
    read_document,
    schema_from_json,
    schema_to_json,
    tree_from_json,
    tree_to_json,
    write_document,
)
from treewright.tree.values import value_to_json

ESTIMATORS: dict[str, type[TreeModel]] = {
    kind.__name__: kind
    for kind in (
        ID3Classifier,
        C45Classifier,
        CARTClassifier,
        CHAIDClassifier,
        TreeClassifier,
        CARTRegressor,
        CHAIDRegressor,
        TreeRegressor,
    )
}
RULE_ESTIMATORS: dict[str, type[C45RulesClassifier]] = {C45RulesClassifier.__name__: C45RulesClassifier}
_PRUNERS = {kind.__name__: kind for kind in METHODS.values()}


def save(model: TreeModel, path: str | PathLike[str]) -> None:
    name = _known_name(model, ESTIMATORS)
    document = {
        "format": FORMAT,
        "version": VERSION,
        "estimator": name,
        "parameters": _parameters_to_json(model),
        "schema": schema_to_json(model.schema_),
        "tree": tree_to_json(model.tree_, model.schema_),
        "facts": _facts(model),
    }
    write_document(path, document)


def save_rules(model: C45RulesClassifier, path: str | PathLike[str]) -> None:
    name = _known_name(model, RULE_ESTIMATORS)
    write_document(path, document_of(model.rule_set_, name, _parameters_to_json(model), _facts(model)))


def _facts(model: TreeModel | C45RulesClassifier) -> dict[str, Any]:
    named = {"named": hasattr(model, "feature_names_in_")}
    return {**named, "pruned": report_to_json(model.pruned_)} if hasattr(model, "pruned_") else named


def load(path: str | PathLike[str]) -> Any:
    """Read a model, or a rule set, that ``model.save(path)`` wrote.

    >>> import os, tempfile, treewright as tw
    >>> table = tw.datasets.load("xor")
    >>> path = os.path.join(tempfile.mkdtemp(), "model.json")
    >>> tw.CARTClassifier().fit(table.X, table.y).save(path)
    >>> tw.load(path).score(table.X, table.y)
    1.0
    """
    document = read_document(path)
    name = document["estimator"]
    known = [RULE_SET, *RULE_ESTIMATORS] if "rules" in document else list(ESTIMATORS)
    if name not in known:
        raise ModelFileError(f"the file holds a {name!r}, which is not known here", f"known are {', '.join(known)}")
    return _rules_of(document) if "rules" in document else _tree_of(document)


def _rules_of(document: dict[str, Any]) -> C45RulesClassifier | RuleSet:
    schema = schema_from_json(document["schema"])
    rules = rules_from_json(document["rules"], schema)
    name = document["estimator"]
    if name == RULE_SET:
        return rules
    if schema.target.classes is None:
        raise ModelFileError(f"the file's target does not fit a {name}", "save the model again")
    model: C45RulesClassifier = _with_parameters(RULE_ESTIMATORS[name], document["parameters"])
    model._keep(rules, bool(document["facts"].get("named")))
    return model


def _tree_of(document: dict[str, Any]) -> TreeModel:
    name = document["estimator"]
    model: TreeModel = _with_parameters(ESTIMATORS[name], document["parameters"])
    schema = schema_from_json(document["schema"])
    classes = schema.target.classes
    if (classes is None) == issubclass(ESTIMATORS[name], ClassifierModel):
        raise ModelFileError(f"the file's target does not fit a {name}", "save the model again")
    facts = document["facts"]
    told = report_from_json(facts["pruned"]) if "pruned" in facts else None
    model._keep(schema, tree_from_json(document["tree"], schema), told, named=bool(facts.get("named")))
    return model


def _known_name(model: Any, known: dict[str, Any]) -> str:
    name = type(model).__name__
    if known.get(name) is not type(model):
        raise TreewrightError(f"cannot save a {name}: load would not know it", f"known are {', '.join(known)}")
    return name


def _parameters_to_json(model: TreeModel | C45RulesClassifier) -> dict[str, Any]:
    """Parameters that are plain data. What only matters while fitting, such as a generator's state, is left out."""
    named = {name: _pruner_to_json(value) for name, value in model.get_params(deep=False).items()}
    return {name: value for name, value in named.items() if _is_plain(value)}


def _pruner_to_json(value: Any) -> Any:
    name = type(value).__name__
    return {"method": name, **asdict(value)} if name in _PRUNERS else value


def _is_plain(value: Any) -> bool:
    try:
        value_to_json(value)
    except TreewrightError:
        return False
    return True


def _with_parameters(kind: Any, parameters: Any) -> Any:
    try:
        values = dict(parameters)
        if isinstance(values.get("prune"), dict):
            values["prune"] = _PRUNERS[values["prune"].pop("method")](**values["prune"])
        model = kind(**values)
        model._check_options()
    except (TypeError, ValueError, KeyError) as error:
        raise ModelFileError(
            f"the parameters do not fit a {kind.__name__} ({error})", "save the model again"
        ) from error
    return model
