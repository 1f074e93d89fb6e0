"""Pictures of fitted models, on their way to files and axes; a second set of rows at the nodes."""

from __future__ import annotations

import pickle
import re
import warnings
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

import treewright as tw
from golden.test_printed_trees import loans
from treewright.errors import DataError, ModelFileError, OptionError

SVG = "{http://www.w3.org/2000/svg}"


def iris():
    flowers = datasets.load_iris(as_frame=True)
    return flowers.data, pd.Series(flowers.target_names[flowers.target], name="species")


def diabetes():
    data = datasets.load_diabetes(as_frame=True, scaled=False)
    return data.data, data.target.rename("progression")


def words(svg: str, kind: str) -> dict[int, list[str]]:
    """Texts by the number of the node."""
    found: dict[int, list[str]] = {}
    for group in ElementTree.fromstring(svg).iter(f"{SVG}g"):
        if group.get("class") == kind:
            found[int(group.get("data-node", -1))] = [text.text for text in group.iter(f"{SVG}text")]
    return found


def test_names_and_numbers_are_the_models():
    X, y = iris()
    model = tw.CARTClassifier(max_depth=3).fit(X, y)
    said = words(model.to_svg(), "node")
    rows = pd.Series(model.apply(X)).value_counts()
    for leaf in model.tree_.leaves():
        share = model.tree_.value[leaf.id].max()
        assert said[leaf.id][0] == model.classes_[model.tree_.value[leaf.id].argmax()]
        assert said[leaf.id][1] == f"[{leaf.id}]"
        count = "1 row" if rows[leaf.id] == 1 else f"{rows[leaf.id]} rows"
        assert said[leaf.id][2].endswith(f"% of {count}")
        assert abs(float(re.match(r">?(\d+)", said[leaf.id][2])[1]) / 100 - share) < 0.011
    assert said[0][0] == "petal length (cm)"


def test_thresholds_separate_the_rows_that_the_model_does():
    """Given rows, a threshold is written with as many digits as it needs."""
    rng = np.random.default_rng(0)
    x = np.sort(1e6 + rng.choice(4000, 200, replace=False) * 1e-4)
    X, y = pd.DataFrame({"x": x}), pd.Series(np.where(np.arange(200) < 77, "low", "high"), name="level")
    model = tw.CARTClassifier().fit(X, y)
    label = words(model.to_svg(X=X, y=y), "edge")[1][0]
    assert np.array_equal(x <= float(label.removeprefix("≤ ")), np.arange(200) < 77)


@pytest.mark.parametrize("content", ["auto", "bars", "histogram", "box", "text"])
@pytest.mark.parametrize("orientation", ["down", "right"])
def test_contents_of_a_number(content, orientation):
    X, y = diabetes()
    model = tw.CARTRegressor(max_depth=3, min_rows_leaf=10).fit(X, y)
    svg = model.to_svg(content=content, orientation=orientation, X=X, y=y)
    assert ('class="bin"' in svg) == (content in ("auto", "histogram"))
    assert ('class="band"' in svg) == (content != "text")


def test_histograms_are_of_the_nodes_own_rows():
    X, y = iris()
    model = tw.CARTClassifier(max_depth=2).fit(X, y)
    from treewright.drawing.node_rows import node_rows

    matrix = X.to_numpy()
    codes = np.searchsorted(model.classes_, y)
    found = node_rows(model.tree_, model.schema_, matrix, codes, None, range(model.tree_.n_nodes))
    for v, histogram in found.histograms.items():
        counts = np.array(histogram.counts)
        assert counts.sum(0).tolist() == model.tree_.stats[v].tolist()
        here = matrix[model.decision_path(X).toarray()[:, v] == 1, model.tree_.column[v]]
        assert (histogram.low, histogram.high) == (f"{here.min():g}", f"{here.max():g}")
        (cut,) = histogram.cuts
        place = round(cut * len(counts))
        left = int(model.tree_.rows[model.tree_.first_child[v]])
        assert counts[:place].sum() == left, "a bar lies on one side of the cut"


def test_the_picture_does_not_grow_with_the_rows_and_holds_none():
    X, y = iris()
    many = pd.concat([X] * 50, ignore_index=True), pd.concat([y] * 50, ignore_index=True)
    small = tw.CARTClassifier(max_depth=3).fit(X, y).to_svg(X=X, y=y)
    large = tw.CARTClassifier(max_depth=3).fit(*many).to_svg(X=many[0], y=many[1])
    assert len(large) < 1.1 * len(small) < 60_000


def test_rows_that_are_gone_are_asked_for():
    X, y = iris()
    model = tw.CARTClassifier(max_depth=2).fit(X.copy(), y)
    with pytest.raises(OptionError, match="pass X and y"):
        pickle.loads(pickle.dumps(model)).to_svg(content="histogram")
    with pytest.raises(OptionError, match="go together"):
        model.to_svg(X=X)
    with pytest.raises(OptionError, match="box"):
        model.to_svg(content="box", X=X, y=y)


