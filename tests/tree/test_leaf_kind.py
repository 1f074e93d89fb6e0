"""What leaves are is said, never guessed: the same statistics mean one thing for classes and another for numbers.

Twins are a tree of classes and one of numbers with the same statistics: three class weights beside three moments, six
beside the six statistics of medians.
"""

from __future__ import annotations

import copy
import json
from importlib import resources

import jsonschema
import numpy as np
import pytest

import treewright as tw
from made_trees import Made, same, tree_of
from treewright.criteria import gini, variance
from treewright.data.schema import Column, Kind, Schema, Target
from treewright.explain.explanation import explain_row
from treewright.explain.leaf_rules import rules
from treewright.explain.tree_text import render
from treewright.leaves import Leaf
from treewright.prediction import branch_shares, predicted_values
from treewright.prune.holdout import hold_out
from treewright.prune.methods.cost_complexity import CostComplexity
from treewright.prune.training_counts import training_error, training_loss, where_rows_end
from treewright.rules.from_tree import rules_of
from treewright.rules.rule_json import rules_from_json, rules_to_json
from treewright.tree.edit import cut
from treewright.tree.io import tree_from_json, tree_to_json
from treewright.tree.tree import LeafKind, Tree

FORMAT = json.loads(resources.files("treewright.tree").joinpath("model.schema.json").read_text("utf-8"))
COLUMNS = (Column("age", Kind.NUMERIC),)
NUMBER = Schema(COLUMNS, Target("price"))
STATS = {  # rows of 1, 2 and 6; of 1 and 2; of 6
    LeafKind.MEANS: [(3, 9, 41), (2, 3, 5), (1, 6, 36)],
    LeafKind.MEDIANS: [(3, 9, 41, 2, 5, 5), (2, 3, 5, 1.5, 1, 1), (1, 6, 36, 6, 0, 4)],
}
KINDS = list(STATS)


def classes_for(kind: LeafKind) -> Schema:
    """As many classes as a node of this kind has statistics."""
    return Schema(COLUMNS, Target("grade", tuple("abcdef"[: kind.n_stats(0)])))


def twins(kind: LeafKind) -> tuple[Tree, Tree]:
    """A tree of classes and one of numbers, over ``classes_for(kind)`` and ``NUMBER``, with the same statistics."""
    root, left, right = STATS[kind]
    made = tree_of(Made(root, 0, (30.5,), (0, 0, 1), (Made(left), Made(right)), rows=3), regression=False)
    value = Leaf(kind).values(made.stats, made.parent, NUMBER.target)
    return made, made._replace(value=value, leaf=kind)


def both(kind: LeafKind) -> list[tuple[Tree, Schema]]:
    classes, numbers = twins(kind)
    return [(classes, classes_for(kind)), (numbers, NUMBER)]


@pytest.mark.parametrize("kind", KINDS)
def test_twins_differ_in_what_their_leaves_are_only(kind):
    classes, numbers = twins(kind)
    np.testing.assert_array_equal(classes.stats, numbers.stats)
    assert (classes.leaf, numbers.leaf) == (LeafKind.CLASSES, kind)
    assert not same(numbers, numbers._replace(leaf=LeafKind.CLASSES))


# ---------------------------------------------------------------- counting and pruning


@pytest.mark.parametrize("kind", KINDS)
def test_weights(kind):
    classes, numbers = twins(kind)
    np.testing.assert_array_equal(classes.weights, np.array(STATS[kind]).sum(1))
    np.testing.assert_array_equal(numbers.weights, [3, 2, 1])
    np.testing.assert_allclose(branch_shares(numbers)[1:], [2 / 3, 1 / 3])
    np.testing.assert_allclose(branch_shares(classes)[1:], classes.weights[1:] / classes.weights[1:].sum())


def test_what_is_predicted_does_not_change_what_leaves_are():
    """Costs of tests are sent down a tree of classes in the place of its values, one number per node."""
    X = {"a": [1, 2, 3, 4, 5, None], "b": [1, 1, 2, 2, 1, 2]}
    tree = tw.C45Classifier(min_cases=1, prune=False).fit(X, list("xxyyzz")).tree_
    one_number = tree._replace(value=np.arange(float(tree.n_nodes))[:, None])
    np.testing.assert_array_equal(branch_shares(one_number), branch_shares(tree))
    np.testing.assert_array_equal(where_rows_end(one_number), where_rows_end(tree))
    rows = np.full((1, 2), np.nan)
    expected = predicted_values(tree._replace(value=np.repeat(one_number.value, 3, axis=1)), rows, 1)[:, :1]
    np.testing.assert_allclose(predicted_values(one_number, rows, 1), expected)


