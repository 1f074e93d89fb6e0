"""Trees that are searched for: the search, the choice of α, what is kept, and the options."""

from __future__ import annotations

import json
import warnings
from contextlib import contextmanager

import numpy as np
import pytest
from sklearn.model_selection import KFold, StratifiedKFold

import treewright as tw
from treewright.alternatives import MOST_CELLS
from treewright.kernels import switch
from treewright.model.progress import listening
from treewright.prune import tree_search
from treewright.prune.tree_search import AndOrGrower

CURVE = ("alphas", "leaves", "training_errors", "errors", "standard_errors")


def monks(n_rows=200, seed=0):
    """Equal levels of two columns say "yes"; no column alone says anything, and others are noise."""
    random = np.random.default_rng(seed)
    X = {f"a{k}": random.integers(1, 4, n_rows).astype(str) for k in range(6)}
    return X, np.where(X["a0"] == X["a1"], "yes", "no")


def mixed(n_rows=200, seed=1):
    random = np.random.default_rng(seed)
    x, z = random.normal(size=(2, n_rows))
    level = random.choice(["a", "b", "c", "d"], n_rows).astype(object)
    score = x * (level == "b") + z + random.normal(size=n_rows) / 2
    z[random.random(n_rows) < 0.15] = np.nan
    level[random.random(n_rows) < 0.1] = None
    return {"x": x, "z": z, "level": level.tolist()}, np.array(["no", "yes", "so"])[np.digitize(score, [0, 1])], score


def same(one, other):
    for mine, theirs in zip(one.tree_.arrays(), other.tree_.arrays()):
        np.testing.assert_array_equal(mine, theirs)
    for name in CURVE:
        np.testing.assert_array_equal(getattr(one.curve_, name), getattr(other.curve_, name))


def test_the_search_finds_what_greedy_trees_do_not():
    X, y = monks()
    options = {"cv": 5, "repeats": 1, "rule": 0}
    test_X, test_y = monks(500, seed=7)
    searched = tw.SearchTreeClassifier(**options).fit(X, y)
    greedy = tw.SearchTreeClassifier(search=(), **options).fit(X, y)
    assert searched.score(test_X, test_y) > greedy.score(test_X, test_y) + 0.02
    assert searched.tree_.n_leaves < greedy.tree_.n_leaves


def test_the_alternatives_of_the_root_are_the_best_columns():
    X, y, _ = mixed()
    model = tw.SearchTreeClassifier(search=(3,), alpha=0.01).fit(X, y)
    kept = sorted(model.alternatives(0), key=lambda row: -row.gain)
    best = list(model.competitors(0))
    assert [row.column for row in kept] == [row.column for row in best]
    assert [row.gain for row in kept] == pytest.approx([row.gain for row in best])


def test_an_alternative_is_taken_because_it_costs_least():
    X, y = monks()
    model = tw.SearchTreeClassifier(cv=5, repeats=1).fit(X, y)
    for node in range(model.tree_.n_nodes):
        rows = list(model.alternatives(node))
        assert [row.taken for row in rows] == [True] + [False] * (len(rows) - 1)
        assert rows[0].cost <= min(row.cost for row in rows) + 1e-12
    root = model.alternatives(0)[0]
    assert root.leaves == model.tree_.n_leaves
    assert root.error == pytest.approx(model.curve_.chosen.training_error)


@pytest.mark.parametrize("options", [{}, {"choose": "oob"}, {"cv": "loo"}, {"rule": "1se"}, {"repeats": 2}])
def test_every_way_to_choose(options):
    X, y, _ = mixed(60)
    model = tw.SearchTreeClassifier(**{"search": (2,), "cv": 4, "repeats": 1, **options}).fit(X, y)
    assert np.isfinite(model.curve_.errors).all()
    assert model.curve_.chosen.leaves == model.tree_.n_leaves


def test_more_standard_errors_never_make_a_larger_tree():
    X, y, _ = mixed()
    fits = [tw.SearchTreeClassifier(search=(2, 2), cv=5, repeats=1, rule=rule).fit(X, y) for rule in (0, 0.5, 1, 3)]
    leaves = [model.tree_.n_leaves for model in fits]
    assert leaves == sorted(leaves, reverse=True)
    assert leaves[0] > leaves[-1]


