"""How accurate, and how small, one tree is: the search over the top splits beside greedy trees, on real tables.

python benchmarks/readable_trees.py --data DIR                              all sets of up to 5,000 rows
python benchmarks/readable_trees.py --data DIR --only iris pima             some of them
python benchmarks/readable_trees.py --data DIR --repeats 8 --methods search CART
python benchmarks/readable_trees.py --data DIR --results found.csv          go on where a run was stopped
python benchmarks/readable_trees.py --data DIR --write docs/readable_trees.md

DIR has an INDEX.csv (name, task, rows) and for every set a CSV file and a JSON file that says what its columns are;
without --data it is data in TREEWRIGHT_ORACLES, or shared/oracles/data beside the repository. Every method sees the
same folds: 5 stratified ones, twice. Whatever a method chooses, it chooses with the rows it is fitted to, and all that
choose by cross-validation have as many folds and repeats.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import treewright as tw
from report import write_section
from treewright.data.folds import splitter_of
from treewright.data.labelled import labelled
from treewright.model.model_pruning import LeftOut, fold_paths
from treewright.prune import CostComplexity
from treewright.prune.tree_search import LeftOutErrors, place_of
from treewright.prune.tree_selection import by_folds

FOLDS, REPEATS, MOST_ROWS = 5, 2, 5_000
INNER_FOLDS, INNER_REPEATS, FEW_ROWS = 10, 3, 500  # of cross-validation in the rows of a fold: repeated if they are few
FEW_TO_TELL = 100  # rows: a mean over smaller sets says little
MOST_ALPHAS = 20  # of scikit-learn's path
HOME = Path(os.environ.get("TREEWRIGHT_ORACLES", Path(__file__).parents[2] / "shared" / "oracles")) / "data"
Fitted = tuple[Callable[[pd.DataFrame], Any], int]  # what predicts, and how many leaves it has
RULES = {"0-SE": 0.0, "0.5-SE": 0.5, "1-SE": 1.0}


def searched(X: pd.DataFrame, y: Any, classes: bool) -> dict[str, Fitted]:
    """With its defaults; the rules choose from the same curve."""
    learner = tw.SearchTreeClassifier if classes else tw.SearchTreeRegressor
    model = learner(rule=RULES["0.5-SE"], cv=INNER_FOLDS, repeats=inner_repeats(y), n_jobs=1).fit(X, y)
    found = {"search, 0.5-SE": model, "search, 0-SE": _by_rule(model, RULES["0-SE"])}
    return {name: (one.predict, one.tree_.n_leaves) for name, one in found.items()}


def _by_rule(model: Any, rule: float) -> Any:
    curve = model.curve_
    unit = 1 / model.tree_.rows[0] * (1.0 if hasattr(model, "classes_") else float(curve.errors.min()))
    place = place_of(LeftOutErrors(curve.errors, curve.standard_errors), curve.leaves, unit, rule)
    return model.with_leaves(int(curve.leaves[place]))


def cart(X: pd.DataFrame, y: Any, classes: bool) -> dict[str, Fitted]:
    """Minimal cost-complexity pruning, α by 10 folds."""
    model = (tw.CARTClassifier if classes else tw.CARTRegressor)(n_jobs=1).fit(X, y)
    path = CostComplexity().path(model.tree_, model.schema_)
    rows = labelled(X, y, is_classifier=classes)
    repeats = inner_repeats(y)
    folds = fold_paths(model, CostComplexity().path, rows, LeftOut(min(INNER_FOLDS, len(y)), repeats))
    found = {}
    for name, rule in RULES.items():
        pruned = model.prune(CostComplexity(by_folds(path, folds, rule, repeats=repeats).alpha))
        found[f"CART, {name}"] = pruned.predict, pruned.tree_.n_leaves
    return found


def c45(X: pd.DataFrame, y: Any, classes: bool) -> dict[str, Fitted]:
    if not classes:
        return {}
    model = tw.C45Classifier(n_jobs=1).fit(X, y)
    return {"C4.5": (model.predict, model.tree_.n_leaves)}


def c50(X: pd.DataFrame, y: Any, classes: bool) -> dict[str, Fitted]:
    if not classes:
        return {}
    tree, rules = (tw.C50Classifier(rules=rules, n_jobs=1).fit(X, y) for rules in (False, True))
    return {"C5.0": (tree.predict, tree.tree_.n_leaves), "C5.0 rules": (rules.predict, max(len(rules.rule_set_), 1))}


def scikit(X: pd.DataFrame, y: Any, classes: bool) -> dict[str, Fitted]:
    nominal = [name for name in X if X[name].dtype == "category"]
    coded = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), nominal), remainder=SimpleImputer(strategy="median")
    )
    matrix = coded.fit_transform(X)
    matrix = matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)
    tree = (DecisionTreeClassifier if classes else DecisionTreeRegressor)(random_state=0)
    path = np.unique(np.maximum(tree.cost_complexity_pruning_path(matrix, y).ccp_alphas, 0.0))
    alphas = path[np.unique(np.linspace(0, len(path) - 1, MOST_ALPHAS).astype(int))]
    folds = [part for seed in range(inner_repeats(y)) for part in _folds(INNER_FOLDS, y, seed)]
    losses = [_left_out_loss(clone(tree).set_params(ccp_alpha=alpha), matrix, _codes(y), folds) for alpha in alphas]
    found = tree.set_params(ccp_alpha=alphas[int(np.argmin(losses))]).fit(matrix, y)
    return {"scikit-learn, ccp": (make_pipeline(coded, found).predict, int(found.get_n_leaves()))}


def _left_out_loss(tree: Any, matrix: np.ndarray, y: np.ndarray, folds: list[tuple[np.ndarray, np.ndarray]]) -> float:
    """The mean of all folds: what GridSearchCV finds in twice the time."""
    losses = [_lost(tree.fit(matrix[rest], y[rest]).predict(matrix[part]), y[part]).mean() for rest, part in folds]
    return round(float(np.mean(losses)), 12)


def _lost(answer: np.ndarray, y: np.ndarray) -> np.ndarray:
    return (answer - y) ** 2 if y.dtype.kind == "f" else answer.astype(y.dtype) != y


METHODS = {"search": searched, "CART": cart, "C4.5": c45, "C5.0": c50, "scikit-learn": scikit}
NAMES = (
    "search, 0.5-SE",
    "search, 0-SE",
    "CART, 0-SE",
    "CART, 0.5-SE",
    "CART, 1-SE",
    "C4.5",
    "C5.0",
    "C5.0 rules",
    "scikit-learn, ccp",
)


def inner_repeats(y: Any) -> int:
    """As often as the search cross-validates by default."""
    return INNER_REPEATS if len(y) <= FEW_ROWS else 1


def _folds(number: int, y: Any, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    codes = _codes(y)
    return splitter_of(min(number, len(y)), codes, seed).split(np.zeros(len(y)), codes)


def _codes(y: Any) -> np.ndarray:
    return y if y.dtype.kind == "f" else np.unique(y, return_inverse=True)[1]


def tables(folder: Path, only: list[str]) -> Iterator[tuple[str, str, pd.DataFrame, np.ndarray]]:
    index = pd.read_csv(folder / "INDEX.csv").sort_values("rows", kind="stable")
    for name, task, rows in zip(index.name, index.task, index.rows):
        if rows <= MOST_ROWS and (not only or name in only):
            yield name, task, *_table(folder, name, task)


def _table(folder: Path, name: str, task: str) -> tuple[pd.DataFrame, np.ndarray]:
    about = json.loads((folder / f"{name}.json").read_text())
    cells = pd.read_csv(folder / f"{name}.csv", dtype=str, na_values=["?"], keep_default_na=False)
    kinds = {column["name"]: column for column in about["columns"]}
    target = about["target"]
    y = cells[target].to_numpy()
    X = pd.DataFrame(
        {
            column: cells[column].astype(float)
            if kinds[column]["kind"] == "numeric"
            else pd.Categorical(cells[column], categories=kinds[column]["values"])
            for column in cells
            if column != target
        }
    )
    return X, y.astype(float) if task == "regression" else y.astype(str)


def measure(X: pd.DataFrame, y: np.ndarray, fit: Any, task: str, repeats: int) -> dict[str, tuple[float, float, float]]:
    """Accuracy, or the root mean squared error relative to the spread of y; leaves; seconds per fit."""
    losses: dict[str, list[np.ndarray]] = {}
    leaves: dict[str, list[int]] = {}
    start = time.process_time()
    for repeat in range(repeats):
        for rest, part in _folds(FOLDS, y, 100 + repeat):
            training, left_out = (X.iloc[rows].reset_index(drop=True) for rows in (rest, part))
            for name, (predict, n_leaves) in fit(training, y[rest], task != "regression").items():
                losses.setdefault(name, []).append(_lost(np.asarray(predict(left_out)), y[part]))
                leaves.setdefault(name, []).append(n_leaves)
    seconds = (time.process_time() - start) / (FOLDS * repeats)
    return {name: (_score(np.concatenate(lost), y, task), float(np.mean(leaves[name])), seconds)
            for name, lost in losses.items()}  # fmt: skip


def _score(lost: np.ndarray, y: np.ndarray, task: str) -> float:
    return float(np.sqrt(lost.mean()) / y.std() if task == "regression" else 1 - lost.mean())


def markdown(found: pd.DataFrame, task: str) -> str:
    names = [name for name in NAMES if name in set(found.method)]
    word = "accuracy" if task == "classification" else "relative RMSE"
    lines = [f"| {word} (leaves) | " + " | ".join(names) + " |", "|---|" + "--:|" * len(names)]
    for dataset, rows in found.groupby("dataset", sort=True):
        by = rows.set_index("method")
        lines.append(f"| {dataset} | " + " | ".join(_cell(by, name) for name in names) + " |")
    by = found.groupby("method")
    means = {name: (by.get_group(name).score.mean(), _geometric(by.get_group(name).leaves)) for name in names}
    lines.append(
        "| **mean** | " + " | ".join(f"**{score:.4f}** ({leaves:.1f})" for score, leaves in means.values()) + " |"
    )
    return "\n".join(lines)


def of_groups(found: pd.DataFrame, n_rows: pd.Series) -> str:
    """Means over some of the sets, and how often a method is better and worse than CART's best tree."""
    names = [name for name in NAMES if name in set(found.method)]
    score, leaves = (found.pivot(index="dataset", columns="method", values=one)[names] for one in ("score", "leaves"))
    monks, large = score.index.str.startswith("monk"), n_rows[score.index].to_numpy() >= FEW_TO_TELL
    groups = {
        "all": ~monks | monks,
        "without monks": ~monks,
        f"of {FEW_TO_TELL} rows or more": large,
        f"of {FEW_TO_TELL} rows or more, without monks": large & ~monks,
    }
    lines = ["| sets | " + " | ".join(names) + " |", "|---|" + "--:|" * len(names)]
    for words, chosen in groups.items():
        cells = (f"{score[name][chosen].mean():.4f} ({_geometric(leaves[name][chosen]):.1f})" for name in names)
        lines.append(f"| {chosen.sum()} {words} | " + " | ".join(cells) + " |")
    if (base := "CART, 0-SE") in names:
        than = {name: (score[name] - score[base]).round(6) for name in names}
        cells = (f"{(one > 0).sum()}, {(one < 0).sum()}" if name != base else "" for name, one in than.items())
        lines.append(f"| better, worse than {base} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(by: pd.DataFrame, name: str) -> str:
    return f"{by.score[name]:.3f} ({by.leaves[name]:.0f})" if name in by.index else ""


def _geometric(values: pd.Series) -> float:
    return float(np.exp(np.log(values).mean()))


def main() -> None:
    options = _parser().parse_args()
    if not (options.data / "INDEX.csv").exists():
        raise SystemExit(f"there are no tables in {options.data}; say where they are by --data")
    done = pd.read_csv(options.results) if options.results.exists() else pd.DataFrame(columns=["dataset", "method"])
    known = set(done.dataset)
    with open(options.results, "a", newline="") as file:
        out = csv.writer(file)
        if not len(known):
            out.writerow(["dataset", "task", "method", "score", "leaves", "seconds"])
        for name, task, X, y in tables(options.data, options.only):
            if name in known:
                continue
            measured: dict[str, tuple[float, float, float]] = {}
            for method in options.methods:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    measured |= measure(X, y, METHODS[method], task, options.repeats)
            for method, (score, leaves, seconds) in measured.items():  # all of a table: a run that is stopped goes on
                out.writerow([name, task, method, f"{score:.6f}", f"{leaves:.3f}", f"{seconds:.4f}"])
                print(f"{name:20} {method:20} {score:.4f} {leaves:6.1f} leaves {seconds:7.3f} s", flush=True)
            file.flush()
    found = pd.read_csv(options.results)
    n_rows = pd.read_csv(options.data / "INDEX.csv", index_col="name").rows
    parts = []
    for task, rows in found.groupby("task"):
        parts += [of_groups(rows, n_rows)] if task == "classification" else []
        parts.append(markdown(rows, str(task)))
    print("\n\n".join(parts))
    if options.write:
        write_section(options.write, "\n\n".join(parts))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=HOME)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--methods", nargs="*", choices=METHODS, default=list(METHODS))
    parser.add_argument("--repeats", type=int, default=REPEATS, help="how often the folds are dealt anew")
    parser.add_argument("--results", type=Path, default=Path("readable_trees.csv"))
    parser.add_argument("--write", type=Path)
    return parser


if __name__ == "__main__":
    main()
