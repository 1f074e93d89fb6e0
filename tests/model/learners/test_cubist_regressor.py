"""Cubist as an estimator: committees, neighbours, samples, files, words."""

from __future__ import annotations

import json
import re
import warnings

import numpy as np
import pytest
from sklearn.base import clone

import treewright as tw
from treewright.kernels import switch

RANDOM = np.random.default_rng(1)
N_ROWS = 150
X = {
    "size": RANDOM.normal(size=N_ROWS).round(3),
    "age": RANDOM.integers(0, 50, N_ROWS),
    "colour": RANDOM.choice(["red", "green", "blue"], N_ROWS).tolist(),
    "sold": RANDOM.choice(["no", "yes"], N_ROWS).tolist(),
}
Y = np.where(X["age"] > 20, 3 * X["size"], 10 - X["age"] / 5) + (np.array(X["colour"]) == "red")


def test_committees_and_neighbours_change_predictions():
    one = tw.CubistRegressor().fit(X, Y)
    several = tw.CubistRegressor(committees=4).fit(X, Y)
    near = tw.CubistRegressor(neighbors=5).fit(X, Y)
    assert len(several.cubist_.members) == 4
    assert not np.allclose(one.predict(X), several.predict(X))
    assert np.abs(near.predict(X) - Y).mean() < np.abs(one.predict(X) - Y).mean()


@pytest.mark.skipif(switch.policy == "never", reason="nothing may be compiled in this run")
@pytest.mark.parametrize("learner", [tw.CubistRegressor(committees=2, neighbors=3), tw.M5RulesRegressor()])
def test_plain_and_compiled_rules_are_the_same(learner):
    few = {name: column[:60] for name, column in X.items()}
    found = []
    for road in ("never", "always"):
        with switch.compiling(road):
            model = clone(learner).fit(few, Y[:60])
            found.append((str(model), model.predict(few)))
    assert found[0][0] == found[1][0]
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-9)


def test_rule_sets_predict_as_the_model_does():
    model = tw.CubistRegressor(committees=3).fit(X, Y)
    mean = np.mean([rules.predict(X) for rules in model.rule_sets()], axis=0)
    np.testing.assert_allclose(mean, model.predict(X), rtol=1e-4, atol=1e-4)
    assert all(rules.answer == "mean" for rules in model.rule_sets())


def test_a_sample_is_the_same_for_the_same_seed():
    found = [tw.CubistRegressor(sample=50, random_state=seed).fit(X, Y).to_cubist() for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize("options", [{}, {"committees": 2, "neighbors": 3, "unbiased": True}])
def test_files(options, tmp_path):
    model = tw.CubistRegressor(**options).fit(X, Y)
    model.save(tmp_path / "model.json")
    loaded = tw.load(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert str(loaded) == str(model)
    assert loaded.to_cubist() == model.to_cubist()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda learned: learned["members"].clear(), "no rules"),
        (lambda learned: learned["members"][0][0].pop("slopes"), "do not make sense"),
        (lambda learned: learned["members"][0][0].update(attributes=[99], slopes=[1.0]), "term of no column"),
        (lambda learned: learned["members"][0][0].update(attributes=[2], slopes=[1.0]), "term that is no number"),
        (lambda learned: learned["columns"].update(kind=[9, 9, 9, 9]), "unknown kind"),
        (lambda learned: learned.update(extrapolation=7.0), "extrapolation"),
        (lambda learned: learned["cases"]["x"].pop(), "cases do not fit"),
    ],
)
def test_damaged_files_are_refused(change, words, tmp_path):
    path = tmp_path / "model.json"
    tw.CubistRegressor(neighbors=2).fit(X, Y).save(path)
    document = json.loads(path.read_text("utf-8"))
    change(document["learned"])
    path.write_text(json.dumps(document), "utf-8")
    with pytest.raises(tw.ModelFileError, match=words):
        tw.load(path)


def test_an_explanation_adds_up():
    model = tw.CubistRegressor(committees=2, neighbors=3).fit(X, Y)
    row = {name: column[0] for name, column in X.items()}
    reason = model.explain(row)
    assert reason.prediction == model.predict([row])[0]
    assert np.mean([part.prediction for part in reason.members]) == pytest.approx(reason.by_rules, rel=1e-4)
    assert f"prediction: y = {reason.prediction:.6g}" in str(reason)


def test_missing_and_unseen_values_count_as_the_usual_ones():
    model = tw.CubistRegressor().fit(X, Y)
    unknown = {"size": [None], "age": [None], "colour": ["violet"], "sold": [None]}
    usual = [float(model.cubist_.columns.replacement[j]) for j in range(2)]
    commonest = [model.schema_.columns[j].levels[int(model.cubist_.columns.replacement[j])] for j in (2, 3)]
    known = dict(zip(X, ([value] for value in (*usual, *commonest))))
    np.testing.assert_array_equal(model.predict(unknown), model.predict(known))


def test_importance_is_usage():
    importance = tw.CubistRegressor().fit(X, Y).feature_importances_
    assert importance.sum() == pytest.approx(1)
    assert importance.argmax() in (0, 1)


def test_limits_of_rules_hold():
    model = tw.CubistRegressor(extrapolation=0).fit(X, Y)
    far = {"size": [1e9, -1e9], "age": [1e6, -1e6], "colour": ["red", None], "sold": ["no", "yes"]}
    assert (model.predict(far) >= Y.min() - 1e-4).all()
    assert (model.predict(far) <= Y.max() + 1e-4).all()


def test_numbers_that_32_bits_cannot_square_are_refused():
    with pytest.raises(tw.DataError, match="32-bit"):
        tw.CubistRegressor().fit({"a": [1e30, 2.0, 3.0]}, [1.0, 2.0, 3.0])


