"""Lessons on every bundled table: their values are those of the criteria, the trees and the pruners."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

import treewright as tw
from treewright import criteria, teach
from treewright.teach import pruning_steps
from treewright.teach.lesson_tree import grown
from treewright.teach.lessons.pruning_lesson import METHODS, subject_of

TABLES = [name for name in tw.datasets.names() if name != "batman_new"]  # whose labels are not known
WITHOUT_NUMBERS = ("play_tennis", "play_tennis_noisy", "robot", "customer_loyalty", "food", "same_shape")
NODE_TOPICS = [name for name, topic in teach.TOPICS.items() if "node" in topic.options]


def text_of(lesson):
    lines = [line for step in lesson.steps for line in (*step.formulas, step.result, *map(" ".join, step.table))]
    return "\n".join(lines)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    "topic", [name for name, about in teach.TOPICS.items() if name != "missing" and not about.numbers]
)
def test_every_topic_on_every_table_that_suits_it(topic, table):
    if topic == "kd-tree" and table in WITHOUT_NUMBERS:
        with pytest.raises(tw.DataError, match="has no numeric column"):
            teach.lesson(topic, table)
        return
    lesson = teach.lesson(topic, table)
    assert lesson.topic == topic
    assert table in lesson.title
    assert all(np.isfinite(value) for step in lesson.steps for value in step.values.values())
    assert [step.number for step in lesson.steps] == list(range(1, len(lesson.steps) + 1))
    assert not any("nan" in line for line in text_of(lesson).split())


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("topic", NODE_TOPICS)
def test_every_inner_node_can_be_shown(topic, table):
    rows = teach.bundled(table)
    for node in grown(rows).tree.nodes():
        if not node.is_leaf:
            lesson = teach.lesson(topic, rows, node=node.id)
            assert {step.node for step in lesson.steps} == {node.id}
            assert f"node {node.id} of" in lesson.title or topic == "costs"


@pytest.mark.parametrize("base", [2, "e", 10])
@pytest.mark.parametrize("table", TABLES)
def test_the_values_of_id3_are_those_of_its_tree(table, base):
    rows = teach.bundled(table)
    tree, lesson = grown(rows, base), teach.lesson("id3", rows, base=base)
    for node in tree.tree.nodes():
        (step,) = lesson.at_node(node.id).steps
        if not node.is_leaf:
            gains = [value for name, value in step.values.items() if name.startswith("Gain(")]
            assert max(gains) == pytest.approx(node.gain, abs=1e-9)
            assert step.values[f"En({rows.target})"] == pytest.approx(float(criteria.entropy(node.stats, base)))
            assert "taken" in step.result
        else:
            assert "leaf" in step.result


@pytest.mark.parametrize("table", TABLES)
def test_id3_s_test_is_the_one_that_the_lesson_takes(table):
    """The winner is found in the tree; it must be among the best of the lesson's own tests."""
    rows = teach.bundled(table)
    for node in grown(rows).tree.nodes():
        if not node.is_leaf:
            (step,) = teach.lesson("id3", rows).at_node(node.id).steps
            column = rows.schema.columns[node.split.column].name
            best = max(value for name, value in step.values.items() if name.startswith("Gain("))
            own = [v for n, v in step.values.items() if n == f"Gain({column})" or n.startswith(f"Gain({column} ≤")]
            assert max(own) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    ("topic", "symbol", "measure"),
    [("gain", "Gain", "entropy"), ("gini", "GiniGain", "gini"), ("gain-ratio", "GR", "gain_ratio")],
)
def test_scores_are_those_of_the_ranking(topic, symbol, measure, table):
    rows = teach.bundled(table)
    ranking = tw.rank_attributes(rows.frame(), rows.labels(), by=measure if topic != "gain-ratio" else "entropy")
    values = teach.lesson(topic, rows).values
    for row in ranking:
        name = row.attribute if row.kind == "nominal" or row.branches < 2 else f"{row.attribute} ≤ {row.test[3:]}"
        assert values[f"{symbol}({name})"] == pytest.approx(row[measure], abs=1e-9)


@pytest.mark.parametrize("table", TABLES)
def test_p_values_are_those_of_the_criteria(table):
    rows = teach.bundled(table)
    values = teach.lesson("chi2", rows).values
    for j, column in enumerate(rows.schema.columns):
        if column.kind.value == "nominal":
            table_of = rows.table(j)
            assert values[f"χ²({column.name})"] == pytest.approx(float(criteria.chi2(table_of)))
            assert values[f"p({column.name})"] == pytest.approx(float(criteria.chi2_p(table_of)))


