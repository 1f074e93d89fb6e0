"""A fit that fails or is interrupted leaves the model, the table and the options as they were."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from refusals import CLASSES, TWO, X4, classify

FAILURES = {
    "table": lambda model: model.fit([], CLASSES),
    "target": lambda model: model.fit([[1], [2]], ["only", "only"]),
    "weights": lambda model: model.fit([[1], [2]], ["u", "v"], sample_weight=[-1, 1]),
    "kinds": lambda model: model.set_params(kinds={"zz": "nominal"}).fit([[1], [2]], ["u", "v"]),
    "option": lambda model: model.set_params(max_depth=-1).fit([[1], [2]], ["u", "v"]),
    "pruner": lambda model: model.set_params(prune=_broken_pruner).fit([[1], [2]], ["u", "v"]),
}


def _broken_pruner(tree, schema):
    raise tw.OptionError("this pruner does not work", "use another")


@pytest.mark.parametrize("fail", FAILURES.values(), ids=FAILURES)
def test_a_failed_fit_leaves_a_new_model_unfitted(fail):
    model = tw.CARTClassifier()
    with pytest.raises(tw.TreewrightError):
        fail(model)
    assert not [name for name in vars(model) if name.endswith("_")]


@pytest.mark.parametrize("fail", FAILURES.values(), ids=FAILURES)
def test_a_failed_fit_leaves_the_last_tree_in_place(fail):
    model = tw.CARTClassifier().fit(X4, CLASSES)
    before = {name: value for name, value in vars(model).items() if name.endswith("_")}
    with pytest.raises(tw.TreewrightError):
        fail(model)
    after = {name: value for name, value in vars(model).items() if name.endswith("_")}
    assert after.keys() == before.keys()
    assert all(after[name] is before[name] for name in before)
    assert model.predict(X4).tolist() == CLASSES


def test_a_second_fit_forgets_the_first():
    model = tw.CARTClassifier().fit(X4, CLASSES).fit([[1], [2]], TWO)
    assert not hasattr(model, "feature_names_in_")
    assert (model.n_features_in_, model.classes_.tolist()) == (1, TWO)


def test_the_table_and_the_options_are_not_changed():
    table = pd.DataFrame({"a": [3.0, None, 1.0], "b": ["x", None, "y"]})
    kinds, kept = {"b": "nominal"}, table.copy(deep=True)
    matrix = np.array([[3.0, 2], [1, np.nan], [2, 2]])
    matrix.flags.writeable = False
    classify(table, [0, 1, 0], kinds=kinds).predict(table)
    classify(matrix, [0, 1, 0]).predict(matrix)
    pd.testing.assert_frame_equal(table, kept)
    assert kinds == {"b": "nominal"}


LONG_FIT = """
import sys, time
import numpy as np
import treewright as tw

rng = np.random.default_rng(0)
X = rng.normal(size=(400_000, 20)).astype(np.float32)
y = rng.integers(0, 3, len(X))
model = tw.CARTClassifier().fit(X[:3000], y[:3000])
print("ready", flush=True)
try:
    for _ in range(100):  # should a fit be over before the signal comes
        before = dict(vars(model))
        model.fit(X, y)
except KeyboardInterrupt:
    same = vars(model).keys() == before.keys() and all(vars(model)[name] is before[name] for name in before)
    print("as before" if same else "changed", flush=True)
else:
    print("the signal never came", flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of this sort are not sent between processes")
@pytest.mark.parametrize("seconds", [0.6, pytest.param(0.05, marks=pytest.mark.slow)])
def test_ctrl_c_stops_a_long_fit_and_leaves_the_model_as_it_was(seconds):
    """Early: while the columns are encoded. Later: while the tree grows."""
    with subprocess.Popen([sys.executable, "-c", LONG_FIT], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            time.sleep(seconds)
            process.send_signal(signal.SIGINT)
            assert process.stdout.readline() == "as before\n"
            assert process.wait(timeout=600) == 0
        finally:
            process.kill()