def test_errors_left_out_are_those_of_models_fitted_without_the_rows():
    """Fold by fold by hand, for one α."""
    X, y, _ = mixed()
    model = tw.SearchTreeClassifier(search=(2, 2), cv=4, repeats=1, random_state=3).fit(X, y)
    place = 20
    alpha, wrong = float(model.curve_.alphas[place]), 0
    for rest, part in StratifiedKFold(4, shuffle=True, random_state=3).split(np.zeros(len(y)), y):
        taken = [{name: np.array(column, object)[rows] for name, column in X.items()} for rows in (rest, part)]
        one = tw.SearchTreeClassifier(search=(2, 2), alpha=alpha, kinds={"x": "numeric", "z": "numeric"})
        wrong += (one.fit(taken[0], y[rest]).predict(taken[1]) != y[part]).sum()
    assert model.curve_.errors[place] == pytest.approx(wrong / len(y))


def test_an_alternative_has_to_save_more_than_a_leaf_for_each_doubling_of_its_rank():
    data = tw.datasets.load("same_shape")
    leaves = {cost: tw.SearchTreeClassifier(alpha=0.01, alternative_cost=cost).fit(data.X, data.y).tree_.n_leaves
              for cost in (0, 1, 100)}  # fmt: skip
    assert leaves == {0: 6, 1: 6, 100: 14}
    model = tw.SearchTreeClassifier(alpha=0.01).fit(data.X, data.y)
    ranked = sorted(model.alternatives(0), key=lambda row: -row.gain)
    free = tw.SearchTreeClassifier(alpha=0.01, alternative_cost=0).fit(data.X, data.y)
    best = {row.column: row.error + 0.01 * row.leaves for row in free.alternatives(0)}
    for row in ranked:
        assert row.cost >= best[row.column] - 1e-12
    assert ranked[0].cost >= ranked[0].error + 0.01 * ranked[0].leaves
    assert ranked[1].cost >= ranked[1].error + 0.01 * (ranked[1].leaves + 1)


def test_models_of_before_alternatives_cost_anything_tell_their_costs(tmp_path):
    data, path = tw.datasets.load("same_shape"), tmp_path / "model.json"
    model = tw.SearchTreeClassifier(alpha=0.01, alternative_cost=0).fit(data.X, data.y)
    model.save(path)
    document = json.loads(path.read_text())
    del document["facts"]["search"]["alternative_cost"]
    path.write_text(json.dumps(document))
    assert str(tw.load(path).alternatives(0)) == str(model.alternatives(0))


def test_max_leaves_is_kept_to():
    X, y, _ = mixed()
    assert tw.SearchTreeClassifier(search=(2,), cv=3, repeats=1, rule=0, max_leaves=3).fit(X, y).tree_.n_leaves <= 3


@pytest.mark.parametrize("most", [1, 3, 6])
def test_max_leaves_is_kept_to_by_a_given_alpha(most):
    X, y, _ = mixed()
    whole = tw.SearchTreeClassifier(search=(2,), alpha=0).fit(X, y)
    model = tw.SearchTreeClassifier(search=(2,), alpha=0, max_leaves=most).fit(X, y)
    assert whole.tree_.n_leaves > 6
    assert model.tree_.n_leaves == max(row.leaves for row in whole.curve_ if row.leaves <= most)


def test_with_leaves_picks_the_largest_tree_of_the_curve():
    X, y, _ = mixed()
    model = tw.SearchTreeClassifier(search=(2,), cv=3, repeats=1).fit(X, y)
    for most in (1, 4, 9, 10**6):
        other = model.with_leaves(most)
        assert other.tree_.n_leaves == max(row.leaves for row in model.curve_ if row.leaves <= min(most, 100))
        assert other.curve_.chosen.leaves == other.tree_.n_leaves
    assert model.curve_.chosen.leaves == model.tree_.n_leaves
    with pytest.raises(tw.OptionError, match="no tree of the curve has at most 0 leaves"):
        model.with_leaves(0)