@pytest.mark.parametrize("copies", [1, 20])
def test_p_values_are_told_apart_however_small(copies):
    """With 20 copies of every row p is beyond the range of floats."""
    X, y = load_iris(return_X_y=True)
    table = {"width": np.tile(X[:, 1], copies), "length": np.tile(X[:, 2], copies), "species": np.tile(y, copies)}
    lesson = teach.lesson("chi2", teach.rows_of(table, "species", kinds={"species": "nominal"}))
    assert lesson.steps[0].title == "length ≤ 2.45"  # the best comes first
    assert lesson.steps[2].result.startswith("length ≤ 2.45 is taken: it has the smallest p, ")


def verdicts(step):
    """Nodes and whether the lesson's own lines prune them."""
    found, node = {}, None
    for line in step.formulas:
        if line.startswith("node "):
            node = int(line.split()[1])
        if line.rstrip().endswith((": prune", ": keep the subtree")):
            found[node] = line.endswith(": prune")
    return found


def cut_of(tree, said):
    """The topmost of the nodes that are pruned."""
    pruned = [v for v, cut in said.items() if cut]
    return sorted(v for v in pruned if not any(a.id in pruned for a in tree.node(v).path()[:-1]))


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("method", [name for name in METHODS if name not in ("error-complexity", "reduced-error")])
def test_what_the_lines_say_is_what_the_pruner_does(method, table):
    subject = subject_of(grown(teach.bundled(table)), None)
    step = METHODS[method](subject)
    said = cut_of(subject.tree, verdicts(step))
    expected = f"pruned at {', '.join(f'node {v}' for v in said)};" if said else "all is kept"
    assert expected in step.result


def test_reduced_error_says_what_it_does_in_both_orders():
    lesson = teach.lesson("pruning")
    (step,) = [step for step in lesson.steps if step.title.startswith("Reduced error")]
    tree = grown(teach.bundled("play_tennis_noisy")).tree
    assert cut_of(tree, verdicts(step)) == [8]
    assert sum("pruned at node 8" in line for line in step.formulas) == 3
    assert "error(T') < error(T): all is kept" in step.formulas[-1]


def test_reduced_error_waits_for_rows():
    (step,) = [step for step in teach.lesson("pruning", "food").steps if step.title == "Reduced error"]
    assert "the option validation" in step.remark
    validated = teach.lesson("pruning", "food", validation=teach.bundled("food"))
    assert any("6 validation rows" in step.title for step in validated.steps)


@pytest.mark.parametrize("table", ["play_tennis_noisy", "food", "iris_rows", "customer_loyalty"])
def test_error_complexity_ends_every_round_at_the_path_s_alpha(table):
    subject = subject_of(grown(teach.bundled(table)), None)
    step = pruning_steps.error_complexity(subject)
    path = tw.prune.CostComplexity(risk="misclassification").path(subject.tree, subject.schema)
    for k, leaves in enumerate(path.leaves[:-1]):
        rounds = [value for name, value in step.values.items() if name.endswith(f"of {leaves} leaves")]
        assert min(rounds) == pytest.approx(path.alphas[k + 1], abs=1e-9)


def test_the_four_policies_by_hand():
    values = teach.lesson("missing").values
    gains = [values[f"Policy {k}: Gain(gender)"] for k in (1, 2, 3, 4)]
    known, common = (float(criteria.gain(counts)) for counts in ([[6, 1], [3, 3]], [[6, 2], [3, 3]]))
    assert gains == pytest.approx([known, common, 13 / 14 * known, 13 / 14 * known])


def with_missing_cells(seed):
    rng = np.random.default_rng(seed)
    a, y = rng.choice(["p", "q", "r"], 30), rng.choice(["no", "yes"], 30, p=[0.4, 0.6])
    return {"a": [None if hide else level for level, hide in zip(a, rng.random(30) < 0.2)], "y": y.tolist()}


@pytest.mark.parametrize("table", ["customer_loyalty", *(with_missing_cells(seed) for seed in range(4))], ids=str)
def test_the_four_policies_have_the_numbers_of_trees(table):
    rows = teach.bundled(table) if isinstance(table, str) else teach.rows_of(table, "y")
    values, column = teach.lesson("missing", rows).values, rows.missing_columns[0]
    name = rows.schema.names[column]
    X, y = {name: rows.frame()[name]}, rows.labels()
    for k, policy in enumerate(("drop", "common", "fractional", "every"), start=1):
        tree = tw.ID3Classifier(missing=policy, max_depth=1).fit(X, y).tree_
        assert values[f"Policy {k}: Gain({name})"] == pytest.approx(tree.gain[0])
    c45 = tw.C45Classifier(max_depth=1, min_cases=1, prune=False, collapse=False).fit(X, y)
    assert c45.tree_.n_leaves > 1
    expected = c45.predict_proba({name: [None]})[0]
    assert [values[f"P({label})"] for label in rows.class_names] == pytest.approx(expected.tolist())


