"""Pictures that a person has looked at and found good, kept in ``*.svg`` beside this file.

After a change that is meant to change them: ``pytest tests/golden --regen``, then look at what git says has changed.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from xml.etree import ElementTree

import pytest

from golden.test_printed_trees import cars_nominal, diabetes_regression, iris_cart, loans, loans_cart, play_tennis_id3
from treewright.model.learners.chaid_estimators import CHAIDClassifier

HERE = Path(__file__).parent


def loans_chaid():
    table = loans()
    return CHAIDClassifier(max_depth=2).fit(table.drop(columns="repaid"), table["repaid"])


PICTURES = {
    "play_tennis": lambda: play_tennis_id3().model.to_svg(),
    "iris_dark": lambda: iris_cart().model.to_svg(theme="dark"),
    "loans_right": lambda: loans_cart().model.to_svg(orientation="right"),
    "loans_chaid": lambda: loans_chaid().to_svg(),
    "cars_depth": lambda: cars_nominal().model.to_svg(depth=2),
    "diabetes": lambda: diabetes_regression().model.to_svg(),
}


@pytest.mark.parametrize("name", PICTURES)
def test_picture(name, request):
    text, path = PICTURES[name](), HERE / f"{name}.svg"
    if request.config.getoption("--regen"):
        path.write_text(text, encoding="utf-8", newline="\n")
    assert path.exists(), f"there is no {path.name}; make it with pytest --regen and look at it"
    assert text == path.read_text(encoding="utf-8")
    assert len(text) < 60_000
    ElementTree.fromstring(text)


def test_the_pictures_of_the_readme_are_those_the_code_draws():
    root = HERE.parents[1]
    spec = importlib.util.spec_from_file_location("iris_tree", root / "examples" / "iris_tree.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    for theme, text in example.pictures().items():
        assert text == (root / "docs" / f"iris_tree_{theme}.svg").read_text(encoding="utf-8"), "run make picture"