@pytest.mark.parametrize("most", ["8", None, 2.5, True])
def test_leaves_are_counted_in_whole_numbers(most):
    with pytest.raises(tw.OptionError, match="most must be a whole number"):
        tw.SearchTreeClassifier(search=(), alpha=0.1).fit([[1], [2]], [0, 1]).with_leaves(most)


@pytest.mark.parametrize("learner", [tw.SearchTreeClassifier, tw.SearchTreeRegressor])
def test_the_paragraph_of_a_picked_tree_does_not_say_that_the_rule_took_it(learner, tmp_path):
    X, classes, score = mixed()
    model = learner(search=(2,), cv=3, repeats=1).fit(X, classes if learner is tw.SearchTreeClassifier else score)
    picked, leaves = model.with_leaves(1), model.tree_.n_leaves
    assert picked.summary().endswith(f"It was picked by its leaves; the rule takes the one with {leaves}.")
    picked.save(tmp_path / "picked.json")
    assert tw.load(tmp_path / "picked.json").summary() == picked.summary()
    assert model.with_leaves(leaves).summary() == model.summary()
    assert "picked" not in model.summary()


@pytest.mark.parametrize("learner", [tw.SearchTreeClassifier, tw.SearchTreeRegressor])
def test_saved_and_loaded(learner, tmp_path):
    X, classes, score = mixed()
    y = classes if learner is tw.SearchTreeClassifier else score
    model = learner(search=(3, 2), cv=3, repeats=1).fit(X, y)
    model.save(tmp_path / "model.json")
    loaded = tw.load(tmp_path / "model.json")
    same(model, loaded)
    assert str(loaded.alternatives()) == str(model.alternatives())
    assert str(loaded.with_leaves(3)) == str(model.with_leaves(3))
    assert loaded.summary() == model.summary()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("place", 99),
        ("chosen", [[5]]),
        ("n_branches", []),
        ("splits", {}),
        ("alternative_cost", "x"),
        ("parent", [0]),
        ("places", ["x"]),
    ],
)
def test_a_damaged_search_is_refused(name, value, tmp_path):
    X, y, _ = mixed(60)
    path = tmp_path / "model.json"
    tw.SearchTreeClassifier(search=(2,), alpha=0.01).fit(X, y).save(path)
    document = json.loads(path.read_text())
    document["facts"]["search"][name] = value
    path.write_text(json.dumps(document))
    with pytest.raises(tw.ModelFileError):
        tw.load(path)


def test_the_number_of_threads_changes_nothing():
    X, y, _ = mixed()
    one, two = (tw.SearchTreeClassifier(search=(3, 2), cv=3, repeats=1, n_jobs=n).fit(X, y) for n in (1, 2))
    same(one, two)