def test_chaid_shows_p_values_and_cart_gains():
    table = loans()
    X, y = table.drop(columns="repaid"), table["repaid"]
    tested = words(tw.CHAIDClassifier().fit(X, y).to_svg(), "node")
    assert any(re.fullmatch(r"p (<|=) \S+", text) for text in tested[0])
    assert any(text.startswith("gain ") for text in words(tw.CARTClassifier(max_depth=2).fit(X, y).to_svg(), "node")[0])


def test_missing_values_and_surrogates_are_told():
    table = loans()
    X, y = table.drop(columns="repaid"), table["repaid"]
    learned = tw.CARTClassifier(max_depth=3).fit(X, y)
    said = words(learned.to_svg(), "edge")
    for v in np.flatnonzero(learned.tree_.missing):
        branch = int(learned.tree_.node(int(v)).split.branch_of[0])
        assert f"or missing ({learned.tree_.missing[v]})" in said[int(learned.tree_.first_child[v]) + branch]
    divided = tw.C45Classifier().fit(X, y)
    shared = words(divided.to_svg(), "edge")
    assert any(re.search(r"or missing \(\d+ %\)", text) for texts in shared.values() for text in texts)
    counted = words(divided.to_svg(), "node")
    for v in np.flatnonzero(divided.tree_.missing):
        assert f"{divided.tree_.missing[v]} missing, by share" in counted[int(v)]
    stands_in = words(tw.CARTClassifier(max_depth=2, missing="surrogate").fit(X, y).to_svg(), "node")
    assert any(re.match(r"\d+ missing, by ", text) for texts in stands_in.values() for text in texts)


# ---- files and axes --------------------------------------------------------------------------------------------------


def test_files_are_what_their_names_say(tmp_path):
    pytest.importorskip("matplotlib", reason="pictures in pixels need the extra plot").use("Agg")
    model = tw.CARTClassifier(max_depth=2).fit(*iris())
    for name, start in (("a.svg", b"<svg"), ("a.png", b"\x89PNG"), ("a.pdf", b"%PDF")):
        model.to_svg(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start)
    assert (tmp_path / "a.svg").read_text(encoding="utf-8") == model.to_svg()
    with pytest.raises(OptionError, match="names end in"):
        model.to_svg(tmp_path / "a.gif")


def test_axes_show_the_same_drawing():
    pyplot = pytest.importorskip("matplotlib.pyplot", reason="pictures in pixels need the extra plot")
    pyplot.switch_backend("Agg")
    model = tw.CARTClassifier(max_depth=2).fit(*iris())
    axes = model.plot(theme="dark")
    texts = sorted(text.get_text() for text in axes.texts)
    assert texts == sorted(text.text for text in ElementTree.fromstring(model.to_svg()).iter(f"{SVG}text"))
    assert min(text.get_fontsize() for text in axes.texts) >= 7
    given = pyplot.subplots()[1]
    assert model.plot(given) is given
    with pytest.raises(OptionError, match="unknown option"):
        model.plot(colour="red")
    pyplot.close("all")


def test_the_tree_prints_itself_with_names():
    X, y = iris()
    model = tw.CARTClassifier(max_depth=3).fit(X, y)
    assert "petal width (cm) ≤ 1.75" in model.tree_.text(depth=3)
    assert "1 more node" not in model.tree_.text()
    assert model.tree_.text(depth=1).count("\n") == 3
    assert "petal" in model.prune("depth", depth=1).tree_.text()
    assert model.tree_._replace(gain=model.tree_.gain * 2).text() == model.tree_.text()
    assert pickle.loads(pickle.dumps(model)).tree_.text() == model.tree_.text()


# ---- hold-out --------------------------------------------------------------------------------------------------------


def halves(X, y):
    return (X.iloc[::2], y.iloc[::2]), (X.iloc[1::2], y.iloc[1::2])


def test_hold_out_counts_and_errors_are_those_of_predict():
    grow, held_out = halves(*iris())
    model = tw.CARTClassifier(max_depth=3).fit(*grow)
    known = model.with_holdout(*held_out)
    assert not hasattr(model, "holdout_")
    found = known.holdout_
    path = model.decision_path(held_out[0]).toarray()
    assert found.rows.tolist() == path.sum(0).tolist()
    assert found.total == pytest.approx(1 - model.score(*held_out))
    leaves, right = model.apply(held_out[0]), model.predict(held_out[0]) == held_out[1].to_numpy()
    for leaf in model.tree_.leaves():
        here = leaves == leaf.id
        if here.any():
            assert found.error[leaf.id] == pytest.approx(1 - right[here].mean())
        else:
            assert np.isnan(found.error[leaf.id])
    assert found.stats.sum(1).tolist() == found.rows.tolist()
    assert f"hold-out error {100 * found.total:.1f} %" in str(known)
    assert any(text.startswith(("hold-out", "! hold-out")) for text in words(known.to_svg(), "node")[0])


