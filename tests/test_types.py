"""What editors and type checkers are told is so."""

from __future__ import annotations

import re
import subprocess
import sys
import typing
from importlib import import_module
from pathlib import Path

import pytest

import treewright as tw
from treewright.model.fitting import estimators_of, methods

SOURCES = Path(tw.__file__).parent.parent
SCRIPT = '''
"""What a user writes."""

from __future__ import annotations

import treewright as tw
import treewright.evaluate
from treewright.prune import CostComplexity

table = tw.datasets.load("play_tennis")
model = tw.fit(table.table, target="play", method="c4.5", confidence=0.1)
print(model.tree_.n_leaves, model.rules(), model.explain(table.X), model.score(table.X, table.y))
smaller: tw.C45Classifier = model.prune("mdl")
regressor: tw.CARTRegressor = tw.fit(table.table, target="day", task="numbers", prune=CostComplexity(0.01))
forest: tw.RandomForestClassifier = tw.RandomForestClassifier(n_trees=3).fit(table.X, table.y)
metrics: treewright.evaluate.Evaluation = tw.evaluate.evaluate(model, table.X, table.y)
lift: float = tw.evaluate.evaluate(forest, table.X, table.y).auc
by_hand = tw.tree_by_hand({"windy": {"Weak": "Yes", "Strong": "No"}}, table.X, table.y)
print(by_hand.predict(table.X), by_hand.tree_.n_leaves, regressor.competitors()[0].gain)
sketched: tw.CARTClassifier = tw.tree_by_hand("Yes", table.X, table.y, model=tw.CARTClassifier())
print(tw.CHAIDClassifier().fit(table.X, table.y).competitors()[0].p)
model.save("model.json")
loaded = tw.load("model.json")
right: float = loaded.score(table.X, table.y)
if isinstance(loaded, tw.C45Classifier):
    depth: int = loaded.tree_.depth
'''


@pytest.mark.parametrize("name", sorted(tw._MODULES))
def test_namespaces_are_modules_of_their_own_name(name):
    assert import_module(f"treewright.{name}") is getattr(tw, name)


@pytest.mark.skipif(not hasattr(typing, "get_overloads"), reason="Python 3.10 cannot tell overloads")
def test_fit_names_the_estimators_of_every_method():
    told: dict[str, set[str]] = {}
    for signature in typing.get_overloads(tw.fit):
        names = re.findall(r"Literal\[(.*)\]", signature.__annotations__["method"])
        for name in re.findall("'(.+?)'", names[0]) if names else ():
            told.setdefault(name, set()).update(signature.__annotations__["return"].split(" | "))
    known = {name: {kind.__name__ for kind in estimators_of(name)} for name in told}
    assert told == known
    assert set(methods()) <= known.keys()


@pytest.mark.slow
def test_a_users_script_passes_mypy_strict(tmp_path):
    """As with an installed package: errors are those of the script only."""
    script = tmp_path / "script.py"
    right = run_mypy(script, SCRIPT)
    assert right.returncode == 0, right.stdout
    wrong = run_mypy(script, SCRIPT + "model.tree_.n_leafs\nreveal_type(tw.load('a'))\nreveal_type(tw.fit({}, 'y'))\n")
    assert '"ReadableTree" has no attribute "n_leafs"' in wrong.stdout
    loaded, fitted = re.findall('Revealed type is "(.+)"', wrong.stdout)
    assert "RuleSet" in loaded
    assert [name.rpartition(".")[2] for name in fitted.split(" | ")] == ["CARTClassifier", "CARTRegressor"]


def run_mypy(script: Path, text: str) -> subprocess.CompletedProcess[str]:
    script.write_text(text, encoding="utf-8")
    options = ["--strict", "--follow-imports=silent", "--config-file=", f"--cache-dir={script.parent / 'cache'}"]
    return subprocess.run(
        [sys.executable, "-m", "mypy", *options, str(script)], capture_output=True, text=True, check=False,
        cwd=script.parent, env={"MYPYPATH": str(SOURCES), "PATH": ""},
    )  # fmt: skip


@pytest.mark.parametrize("name", ["criteria", "datasets", "evaluate", "neighbors", "plots", "prune", "rules", "teach"])
def test_editors_complete_public_names_only(name):
    module = getattr(tw, name)
    assert sorted(dir(module)) == sorted(module.__all__)