@pytest.mark.parametrize("kind", KINDS)
def test_losses_and_errors(kind):
    classes, numbers = twins(kind)
    wrong = classes.weights - classes.stats.max(1)
    np.testing.assert_allclose(training_loss(classes, classes_for(kind)), wrong)
    assert training_error(classes, classes_for(kind)) == pytest.approx(wrong[1:].sum() / classes.weights[1:].sum())
    lost = {LeafKind.MEANS: [14, 0.5, 0], LeafKind.MEDIANS: [5, 1, 0]}[kind]
    np.testing.assert_allclose(training_loss(numbers, NUMBER), lost, atol=1e-12)
    assert training_error(numbers, NUMBER) == pytest.approx(sum(lost[1:]) / 3)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_held_out(kind):
    classes, numbers = twins(kind)
    leaf, y = np.array([1, 2]), np.array([0, 2])
    np.testing.assert_allclose(hold_out(numbers, NUMBER, leaf, y + 0.0).weight, [2, 1, 1])
    error = np.abs(numbers.value[[0, 0, 1, 2], 0] - [0, 2, 0, 2])
    lost = error if kind is LeafKind.MEDIANS else error**2
    np.testing.assert_allclose(hold_out(numbers, NUMBER, leaf, y + 0.0).loss, [lost[:2].sum(), *lost[2:]])
    wrong = classes.stats[[0, 0, 1, 2]].argmax(1) != [0, 2, 0, 2]
    found = hold_out(classes, classes_for(kind), leaf, y)
    np.testing.assert_allclose(found.loss, [wrong[:2].sum(), *wrong[2:]])


@pytest.mark.parametrize("kind", KINDS)
def test_risks_of_cost_complexity(kind):
    classes, numbers = twins(kind)
    risk, unit = CostComplexity().risks(classes, classes_for(kind))
    np.testing.assert_allclose(risk, gini(classes.stats) * classes.weights)
    assert unit == sum(STATS[kind][0])
    risk, unit = CostComplexity().risks(numbers, NUMBER)
    spread = variance(numbers.stats[:, :3]) * [3, 2, 1]
    np.testing.assert_allclose(risk, numbers.stats[:, 4] if kind is LeafKind.MEDIANS else spread)
    assert unit == 3


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["minimum-error", "pessimistic", "mdl", "error-based", "cost-based"])
def test_methods_for_classes_refuse_numbers(kind, method):
    classes, numbers = twins(kind)
    pruner = {
        "minimum-error": tw.prune.MinimumError(), "pessimistic": tw.prune.Pessimistic(), "mdl": tw.prune.MDL(),
        "error-based": tw.prune.ErrorBased(raising=False), "cost-based": tw.prune.CostBased(),
    }[method]  # fmt: skip
    assert pruner(classes, classes_for(kind)).leaf is LeafKind.CLASSES
    with pytest.raises(tw.OptionError, match="is for classes"):
        pruner(numbers, NUMBER)


@pytest.mark.parametrize("kind", KINDS)
def test_smaller_trees_are_of_the_same_kind(kind):
    for tree, schema in both(kind):
        assert cut(tree, np.array([0])).leaf is tree.leaf
        assert CostComplexity(np.inf)(tree, schema).leaf is tree.leaf


# ---------------------------------------------------------------- words

WORDS = {LeafKind.CLASSES: "wrong", LeafKind.MEANS: "sd", LeafKind.MEDIANS: "MAE"}


@pytest.mark.parametrize("kind", KINDS)
def test_printed_trees_and_explanations(kind):
    for tree, schema in both(kind):
        text, explained = render(tree, schema), str(explain_row(tree, schema, np.array([20.0]), {"age": 20}))
        assert [leaf for leaf, word in WORDS.items() if word in text] == [tree.leaf]
        assert ("1.5 [1]" if schema is NUMBER else "c [1]") in text
        assert ("price = 1.5" if schema is NUMBER else "grade = c") in explained
        assert (kind.value[:-1] if schema is NUMBER else "c: 5") in explained


@pytest.mark.parametrize("kind", KINDS)
def test_rules_in_words(kind):
    for tree, schema in both(kind):
        text = str(rules_of(tree, schema))
        assert f"({tree.weights[1] / tree.weights[0]:.0%}".replace("%", " %") in text
        assert [leaf for leaf, word in {**WORDS, LeafKind.CLASSES: "lift"}.items() if word in text] == [tree.leaf]
        assert ("sd" in str(rules(tree, schema)[0])) == (tree.leaf is LeafKind.MEANS)


