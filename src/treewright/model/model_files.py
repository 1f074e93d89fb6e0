"""Models to and from JSON files. Loading builds arrays from checked numbers and runs nothing."""

from __future__ import annotations

from dataclasses import asdict, fields
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any

from treewright.cubist.cubist_json import cubist_from_json, cubist_to_json
from treewright.errors import ModelFileError, TreewrightError
from treewright.explain.holdout_statistics import statistics_from_json, statistics_to_json
from treewright.model.base import TreeModel
from treewright.model.class_or_number import Classifies
from treewright.model.discretizer import Discretizer, edges_from_json, edges_to_json
from treewright.model.learners.c45_classifier import C45Classifier
from treewright.model.learners.c45_rules_classifier import C45RulesClassifier
from treewright.model.learners.c50_classifier import C50Classifier
from treewright.model.learners.c50_files import c50_from_json, c50_to_json
from treewright.model.learners.chaid_estimators import CHAIDClassifier, CHAIDRegressor
from treewright.model.learners.classifier import CARTClassifier, ID3Classifier, TreeClassifier
from treewright.model.learners.cubist_regressor import CubistRegressor
from treewright.model.learners.knn_estimators import KNNClassifier, KNNRegressor
from treewright.model.learners.m5_estimators import M5Regressor, M5RulesRegressor
from treewright.model.learners.neighbor_files import neighbours_from_json, neighbours_to_json
from treewright.model.learners.regressor import CARTRegressor, TreeRegressor
from treewright.model.learners.search_json import search_from_json, search_to_json
from treewright.model.learners.search_tree import SearchModel, SearchTreeClassifier, SearchTreeRegressor
from treewright.model.model_origin import origin_from_json, origin_of, origin_to_json
from treewright.model.table_model import SAVED, Form, TableModel, register
from treewright.prune.complexity_table import table_from_json, table_to_json
from treewright.prune.pruning_methods import METHODS
from treewright.prune.pruning_report import report_from_json, report_to_json
from treewright.rules.rule_json import NAME as RULE_SET
from treewright.rules.rule_json import rules_from_json, rules_to_json
from treewright.tree.check import require
from treewright.tree.files import uncollected
from treewright.tree.io import (
    read_document,
    schema_from_json,
    schema_to_json,
    section_of,
    tree_from_json,
    tree_to_json,
    write_document,
)
from treewright.tree.values import value_to_json

if TYPE_CHECKING:
    from treewright.model.model_types import Saved

_PRUNERS = {kind.__name__: kind for kind in METHODS.values()}
_TREE = Form(
    "tree",
    lambda model: tree_to_json(model.tree_, model.schema_),
    lambda section, schema: {"tree_": tree_from_json(section, schema)},
)
_RULES = Form(
    "rules",
    lambda model: rules_to_json(model.rule_set_),
    lambda section, schema: {"rule_set_": rules_from_json(section, schema)},
)
_TREES: tuple[type[TreeModel], ...] = (
    ID3Classifier,
    C45Classifier,
    CARTClassifier,
    CHAIDClassifier,
    TreeClassifier,
    CARTRegressor,
    CHAIDRegressor,
    TreeRegressor,
    M5Regressor,
    SearchTreeClassifier,
    SearchTreeRegressor,
)
for _kind in _TREES:
    register(_kind, _TREE)
register(C45RulesClassifier, _RULES)
register(M5RulesRegressor, _RULES)
register(
    CubistRegressor,
    Form(
        "learned",
        lambda model: cubist_to_json(model.cubist_),
        lambda section, schema: {"cubist_": cubist_from_json(section, schema)},
    ),
)
register(C50Classifier, Form("learned", c50_to_json, c50_from_json))
register(Discretizer, Form("learned", edges_to_json, edges_from_json))
for _neighbours in (KNNClassifier, KNNRegressor):
    register(_neighbours, Form("learned", neighbours_to_json, neighbours_from_json))


def save(model: TableModel, path: str | PathLike[str]) -> None:
    document = model_to_json(model)
    document["facts"]["origin"] = origin_to_json(origin_of(model))  # of the whole, not of every member
    write_document(path, document)


def model_to_json(model: TableModel) -> dict[str, Any]:
    """The sections of a model's document."""
    form = _form_of(model)
    return {
        **learner_to_json(model),
        "schema": schema_to_json(model.schema_),
        form.section: form.to_json(model),
        "facts": _facts_to_json(model) | form.facts(model),
    }


def learner_to_json(model: TableModel) -> dict[str, Any]:
    """What a model learns by: its name and its options."""
    return {"estimator": type(model).__name__, "parameters": _parameters_to_json(model)}


def learner_from_json(data: Any) -> Any:
    """An estimator that is not fitted."""
    require(isinstance(data, dict) and data.keys() == {"estimator", "parameters"}, "a learner has a name and options")
    _find(data["estimator"])
    require(data["estimator"] in SAVED, f"the learner {data['estimator']!r} is not known here")
    return _with_parameters(SAVED[data["estimator"]][0], data["parameters"])


