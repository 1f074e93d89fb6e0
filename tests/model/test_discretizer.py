"""Numbers into bins: the transformer, its options and what it refuses."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_diabetes, load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import treewright as tw
from refusals import check_refused

IRIS, SPECIES = load_iris(return_X_y=True, as_frame=True)
METHODS = ["mdl", "chimerge", "optimal", "quantile", "width"]


@pytest.mark.parametrize("method", METHODS)
def test_values_go_to_their_bins_and_missing_ones_stay_missing(method):
    X = IRIS.copy()
    X.iloc[::7, 1] = np.nan
    bins = tw.Discretizer(method=method, bins=4).fit(X, SPECIES)
    codes = bins.transform(X)
    assert np.isnan(codes[:, 1]).sum() == np.isnan(X.iloc[:, 1]).sum() > 0
    for j, edges in enumerate(bins.edges_):
        assert 1 <= bins.n_bins_[j] == len(edges) + 1 <= 4
        known = ~np.isnan(codes[:, j])
        values = X.iloc[:, j].to_numpy()[known]
        expected = [sum(edge < value for edge in edges) for value in values]
        assert codes[known, j].tolist() == expected
    np.testing.assert_array_equal(bins.fit_transform(X, SPECIES), codes)


def test_an_edge_belongs_to_the_lower_bin_and_ends_are_open():
    bins = tw.Discretizer(columns={"x": [1, 2.5]}).fit({"x": [0, 9]})
    assert bins.transform({"x": [-np.inf, 1, 1.1, 2.5, 2.6, np.inf, np.nan]}).ravel().tolist()[:6] == [0, 0, 1, 1, 2, 2]
    assert bins.labels_ == [["<= 1", "(1, 2.5]", "> 2.5"]]


def test_labels():
    bins = tw.Discretizer(method="width", bins=3, output="labels").fit({"x": [0.0, 3.0]})
    assert bins.transform({"x": [0.5, 1.5, None, 99]}).ravel().tolist() == ["<= 1", "(1, 2]", None, "> 2"]
    close = tw.Discretizer(columns={"x": [1.00000001, 1.00000002]}, output="labels").fit({"x": [0, 9]})
    assert len(set(close.labels_[0])) == 3
    dates = {"day": pd.to_datetime(["2024-01-01", "2024-01-03", "2024-01-05"])}
    assert tw.Discretizer(method="quantile", bins=2).fit(dates).labels_ == [
        ["<= 2024-01-04 00:00:00", "> 2024-01-04 00:00:00"]
    ]


def test_names_for_bins(tmp_path):
    """002: cool up to 60 °F, mild up to 90, hot above."""
    table, names = tw.datasets.load("temperature"), ["cool", "mild", "hot"]
    options = {"columns": {"temperature": [60, 90]}, "labels": {"temperature": names}, "output": "labels"}
    bins = tw.Discretizer(**options).fit(table.X)
    expected = {40.1: "cool", 48.3: "cool", 60.2: "mild", 71.9: "mild", 80.2: "mild", 90.4: "hot"}
    assert bins.transform(table.X).ravel().tolist() == [expected[t] for t in table.X["temperature"]]
    assert bins.transform({"temperature": [60, 90, None]}).ravel().tolist() == ["cool", "mild", None]
    assert bins.labels_ == [names]
    bins.save(tmp_path / "bins.json")
    assert tw.load(tmp_path / "bins.json").labels_ == [names]
    assert tw.discretize(table.X, columns={0: [60, 90]}, labels=names).ravel().tolist()[0] in names
    nominal = pd.DataFrame({"temperature": bins.transform(table.X).ravel()})
    assert tw.ID3Classifier().fit(nominal, table.y).score(nominal, table.y) == 1


def test_names_for_the_bins_of_some_columns():
    X = np.arange(12.0).reshape(6, 2)
    bins = tw.Discretizer(method="width", bins=2, labels={-1: ["low", "high"]}).fit(X)
    assert bins.labels_ == [["<= 5", "> 5"], ["low", "high"]]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a", "b", "c"], "labels has 3 names for column 'x', which has 2 bins.*its edges are 4"),
        ({"z": ["a", "b"]}, "labels names a column that does not exist: 'z'.*columns are x"),
        (["a", "a"], "labels=.*not accepted"),
        (["a", 2], "labels=.*not accepted"),
        ("ab", "labels='ab' is not accepted"),
        ({"x": "ab"}, "labels=.*not accepted"),
        ([], "labels=.*not accepted"),
    ],
)
def test_names_that_do_not_fit(labels, message):
    bins = tw.Discretizer(columns={"x": [4.0]}, labels=labels)
    check_refused(lambda: bins.fit({"x": [0, 9]}), message, tw.OptionError)


def test_columns_have_options_of_their_own():
    names = list(IRIS.columns)
    columns = {names[0]: [5, 6], names[1]: "width", 2: {"method": "chimerge", "alpha": 0.01}, names[3]: {"bins": 2}}
    bins = tw.Discretizer(method="optimal", bins=3, min_share=0.1, columns=columns).fit(IRIS, SPECIES)
    assert bins.edges_[0].tolist() == [5, 6]
    assert bins.edges_[1] == pytest.approx([2.8, 3.6])
    only = tw.Discretizer(method="chimerge", alpha=0.01, bins=3).fit(IRIS, SPECIES)
    assert bins.edges_[2].tolist() == only.edges_[2].tolist()
    assert bins.n_bins_.tolist() == [3, 3, only.n_bins_[2], 2]


def test_y_is_needed_only_by_methods_that_look_at_it():
    assert tw.Discretizer(method="quantile").fit(IRIS).n_bins_.max() <= 10
    assert tw.Discretizer(columns=dict.fromkeys(IRIS.columns, "width")).fit(IRIS).n_bins_.tolist() == [10] * 4
    check_refused(lambda: tw.Discretizer().fit(IRIS), "requires y to be passed")
    mixed = tw.Discretizer(method="width", columns={0: "mdl"})
    check_refused(lambda: mixed.fit(IRIS), "requires y to be passed")
    assert mixed.fit(IRIS, SPECIES).edges_[0].tolist() == pytest.approx([5.55, 6.15])


def test_numbers_as_a_target():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    bins = tw.Discretizer(method="optimal", bins=2).fit(X[["bmi"]], y)
    assert bins.edges_[0] == pytest.approx(tw.CARTRegressor(max_depth=1).fit(X[["bmi"]], y).tree_.edges[:1])
    check_refused(lambda: tw.Discretizer().fit(X, y + 0.5), "Unknown label type: continuous")
    few = np.array([0, 0, 3, 3, 4, 4])
    column = {"x": [1, 2, 3, 4, 5, 6]}
    as_numbers = tw.Discretizer(method="optimal", bins=2, target="numbers").fit(column, few)
    as_classes = tw.Discretizer(method="optimal", bins=3).fit(column, few)
    assert (as_numbers.edges_[0].tolist(), as_classes.edges_[0].tolist()) == ([2.5], [2.5, 4.5])


def test_rows_of_no_weight_do_not_count():
    X, y = {"x": [1, 2, 3, 4, 100]}, list("aabba")
    weights = [1, 1, 1, 1, 0]
    for method in METHODS:
        with_weights = tw.Discretizer(method=method, bins=2).fit(X, y, sample_weight=weights)
        without = tw.Discretizer(method=method, bins=2).fit({"x": X["x"][:4]}, y[:4])
        assert with_weights.edges_[0].tolist() == without.edges_[0].tolist()


# ---------------------------------------------------------------- containers and company


@pytest.mark.parametrize("make", [lambda X: X, pl.from_pandas, pa.Table.from_pandas, lambda X: X.to_dict("records")])
def test_tables_of_all_makes(make):
    expected = tw.Discretizer().fit(IRIS, SPECIES).transform(IRIS)
    bins = tw.Discretizer().fit(make(IRIS), SPECIES)
    np.testing.assert_array_equal(bins.transform(make(IRIS)), expected)
    assert bins.get_feature_names_out().tolist() == list(IRIS.columns)


def test_names_of_columns_without_names():
    bins = tw.Discretizer().fit(IRIS.to_numpy(), SPECIES)
    assert bins.get_feature_names_out().tolist() == ["x0", "x1", "x2", "x3"]
    assert not hasattr(bins, "feature_names_in_")


@pytest.mark.parametrize(("container", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_output_of_a_kind(container, kind):
    made = tw.Discretizer(output="labels").set_output(transform=container).fit_transform(IRIS, SPECIES)
    assert isinstance(made, kind)
    assert list(made.columns) == list(IRIS.columns)


def test_discretize_gives_back_what_it_was_given():
    made = tw.discretize(IRIS, SPECIES)
    assert isinstance(made, pd.DataFrame)
    assert set(made["petal length (cm)"]) == {"<= 2.45", "(2.45, 4.75]", "> 4.75"}
    assert isinstance(tw.discretize(pl.from_pandas(IRIS), method="width"), pl.DataFrame)
    assert isinstance(tw.discretize(IRIS.to_numpy(), method="width", output="codes"), np.ndarray)
    check_refused(lambda: tw.discretize(IRIS, methode="mdl"), "unknown Discretizer option 'methode'", tw.OptionError)


def test_in_pipelines_searches_and_pickles():
    table = IRIS.assign(colour=np.where(SPECIES == 1, "red", "blue"))
    chosen = make_column_transformer(
        (tw.Discretizer(), make_column_selector(dtype_include="number")), remainder="passthrough"
    )
    assert cross_val_score(make_pipeline(chosen, tw.CARTClassifier()), table, SPECIES, cv=5).mean() > 0.9
    pipeline = make_pipeline(tw.Discretizer(), tw.ID3Classifier())
    search = GridSearchCV(pipeline, {"discretizer__method": METHODS, "discretizer__bins": [2, 5]}, cv=3)
    assert search.fit(IRIS, SPECIES).best_score_ > 0.9
    bins = tw.Discretizer(method="chimerge", alpha=0.1, columns={0: "mdl"}).fit(IRIS, SPECIES)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(bins)).transform(IRIS), bins.transform(IRIS))
    assert clone(bins).get_params() == bins.get_params()
    assert repr(bins) == "Discretizer(alpha=0.1, columns={0: 'mdl'}, method='chimerge')"


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("cells", "words"), [([3, 3, 3], "one value"), ([None, np.nan, None], "no known value")])
def test_nothing_to_cut(method, cells, words):
    bins = tw.Discretizer(method=method, output="labels")
    with pytest.warns(tw.TreewrightWarning, match=f"'x' has {words} and becomes one bin"):
        bins.fit(pd.DataFrame({"x": cells}, dtype=float), list("aba"))
    assert bins.edges_[0].tolist() == []
    assert bins.transform({"x": [1.0, np.nan]}).ravel().tolist() == ["any", None]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "kmeans"}, "method='kmeans' is not accepted"),
        ({"bins": 0}, "bins=0 is not accepted"),
        ({"bins": -3}, "bins=-3 is not accepted"),
        ({"bins": 2.5}, "bins=2.5 is not accepted"),
        ({"method": "chimerge", "alpha": 0}, "alpha=0 is not accepted"),
        ({"method": "chimerge", "alpha": 1.5}, "alpha=1.5 is not accepted"),
        ({"alpha": 0.1}, "alpha=0.1 is not for method='mdl'"),
        ({"min_share": 0.1}, "min_share=0.1 is not for method='mdl'"),
        ({"method": "optimal", "min_share": 0.7}, "min_share=0.7 is not accepted"),
        ({"output": "words"}, "output='words' is not accepted"),
        ({"target": "class"}, "target='class' is not accepted"),
        ({"target": "numbers"}, "method='mdl' is for classes"),
        ({"columns": ["x"]}, "columns=\\['x'\\] is not accepted"),
        ({"columns": {"z": "mdl"}}, "column that does not exist: 'z'"),
        ({"columns": {"x": "kmeans"}}, "method='kmeans' is not accepted"),
        ({"columns": {"x": {"bin": 3}}}, "unknown option of column 'x' 'bin'"),
        ({"columns": {"x": {"bins": 0}}}, "bins=0 is not accepted"),
        ({"columns": {"x": {"method": "width", "alpha": 0.1}}}, "alpha=0.1 is not for method='width'"),
        ({"columns": {"x": [3, 2]}}, "is not accepted"),
        ({"columns": {"x": [1, np.nan]}}, "is not accepted"),
        ({"columns": {"x": 4}}, "is not accepted"),
        ({"columns": {"x": ["a"]}}, "is not accepted"),
    ],
)
def test_bad_options(options, message):
    X = {"x": [1, 2, 3, 4], "y": [4, 3, 2, 1]}
    check_refused(lambda: tw.Discretizer(**options).fit(X, list("aabb")), message, tw.OptionError)


@pytest.mark.parametrize(
    ("X", "y", "options", "message"),
    [
        ({"x": ["a", "b"]}, ["a", "b"], {}, "column 'x' is nominal, and only numbers"),
        ({"x": [1, np.inf]}, None, {"method": "width"}, "holds infinity"),
        ({"x": [1, 2]}, ["a", "a"], {}, "only one class"),
        ({"x": [1, 2]}, ["a"], {}, "inconsistent numbers of samples"),
        ({"x": []}, None, {"method": "width"}, "0 sample"),
    ],
)
def test_bad_data(X, y, options, message):
    check_refused(lambda: tw.Discretizer(**options).fit(X, y), message)


def test_other_columns_than_those_of_the_fit():
    bins = tw.Discretizer().fit(IRIS, SPECIES)
    with pytest.raises(ValueError, match="petal length"):
        bins.transform(IRIS.iloc[:, :2])
    np.testing.assert_array_equal(bins.transform(IRIS.iloc[:, ::-1]), bins.transform(IRIS))


# ---------------------------------------------------------------- files


def test_bins_come_back_from_their_file(tmp_path):
    X, path = {"a": [1.0, 2.0, None, 9.0], "b": [1, 1, 1, 1]}, tmp_path / "bins.json"
    with pytest.warns(tw.TreewrightWarning, match="'b' has one value"):
        bins = tw.Discretizer(method="quantile", bins=2, columns={"a": {"bins": 3}}, output="labels").fit(X)
    bins.save(path)
    loaded = tw.load(path)
    assert loaded.get_params() == bins.get_params()
    assert set(vars(loaded)) == {*vars(bins), "origin_"}
    assert loaded.transform(X).tolist() == bins.transform(X).tolist()
    assert loaded.n_bins_.tolist() == bins.n_bins_.tolist()


@pytest.mark.parametrize("edges", [3, [[1.0]], [[2.0, 1.0], []], [["1"], []], [[{"float": "nan"}], []]])
def test_edges_that_are_none(edges, tmp_path):
    path = tmp_path / "bins.json"
    tw.Discretizer(method="width", bins=2).fit({"a": [1, 2], "b": [3, 4]}).save(path)
    document = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**document, "learned": {"edges": edges}}), "utf-8")
    with pytest.raises(tw.ModelFileError, match="edges"):
        tw.load(path)
