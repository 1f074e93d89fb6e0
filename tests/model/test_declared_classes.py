"""Classes that a table declares and no row has: the model knows them, and they count where the originals count them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import treewright as tw
from treewright.data.frame import read_frame
from treewright.data.readers import read_table
from treewright.data.summary import summarise

X = {"x": [1, 2, 3, 4]}
DECLARED = {
    "pandas": pd.Series(pd.Categorical(list("aabb"), categories=list("abc"))),
    "bare": pd.Categorical(list("aabb"), categories=list("abc")),
    "ordered": pd.Series(pd.Categorical(list("aabb"), categories=list("abc"), ordered=True)),
    "polars": pl.Series(list("aabb"), dtype=pl.Enum(list("abc"))),
}
LEARNERS = [
    tw.ID3Classifier(),
    tw.CARTClassifier(),
    tw.CARTClassifier(class_weight="balanced", costs={("a", "c"): 5}, priors="equal"),
    tw.CARTClassifier(prune=tw.prune.MDL()),
    tw.TreeClassifier(criterion="entropy", smoothing=2.0),
    tw.C45Classifier(min_cases=1),
    tw.C45Classifier(min_cases=1, flavour="j48"),
    tw.C45RulesClassifier(min_cases=1),
    tw.CHAIDClassifier(min_rows_split=2, min_rows_leaf=1, alpha_split=0.9),
]


@pytest.mark.parametrize("y", DECLARED.values(), ids=DECLARED)
def test_laplace_counts_them_as_j48_does(y):
    model = tw.C45Classifier(flavour="j48", laplace=True, min_cases=1).fit(X, y)
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.predict_proba(X).tolist() == [[0.6, 0.2, 0.2]] * 2 + [[0.2, 0.6, 0.2]] * 2


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
@pytest.mark.filterwarnings("ignore::treewright.data.user_warnings.TreewrightWarning")
def test_every_learner_knows_them_and_learns_as_without(learner):
    model, plain = learner.fit(X, DECLARED["pandas"]), None
    shares = model.predict_proba(X)
    assert shares.shape == (4, 3)
    assert not shares[:, 2].any()
    assert np.allclose(shares.sum(1), 1)
    assert set(model.predict(X)) <= {"a", "b"}
    if not model.get_params().get("costs"):
        plain = learner.fit(X, list("aabb"))
        np.testing.assert_allclose(plain.predict_proba(X), shares[:, :2])


def test_the_least_weight_of_a_branch_is_shared_by_all_classes():
    """C4.5 asks of a branch a tenth of the mean weight of a class: 4 of two classes, and of twenty less than 2."""
    rng = np.random.default_rng(0)
    x = rng.permutation(80)
    y = np.where(x < 3, "b", "a")
    few = tw.C45Classifier(prune=False, collapse=False).fit({"x": x}, y)
    declared = pd.Series(pd.Categorical(y, categories=[*"abcdefghijklmnopqrst"]))
    many = tw.C45Classifier(prune=False, collapse=False).fit({"x": x}, declared)
    assert few.tree_.edges.tolist() != [2.0]
    assert many.tree_.edges.tolist() == [2.0]


def test_costs_of_mistaking_for_them_are_summed_as_in_rpart():
    """Class i counts for Σ_j cost(i, j) over all classes j, whether rows have them or not."""
    rng = np.random.default_rng(1)
    table = {"x": rng.normal(size=60), "z": rng.normal(size=60)}
    y = np.where(table["x"] + rng.normal(size=60) > 0.3, "a", "b")
    declared = pd.Series(pd.Categorical(y, categories=list("abc")))
    with_c = tw.CARTClassifier(max_depth=3, costs={("a", "c"): 50}).fit(table, declared)
    expected = tw.CARTClassifier(max_depth=3, class_weight={"a": 51, "b": 2}).fit(table, y)
    assert with_c.tree_.edges.tolist() == expected.tree_.edges.tolist()
    assert with_c.tree_.column.tolist() == expected.tree_.column.tolist()


def test_one_class_with_rows_is_refused_however_many_are_declared():
    with pytest.raises(tw.DataError, match="only one class, 'b'"):
        tw.CARTClassifier().fit(X, pd.Categorical(list("bbbb"), categories=list("abc")))


def test_balanced_weights_are_of_the_classes_that_have_rows():
    model = tw.CARTClassifier(class_weight="balanced").fit(X, pd.Categorical(list("aaab"), categories=list("abc")))
    assert model.tree_.weights[0] == pytest.approx(4)


@pytest.mark.filterwarnings("ignore::treewright.data.user_warnings.TreewrightWarning")
def test_folds_and_files_know_them_too(tmp_path):
    rng = np.random.default_rng(2)
    table = {"x": rng.normal(size=40), "z": rng.normal(size=40)}
    y = pd.Series(pd.Categorical(np.where(table["x"] > 0, "a", "b"), categories=list("abc")))
    model = tw.CARTClassifier(costs={("a", "b"): 2, ("c", "a"): 3}).fit(table, y)
    model.save(tmp_path / "model.json")
    assert tw.load(tmp_path / "model.json").classes_.tolist() == ["a", "b", "c"]
    assert model.prune("cost-complexity", cv=3).classes_.tolist() == ["a", "b", "c"]
    assert tw.compare([tw.CARTClassifier(), tw.C45Classifier(laplace=True)], table, y, cv=3).errors.shape == (2, 3)
    assert tw.evaluate.learning_curve(tw.CARTClassifier(), table, y, cv=3)
    assert str(tw.evaluate.evaluate(model, table, y))


@pytest.mark.filterwarnings("ignore::treewright.data.user_warnings.TreewrightWarning")
def test_rows_to_prune_with_may_declare_more_than_the_model_knows():
    table = {"x": [1, 2, 3, 4, 5, 6, 7, 8]}
    model = tw.CARTClassifier().fit(table, list("aabbabab"))
    declared = pd.Series(pd.Categorical(list("aabbbbab"), categories=list("abz")))
    assert model.prune("reduced-error", table, declared).tree_.n_leaves <= model.tree_.n_leaves
    assert np.isfinite(tw.C45Classifier(laplace=True).fit(table, list("aabbabab")).log_likelihood(table, declared))


def test_classes_listed_in_kinds_are_declared():
    model = tw.fit({"x": [1, 2, 3], "t": ["high", "low", "low"]}, "t", kinds={"t": ["low", "middle", "high"]})
    assert model.classes_.tolist() == ["low", "middle", "high"]


def test_files_that_declare_different_levels_are_read_together(tmp_path):
    for name, levels in (("1", "c,b,a"), ("2", "b,a,d")):
        text = f"@relation r\n@attribute x real\n@attribute y {{{levels}}}\n@data\n1,a\n2,b\n"
        (tmp_path / f"{name}.arff").write_text(text)
    contents = read_table(str(tmp_path / "*.arff"))
    assert contents.kinds == {"y": "nominal"}
    (_, y) = summarise(read_frame(contents.table), contents.kinds)
    assert (y.kind, y.levels) == ("nominal", ("c", "b", "a", "d"))


def test_files_that_declare_their_classes(tmp_path):
    (tmp_path / "t.arff").write_text(
        "@relation r\n@attribute x real\n@attribute y {c,b,a}\n@data\n1,a\n2,a\n3,b\n4,b\n"
    )
    (tmp_path / "t.names").write_text("c, b, a.\nx: continuous.\n")
    (tmp_path / "t.data").write_text("1,a\n2,a\n3,b\n4,b\n")
    for name, target in (("t.arff", "y"), ("t.names", "class")):
        model = tw.fit(read_table(str(tmp_path / name)).table, target)
        assert model.classes_.tolist() == ["c", "b", "a"]
