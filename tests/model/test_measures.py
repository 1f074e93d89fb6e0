"""Every measure in every recipe: it chooses the split it scores highest, or is refused with the reason."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from strategies import examples
from treewright import criteria
from treewright.criteria import CRITERIA, SAME_AS
from treewright.table import Table

FOR_CLASSES = [name for name, one in CRITERIA.items() if one.target == "classes"]
FOR_NUMBERS = [name for name, one in CRITERIA.items() if one.target != "classes"]
STYLES = ("subset", "multiway", "one-vs-rest")
CLASSIFIERS = {
    "id3": tw.ID3Classifier, "cart": tw.CARTClassifier,
    **{style: lambda style=style, **options: tw.TreeClassifier(splits=style, **options) for style in STYLES},
}  # fmt: skip
REGRESSORS = {
    "cart": tw.CARTRegressor,
    **{style: lambda style=style, **options: tw.TreeRegressor(splits=style, **options) for style in STYLES},
}
NAMED = {  # what people ask for by name, and the function of counts that it is
    "entropy": lambda: criteria.entropy([9, 5], base=3), "information gain": lambda: criteria.gain([[2, 3], [4, 0]]),
    "conditional entropy": lambda: criteria.conditional_entropy([[2, 3], [4, 0]]),
    "gain ratio": lambda: criteria.gain_ratio([[2, 3], [4, 0]]), "Gini": lambda: criteria.gini([9, 5]),
    "misclassification": lambda: criteria.misclassification([9, 5]), "χ²": lambda: criteria.chi2([[2, 3], [4, 0]]),
    "G": lambda: criteria.g([[2, 3], [4, 0]]), "MDL": lambda: criteria.mdl([[2, 3], [4, 0]]),
    "C-SEP": lambda: criteria.c_sep([[2, 3], [4, 0]]), "twoing": lambda: criteria.twoing([[2, 3], [4, 0]]),
    "DKM": lambda: criteria.dkm([9, 5]), "Hellinger": lambda: criteria.hellinger([[2, 3], [4, 0]]),
    "KL from uniform": lambda: criteria.kl_from_uniform([9, 5]), "variance": lambda: criteria.variance([2, 6, 20]),
    "Friedman": lambda: criteria.friedman(Table.of_moments([1, 1, 2], [0, 0, 4])),
    "Poisson": lambda: criteria.poisson_deviance([2, 1, 1]),
    "absolute error": lambda: criteria.absolute_error([1, 1, 2], [0, 3, 10]),
    "log-likelihood": lambda: criteria.log_likelihood_gain([[2, 3], [4, 0]]),
}  # fmt: skip


def table():
    """Nominal, ordinal and numeric columns, with a connection to the target and without ties."""
    random = np.random.default_rng(0)
    colour, size = random.choice(["red", "green", "blue"], 90), random.choice(["small", "medium", "large"], 90)
    x = random.normal(size=90)
    number = np.round(2 + (colour == "red") + 0.5 * x + random.random(90), 3)
    classes = np.where(number > 3.2, "high", np.where(number > 2.4, "mid", "low"))
    return {"colour": colour, "size": size, "x": x}, classes, np.maximum(number, 0.0)


KINDS = {"size": ["small", "medium", "large"]}


def branch_of_row(model, X):
    """The branch that each row takes at the root."""
    path = model.decision_path(X).toarray()[:, 1 : 1 + int(model.tree_.n_branches[0])]
    return path.argmax(1) + 1


def score_of_root(model, X, y, name):
    branch, criterion = branch_of_row(model, X), CRITERIA[name]
    if criterion.target == "moments":
        return float(criterion.score(Table.of_moments(branch, y - (0 if name == "poisson" else y.mean()))))
    values, codes = np.unique(y, return_inverse=True)
    counts = Table.of(branch, codes)
    return float(criterion.score(counts, values) if criterion.target == "values" else criterion.score(counts))


def check(make, X, y, name):
    """The score of the root is the measure of its branches, and no column by itself does better."""
    options = {"max_depth": 1, "kinds": KINDS}
    model = make(criterion=name, **options).fit(X, y)
    assert model.tree_.n_leaves >= 2
    assert model.tree_.gain[0] == pytest.approx(score_of_root(model, X, y, name), rel=1e-6, abs=1e-8)
    for column in X:
        kinds = {name: kind for name, kind in KINDS.items() if name == column}
        alone = make(criterion=name, max_depth=1, kinds=kinds).fit({column: X[column]}, y)
        assert alone.tree_.gain[0] <= model.tree_.gain[0] + 1e-9
    assert make(criterion=name, kinds=KINDS).fit(X, y).score(X, y) > 0.8  # description length stops by itself


@pytest.mark.parametrize("recipe", CLASSIFIERS)
@pytest.mark.parametrize("name", FOR_CLASSES)
def test_measures_of_classes(recipe, name):
    X, classes, _ = table()
    check(CLASSIFIERS[recipe], X, classes, name)


@pytest.mark.parametrize("recipe", REGRESSORS)
@pytest.mark.parametrize("name", FOR_NUMBERS)
def test_measures_of_numbers(recipe, name):
    X, _, number = table()
    check(REGRESSORS[recipe], X, number, name)


@pytest.mark.parametrize("recipe", ["id3", "cart", "subset"])
@pytest.mark.parametrize("name", [name for name, other in SAME_AS.items() if other in FOR_CLASSES])
def test_other_names(recipe, name):
    X, classes, _ = table()
    mine, other = (CLASSIFIERS[recipe](criterion=one, kinds=KINDS).fit(X, classes).tree_ for one in (name, "entropy"))
    np.testing.assert_array_equal(mine.gain, other.gain)


def test_what_other_names_measure_is_what_they_rank_by():
    """From the node to its branches the divergence rises, and the conditional entropy falls, by the gain."""
    counts = np.array([[2, 3], [4, 0], [3, 2]])
    shares = counts.sum(1) / counts.sum()
    rise = (shares * criteria.kl_from_uniform(counts)).sum() - criteria.kl_from_uniform(counts.sum(0))
    fall = criteria.entropy(counts.sum(0)) - criteria.conditional_entropy(counts)
    assert rise == pytest.approx(criteria.gain(counts))
    assert fall == pytest.approx(criteria.gain(counts))
    total = counts.sum()
    assert criteria.log_likelihood_gain(counts) == pytest.approx(total * criteria.gain(counts, base="e"))


@pytest.mark.parametrize("base", [2.0, 10.0, float(np.e)])
def test_entropy_in_any_base(base):
    X, classes, _ = table()
    for make in (tw.ID3Classifier, tw.TreeClassifier):
        gain = make(criterion="entropy", base=base, max_depth=1).fit(X, classes).tree_.gain[0]
        bits = make(criterion="entropy", max_depth=1).fit(X, classes).tree_.gain[0]
        assert gain * np.log2(base) == pytest.approx(bits)


@pytest.mark.parametrize("name", NAMED)
def test_on_counts_alone(name):
    assert np.isfinite(NAMED[name]())


@pytest.mark.parametrize("name", FOR_NUMBERS)
@pytest.mark.parametrize("recipe", ["id3", "cart", "subset"])
def test_measures_of_numbers_are_refused_for_classes(recipe, name):
    X, classes, _ = table()
    with pytest.raises(tw.OptionError, match=f"criterion='{name}' is not accepted.*'gain_ratio'"):
        CLASSIFIERS[recipe](criterion=name).fit(X, classes)


@pytest.mark.parametrize("name", FOR_CLASSES)
@pytest.mark.parametrize("recipe", REGRESSORS)
def test_measures_of_classes_are_refused_for_numbers(recipe, name):
    X, _, number = table()
    with pytest.raises(tw.OptionError, match=f"criterion='{name}' is not accepted.*'absolute_error'"):
        REGRESSORS[recipe](criterion=name).fit(X, number)


@pytest.mark.parametrize("name", [name for name in CRITERIA if name != "gain_ratio"])
def test_c45_has_measures_of_its_own(name):
    X, classes, _ = table()
    with pytest.raises(tw.OptionError, match="by which C4.5 chooses; TreeClassifier takes every measure"):
        tw.C45Classifier(criterion=name).fit(X, classes)


@pytest.mark.parametrize("name", ["gain_ratio", "gain"])
def test_the_measures_of_c45(name):
    X, classes, _ = table()
    assert tw.C45Classifier(criterion=name).fit(X, classes).score(X, classes) > 0.8


def test_chaid_goes_by_its_test():
    X, classes, _ = table()
    with pytest.raises(tw.OptionError, match="criterion"):
        tw.fit({**X, "class": classes}, target="class", method="chaid", criterion="gini")


# ---------------------------------------------------------------- gain ratio among columns of average gain

# "rare" parts one row from fifteen: gain .0655, split information .3373, ratio .1942. "good" has four groups of 3 : 1
# and 1 : 3: gain .1887, split information 2, ratio .0944. The average gain is .1271.
RATIOS = {"rare": ["r"] + ["s"] * 15, "good": list("aaaabbbbccccdddd")}
ANSWERS = ["y", "y", "y", "n", "n", "n", "n", "y", "y", "y", "y", "n", "n", "n", "n", "y"]


@pytest.mark.parametrize("make", [tw.ID3Classifier, partial(tw.TreeClassifier, splits="multiway")])
def test_the_ratio_of_columns_below_the_average_gain_does_not_count(make):
    """002: gain ratio may choose a column just because its split information is very low."""
    tables = {name: Table.of(np.unique(cells, return_inverse=True)[1] + 1, (np.array(ANSWERS) == "y").astype(int))
              for name, cells in RATIOS.items()}  # fmt: skip
    assert [round(float(criteria.gain(table)), 4) for table in tables.values()] == [0.0655, 0.1887]
    assert [round(float(criteria.gain_ratio(table)), 4) for table in tables.values()] == [0.1942, 0.0944]
    plain = make(criterion="gain_ratio", max_depth=1).fit(RATIOS, ANSWERS)
    among = make(criterion="gain_ratio", above_average=True, max_depth=1).fit(RATIOS, ANSWERS)
    assert (plain.tree_.n_leaves, among.tree_.n_leaves) == (2, 4)
    asked = tw.fit({**RATIOS, "y": ANSWERS}, "y", "id3", criterion="gain_ratio", above_average=True, max_depth=1)
    assert asked.tree_.n_leaves == 4


def test_the_gain_ratio_of_play_tennis_above_the_average_gain():
    """Gains .2467, .0292, .1518, .0481: outlook and humidity are compared, and outlook has the larger ratio."""
    table = tw.datasets.load("play_tennis")
    X = {name: cells for name, cells in table.X.items() if name != "day"}
    seen = []

    def select(candidates):
        seen.append([candidate.column for candidate in candidates])
        return candidates[0]

    options = {"criterion": "gain_ratio", "above_average": True, "splits": "multiway", "max_depth": 1}
    tw.TreeClassifier(select=select, **options).fit(X, table.y)
    assert seen == [["outlook", "humidity"]]


@given(seed=st.integers(0, 10**6), missing=st.sampled_from(["learned", "fractional", "branch", "every"]))
@settings(max_examples=examples(30))
def test_columns_above_the_average_gain_by_hand(seed, missing):
    rng = np.random.default_rng(seed)
    levels = ["a", "b", "c", None]
    X = {name: rng.choice(levels, 25, p=[0.5, 0.3, 0.1, 0.1]).tolist() for name in "uvw"}
    y = rng.choice(["n", "y"], 25)
    found = {}

    def select(candidates):
        found.update({candidate.column: candidate for candidate in candidates})
        return None

    options = {"criterion": "gain_ratio", "splits": "multiway", "missing": missing, "select": select}
    if len(set(y)) < 2:
        return
    tw.TreeClassifier(**options).fit(X, y)
    everyone = dict(found)
    found.clear()
    tw.TreeClassifier(above_average=True, **options).fit(X, y)
    totals = np.array([(y == "n").sum(), (y == "y").sum()])
    gains = {name: float(criteria.gain(Table(c.table.counts, totals - c.table.counts.sum(0))))
             for name, c in everyone.items()}  # fmt: skip
    average = np.mean(list(gains.values()))
    assert set(found) == {name for name, gain in gains.items() if gain >= average - 1e-12}