@pytest.mark.parametrize("options", [{}, {"choose": "oob"}, {"alpha": 0.01}])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_progress_ends_when_all_rows_are_done(n_jobs, options):
    told = []

    @contextmanager
    def listener(what, total):
        told.append((what, total))
        yield told.append

    X, y, _ = mixed(120)
    with listening(listener):
        tw.SearchTreeClassifier(search=(2, 2), cv=3, repeats=2, n_jobs=n_jobs, **options).fit(X, y)
    (what, total), *steps = told
    assert (what, sum(steps)) == ("searching", total)
    assert total == 120 if "alpha" in options else total > 120


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_samples_that_grow_at_a_time_share_the_cells(n_jobs, monkeypatch):
    given_cells = []
    grow = AndOrGrower.grow

    def counted(self, encoded, samples, workers, report, most_cells):
        given_cells.append(most_cells)
        return grow(self, encoded, samples, workers, report, most_cells)

    monkeypatch.setattr(AndOrGrower, "grow", counted)
    monkeypatch.setattr(tree_search, "_CELLS_TOGETHER", 0)
    X, y, _ = mixed(60)
    tw.SearchTreeClassifier(search=(2,), cv=5, repeats=1, n_jobs=n_jobs).fit(X, y)
    assert given_cells == [MOST_CELLS] + [MOST_CELLS // n_jobs] * 5


@pytest.mark.skipif(switch.policy == "never", reason="nothing may be compiled in this run")
@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_plain_or_compiled(kind):
    X, classes, score = mixed(120)
    learner = tw.SearchTreeClassifier if kind == "classes" else tw.SearchTreeRegressor
    fits = []
    for road in ("never", "always"):
        with switch.compiling(road):
            fits.append(learner(search=(2, 2), cv=3, repeats=1).fit(X, classes if kind == "classes" else score))
    same(*fits)


@pytest.mark.parametrize("missing", ["learned", "branch", "common", "stop", "drop", {"z": "stop"}])
def test_policies_in_which_rows_go_one_way(missing):
    X, y, _ = mixed()
    model = tw.SearchTreeClassifier(search=(2,), cv=3, repeats=1, missing=missing).fit(X, y)
    assert model.score(X, y) > np.mean(y == "no")


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_bins_of_one_value_lead_to_the_exact_tree(kind):
    X, classes, score = mixed()
    X = {**X, "x": X["x"].round(1), "z": X["z"].round(1)}
    learner = tw.SearchTreeClassifier if kind == "classes" else tw.SearchTreeRegressor
    options = {"search": (3, 2), "cv": 3, "repeats": 1}
    fits = [learner(engine=engine, **options).fit(X, classes if kind == "classes" else score)
            for engine in ("exact", "histogram")]  # fmt: skip
    same(*fits)
    assert fits[0].tree_.n_leaves > 2


@pytest.mark.parametrize("missing", ["fractional", "every", "surrogate"])
def test_other_policies_are_refused(missing):
    with pytest.raises(tw.OptionError, match="missing"):
        tw.SearchTreeClassifier(missing=missing).fit([[1], [2]], [0, 1])


def test_costs_constraints_and_weights_hold():
    X, y, _ = mixed()
    options = {"search": (3, 2), "cv": 3, "repeats": 1}
    costly = tw.SearchTreeClassifier(**options, costs={("yes", "no"): 20}).fit(X, y)
    plain = tw.SearchTreeClassifier(**options).fit(X, y)
    assert (costly.predict(X)[y == "yes"] == "no").sum() < (plain.predict(X)[y == "yes"] == "no").sum()
    forced = tw.SearchTreeClassifier(**options, force={0: "level"}, rule=0).fit(X, y)
    assert [row.column for row in forced.alternatives(0) if row.column] == ["level"]
    forbidden = tw.SearchTreeClassifier(**options, forbid=["z"]).fit(X, y)
    assert 1 not in forbidden.tree_.columns_used
    weighted = tw.SearchTreeClassifier(search=(2,), alpha=0.02).fit(X, y, sample_weight=np.full(len(y), 3.0))
    assert weighted.tree_.n_leaves == tw.SearchTreeClassifier(search=(2,), alpha=0.02).fit(X, y).tree_.n_leaves


def test_monotone_bounds_are_carried_over():
    random = np.random.default_rng(3)
    X = random.normal(size=(150, 3))
    y = X[:, 0] + np.sin(3 * X[:, 1]) + random.normal(size=150)
    model = tw.SearchTreeRegressor(search=(3, 2), alpha=0.01, monotone={"x0": 1}).fit(X, y)
    for row in X[:20]:
        line = np.tile(row, (50, 1))
        line[:, 0] = np.linspace(-3, 3, 50)
        assert (np.diff(model.predict(line)) >= 0).all()


def test_rare_classes_and_few_rows():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = tw.SearchTreeClassifier().fit([[1], [2], [3], [4], [5], [6], [7]], list("aaabbbc"))
    assert model.tree_.n_leaves >= 1


def test_the_paragraph_says_what_was_tried():
    X, y, _ = mixed()
    model = tw.SearchTreeClassifier(search=(3, 2), cv=3, repeats=1).fit(X, y)
    assert "3 and 2 columns" in model.summary()
    assert f"{model.tree_.n_leaves} leaves" in model.summary()
    assert "\n" not in model.summary()


def test_the_curve_is_a_table_and_a_plot():
    X, y, _ = mixed()
    curve = tw.SearchTreeClassifier(search=(2,), cv=3, repeats=1).fit(X, y).curve_
    assert curve.to_dict()["leaves"] == sorted(curve.to_dict()["leaves"], reverse=True)
    assert sum(row.chosen for row in curve) == 1
    assert str(curve).count("chosen") == 1
    axes = curve.plot()
    assert axes.get_xlabel() == "leaves"


@pytest.mark.parametrize(
    ("option", "value"),
    [("search", 5), ("search", (0,)), ("search", (2.5,)), ("rule", -1), ("rule", "2se"), ("cv", 1), ("repeats", 0),
     ("cv", KFold), ("choose", "best"), ("alpha", -0.1), ("alternative_cost", -1), ("alternative_cost", "1")],
)  # fmt: skip
def test_bad_options(option, value):
    with pytest.raises(tw.OptionError, match=f"{option}="):
        tw.SearchTreeClassifier(**{option: value}).fit([[1], [2]], [0, 1])


@pytest.mark.parametrize("cv", ["loo", KFold(3)])
def test_bootstrap_samples_have_a_number(cv):
    with pytest.raises(tw.OptionError, match="with choose='oob' it is the number of bootstrap samples"):
        tw.SearchTreeClassifier(cv=cv, choose="oob").fit([[1], [2], [3]], [0, 1, 1])


@pytest.mark.parametrize("cv", ["loo", 60, 100, KFold(4)])
def test_the_same_folds_are_grown_once(cv, monkeypatch):
    seen = []
    grow = AndOrGrower.grow
    monkeypatch.setattr(AndOrGrower, "grow", lambda self, encoded, samples, *rest, **by_name: (
        seen.extend(samples), grow(self, encoded, samples, *rest, **by_name))[1])  # fmt: skip
    X, y, _ = mixed(60)
    tw.SearchTreeClassifier(search=(), cv=cv).fit(X, y)
    assert len(seen) == 1 + (4 if isinstance(cv, KFold) else 60)


@pytest.mark.parametrize(
    ("options", "words"),
    [({"cv": 4}, "by 4-fold cross-validation."), ({"cv": 100}, "by leaving out one row at a time."),
     ({"cv": "loo"}, "by leaving out one row at a time."), ({"cv": KFold(4)}, "by cross-validation with KFold"),
     ({"cv": 4, "repeats": 2}, "by 4-fold cross-validation, 2 times."), ({}, "by 10-fold cross-validation, 3 times."),
     ({"cv": 4, "choose": "oob"}, "by 4 bootstrap samples and the rows that are not in them.")],
)  # fmt: skip
def test_the_paragraph_says_how_it_was_chosen(options, words):
    X, y, _ = mixed(30)
    repeats = {} if not options else {"repeats": 1}
    assert words in tw.SearchTreeClassifier(search=(2,), **{**repeats, **options}).fit(X, y).summary()


def test_a_table_that_cannot_be_split():
    """One row, or a column of one value."""
    assert tw.SearchTreeRegressor().fit([[1.0]], [2.0]).predict([[5.0]]).tolist() == [2.0]
    model = tw.SearchTreeClassifier(cv=2).fit([[1.0]] * 6, list("aabbbb"))
    assert (model.tree_.n_leaves, str(model.alternatives(0)).count("taken")) == (1, 1)


def test_what_is_made_of_the_model():
    X, y, _ = mixed()
    model = tw.SearchTreeClassifier(search=(2,), alpha=0.02).fit(X, y)
    pruned = model.prune("depth", depth=1)
    assert pruned.tree_.depth == 1
    with pytest.raises(tw.OptionError, match="not the one that was searched for"):
        pruned.alternatives(0)
    with pytest.raises(tw.OptionError, match="cannot go on from a leaf"):
        model.grow_on()
    assert model.grow_on(learner=tw.CARTClassifier()).tree_.n_leaves > model.tree_.n_leaves
