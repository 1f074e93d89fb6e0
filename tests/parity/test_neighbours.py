"""Nearest neighbours beside scikit-learn's and Weka's stored predictions."""

import numpy as np
import pytest

import stored
import treewright as tw

pytestmark = pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")


def tie_at_the_last(model, X):
    """Rows whose k-th and (k+1)-th neighbours are equally far: which of them votes is the program's affair."""
    distances, _ = model.kneighbors(X, model.k_ + 1)
    return np.isclose(distances[:, -1], distances[:, -2], rtol=1e-12, atol=0)


@pytest.mark.parametrize("path", stored.cases("sklearn_knn"))
def test_scikit_learn(path):
    golden = stored.compare().golden(path)
    data = stored.compare().load(golden["dataset"])
    k, weights = stored.tag_of(path.stem).removeprefix("k").split("_")
    numeric = [name for name, kind in zip(data.features, data.kinds) if kind == "numeric"]
    X, y = stored.table_of(data)[numeric], stored.target_of(data)
    kind = tw.KNNRegressor if golden["task"] == "regression" else tw.KNNClassifier
    model = kind(k=int(k), weights=weights, scale=None).fit(X, y)
    tied = tie_at_the_last(model, X)
    if golden["task"] == "regression":
        np.testing.assert_allclose(model.predict(X)[~tied], np.array(golden["predictions"])[~tied], rtol=1e-6)
        return
    shares = stored.compare().golden_probs(golden)
    found = stored.in_classes_of(golden, model, X)
    np.testing.assert_allclose(found[~tied], shares[~tied], atol=1e-6)
    labels = stored.compare().golden_labels(golden)
    np.testing.assert_array_equal(np.asarray(model.predict(X))[~tied].astype(str), labels[~tied].astype(str))


@pytest.mark.parametrize("path", stored.cases("weka_IBk"))
def test_weka(path):
    golden = stored.compare().golden(path)
    data = stored.compare().load(golden["dataset"])
    k = int(stored.tag_of(path.stem).removeprefix("K").partition("_")[0])
    X, y = stored.table_of(data), stored.target_of(data)
    model = tw.KNNClassifier(k=k, flavour="ibk").fit(X, y)
    stored.check_values(golden, stored.in_classes_of(golden, model, X))
