"""Small fits and predictions of every learner, done so that the kernels they need are compiled and kept on disk."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from treewright.model.model_files import load

_ROWS = 20_000  # enough for nodes that are too large to be grown in one go
_FEW_ROWS = 1_000
_LARGE_ROWS = 60_000  # rows of a growing tree are numbered anew from some tens of thousands on

Job = tuple[str, Callable[[], None]]


def jobs() -> list[Job]:
    """What to run, each with a name: numbers of both widths, levels in one and two bytes, missing, weights."""
    import treewright as tw

    table, classes, numbers, weights = _made(_ROWS)
    few_rows, few_classes, few_numbers, _ = _made(_FEW_ROWS)
    large_table, large_classes, _, _ = _made(_LARGE_ROWS)
    matrix = np.column_stack([table[name] for name in ("number", "missing", "few")])
    pairs = np.where(classes == "c", "b", classes)
    counts = np.floor(np.abs(numbers))
    return [
        ("CART, classes", _fit(tw.CARTClassifier, table, classes)),
        ("CART, two classes", _fit(tw.CARTClassifier, table, pairs)),
        ("CART, classes, weighted", _fit(tw.CARTClassifier, table, classes, weights)),
        ("CART, entropy", _fit(tw.CARTClassifier, table, classes, criterion="entropy")),
        ("CART, matrix", _fit(tw.CARTClassifier, matrix, classes)),
        ("CART, two classes, matrix", _fit(tw.CARTClassifier, matrix, pairs)),
        ("CART, narrow matrix", _fit(tw.CARTClassifier, matrix.astype(np.float32), classes)),
        ("CART, histogram", _fit(tw.CARTClassifier, matrix, classes, engine="histogram")),
        ("CART, numbers", _fit(tw.CARTRegressor, table, numbers)),
        ("CART, numbers, weighted", _fit(tw.CARTRegressor, table, numbers, weights)),
        ("CART, numbers, matrix", _fit(tw.CARTRegressor, matrix.astype(np.float32), numbers)),
        ("CART, counts", _fit(tw.CARTRegressor, table, counts, criterion="poisson")),
        ("CART, absolute error", _fit(tw.CARTRegressor, table, numbers, criterion="absolute_error")),
        ("CART, missing values as a branch", _fit(tw.CARTClassifier, table, classes, missing="branch")),
        (
            "CART, missing values in parts",
            _fit(tw.CARTClassifier, table, classes, missing="fractional", max_depth=4),
        ),
        (
            "CART, missing values in parts, few rows",
            _fit(tw.CARTClassifier, few_rows, few_classes, missing="fractional"),
        ),
        ("M5'", _fit(tw.M5Regressor, table, numbers)),
        ("M5', weighted", _fit(tw.M5Regressor, table, numbers, weights)),
        ("M5 rules", _fit(tw.M5RulesRegressor, few_rows, few_numbers)),
        ("Cubist", _fit(tw.CubistRegressor, table, numbers, committees=2, neighbors=3)),
        ("Cubist, a sample", _fit(tw.CubistRegressor, few_rows, few_numbers, sample=0.5)),
        ("linear leaves", _fit(tw.TreeRegressor, table, numbers, leaf="linear")),
        ("logistic leaves", _fit(tw.TreeClassifier, few_rows, few_classes, leaf="logistic")),
        (
            "absolute error in parts",
            _fit(tw.TreeRegressor, few_rows, few_numbers, missing="fractional", **_MEDIANS),
        ),
        ("CART, many classes", _fit(tw.CARTClassifier, table, np.floor(2 * numbers).astype(str))),
        (
            "CART, equals drawn at random",
            _fit(tw.CARTClassifier, few_rows, few_classes, tie="random", random_state=0),
        ),
        ("CART, large table", _fit(tw.CARTClassifier, large_table, large_classes, max_depth=9)),
        ("CART, paths of rows", _paths(few_rows, few_classes)),
        ("CART, pruned", _pruned(table, classes)),
        ("CART, pruned by errors", _fit(tw.CARTClassifier, table, classes, prune="error-based")),
        (
            "CART, pruned by errors, missing values in every branch",
            _fit(tw.CARTClassifier, few_rows, few_classes, missing="every", prune="error-based"),
        ),
        (
            "CART, pruned by errors, no subtree raised",
            _fit(tw.CARTClassifier, few_rows, few_classes, missing="stop", prune=tw.prune.ErrorBased(raising=False)),
        ),
        ("ID3", _fit(tw.ID3Classifier, table, classes)),
        ("one level against the rest", _fit(tw.TreeClassifier, table, classes, splits="one-vs-rest")),
        ("medians, a branch per level", _fit(tw.TreeRegressor, few_rows, few_numbers, splits="multiway", **_MEDIANS)),
        (
            "medians, a branch per level, in parts",
            _fit(tw.TreeRegressor, few_rows, few_numbers, splits="multiway", missing="fractional", **_MEDIANS),
        ),
        ("C4.5", _fit(tw.C45Classifier, table, classes)),
        ("C4.5, weighted", _fit(tw.C45Classifier, table, classes, weights)),
        ("C4.5, binary", _fit(tw.C45Classifier, few_rows, few_classes, binary=True)),
        ("C4.5, missing values learned", _fit(tw.C45Classifier, few_rows, few_classes, missing="learned")),
        ("C4.5, matrix", _fit(tw.C45Classifier, matrix, classes)),
        ("C4.5, subsets", _fit(tw.C45Classifier, few_rows, few_classes, subset=True)),
        ("C4.5 rules", _fit(tw.C45RulesClassifier, few_rows, few_classes)),
        ("C5.0", _fit(tw.C50Classifier, few_rows, few_classes, trials=3, soft_thresholds=True)),
        ("C5.0, large nodes", _fit(tw.C50Classifier, table, classes, n_jobs=2)),
        ("C5.0, columns that compete", _compete(tw.C50Classifier(), few_rows, few_classes)),
        ("M5', columns that compete", _compete(tw.M5Regressor(), few_rows, few_numbers)),
        ("C5.0, rules", _fit(tw.C50Classifier, few_rows, few_classes, rules=True, bands=3)),
        ("CHAID", _fit(tw.CHAIDClassifier, table, classes)),
        ("CHAID, weighted", _fit(tw.CHAIDClassifier, table, classes, weights)),
        ("CHAID, split again", _fit(tw.CHAIDClassifier, few_rows, few_classes, **_RESPLIT)),
        ("CHAID, split again as in R", _fit(tw.CHAIDClassifier, few_rows, few_classes, flavour="r", **_RESPLIT)),
        ("CHAID, numbers", _fit(tw.CHAIDRegressor, table, numbers)),
        ("forest, classes", _fit(tw.RandomForestClassifier, few_rows, few_classes, n_trees=3, random_state=0)),
        ("forest, numbers", _fit(tw.RandomForestRegressor, few_rows, few_numbers, n_trees=3, random_state=0)),
        ("forest, matrix", _fit(tw.RandomForestClassifier, matrix[:_FEW_ROWS], few_classes, n_trees=3, random_state=0)),
        ("extra trees", _fit(tw.ExtraTreesClassifier, few_rows, few_classes, n_trees=3, random_state=0)),
        ("boosting", _fit(tw.AdaBoostClassifier, few_rows, few_classes, n_rounds=3)),
        ("boosting, numbers", _fit(tw.AdaBoostRegressor, few_rows, few_numbers, n_rounds=3, random_state=0)),
        ("search tree", _fit(tw.SearchTreeClassifier, few_rows, few_classes, max_depth=3, cv=2)),
        ("search tree, numbers", _fit(tw.SearchTreeRegressor, few_rows, few_numbers, max_depth=3, cv=2)),
        ("k-NN", _fit(tw.KNNClassifier, matrix[:, ::2], classes, algorithm="kd")),
        ("k-NN, ball tree", _fit(tw.KNNClassifier, matrix[:, ::2], classes, algorithm="ball")),
        ("k-NN, mixed", _fit(tw.KNNClassifier, few_rows, few_classes)),
        ("k-NN, as IBk", _fit(tw.KNNClassifier, few_rows, few_classes, flavour="ibk")),
        ("k-NN, rows within a radius", _searched(matrix[:_FEW_ROWS, ::2])),
    ]


_RESPLIT = {"alpha_resplit": 0.049}
_MEDIANS = {"criterion": "absolute_error"}


def compile_all(tell: Callable[[str], None], todo: Sequence[Job] | None = None) -> None:
    """Run the jobs on the compiled road; ``tell`` gets a line before each."""
    from treewright.kernels import compile_notice, switch

    compile_notice.expect_compiling()
    todo = jobs() if todo is None else todo
    with switch.compiling("always"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nobody looks at these trees
        for place, (name, job) in enumerate(todo):
            tell(f"compiling {place + 1} of {len(todo)}: {name}")
            job()


def _fit(learner: Any, X: Any, y: Any, weights: Any = None, **options: Any) -> Callable[[], None]:
    def job() -> None:
        model = learner(**{"max_depth": 6, **options} if "max_depth" in learner().get_params() else options)
        model.fit(X, y, sample_weight=weights)
        for asked in (model, _loaded(model)):
            asked.predict(X)
            if hasattr(asked, "predict_proba"):
                asked.predict_proba(X)

    return job


def _compete(model: Any, X: Any, y: Any) -> Callable[[], None]:
    def job() -> None:
        model.fit(X, y).competitors()

    return job


def _loaded(model: Any) -> Any:
    """The model as a service has it: from a file, which may make its arrays otherwise than fitting does."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save(path)
        return load(path)


