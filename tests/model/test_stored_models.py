"""Models stored by every version of the format are read, and answer as they did: for ever, and without numba."""

import json
import os
import subprocess
import sys
from importlib import resources
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import treewright as tw
from stored_models_made import ANSWERS, HERE, answers, transformed
from treewright.kernels import switch
from treewright.tree.io import VERSION

VERSIONS = sorted(HERE.glob("version_*"))
MODELS = [file for folder in VERSIONS for file in sorted(folder.glob("*.json"))]
PUBLISHED = Path(__file__).parents[2] / "docs" / "schemas"


def ids(file: Path) -> str:
    return f"{file.parent.name}-{file.stem}"


def check(file: Path) -> None:
    """The stored rows have the stored answers."""
    record = json.loads((file.parent / ANSWERS).read_text(encoding="utf-8"))
    said, X, model = record["answers"][file.stem], record["rows"], tw.load(file)
    found = {"transform": transformed(model, X)} if "transform" in said else answers(model, X)
    for name, expected in said.items():
        if (expected and isinstance(expected[0], str)) or name == "transform":
            assert found[name] == expected, (file.stem, name)
        else:
            np.testing.assert_allclose(found[name], expected, rtol=1e-12, err_msg=f"{file.stem} {name}")


@pytest.mark.parametrize("file", MODELS, ids=ids)
def test_a_stored_model_answers_as_it_did(file):
    with switch.compiling("never"):
        check(file)


@pytest.mark.parametrize("name", ["CARTClassifier", "CARTRegressor"])
def test_compiled_kernels_give_the_same_answers(name):
    """Both roads of all kinds are compared elsewhere; to compile for every kind takes minutes."""
    with switch.compiling("always"):
        check(VERSIONS[-1] / f"{name}.json")


def test_every_kind_that_can_be_saved_is_stored():
    from treewright.model.table_model import SAVED

    for name in tw.__all__:
        getattr(tw, name)  # estimators are registered when they are imported
    stored = {json.loads(file.read_text())["estimator"] for file in MODELS if file.parent.name == f"version_{VERSION}"}
    ours = {
        name for name, (kind, _) in SAVED.items() if kind.__module__.startswith("treewright.")
    }  # other tests have more
    assert stored >= ours | {"RuleSet"}


def test_the_schema_is_published_and_all_stored_models_follow_it():
    """A version that is published stays as it is; a change is a new version."""
    schema = json.loads(resources.files("treewright.tree").joinpath("model.schema.json").read_text("utf-8"))
    assert schema["$id"] == f"urn:treewright:model:{VERSION}"
    published = json.loads((PUBLISHED / f"model-{VERSION}.schema.json").read_text("utf-8"))
    assert published == schema
    checker = jsonschema.Draft202012Validator(schema)
    for file in MODELS:
        checker.validate(json.loads(file.read_text("utf-8")))


WITHOUT_NUMBA = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("numba", "llvmlite"):
            raise ModuleNotFoundError(f"{name} is blocked", name=name)

sys.meta_path.insert(0, Blocked())
sys.path.insert(0, sys.argv[1])
import numpy as np
import treewright as tw
from model.test_stored_models import MODELS, check
from stored_models_made import rows

for file in MODELS:
    check(file)
X, classes, _ = rows(40, 0)
del X["joined"]
assert tw.CARTClassifier().fit(X, classes).score(X, classes) > 0.9
big = {name: cells * 500 for name, cells in X.items()}
tree = tw.load(next(file for file in MODELS if file.stem == "CARTClassifier"))
assert len(tree.predict(big)) == 20_000
assert "numba" not in sys.modules
print("done")
"""


def test_models_predict_where_numba_is_not_installed():
    """The stored answers are those of compiled kernels too: see above. What the environment asks for is no matter."""
    environment = {**os.environ, "TREEWRIGHT_COMPILE": "always"}
    arguments = [sys.executable, "-c", WITHOUT_NUMBA, str(HERE.parent)]
    ran = subprocess.run(arguments, env=environment, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, "done\n"), ran.stderr


def test_whoever_waits_without_numba_is_told(monkeypatch, capsys):
    from treewright.kernels import compile_notice

    monkeypatch.setattr(switch, "has_numba", False)
    monkeypatch.setattr(switch, "is_on", False)
    monkeypatch.setattr(switch, "policy", "auto")
    monkeypatch.setattr(switch, "_slow_seconds", 0.0)
    monkeypatch.setattr(compile_notice, "_told", set())
    assert not switch.should_compile(5.0)
    assert capsys.readouterr().err == ""
    assert not switch.should_compile(5.0)
    assert "numba is not installed" in capsys.readouterr().err
