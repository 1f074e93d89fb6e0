"""Every option is described, once, and everywhere the same."""

from __future__ import annotations

import inspect
import re
import shlex
from dataclasses import fields

import pytest

import treewright as tw
from command import call
from treewright.argument_text import ARGUMENTS
from treewright.cli.arguments.learner_options import options_of, value_of, written
from treewright.model.fitting import estimators_of, methods
from treewright.model.options.learner_option_texts import OWN_TEXTS
from treewright.model.options.option_texts import TEXTS, parameters_of_model, text_of_option
from treewright.model.table_model import TableModel
from treewright.option_text import Code
from treewright.prune.pruning_option_texts import TEXTS as PRUNING_TEXTS

PUBLIC = [found for name in tw.__all__ if inspect.isclass(found := getattr(tw, name)) and not name.endswith("Error")]
ESTIMATORS = [kind for kind in PUBLIC if issubclass(kind, TableModel)]
BUILT = [
    *(kind for kind in tw.prune.METHODS.values() if fields(kind)),
    tw.neighbors.KDTree,
    tw.neighbors.BallTree,
    tw.Table,
]
NAMESPACES = [tw.criteria, tw.datasets, tw.evaluate, tw.neighbors, tw.plots, tw.prune, tw.rules, tw.teach]
FUNCTIONS = [
    *filter(inspect.isfunction, (getattr(tw, name) for name in tw.__all__)),
    *(
        found
        for space in NAMESPACES
        for name in space.__all__
        if inspect.isfunction(found := getattr(space, name)) and inspect.signature(found).parameters
    ),
]


def named(found):
    return found.__name__


def example_of(text):
    return eval(text.example, {"tw": tw}) if isinstance(text.example, Code) else text.example


@pytest.mark.parametrize("found", [*ESTIMATORS, *BUILT, *FUNCTIONS], ids=named)
def test_every_option_is_described_in_numpydoc_form(found):
    doc = inspect.getdoc(found)
    _, *sections = re.split(r"^Parameters\n-{10}\n", doc, flags=re.M)
    assert len(sections) == 1
    entries = dict(re.findall(r"^(\*{0,2}\w+) : (.+)\n    \S", sections[0], re.M))
    parameters = inspect.signature(found).parameters.values()
    options = {"**" * (one.kind is one.VAR_KEYWORD) + one.name: one.default for one in parameters}
    assert options.keys() <= entries.keys()
    for name, default in options.items():
        if default is not inspect.Parameter.empty:
            assert entries[name].endswith(f", default {default!r}"), name


@pytest.mark.parametrize("kind", ESTIMATORS, ids=named)
def test_examples_are_accepted(kind):
    for option in fields(kind):
        if option.init:
            text = text_of_option(kind, option.name)
            value = example_of(text)
            assert kind.option_limits[option.name].accepts(value), (option.name, value)
            assert text.meaning.endswith("."), option.name
            assert kind(**{option.name: value}).get_params(deep=False)[option.name] is value


def test_examples_of_pruning_methods_are_accepted():
    for kind in tw.prune.METHODS.values():
        for name, text in PRUNING_TEXTS[kind.__name__].items():
            needed = {"leaves": 8} if kind is tw.prune.ToLeaves and name != "leaves" else {}
            kind(**{name: example_of(text)}, **needed)


def test_no_text_is_left_over():
    arguments = {name for found in FUNCTIONS for name in inspect.signature(found).parameters}
    functions = {f"{found.__name__}.{name}" for found in FUNCTIONS for name in inspect.signature(found).parameters}
    for name in ARGUMENTS:
        assert name in functions or name.lstrip("*") in arguments, name
    used = {option.name for kind in ESTIMATORS for option in fields(kind) if option.init}
    assert TEXTS.keys() <= used
    owners = {base.__name__: base for kind in ESTIMATORS for base in kind.__mro__}
    for owner, texts in OWN_TEXTS.items():
        heirs = [kind for kind in ESTIMATORS if issubclass(kind, owners[owner])]
        for name, text in texts.items():
            having = [kind for kind in heirs if name in {option.name for option in fields(kind)}]
            assert any(text_of_option(kind, name) is text for kind in having), (owner, name)
    assert {kind.__name__ for kind in tw.prune.METHODS.values()} == PRUNING_TEXTS.keys()


def test_types_are_told():
    for kind in ESTIMATORS:
        assert [found.name for found in parameters_of_model(kind) if "object" in found.type] == []


def test_an_estimator_of_ones_own_is_described_too():
    class Stump(tw.CARTClassifier):
        """A tree of one split."""

    assert Stump.__doc__.startswith("A tree of one split.")
    assert "max_depth : int or None" in Stump.__doc__
    assert tw.CARTClassifier(max_depth=1).__doc__ == tw.CARTClassifier.__doc__


# ---- on the command line -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", methods())
def test_examples_can_be_typed(method):
    for name, (first, *_) in options_of(method).items():
        words = shlex.split(first.example)
        kinds = [kind for kind in estimators_of(method) if name in kind().get_params()]
        value = example_of(text_of_option(kinds[0], name))
        if isinstance(value, bool):
            assert words == [written(name) if value else f"--no-{written(name)[2:]}"]
        elif name != "member":
            found = value_of(name, words[1])
            assert found == (list(value) if isinstance(value, tuple) else value)
            assert kinds[0].option_limits[name].accepts(found)


def test_one_text_in_python_and_on_the_command_line():
    def words(text):
        return re.sub(r"\W+", " ", text).lower()

    told = {"methods": call("methods", "c4.5").out, "fit": call("fit", "--method", "c4.5", "--help").out}
    for parameter in parameters_of_model(tw.C45Classifier):
        if parameter.name in options_of("c4.5"):
            meaning = words(parameter.meaning)
            for where, text in told.items():
                assert meaning in words(text.replace(" --", " ")).replace("_", " ") or "_" in meaning, (where, meaning)
    assert words(told["methods"]).count("example") == len(options_of("c4.5"))


def test_help_names_the_options_of_all_methods():
    said = call("fit", "--help").out
    assert [name for method in methods() for name in options_of(method) if written(name) not in said] == []
    assert call("fit", "--method", "nothing", "--help").code == 2


def test_every_option_of_every_command_is_described():
    import typer

    from treewright.cli.app import app

    commands = typer.main.get_command(app).commands
    assert [(name, option.name) for name, command in commands.items() for option in command.params if not option.help
            and option.name != "help"] == []  # fmt: skip