def _paths(X: Any, y: Any) -> Callable[[], None]:
    import treewright as tw

    def job() -> None:
        for missing in ("learned", "fractional"):
            tw.CARTClassifier(max_depth=6, missing=missing).fit(X, y).decision_path(X)

    return job


def _pruned(X: Any, y: Any) -> Callable[[], None]:
    import treewright as tw

    def job() -> None:
        model = tw.CARTClassifier(max_depth=6).fit(X, y)
        model.pruning_path()
        model.prune(tw.prune.CostComplexity(alpha=0.001, links="rpart"))

    return job


def _searched(points: Any) -> Callable[[], None]:
    import treewright as tw

    def job() -> None:
        tree = tw.neighbors.KDTree(points)
        tree.query_radius(points[:9], 0.1)
        tree.report(points[:9])

    return job


def _made(n_rows: int) -> tuple[Mapping[str, Any], Any, Any, Any]:
    """A table with a target of three classes, one of numbers, and weights."""
    random = np.random.default_rng(0)
    number, missing = random.normal(size=(2, n_rows))
    missing[random.random(n_rows) < 0.05] = np.nan
    level, many = random.integers(0, 12, n_rows), random.integers(0, 300, n_rows)
    score = number + 0.3 * level + random.normal(size=n_rows)
    names = np.array([f"level {i}" for i in range(300)], object)
    levels = names[level]
    levels[random.random(n_rows) < 0.05] = None
    table = {"number": number, "missing": missing, "few": np.round(number), "level": levels, "many": names[many]}
    return table, np.array(["a", "b", "c"])[np.digitize(score, [1.0, 2.5])], score, random.uniform(0.5, 2.0, n_rows)
