"""Ensembles in model files: the members packed, and how much each counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.data.schema import Schema
from treewright.ensemble.adaboost import AdaBoostClassifier, AdaBoostRegressor
from treewright.ensemble.bagging import BaggingClassifier, BaggingRegressor
from treewright.ensemble.forests import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from treewright.ensemble.member_draws import MemberDraws
from treewright.ensemble.members import ModelMembers, TreeMembers
from treewright.ensemble.out_of_bag import OutOfBag
from treewright.ensemble.packed_trees import packed, trees_from_json, trees_to_json, unpacked
from treewright.model.model_files import learner_from_json, learner_to_json, model_from_json, model_to_json
from treewright.model.table_model import Form, register
from treewright.table import N_MOMENTS
from treewright.tree.check import require

_CURVES = ("errors_", "validation_curve_")  # numbers of the rounds, where there are rounds
_WANTED = {"weights", "target", "rows", "learner", "named", "chosen"}


def ensemble_to_json(model: Any) -> dict[str, Any]:
    """What was learned, as plain values. Predictions of rows left out are not kept: a file has no rows of the fit."""
    members = model.members_
    found: dict[str, Any] = {
        "weights": packed(model.weights_),
        "target": packed(model.target_stats_),
        "rows": int(model.n_rows_),
        "learner": learner_to_json(model._learner()),
        "named": hasattr(model, "feature_names_in_"),
        "chosen": getattr(model, "member", None) is not None,
    }
    if isinstance(members, TreeMembers):
        found["trees"] = trees_to_json(members.trees, model.schema_)
    else:
        found["models"] = [model_to_json(one) for one in members.models]
    found |= {name.rstrip("_"): _curve(getattr(model, name)) for name in _CURVES if hasattr(model, name)}
    if "oob_" in model.__dict__:
        found["oob"] = _curve(model.oob_.curve)
    return found


def _curve(numbers: Any) -> dict[str, Any]:
    return {"size": len(numbers), **packed(np.asarray(numbers))}


def _numbers(data: Any, name: str) -> Any:
    require(isinstance(data, dict) and type(data.get("size")) is int, f"{name!r} must be a packed curve")
    return unpacked({k: v for k, v in data.items() if k != "size"}, data["size"], name).astype(np.float64)


def ensemble_from_json(data: Any, schema: Schema) -> dict[str, Any]:
    require(isinstance(data, dict) and data.keys() >= _WANTED, "the ensemble lacks a part")
    unknown = data.keys() - _WANTED - {"trees", "models", "oob", *(name.rstrip("_") for name in _CURVES)}
    require(not unknown, f"the ensemble has unknown entries {', '.join(sorted(unknown))}")
    require(type(data["rows"]) is int and data["rows"] > 0, "the number of rows is none")
    require(type(data["named"]) is bool and ("trees" in data) != ("models" in data), "the ensemble has no members")
    learner = learner_from_json(data["learner"])
    if "trees" in data:
        require(hasattr(learner, "_recipe"), "the members are trees, and the learner grows none")
        trees = trees_from_json(data["trees"], schema)
        members: Any = TreeMembers(trees, schema, learner, named=data["named"])
    else:
        require(isinstance(data["models"], list) and data["models"], "the ensemble has no members")
        members = ModelMembers([model_from_json(one) for one in data["models"]], schema)
        known = set(schema.target.classes or ())
        fits = all(set(one.schema_.target.classes or ()) <= known for one in members.models)
        require(fits, "a member predicts classes that the ensemble does not know")
    weights = unpacked(data["weights"], len(members), "weights").astype(np.float64)
    require(np.isfinite(weights).all() and (weights > 0).all(), "the weight of a member is not above 0")
    n_stats = len(schema.target.classes) if schema.target.classes else N_MOMENTS
    stats = unpacked(data["target"], n_stats, "target").astype(np.float64)
    found = {"members_": members, "weights_": weights, "n_rows_": data["rows"], "target_stats_": stats}
    if data["chosen"]:  # the member is an option, and options of a file are plain values
        found["member"] = learner
    found |= {name: _numbers(data[name.rstrip("_")], name) for name in _CURVES if name.rstrip("_") in data}
    if "oob" in data:
        curve = _numbers(data["oob"], "oob")
        require(len(curve) == len(members), "'oob' must have an error for every member")
        found["oob_"] = OutOfBag(curve)
    return found


def _draws_to_json(model: Any) -> dict[str, Any]:
    """Which rows the members left out follows from how they were drawn."""
    return {"draws": model.draws_.to_json()} if hasattr(model, "draws_") else {}


def _draws_from_json(facts: dict[str, Any]) -> dict[str, Any]:
    return {"draws_": MemberDraws.from_json(facts["draws"])} if "draws" in facts else {}


for _kind in (
    RandomForestClassifier, RandomForestRegressor, ExtraTreesClassifier, ExtraTreesRegressor, BaggingClassifier,
    BaggingRegressor, AdaBoostClassifier, AdaBoostRegressor,
):  # fmt: skip
    register(_kind, Form("learned", ensemble_to_json, ensemble_from_json, _draws_to_json, _draws_from_json))
