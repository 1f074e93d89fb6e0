"""HEOM, Gower and VDM, each beside its definition written out cell by cell."""

import math

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import treewright as tw
from strategies import examples
from treewright.data.encode import make_schema, prediction_matrix
from treewright.data.frame import read_frame
from treewright.data.schema import Target
from treewright.kernels import switch
from treewright.neighbors.mixed_metric import IBK, mixed_search

QUICK = (Phase.explicit, Phase.reuse, Phase.generate)


def by_definition(metric, x, z, columns, weights, y):
    """d(x, z) from the table alone; ``columns`` are lists with None where a cell is missing."""
    total = known = 0.0
    for j, (column, weight) in enumerate(zip(columns, weights)):
        cells = [cell for cell in column if cell is not None]
        a, b = x[j], z[j]
        missing = a is None or b is None
        if isinstance(next(iter(cells), 0.0), str):
            d = 1.0 if missing or a != b else 0.0
            if metric == "vdm" and not missing:
                shares = [
                    [sum(cell == level and label == c for cell, label in zip(column, y)) /
                     sum(cell == level for cell in column) for c in sorted(set(y))] for level in (a, b)
                ]  # fmt: skip
                d = math.sqrt(sum((p - q) ** 2 for p, q in zip(*shares)))
        else:
            low, spread = min(cells, default=0.0), max(cells, default=0.0) - min(cells, default=0.0)
            divisor = 4 * np.std(cells) if metric == "vdm" and cells else spread
            divisor = divisor if spread > 0 else 4.0 if metric == "vdm" else 1.0
            if metric == IBK and missing and not (a is None and b is None):
                v = ((b if a is None else a) - low) / divisor
                d = max(v, 1 - v)
            else:
                d = 1.0 if missing else abs(a - b) / divisor
        if metric == "gower":
            total, known = (total, known) if missing else (total + weight * d, known + weight)
        else:
            total += weight * d**2
    if metric == "gower":
        return total / known if known else 1.0
    return math.sqrt(total)


@st.composite
def mixed_tables(draw):
    n = draw(st.integers(2, 25))
    number = st.one_of(st.none(), st.integers(-5, 5).map(float), st.floats(-100, 100, width=32))
    level = st.one_of(st.none(), st.sampled_from(["a", "b", "c"]))
    kinds = draw(st.lists(st.sampled_from(["number", "level"]), min_size=1, max_size=5))
    columns = [draw(st.lists(number if kind == "number" else level, min_size=n, max_size=n)) for kind in kinds]
    for column, kind in zip(columns, kinds):  # the kind of a column must show
        column[0] = column[0] if column[0] is not None else (1.5 if kind == "number" else "a")
    return columns, draw(st.lists(st.sampled_from([0, 1, 2]), min_size=n, max_size=n))


def searched(metric, columns, y, weights, n_jobs=1):
    frame = read_frame({f"c{j}": column for j, column in enumerate(columns)})
    schema = make_schema(frame, Target("y", (0, 1, 2)))
    matrix = np.asarray(prediction_matrix(frame, schema), np.float64)
    return matrix, mixed_search(metric, schema, matrix, classes=np.array(y), weights=weights, n_jobs=n_jobs)


@given(mixed_tables(), st.sampled_from(["heom", "gower", "vdm", IBK]), st.booleans(), st.booleans())
@settings(max_examples=examples(80), phases=QUICK)
@pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")
def test_a_distance_is_what_its_definition_says(table, metric, weighted, compiled):
    columns, y = table
    weights = [1.0 + j * 0.5 for j in range(len(columns))] if weighted else [1.0] * len(columns)
    with switch.compiling("always" if compiled else "never"):
        matrix, search = searched(metric, columns, y, weights if weighted else None)
        found = search.distances(matrix)
        k = min(4, len(y))
        distances, rows = search.nearest(matrix, k)
        own = np.arange(len(y))
        others = search.nearest(matrix, len(y) - 1, own, own)[1]
    lines = list(zip(*columns))
    expected = [[by_definition(metric, x, z, columns, weights, y) for z in lines] for x in lines]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    order = np.array([np.lexsort((own, line)) for line in found])
    np.testing.assert_array_equal(rows, order[:, :k])
    np.testing.assert_array_equal(distances, np.take_along_axis(found, order, 1)[:, :k])
    assert [sorted(line) for line in others.tolist()] == [[j for j in own if j != i] for i in own]


@pytest.mark.parametrize("metric", ["heom", "gower", "vdm", IBK])
def test_both_roads_and_any_number_of_threads_find_the_same(metric):
    rng = np.random.default_rng(0)
    columns = [
        [None if rng.random() < 0.1 else float(x) for x in rng.normal(size=700)],
        [None if rng.random() < 0.1 else "abcdef"[x] for x in rng.integers(0, 6, 700)],
        [float(x) for x in rng.integers(0, 3, 700)],
    ]
    found = []
    for policy, jobs in (("always", 1), ("always", 3), ("never", 1)):
        with switch.compiling(policy):
            matrix, search = searched(
                metric, columns, rng.integers(0, 3, 700).tolist() * 0 or [0, 1, 2, 1] * 175, None, jobs
            )
            found.append(search.nearest(matrix, 6))
    for distances, rows in found[1:]:
        np.testing.assert_array_equal(rows, found[0][1])
        np.testing.assert_array_equal(distances, found[0][0])


def test_ordinal_levels_are_as_far_apart_as_their_places():
    X = {"size": ["S", "M", "L", "XL"]}
    model = tw.KNNClassifier(k=1, metric="heom", kinds={"size": ["S", "M", "L", "XL"]}).fit(X, [0, 0, 1, 1])
    distances, rows = model.kneighbors({"size": ["S"]}, k=4)
    assert rows.tolist() == [[0, 1, 2, 3]]
    np.testing.assert_allclose(distances, [[0, 1 / 3, 2 / 3, 1]])


def test_many_levels_need_no_table_of_pairs():
    rng = np.random.default_rng(0)
    names = [f"n{x}" for x in rng.integers(0, 3_000, 4_000)]
    model = tw.KNNClassifier(k=1, metric="vdm").fit({"a": names, "b": rng.random(4_000)}, rng.integers(0, 2, 4_000))
    assert model.predict({"a": names[:5], "b": [0.5] * 5}).shape == (5,)
