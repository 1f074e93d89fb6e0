"""One word per idea: names of modules and classes occur once, and the words of docs/glossary.md are kept to."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import defaultdict
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "treewright"
SOURCES = sorted(PACKAGE.rglob("*.py"))
SPECIAL = {"__init__", "__main__"}

# Names that say nothing to an engineer of this field.
POOR_MODULES = {
    "ahead", "answers", "drawn", "even", "expected", "figures", "gaps", "measuring", "opening", "paid", "parts",
    "phrases", "plain", "prices", "quick", "trial", "words",
}  # fmt: skip
# A package and its main module may have one name: `from treewright.tree.tree import Tree`.
MAIN_MODULES = {"evaluate", "recipe", "tree"}

# Not used for: missing, cost, metric, fold, Monte Carlo, baseline, sorted, histogram.
FORBIDDEN = {
    "gap", "gaps", "lacking", "absent", "price", "prices", "priced", "paid", "worth", "figure", "figures", "deal",
    "dealt", "drawn", "guess", "guessing", "listed", "counted",
}  # fmt: skip
# Identifiers that hold such a word and are right, and why.
ALLOWED = dict.fromkeys(("figure", "get_figure", "ListedColormap"), "matplotlib calls it so")


def names_in(source: str) -> set[str]:
    """All identifiers of a program, keywords included."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {token.string for token in tokens if token.type == tokenize.NAME}


def words_of(identifier: str) -> set[str]:
    """The words of snake_case and CamelCase.

    >>> sorted(words_of("_GapModel_of_rows"))
    ['gap', 'model', 'of', 'rows']
    """
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", identifier)}


def homes(pairs: list[tuple[str, str]]) -> dict[str, list[str]]:
    """Names that have more than one home."""
    found = defaultdict(list)
    for name, home in pairs:
        found[name].append(home)
    return {name: where for name, where in found.items() if len(where) > 1}


def test_a_module_has_a_name_of_its_own():
    modules = [(path.stem, str(path.relative_to(PACKAGE))) for path in SOURCES if path.stem not in SPECIAL]
    packages = [(path.parent.name, f"{path.parent.relative_to(PACKAGE)}/") for path in PACKAGE.rglob("*/__init__.py")]
    assert {name: where for name, where in homes(modules + packages).items() if name not in MAIN_MODULES} == {}


def test_a_class_has_a_name_of_its_own():
    classes = [
        (node.name, str(path.relative_to(PACKAGE)))
        for path in SOURCES
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef)
    ]
    assert homes(classes) == {}


def test_a_module_is_named_by_a_noun_of_the_field():
    assert [str(path.relative_to(PACKAGE)) for path in SOURCES if path.stem in POOR_MODULES] == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_identifiers_use_the_words_of_the_glossary(path):
    found = {name for name in names_in(path.read_text()) if words_of(name) & FORBIDDEN and name not in ALLOWED}
    assert found == set(), "see docs/glossary.md for the word to use"


def test_what_is_allowed_is_used():
    """An entry that nobody needs any more is taken out."""
    used = set().union(*(names_in(path.read_text()) for path in SOURCES))
    assert set(ALLOWED) <= used


def test_the_glossary_names_the_words_that_are_not_used():
    text = (PACKAGE.parent.parent / "docs" / "glossary.md").read_text()
    words = ("gap", "lacking", "absent", "price", "worth", "figure", "deal", "drawn", "guessing", "listed", "counted")
    assert [word for word in words if word not in text] == []