def model_from_json(document: Any) -> TableModel:
    """A model that is a part of another one's document."""
    require(isinstance(document, dict), "a member is no model")
    section = section_of(document)
    require(
        document.keys() == {"estimator", "parameters", "schema", "facts", section}
        and isinstance(document["facts"], dict),
        "a member is no model",
    )
    learner_from_json({name: document[name] for name in ("estimator", "parameters")})
    require(SAVED[document["estimator"]][1].section == section, "a member is no model of its kind")
    return _model_of(document, section)


def _form_of(model: TableModel) -> Form:
    name = type(model).__name__
    if name not in SAVED or SAVED[name][0] is not type(model):
        raise TreewrightError(f"cannot save a {name}: load would not know it", f"known are {', '.join(SAVED)}")
    return SAVED[name][1]


def _facts_to_json(model: TableModel) -> dict[str, Any]:
    facts: dict[str, Any] = {"named": hasattr(model, "feature_names_in_")}
    facts |= {"pruned": report_to_json(model.pruned_)} if hasattr(model, "pruned_") else {}
    if hasattr(model, "complexity_table_"):
        facts["complexity"] = table_to_json(model.complexity_table_)
    facts |= {"holdout": statistics_to_json(model.holdout_)} if hasattr(model, "holdout_") else {}
    return facts | ({"search": search_to_json(model.curve_, model.searched_)} if hasattr(model, "searched_") else {})


def _facts_from_json(facts: dict[str, Any], learned: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"pruned_": report_from_json(facts["pruned"])} if "pruned" in facts else {}
    if "origin" in facts:
        found["origin_"] = origin_from_json(facts["origin"])
    if "complexity" in facts:
        found["complexity_table_"] = table_from_json(facts["complexity"])
    if "holdout" in facts and "tree_" in learned:
        found["holdout_"] = statistics_from_json(facts["holdout"], learned["tree_"])
    return found


@uncollected()
def load(path: str | PathLike[str]) -> Saved:
    """Read a model, or a rule set, that ``model.save(path)`` wrote.

    Parameters
    ----------
    path : str or PathLike
        The file. It is JSON; reading it executes nothing.

    Examples
    --------
    >>> import os, tempfile, treewright as tw
    >>> table = tw.datasets.load("xor")
    >>> path = os.path.join(tempfile.mkdtemp(), "model.json")
    >>> tw.CARTClassifier().fit(table.X, table.y).save(path)
    >>> tw.load(path).score(table.X, table.y)
    1.0
    """
    document = read_document(path)
    name, section = document["estimator"], section_of(document)
    if (name, section) == (RULE_SET, "rules"):
        return rules_from_json(document["rules"], schema_from_json(document["schema"]))
    _find(name)
    known = [saved for saved, (_, form) in SAVED.items() if form.section == section]
    if name not in known:
        names = [RULE_SET, *known] if section == "rules" else known
        raise ModelFileError(f"the file holds a {name!r}, which is not known here", f"known are {', '.join(names)}")
    return _model_of(document, section)


def _find(name: str) -> None:
    """Have an estimator registered that lives in a package nobody has imported yet: public names know where."""
    public = import_module(__name__.partition(".")[0])
    if isinstance(name, str) and name not in SAVED and name in public.__all__:
        getattr(public, name)


def _model_of(document: dict[str, Any], section: str) -> TableModel:
    kind, form = SAVED[document["estimator"]]
    model: TableModel = _with_parameters(kind, document["parameters"])
    schema, facts = schema_from_json(document["schema"]), document["facts"]
    if (schema.target.classes is None) == issubclass(kind, Classifies):
        raise ModelFileError(f"the file's target does not fit a {kind.__name__}", "save the model again")
    learned = form.from_json(document[section], schema)
    if isinstance(model, SearchModel) and "search" in facts:
        learned |= search_from_json(facts["search"], schema, model._leaf())
    known = _facts_from_json(facts, learned) | form.from_facts(facts)
    model._keep(schema, learned | known, named=bool(facts.get("named")))
    return model


def _parameters_to_json(model: TableModel) -> dict[str, Any]:
    """Parameters that are plain data. What only matters while fitting, such as a generator's state, is left out."""
    named = {name: _pruner_to_json(value) for name, value in model.get_params(deep=False).items()}
    return {name: value for name, value in named.items() if _is_plain(value)}


def _pruner_to_json(value: Any) -> Any:
    name = type(value).__name__
    if name not in _PRUNERS:
        return value
    options = asdict(value)
    return {"method": name, **{field.name: options[field.name] for field in fields(value) if field.init}}


def _is_plain(value: Any) -> bool:
    try:
        value_to_json(value)
    except TreewrightError:
        return False
    return True


def _with_parameters(kind: Any, parameters: Any) -> Any:
    try:
        values = dict(parameters)
        if isinstance(values.get("prune"), dict) and "method" in values["prune"]:
            values["prune"] = _PRUNERS[values["prune"].pop("method")](**values["prune"])
        model = kind(**values)
        model._check_options()
    except (TypeError, ValueError, KeyError) as error:
        raise ModelFileError(
            f"the parameters do not fit a {kind.__name__} ({error})", "save the model again"
        ) from error
    return model
