"""The lessons about nearest neighbours: every distance and vote, and a KD-tree with every test of a box."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from treewright.data.encode import prediction_matrix
from treewright.data.frame import read_frame
from treewright.data.schema import Column, Kind
from treewright.errors import DataError, OptionError, shown, unknown
from treewright.explain.condition_text import level_text, one_line
from treewright.explain.number_text import plural
from treewright.model.learners.knn_estimators import KNNClassifier
from treewright.neighbors.distance_metric import METRICS
from treewright.neighbors.mixed_metric import MIXED_METRICS, MixedSearch
from treewright.neighbors.search_report import CASES
from treewright.neighbors.search_trace import CELL, CUT, SearchTrace, TraceStep
from treewright.neighbors.space_tree import KDTree
from treewright.teach.formula_text import count, rounded, share
from treewright.teach.lesson import Lesson, Step
from treewright.teach.lesson_rows import LessonRows
from treewright.typing import Floats, Mask

_OF_NUMBERS = ("euclidean", "manhattan", "chebyshev")
_SIGN = {1.0: "d1", 2.0: "d2", np.inf: "d∞"}


# ---- k nearest neighbours ----------------------------------------------------------------------------------------


def knn_lesson(rows: LessonRows, query: Any = None, k: int = 3, metric: str = "auto") -> Lesson:
    """All distances from one row, the k nearest, and their votes. Without ``query`` the last row is asked about."""
    _check_metric(metric, ("auto", *_OF_NUMBERS, *MIXED_METRICS))
    asked, rest, how = _asked(rows, query)
    model = KNNClassifier(k=k, metric=metric, scale="auto" if metric in ("gower", "vdm", "heom") else None)
    table, labels = rest.frame(), rest.labels()
    model.set_params(kinds=rest.kinds()).fit(table, labels)
    n = rest.n_rows
    distances, order = (found[0] for found in model.kneighbors([asked], k=n))
    by_row = dict(zip(order.tolist(), distances.tolist()))
    terms = _terms(model, rest, asked)
    lines = [f"{_symbol(model)}(row {i}) = {terms[i]} = {rounded(by_row[i])}" for i in range(n)]
    heading = (*map(one_line, rest.schema.names), rest.target, "distance")
    columns = [[_cell_text(value) for value in table[name]] for name in rest.schema.names]
    cells = [(str(i), *(column[i] for column in columns), level_text(labels[i]), rounded(by_row[i])) for i in range(n)]
    values = {f"d(row {i})": by_row[i] for i in range(n)}
    first = Step(
        f"Every distance from {how}", (("row", *heading), *cells), tuple(lines),
        remark=_metric_remark(model), values=values,
    )  # fmt: skip
    title = f"k nearest neighbours: {rows.name}, {plural(n, 'row')}, target {rows.target}, k = {k}"
    return Lesson(
        "knn",
        title,
        (first, _nearest_step(model, rest.target, labels, distances, order), _vote_step(model, rest, asked)),
    )


def _check_metric(metric: Any, known: tuple[str, ...]) -> None:
    if metric not in known:
        raise unknown("metric", metric, known)


def _cell_text(value: Any) -> str:
    return "?" if value is None else count(value) if isinstance(value, float) else level_text(value)


def _asked(rows: LessonRows, query: Any) -> tuple[dict[str, Any], LessonRows, str]:
    """The row that is asked about, the rows that answer, and how the row is called."""
    names = rows.schema.names
    if query is None:
        if rows.n_rows < 2:
            raise DataError("the last row is asked about, and there is no other", "pass more rows, or a query")
        rest = rows.some(np.arange(rows.n_rows) < rows.n_rows - 1, range(len(names)))
        if rest.is_pure():
            raise DataError("without the last row, all rows are of one class", "pass a query")
        table = rows.frame()
        return {name: table[name][-1] for name in names}, rest, f"row {rows.n_rows - 1}, the last"
    if not isinstance(query, Mapping):
        raise OptionError(f"query={shown(query)} is not accepted", f"it is a mapping of columns: {', '.join(names)}")
    odd = [name for name in query if name not in names]
    if odd:
        raise OptionError(f"the query names {odd[0]!r}, which is no column", f"the columns are {', '.join(names)}")
    return {name: query.get(name) for name in names}, rows, "the query"


def _symbol(model: KNNClassifier) -> str:
    return _SIGN.get(METRICS.get(model.metric_) or np.nan, model.metric_)


def _metric_remark(model: KNNClassifier) -> str:
    said = {
        "euclidean": "d2(x, z) = √Σ (x − z)², on the numbers as they are.",
        "manhattan": "d1(x, z) = Σ |x − z|, on the numbers as they are.",
        "chebyshev": "d∞(x, z) is the greatest |x − z|, on the numbers as they are.",
        "heom": "HEOM = √Σ d²: numbers |x − z| / range, levels 0 if equal else 1, and 1 where either is missing.",
        "gower": "Gower = mean of d over columns both rows have: numbers |x − z| / range, levels 0 if equal else 1.",
        "vdm": "VDM = √Σ d²: numbers |x − z| / 4σ, levels by how differently the classes follow them.",
    }
    return said[model.metric_]


def _terms(model: KNNClassifier, rows: LessonRows, asked: dict[str, Any]) -> list[str]:
    """The distance of each row, with its numbers filled in."""
    matrix = np.asarray(prediction_matrix(read_frame([asked]), model.schema_), np.float64)[0]
    held, n_columns = model.rows_, len(rows.schema.columns)
    return [_sum_text(model, [_term(model, j, held[i, j], matrix[j]) for j in range(n_columns)])
            for i in range(len(held))]  # fmt: skip


def _term(model: KNNClassifier, j: int, x: float, z: float) -> str | None:
    """What a column adds; None: it does not count."""
    if model.metric_ in METRICS:
        apart = f"{count(x)} − {count(z)}"
        return f"({apart})²" if model.metric_ == "euclidean" else f"|{apart}|"
    if np.isnan(x) or np.isnan(z):
        return None if model.metric_ == "gower" else "1"
    search = model.search_
    assert isinstance(search, MixedSearch)
    if j in search.as_numbers:
        divisor = search.scaling.divisor[search.as_numbers.index(j)]
        apart = f"|{count(x)} − {count(z)}|/{count(divisor)}"
        return apart if model.metric_ == "gower" else f"({apart})²"
    if model.metric_ == "vdm":
        start = search.rows.share_start[search.as_levels.index(j)]
        one, other = search.rows.shares[int(start + x)], search.rows.shares[int(start + z)]
        return rounded(float(((one - other) ** 2).sum()))
    return "0" if x == z else "1"


def _sum_text(model: KNNClassifier, terms: list[str | None]) -> str:
    known = [term for term in terms if term is not None]
    inside = " + ".join(known) or "no column"
    if model.metric_ == "gower":
        return f"({inside})/{len(known)}" if known else "1, as they share no column"
    if model.metric_ == "chebyshev":
        return f"max({', '.join(known)})"
    return inside if model.metric_ == "manhattan" else f"√({inside})"


def _nearest_step(model: KNNClassifier, target: str, labels: list[Any], distances: Floats, order: Any) -> Step:
    k = model.k_
    cells = [(str(place + 1), str(row), level_text(labels[row]), rounded(d)) for place, (row, d) in
             enumerate(zip(order[:k].tolist(), distances[:k].tolist()))]  # fmt: skip
    tied = k < len(order) and distances[k] == distances[k - 1]
    remark = ""
    if tied:
        remark = f"Row {order[k]} is as far as row {order[k - 1]}; the one that comes first in the table counts."
    return Step(
        f"The {k} nearest" if k > 1 else "The nearest",
        (("", "row", target, "distance"), *cells),
        result=f"N = {{{', '.join(map(str, order[:k].tolist()))}}}",
        remark=remark,
    )


def _vote_step(model: KNNClassifier, rows: LessonRows, asked: dict[str, Any]) -> Step:
    shares, names = model.predict_proba([asked])[0], rows.class_names
    votes = np.rint(shares * model.k_)
    lines = tuple(f"P({name}) = k_c/k = {share(float(vote), model.k_)} = {rounded(float(p))}" for name, vote, p in
                  zip(names, votes, shares))  # fmt: skip
    won = int(np.argmax(shares))
    tie = int((shares == shares[won]).sum()) > 1
    return Step(
        "Votes",
        (("class", "votes"), *((name, count(float(vote))) for name, vote in zip(names, votes))),
        lines,
        f"{rows.target} = {names[won]}",
        "Of classes with equally many votes the first is taken." if tie else "",
        {f"P({name})": float(p) for name, p in zip(names, shares)},
    )


# ---- KD-trees ----------------------------------------------------------------------------------------------------


def kd_tree_lesson(
    rows: LessonRows,
    query: Any = None,
    k: int = 1,
    metric: str = "euclidean",
    leaf_size: int = 1,
    split: str = "rotate",
) -> Lesson:
    """A KD-tree, cut by cut, and the search in it, box by box. Without ``query`` the last row is asked about."""
    _check_metric(metric, _OF_NUMBERS)
    asked, rest, how = _asked_numbers(rows, query)
    numeric, points, complete = _points(rest)
    names = [one_line(column.name) for column in numeric]
    tree = KDTree(points, leaf_size, metric, split=split)
    tree.names = tuple(names)
    steps = [_cut_step(tree, node) for node in np.flatnonzero(tree.cells.axis >= 0).tolist()]
    row = [asked[column.name] for column in numeric]
    trace = tree.trace([float(value) for value in row], k)
    held_out = (
        f" ({plural(rest.n_rows - complete, 'row')} with a missing value left out)" if complete < rest.n_rows else ""
    )
    where = ", ".join(f"{name} = {count(float(value))}" for name, value in zip(names, row))
    start = Step(f"The search for {how}: {where}", remark=_home_remark(tree, trace))
    searching = [_search_step(tree, trace, step) for step in trace.steps]
    title = f"KD-tree: {rows.name}, {plural(len(points), 'row')}{held_out}, leaf size {leaf_size}, {_turn(split)}"
    return Lesson("kd-tree", title, (*steps, start, *searching, _end(tree, trace)))


def _turn(split: str) -> str:
    return "columns in turn" if split == "rotate" else "the column of greatest variance"


def _asked_numbers(rows: LessonRows, query: Any) -> tuple[dict[str, Any], LessonRows, str]:
    numeric = [j for j, column in enumerate(rows.schema.columns) if column.kind is Kind.NUMERIC]
    if not numeric:
        raise DataError(f"{rows.name} has no numeric column, and a KD-tree cuts numbers", "use the lesson knn")
    kept = rows.some(None, numeric)
    if query is None and rows.n_rows >= 2:
        rest = kept.some(np.arange(rows.n_rows) < rows.n_rows - 1, range(len(numeric)))
        table = kept.frame()
        asked, how = {name: table[name][-1] for name in kept.schema.names}, f"row {rows.n_rows - 1}, the last"
    else:
        asked, rest, how = _asked(kept, query)
    lost = [name for name, value in asked.items() if value is None]
    if lost:
        raise DataError(f"{lost[0]!r} of the row that is asked about is missing", "give all numeric columns in a query")
    return asked, rest, how


def _points(rows: LessonRows) -> tuple[tuple[Column, ...], Floats, int]:
    table = rows.frame()
    points = np.array([[np.nan if v is None else v for v in table[name]] for name in rows.schema.names], np.float64).T
    whole: Mask = ~np.isnan(points).any(1)
    if not whole.any():
        raise DataError("no row has all its numbers", "leave out columns with missing values")
    return rows.schema.columns, points[whole], int(whole.sum())


def _cut_step(tree: KDTree, node: int) -> Step:
    cells, order = tree.cells, tree.searched.order
    inside = np.sort(order[cells.start[node] : cells.end[node]])
    points, axis = tree.data[inside], int(cells.axis[node])
    t = (float(cells.below[node]) + float(cells.above[node])) / 2
    name, variances = tree.names[axis], points.var(0)
    lines = [f"V({column}) = {rounded(float(v))}" for column, v in zip(tree.names, variances)]
    values = np.sort(points[:, axis])
    shown_values = ", ".join(map(count, values[:20].tolist())) + (", …" if len(values) > 20 else "")
    lines.append(f"{name}: {shown_values}")
    lines.append(f"t = ({count(float(cells.below[node]))} + {count(float(cells.above[node]))})/2 = {rounded(t)}")
    left, right = (np.sort(order[cells.start[v] : cells.end[v]]).tolist() for v in (2 * node + 1, 2 * node + 2))
    sides = tuple((f"{name} {sign} {rounded(t)}", f"[{v}]", _listing(rows)) for sign, v, rows in
                  (("≤", 2 * node + 1, left), (">", 2 * node + 2, right)))  # fmt: skip
    why = "its turn" if tree.split == "rotate" else "the greatest variance"
    tied = cells.below[node] == cells.above[node]
    return Step(
        f"Node {node}: {plural(len(inside), 'row')}, cut by {name} ({why})",
        (("side", "node", "rows"), *sides), tuple(lines),
        f"t{node} = {rounded(t)}",
        "Rows at the median are on both sides; the lower row numbers are left." if tied else "",
        {f"t{node}": t}, node,
    )  # fmt: skip


def _listing(rows: list[int]) -> str:
    return ", ".join(map(str, rows[:20])) + (", …" if len(rows) > 20 else "")


def _home_remark(tree: KDTree, trace: SearchTrace) -> str:
    nearest = "nearest" if trace.k == 1 else f"{trace.k}-th nearest"
    symbol = _SIGN.get(tree.metric.p, "Minkowski's")
    return f"The distance is {symbol}. A side is skipped if it begins farther away than the {nearest} row found."


def _search_step(tree: KDTree, trace: SearchTrace, step: TraceStep) -> Step:
    text = step.text.partition("] ")[2]
    if step.kind == CUT:
        return Step(f"Node {step.node}: which side first", formulas=(text,), node=step.node)
    if step.kind == CELL:
        cells = [(str(row), *map(count, tree.data[row].tolist()), rounded(d)) for row, d in
                 zip(step.rows, step.distances)]  # fmt: skip
        values = {f"d(row {row})": d for row, d in zip(step.rows, step.distances)}
        return Step(
            f"Cell {step.node}: every distance", (("row", *tree.names, "distance"), *cells), (text,),
            values=values, node=step.node,
        )  # fmt: skip
    return Step(f"Node {step.node}: skipped", formulas=(text,), values={f"box {step.node}": step.off}, node=step.node)


def _end(tree: KDTree, trace: SearchTrace) -> Step:
    cells = [(str(row), rounded(d)) for row, d in zip(trace.rows, trace.distances)]
    told = f"{trace.n_distances} of {trace.n_rows} distances, {len(trace.looked_at)} of {tree.n_leaves} cells"
    tests = f"d in its own cell = {rounded(trace.own)}, d(t1) = {rounded(trace.t1)}, d(t2) = {rounded(trace.t2)}"
    values = {"distances": float(trace.n_distances), "case": float(trace.case), "d": trace.own, "d(t1)": trace.t1,
              "d(t2)": trace.t2}  # fmt: skip
    values = {name: value for name, value in values.items() if np.isfinite(value)}
    remark = "t1 is the first cut, t2 the nearest of the others on the way to the cell; ∞ where there is none."
    result = f"Case {trace.case}: {CASES[trace.case]}"
    return Step("Found", (("row", "distance"), *cells), (told, tests), result, remark, values)