@pytest.mark.parametrize("table", ["play_tennis", "iris_rows", "customer_loyalty", "food", "seven_points"])
def test_gini_says_which_split_has_how_many_branches(table):
    """CART's own tree has the gain that the last step shows, which is that of two branches."""
    rows = teach.bundled(table)
    lesson = teach.lesson("gini", rows)
    assert lesson.title.startswith("Gini gain, a branch per level")
    step = lesson.steps[-1]
    assert step.title.startswith("CART: two branches")
    tree = tw.CARTClassifier(max_depth=1, kinds=rows.kinds()).fit(rows.frame(), rows.labels()).tree_
    assert max(step.values.values()) == pytest.approx(tree.gain[0])


def test_gini_of_play_tennis_by_hand():
    values = teach.lesson("gini").values
    assert round(values["GiniGain(outlook)"], 4) == 0.1163
    assert round(values["GiniGain(outlook in {Rainy, Sunny})"], 4) == 0.1020


def test_costs_of_one_and_no_weight_order_as_gain_does():
    lesson = teach.lesson("costs", cost={"outlook": 1.0}, weight=0)
    gains = {name: v for name, v in lesson.values.items() if name.startswith("Gain(")}
    for symbol in ("TS", "Núñez", "IDX"):
        scores = [lesson.values[name.replace("Gain", symbol, 1)] for name in gains]
        assert np.argsort(scores).tolist() == np.argsort(list(gains.values())).tolist()


def test_many_thresholds_are_cut_short_but_all_have_values():
    rng = np.random.default_rng(0)
    x = rng.permutation(400) / 7
    rows = teach.rows_of({"x": x, "y": np.where(x > 20, "a", "b")}, "y")
    (step,) = [step for step in teach.lesson("gain", rows).steps if step.title == "x"]
    assert len([name for name in step.values if name.startswith("Gain(")]) == 399
    assert len(step.table) == 1 + 2 * 12
    assert "387 more" in step.remark
    assert step.values[f"Gain(x ≤ {step.result.split('≤ ')[1].split(',')[0]})"] == pytest.approx(
        float(criteria.entropy(rows.counts()))
    )


def test_ordered_levels_are_cut_between():
    rows = teach.rows_of(
        {"size": ["S", "L", "M", "S"], "y": ["a", "b", "b", "a"]}, "y", kinds={"size": ["S", "M", "L"]}
    )
    lesson = teach.lesson("id3", rows)
    assert lesson.values["Gain(size ≤ S)"] == pytest.approx(1.0)
    assert lesson.steps[0].result.startswith("size ≤ S is taken: it has the largest Gain")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: teach.lesson("entropie"), "unknown topic 'entropie'"),
        (lambda: teach.lesson("gain", "tennis"), "no data set is called 'tennis'"),
        (lambda: teach.lesson("gain", depth=3), "has no option 'depth'"),
        (lambda: teach.lesson("gain", node=8), "there is no node 8"),
        (lambda: teach.lesson("gain").step(0), "there is no step 0"),
        (lambda: teach.lesson("gini").at_node(1), "no step is about node 1"),
        (lambda: teach.example(35), "there is no worked example 35"),
        (lambda: teach.lesson("missing", "xor"), "no missing values"),
        (lambda: teach.lesson("missing", column="town"), "there is no column 'town'"),
        (lambda: teach.lesson("costs", cost={"town": 1.0}), "there is no column 'town'"),
        (lambda: teach.lesson("costs", cost={"windy": 0.0}), "must be above 0"),
        (lambda: teach.bundled("food", target="zz"), "no column 'zz'"),
        (lambda: teach.bundled("iris_rows", target="petal_width"), "is a number"),
        (lambda: teach.rows_of({"x": [1, 2, 3], "y": [10, 20, 30]}, "y"), "is a number"),
        (lambda: teach.rows_of({"y": ["a", "b"]}, "y"), "no column but the target"),
        (lambda: teach.bundled("xor", drop=["a", "b"]), "no column but 'y'"),
        (lambda: teach.lesson("pruning", "food", validation=teach.bundled("xor")), "no column 'hunger'"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(tw.TreewrightError, match=message) as caught:
        call()
    assert caught.value.hint