# ---------------------------------------------------------------- files


@pytest.mark.parametrize("kind", KINDS)
def test_files_say_what_leaves_are(kind):
    for tree, schema in both(kind):
        written = tree_to_json(tree, schema)
        assert written["leaf"] == tree.leaf.value
        assert same(tree_from_json(written, schema), tree)
        made = rules_of(tree, schema)
        assert rules_to_json(made)["leaf"] == made.leaf.value == tree.leaf.value
        assert rules_from_json(rules_to_json(made), schema) == made


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_that_contradicts_target_or_arrays_is_refused(kind):
    for tree, schema in both(kind):
        for leaf in set(LeafKind) - {tree.leaf}:
            of_target = f"the leaves are {leaf.value}, and the target '{schema.target.name}' is"
            of_arrays = f"'stats' must (have|be) {leaf.n_stats(0)} numbers"
            if leaf.n_stats(tree.value.shape[1]) == tree.stats.shape[1]:
                of_arrays = f"the leaves are {leaf.value}, and models are missing|rules do not hold logistic models"
            problem = of_target if leaf.of_classes == (schema is NUMBER) else of_arrays
            with pytest.raises(tw.ModelFileError, match=problem):
                tree_from_json({**tree_to_json(tree, schema), "leaf": leaf.value}, schema)
            with pytest.raises(tw.ModelFileError, match=problem):
                tree_to_json(tree._replace(leaf=leaf), schema)
            if leaf is LeafKind.LINEAR and tree.leaf is LeafKind.MEANS:
                continue  # rules that answer by models may all have been dropped
            with pytest.raises(tw.ModelFileError, match=problem):
                rules_from_json({**rules_to_json(rules_of(tree, schema)), "leaf": leaf.value}, schema)


@pytest.mark.parametrize("leaf", ["means ", "Classes", "linears", "", None, 3, ["means"], {"a": 1}])
def test_unknown_kinds_are_refused(leaf):
    tree, schema = both(LeafKind.MEANS)[1]
    with pytest.raises(tw.ModelFileError, match="unknown kind|'leaf' must be text"):
        tree_from_json({**tree_to_json(tree, schema), "leaf": leaf}, schema)
    with pytest.raises(tw.ModelFileError, match="unknown kind|'leaf' must be text"):
        rules_from_json({**rules_to_json(rules_of(tree, schema)), "leaf": leaf}, schema)


MODELS = {
    "three classes": lambda X: tw.CARTClassifier(max_depth=3).fit(X, list("abc") * 10),
    "means": lambda X: tw.CARTRegressor(max_depth=3).fit(X, np.arange(30.0) % 7),
    "six classes": lambda X: tw.CARTClassifier(max_depth=3).fit(X, list("abcdef") * 5),
    "medians": lambda X: tw.CARTRegressor(criterion="absolute_error", max_depth=3).fit(X, np.arange(30.0) % 7),
}


@pytest.mark.parametrize("rule_set", [False, True], ids=["tree", "rules"])
@pytest.mark.parametrize("name", MODELS)
def test_files_of_version_1_are_read(name, rule_set, tmp_path):
    """Such a file does not say what its leaves are."""
    path, X = tmp_path / "model.json", {"a": list(range(30)), "b": list("xyz") * 10}
    model = MODELS[name](X)
    saved = model.rule_set() if rule_set else model
    saved.save(path)
    document, learned = json.loads(path.read_text("utf-8")), "rules" if rule_set else "tree"
    jsonschema.validate(document, FORMAT)
    old = copy.deepcopy(document)
    old["version"] = 1
    del old[learned]["leaf"]
    jsonschema.validate(old, FORMAT)
    path.write_text(json.dumps(old), "utf-8")
    loaded = tw.load(path)
    assert str(loaded) == str(saved)
    assert loaded == saved if rule_set else same(loaded.tree_, model.tree_)
    loaded.save(path)
    assert json.loads(path.read_text("utf-8")) == document

    del document[learned]["leaf"]
    assert not jsonschema.Draft202012Validator(FORMAT).is_valid(document)
    path.write_text(json.dumps(document), "utf-8")
    with pytest.raises(tw.ModelFileError, match=f"{learned} lacks leaf"):
        tw.load(path)