def test_a_target_of_small_numbers_is_told():
    with pytest.warns(tw.TreewrightWarning, match="multiply it"):
        tw.CubistRegressor().fit(X, Y * 1e-6)


OUT_OF_RANGE = {
    "committees": [0, 101, 1.5],
    "neighbors": [-1, 10],
    "rules": [0],
    "sample": [0, 100],
    "extrapolation": [101],
}


@pytest.mark.parametrize(("option", "value"), [(name, value) for name in OUT_OF_RANGE for value in OUT_OF_RANGE[name]])
def test_options_out_of_range_are_refused(option, value):
    with pytest.raises(tw.OptionError, match=f"{option}=.*not accepted"):
        tw.CubistRegressor(**{option: value}).fit(X, Y)


STEPS = np.arange(1.0, 41)


@pytest.mark.parametrize(
    ("x", "y", "told"),
    [
        (STEPS, STEPS**1.3 * 1e-5, "the standard deviation of the target is .*Hint: multiply it, for example by 1"),
        (STEPS * 1e-5, STEPS**1.3, "the standard deviation of column 'x' is .*Hint: multiply it, for example by 1"),
        (STEPS, STEPS**1.3 + 1e8, "the target holds numbers of 1e.08 .*Hint: subtract its mean"),
        (STEPS + 1e6, STEPS**1.3, "column 'x' holds numbers of 1e.06 .*Hint: subtract its mean"),
    ],
)
def test_a_scale_for_which_cubist_was_not_made_is_told_of(x, y, told):
    with pytest.warns(tw.TreewrightWarning, match=told):
        tw.CubistRegressor().fit({"x": x}, y)


@pytest.mark.parametrize(("x", "y"), [(STEPS, STEPS**1.3), (STEPS + 2000, STEPS / 10 + 1000), (STEPS * 0, STEPS)])
def test_usual_scales_are_not(x, y):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        tw.CubistRegressor().fit({"x": x}, y)
    assert not [str(one.message) for one in told if "Cubist" in str(one.message)]


def test_a_tree_grown_in_pieces_by_threads_is_the_same(monkeypatch):
    """Large nodes are divided by themselves, and the trees below them grown side by side."""
    rng = np.random.default_rng(3)
    X = {f"x{j}": rng.normal(size=400).round(2) for j in range(4)}
    X["level"] = rng.choice(list("abcde"), 400)
    y = X["x0"] * (X["x1"] > 0) + (X["level"] == "b") * X["x2"] + rng.normal(size=400)
    whole = tw.CubistRegressor(committees=2, n_jobs=1).fit(X, y)
    monkeypatch.setattr("treewright.cubist.cubist_tree._PIECE", 60)
    pieces = tw.CubistRegressor(committees=2, n_jobs=2).fit(X, y)
    assert pieces.to_cubist() == whole.to_cubist()
    np.testing.assert_array_equal(pieces.predict(X), whole.predict(X))


def _rules_of(model):
    return [line.strip() for line in model.to_cubist().splitlines() if line.startswith(("conds", "type", "coeff"))]


def test_weights_of_the_first_cases_weigh_errors_once_outliers_are_left_out():
    """Which cases come first depends on how nodes below were divided. The original printed these rules."""
    a = [2, 5, 5, 6, 3, 4, 8, 1, 3, 1, 8, 4, 3, 2, 7, 8, 2, 7, 8, 1, 0, 5, 0, 2]
    b = [7, 8, 1, 16, 13, 16, 15, 6, 9, 3, 3, 9, 11, 4, 11, 3, 15, 10, 1, 16, 7, 0, 19, 1]
    y = [3.9, 3.7, 1.1, 20.6, 12.4, 16.3, 23.5, 3.2, 4.6, 1.7, 1.6, 5.0, 11.2, 2.4, 19.8, 1.5, 11.3, 18.6, 0.1, 70.0,
         3.3, 0.1, 9.7, 60.0]  # fmt: skip
    weights = [1, 2, 1, 1, 1, 4, 1, 1, 4, 4, 2, 2, 2, 1, 4, 2, 2, 4, 4, 2, 2, 2, 4, 1]
    model = tw.CubistRegressor().fit(np.column_stack((a, b)).astype(float), y, sample_weight=weights)
    cover, terms = _rules_of(model)
    assert cover == 'conds="0" cover="24" mean="11.59" loval="0.1" hival="70" esterr="7.69"'
    assert re.findall('coeff="([^"]*)"', terms) == ["-0.85", "0.95"]


def test_uneven_weights_whose_rounding_leaves_no_spread_make_no_tree():
    """The original printed this rule: its spread of the target is the root of a number below 0."""
    x = np.arange(12.0)
    weights = [5, 1, 1, 1, 1, 5, 5, 3, 1, 1, 2, 2]
    with pytest.warns(tw.TreewrightWarning, match="subtract its mean"):
        model = tw.CubistRegressor().fit(x[:, None], 10000 + 0.5 * x, sample_weight=weights)
    assert _rules_of(model) == [
        'conds="0" cover="12" mean="10002.59" loval="10000" hival="10005.5" esterr="1.58"',
        'coeff="10002.5"',
    ]


@pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")
def test_models_whose_spreads_rounding_has_lost_can_be_stored(tmp_path):
    random = np.random.default_rng(3)
    x = np.column_stack((1e6 + random.normal(size=60).round(3), np.arange(60.0)))
    y, weights = 1e6 + 0.5 * x[:, 1], random.choice([1, 2, 3, 5], 60)
    model = tw.CubistRegressor(neighbors=3).fit(x, y, sample_weight=weights)
    model.save(tmp_path / "model.json")
    assert np.isfinite(model.predict(x)).all()
    assert np.array_equal(tw.load(tmp_path / "model.json").predict(x), model.predict(x))
