"""Plain or compiled: the same trees, and the same predictions to the last digit."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone

import treewright as tw
from treewright.kernels import switch

pytestmark = pytest.mark.skipif(switch.policy == "never", reason="nothing may be compiled in this run")
N_ROWS = 160
LEARNERS = {
    "cart": (tw.CARTClassifier(), "classes"),
    "entropy": (tw.CARTClassifier(criterion="entropy", max_depth=4), "classes"),
    "weighted": (tw.CARTClassifier(class_weight="balanced"), "classes"),
    "every branch": (tw.TreeClassifier(missing="every", max_depth=4), "classes"),
    "surrogates": (tw.CARTClassifier(missing="surrogate", max_depth=4), "classes"),
    "histogram": (tw.CARTClassifier(engine="histogram", max_depth=4), "classes"),
    "id3": (tw.ID3Classifier(), "classes"),
    "c4.5": (tw.C45Classifier(), "classes"),
    "c4.5, soft thresholds": (tw.C45Classifier(soft_thresholds=True), "classes"),
    "c4.5, subsets": (tw.C45Classifier(subset=True), "classes"),
    "chaid": (tw.CHAIDClassifier(), "classes"),
    "search": (tw.SearchTreeClassifier(search=(2, 2), cv=3, repeats=1), "classes"),
    "search, numbers": (tw.SearchTreeRegressor(search=(2,), cv=3, repeats=1), "numbers"),
    "numbers": (tw.CARTRegressor(max_depth=5), "numbers"),
    "absolute error": (tw.CARTRegressor(criterion="absolute_error", max_depth=4), "numbers"),
    "chaid, numbers": (tw.CHAIDRegressor(), "numbers"),
    "m5": (tw.M5Regressor(), "numbers"),
    "linear": (tw.TreeRegressor(leaf="linear", max_depth=2), "numbers"),
}


def made():
    random = np.random.default_rng(5)
    x, gaps = random.normal(size=(2, N_ROWS))
    gaps[random.random(N_ROWS) < 0.2] = np.nan
    level = random.choice(["a", "b", "c", "d", None], N_ROWS)
    score = x + (level == "b") + np.nan_to_num(gaps) + random.normal(size=N_ROWS) / 2
    table = {"x": x, "gaps": gaps, "few": np.round(gaps), "level": level.tolist()}
    return table, np.array(["no", "yes", "so"])[np.digitize(score, [0, 1])], score


def fitted(learner, kind, road):
    table, classes, numbers = made()
    with switch.compiling(road), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(learner).fit(table, classes if kind == "classes" else numbers)


@pytest.mark.parametrize("name", LEARNERS)
def test_the_same_tree(name):
    plain, compiled = (fitted(*LEARNERS[name], road).tree_ for road in ("never", "always"))
    assert plain.leaf is compiled.leaf
    for ours, theirs in zip(plain.arrays(), compiled.arrays()):
        # Logarithms of numpy and of the compiler differ in the last digit here and there.
        np.testing.assert_allclose(ours, theirs, rtol=1e-12 if ours.dtype.kind == "f" else 0)


@pytest.mark.parametrize("name", LEARNERS)
def test_the_same_predictions(name):
    model, table = fitted(*LEARNERS[name], "always"), made()[0]
    answers = []
    for road in ("never", "always"):
        with switch.compiling(road):
            several = getattr(model, "predict_proba", model.predict)(table)
            path = model.decision_path(table)
            answers.append([several, model.predict(table), model.apply(table), path.indices, path.indptr])
    for ours, theirs in zip(*answers):
        assert (ours == theirs).all()


def test_the_same_codes():
    """Columns of few and of many values, exact and in bins, both widths."""
    from treewright.data.numeric import Workspace, encode_block

    random = np.random.default_rng(0)
    block = np.vstack([random.normal(size=(2, 3000)), random.integers(0, 40, (1, 3000))])
    block[:, ::7] = np.nan
    block[0, ::11] = -0.0
    for dtype in (np.float32, np.float64):
        for max_bins in (None, 16):
            coded = []
            for road in ("never", "always"):
                with switch.compiling(road):
                    coded.append(encode_block(block.astype(dtype), max_bins, Workspace()))
            for ours, theirs in zip(*coded):
                for field in ("codes", "n_codes", "has_missing", "lows", "highs", "order"):
                    assert np.array_equal(getattr(ours, field), getattr(theirs, field)), field