def test_hold_out_of_numbers():
    grow, held_out = halves(*diabetes())
    for model in (tw.CARTRegressor(max_depth=3), tw.CARTRegressor(max_depth=3, criterion="absolute_error")):
        model.fit(*grow)
        found = model.with_holdout(*held_out).holdout_
        away = held_out[1] - model.predict(held_out[0])
        medians = model.criterion == "absolute_error"
        total = np.abs(away).mean() if medians else np.sqrt((away**2).mean())
        assert found.total == pytest.approx(total)
        leaves = model.apply(held_out[0])
        for leaf in np.unique(leaves):
            here = away[leaves == leaf]
            error = np.abs(here).mean() if medians else np.sqrt((here**2).mean())
            assert found.error[leaf] == pytest.approx(error)


def test_hold_out_with_missing_values_in_every_branch_weights_and_new_classes():
    table = loans()
    X, y = table.drop(columns="repaid"), table["repaid"]
    model = tw.C45Classifier().fit(X.iloc[:200], y.iloc[:200])
    weights = np.arange(1.0, 201.0)
    found = model.with_holdout(X.iloc[200:], y.iloc[200:].replace("no", "never"), weights).holdout_
    assert found.stats[0].sum() == pytest.approx(weights.sum())
    assert found.stats[0, -1] == weights[(y.iloc[200:] == "no").to_numpy()].sum()
    inner = np.flatnonzero(model.tree_.n_branches)
    for v in inner:
        first, count = model.tree_.first_child[v], model.tree_.n_branches[v]
        assert found.stats[first : first + count].sum(0) == pytest.approx(found.stats[v])


def test_hold_out_that_contradicts_is_marked():
    X, y = {"x": list(range(100))}, ["a"] * 50 + ["b"] * 50
    model = tw.CARTClassifier().fit(X, y)
    agrees = model.with_holdout(X, y).holdout_
    assert not agrees.differs.any()
    contradicts = model.with_holdout(X, ["a"] * 75 + ["b"] * 25)
    assert contradicts.holdout_.differs.tolist()[1:] == [False, True]
    assert {"hold-out 50", "! 50 % wrong"} <= set(words(contradicts.to_svg(), "node")[2])


def test_hold_out_is_saved_and_goes_with_the_tree(tmp_path):
    grow, held_out = halves(*iris())
    model = tw.CARTClassifier().fit(*grow).with_holdout(*held_out)
    model.save(tmp_path / "model.json")
    back = tw.load(tmp_path / "model.json")
    assert str(back) == str(model)
    assert back.to_svg() == model.to_svg()
    assert not hasattr(model.prune("depth", depth=1), "holdout_")
    assert not hasattr(model.fit(*grow), "holdout_")
    damaged = (tmp_path / "model.json").read_text().replace('"holdout": {"rows": [', '"holdout": {"rows": [1, ')
    (tmp_path / "model.json").write_text(damaged)
    with pytest.raises(ModelFileError, match="hold-out"):
        tw.load(tmp_path / "model.json")


def test_hold_out_of_no_rows_is_refused():
    X, y = iris()
    with pytest.raises(DataError):
        tw.CARTClassifier().fit(X, y).with_holdout(X.iloc[:0], y.iloc[:0])


@pytest.mark.parametrize("orientation", ["down", "right"])
def test_a_tree_by_hand_without_a_target_tells_no_shares(orientation):
    table = tw.datasets.load("six_points")
    for answers in (("+", "-"), (1.5, 2.5)):
        model = tw.tree_by_hand({"x1 ≤ 0.5": answers[0], "else": {"x2 ≤ 1.5": answers[1], "else": answers[0]}}, table.X)
        said = words(model.to_svg(orientation=orientation), "node")
        assert str(answers[1]) in said[3]
        assert not any(sign in text for texts in said.values() for text in texts for sign in ("%", "gain", "sd"))


def test_print_is_as_wide_as_the_terminal(monkeypatch, capsys):
    table = loans().rename(columns={"purpose": "a very long name of a column that says what a loan is for"})
    model = tw.fit(table, target="repaid", max_depth=4)
    assert max(map(len, str(model).splitlines())) > 60
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "60")
    assert max(map(len, str(model).splitlines())) <= 60


def test_what_is_not_one_tree_says_so():
    X, y = datasets.load_iris(return_X_y=True, as_frame=True)
    model = tw.C50Classifier(trials=3).fit(X, y)
    for asked in (model.to_svg, model.plot, lambda: model.with_holdout(X[::2], y[::2])):
        with pytest.raises(tw.OptionError, match="is not one tree"):
            asked()


def test_training_rows_are_no_hold_out():
    table = tw.datasets.load("play_tennis")
    X, y = {name: cells for name, cells in table.X.items() if name != "day"}, table.y
    model = tw.CARTClassifier().fit(X, y)
    with pytest.warns(tw.TreewrightWarning, match="looks like the rows the model was learned from"):
        model.with_holdout(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.with_holdout({name: cells[:10] for name, cells in X.items()}, y[:10])
