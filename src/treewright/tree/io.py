"""Model files: JSON that is checked before it is believed, and never run.

The format is described by ``model.schema.json`` beside this file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from itertools import chain
from typing import Any

import numpy as np

from treewright.costs import target_costs, target_priors
from treewright.data.schema import Column, Kind, Level, Schema, Target, Unit
from treewright.data.written_dates import DATES, DateFormat
from treewright.errors import ModelFileError, OptionError, TreewrightError
from treewright.tree.check import HINT, as_dtype, check_tree, require, required_list
from treewright.tree.files import Location, file_text, parse_json, replace_file, shown
from treewright.tree.tree import ARRAYS, EXTRAS, LeafKind, Tree
from treewright.tree.values import float_from_text, value_from_json, value_to_json
from treewright.typing import Array, Floats, Ints

FORMAT = "treewright"
VERSION = 5
# Version 1 does not say what leaves are, 2 not what is printed for a threshold, 4 not how dates are written; 3 has no
# linear models.
_FIRST_VERSION = 1
_SECTIONS: dict[str, type] = {"estimator": str, "parameters": dict, "schema": dict, "facts": dict}
_LEARNED = ("tree", "rules", "learned")  # a document has one of them
_PLAIN_VALUES = ("parameters", "facts", "learned")
_SHORT = (
    "parent",
    "first_child",
    "n_branches",
    "column",
    "branch_of",
    "term_column",
    "term",
)  # int32, the other whole numbers int64
_OF_CLASSES = ("costs", "priors")  # what a target of classes may have
_FLOATS = ("edges", "gain", "edge", "agreement", "adjusted", "printed", "scores", "slope", "low", "high", "error")
_MATRICES = ("stats", "value", "test", "bounds", "intercept")
_OPTIONAL = ("test", "bounds", "printed", *EXTRAS)  # written where there is some


def schema_to_json(schema: Schema) -> dict[str, Any]:
    """The columns and the target as JSON.

    >>> schema = Schema((Column("windy", Kind.NOMINAL, (False, True)),), Target("play", ("no", "yes")))
    >>> schema_to_json(schema)["columns"]
    [{'name': 'windy', 'kind': 'nominal', 'unit': 'number', 'levels': [False, True]}]
    >>> schema_from_json(schema_to_json(schema)) == schema
    True
    """
    columns = [
        {
            "name": c.name, "kind": c.kind.value, "unit": c.unit.value,
            "levels": [_level_to_json(x) for x in c.levels], **({"format": c.format} if c.format else {}),
        }
        for c in schema.columns
    ]  # fmt: skip
    classes = schema.target.classes
    items = None if classes is None else [_level_to_json(level) for level in classes]
    given = {name: getattr(schema.target, name) for name in _OF_CLASSES if getattr(schema.target, name) is not None}
    return {"columns": columns, "target": {"name": schema.target.name, "classes": items, **_lists(given)}}


def schema_from_json(data: Any) -> Schema:
    """The schema a model file describes; ModelFileError if it does not make sense."""
    parts = _object(data, "schema", {"columns", "target"})
    columns = tuple(_column_from_json(column) for column in required_list(parts["columns"], "columns"))
    names = [column.name for column in columns]
    require(len(set(names)) == len(names), "two columns have the same name")
    target = _object(parts["target"], "target", {"name", "classes"}, _OF_CLASSES)
    classes = None if target["classes"] is None else _levels_from_json(target["classes"], "the target")
    require(classes is None or classes, "the target has no classes")
    name = _text(target["name"], "the target's name")
    return Schema(columns, Target(name, classes, _costs_from_json(target, classes), _priors_from_json(target, classes)))


def _lists(given: dict[str, Any]) -> dict[str, Any]:
    """Tuples as JSON has them."""
    return {name: np.array(value).tolist() for name, value in given.items()}


def _costs_from_json(target: Mapping[str, Any], classes: tuple[Level, ...] | None) -> Any:
    if "costs" not in target:
        return None
    require(classes is not None, "a target that is a number has costs of classes")
    matrix = _matrix(required_list(target["costs"], "costs"), "costs")
    return _as_option(target_costs, matrix, classes or ())


def _priors_from_json(target: Mapping[str, Any], classes: tuple[Level, ...] | None) -> Any:
    if "priors" not in target:
        return None
    require(classes is not None, "a target that is a number has priors of classes")
    return _as_option(target_priors, _floats(required_list(target["priors"], "priors"), "priors"), classes or ())


def _as_option(read: Callable[..., Any], *given: Any) -> Any:
    """What options may be, files may hold."""
    try:
        return read(*given)
    except OptionError as error:
        raise ModelFileError(error.problem, HINT) from error


def _column_from_json(data: Any) -> Column:
    parts = _object(data, "a column", {"name", "kind", "unit", "levels"}, ("format",))
    name = _text(parts["name"], "a column's name")
    kinds, units = {kind.value: kind for kind in Kind}, {unit.value: unit for unit in Unit}
    kind, unit = _text(parts["kind"], "a column's kind"), _text(parts["unit"], "a column's unit")
    require(kind in kinds, f"column {name!r} is of unknown kind {kind!r}")
    require(unit in units, f"column {name!r} is in unknown unit {unit!r}")
    levels = _levels_from_json(parts["levels"], f"column {name!r}")
    require(kinds[kind] is not Kind.NUMERIC or not levels, f"column {name!r} is numeric but has levels")
    return Column(name, kinds[kind], levels, units[unit], _format_from_json(parts.get("format", ""), name, units[unit]))


def _format_from_json(data: Any, name: str, unit: Unit) -> str:
    """How dates are written; nothing of a column that does not say."""
    text = _text(data, f"the format of column {name!r}")
    require(not text or unit in DATES, f"column {name!r} has the format of a date and holds none")
    if text:
        _as_option(DateFormat, text)
    return text


def _level_to_json(level: Level) -> Any:
    return value_to_json(level, "a level")


def _levels_from_json(data: Any, owner: str) -> tuple[Level, ...]:
    levels = tuple(value_from_json(level, owner) for level in required_list(data, f"levels of {owner}"))
    require(
        set(map(type, levels)) <= {str, bool, int, float}, f"{owner} has a level that is no text, number or truth value"
    )
    require(all(level == level for level in levels), f"{owner} has a level that is not a number")
    require(len(set(levels)) == len(levels), f"{owner} has the same level twice")
    return levels


def tree_to_json(tree: Tree, schema: Schema) -> dict[str, Any]:
    """What leaves are, and the arrays of a tree by name, checked so that what is written can be read.

    Arrays and extras that are empty are left out if they may be.
    """
    check_tree(tree, schema)
    plain: dict[str, Any] = {name: getattr(tree, name) for name in ARRAYS}
    extras = {name: getattr(tree, name) for name in EXTRAS if getattr(tree, name).exist}
    written = {name: _array_to_json(array) for name, array in plain.items() if name not in _OPTIONAL or array.size}
    added = {name: _extra_to_json(part) for name, part in extras.items()}
    return {"leaf": tree.leaf.value, **written, **added}


def tree_from_json(data: Any, schema: Schema) -> Tree:
    """The tree a model file describes, bit for bit the one that was saved; ModelFileError if it is not one."""
    parts = _object(data, "tree", set(ARRAYS) - set(_OPTIONAL), optional=("leaf", *_OPTIONAL))
    read: dict[str, Any] = {
        name: _extra_from_json(part, name) if name in EXTRAS else _array_from_json(part, name)
        for name, part in parts.items()
        if name != "leaf"
    }
    tree = Tree(**read, leaf=leaf_from_json(parts, schema.target, read["stats"].shape[1]))
    check_tree(tree, schema)
    return tree


def leaf_from_json(parts: Mapping[str, Any], target: Target, n_stats: int) -> LeafKind:
    """What the leaves of a tree, or the rules of a set, are.

    Files of version 1 do not say. In these medians have six statistics and means three, whatever the classes have.
    """
    if "leaf" in parts:
        kinds = {kind.value: kind for kind in LeafKind}
        name = _text(parts["leaf"], "'leaf'")
        require(name in kinds, f"leaves are of unknown kind {name!r}")
        return kinds[name]
    if target.classes is not None:
        return LeafKind.CLASSES
    return LeafKind.MEDIANS if n_stats == LeafKind.MEDIANS.n_stats(0) else LeafKind.MEANS


def _extra_to_json(part: Any) -> dict[str, Any]:
    arrays = part._asdict()
    return {name: _array_to_json(array) for name, array in arrays.items() if name not in _OPTIONAL or array.size}


def _extra_from_json(data: Any, name: str) -> Any:
    kind = EXTRAS[name]
    parts = _object(data, name, set(kind._fields) - set(_OPTIONAL), _OPTIONAL)
    return kind(**{field: _array_from_json(parts[field], field) for field in kind._fields if field in parts})


def _array_to_json(values: Array) -> list[Any]:
    array = np.asarray(values)
    items: list[Any] = array.tolist()
    if array.dtype.kind != "f" or np.isfinite(array).all():
        return items
    return (
        [_array_to_json(row) for row in array] if array.ndim > 1 else [x if np.isfinite(x) else str(x) for x in items]
    )


def _array_from_json(data: Any, name: str) -> Array:
    items = required_list(data, name)
    if name in _MATRICES:
        return _matrix(items, name)
    if name in _FLOATS:
        return _floats(items, name)
    return as_dtype(_ints(items, name), np.int32 if name in _SHORT else np.int64, name)


def _ints(items: list[Any], name: str) -> Ints:
    require(set(map(type, items)) <= {int}, f"{name!r} must hold whole numbers only")
    try:
        return np.array(items, dtype=np.int64)
    except OverflowError as error:
        raise ModelFileError(f"a number in {name!r} is out of range", HINT) from error


def _floats(items: list[Any], name: str) -> Floats:
    found = set(map(type, items))
    require(found <= {int, float, str}, f"{name!r} must hold numbers only")
    if str in found:
        items = [float_from_text(x) if isinstance(x, str) else x for x in items]
    try:
        return np.array(items, dtype=np.float64)
    except OverflowError as error:
        raise ModelFileError(f"a number in {name!r} is out of range", HINT) from error


def _matrix(rows: list[Any], name: str) -> Floats:
    require(set(map(type, rows)) <= {list}, f"{name!r} must hold a list for every node")
    widths = set(map(len, rows))
    require(len(widths) == 1, f"the lists in {name!r} must be of one length")
    return _floats(list(chain.from_iterable(rows)), name).reshape(len(rows), widths.pop())


def write_document(path: Location, document: Mapping[str, Any]) -> None:
    """Save a model document: all of it or, on any failure, nothing, and then a file that was there stays as it was.

    ``document`` has the sections estimator, parameters, schema, facts and one of tree, rules and learned; schema and
    tree as made by ``schema_to_json`` and ``tree_to_json``, parameters, facts and learned as plain values.
    """
    replace_file(path, _document_text(document).encode("utf-8"))


def read_document(path: Location) -> dict[str, Any]:
    """The sections of a model file; ModelFileError with the reason if it is not one this version can read.

    ``schema`` and ``tree`` are still JSON, to be checked by ``schema_from_json`` and ``tree_from_json``; so are rules.
    """
    document = parse_json(file_text(path), path)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ModelFileError(f"{shown(path)} is not a treewright model", "models are written by model.save(path)")
    _check_version(document.get("version"), path)
    learned = section_of(document)
    _object(document, "the file", {"format", "version", *_SECTIONS, learned})
    for name, kind in {**_SECTIONS, learned: dict}.items():
        require(isinstance(document[name], kind), f"section {name!r} of {shown(path)} is not of the right type")
    require(
        document["version"] == _FIRST_VERSION or learned == "learned" or "leaf" in document[learned],
        f"{learned} lacks leaf",
    )
    decoded = {name: value_from_json(document[name], name) for name in _PLAIN_VALUES if name in document}
    require(all(isinstance(part, dict) for part in decoded.values()), "parameters and facts must be given by name")
    return {**document, **decoded}


def section_of(document: Mapping[str, Any]) -> str:
    """The section that says what was learned."""
    return next((name for name in _LEARNED if name in document), _LEARNED[0])


def _document_text(document: Mapping[str, Any]) -> str:
    """One line for each entry of a section, so that two models can be compared line by line."""
    sections = ["estimator", "parameters", "schema", *(name for name in _LEARNED if name in document), "facts"]
    if len(sections) != len(_SECTIONS) + 1 or set(document) - {"format", "version"} != set(sections):
        wanted = f"{', '.join(_SECTIONS)} and {' or '.join(_LEARNED)}"
        raise TreewrightError(f"a model document has the sections {wanted}, got {', '.join(document)}")
    plain = {name: value_to_json(dict(document[name])) for name in _PLAIN_VALUES if name in document}
    whole = {"format": FORMAT, "version": VERSION, **{name: document[name] for name in sections}, **plain}
    return _braces([f"{json.dumps(name)}: {_section_text(part)}" for name, part in whole.items()], "") + "\n"


def _section_text(section: Any) -> str:
    if not isinstance(section, dict) or not section:
        return _dumps(section)
    return _braces([f"{json.dumps(name)}: {_dumps(part)}" for name, part in section.items()], "  ")


def _braces(lines: list[str], indent: str) -> str:
    inner = f",\n{indent}  ".join(lines)
    return f"{{\n{indent}  {inner}\n{indent}}}"


def _dumps(part: Any) -> str:
    try:
        return json.dumps(part, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise TreewrightError(f"the model cannot be written as JSON: {error}") from error


def _check_version(version: object, path: Location) -> None:
    if type(version) is not int or not _FIRST_VERSION <= version <= VERSION:
        raise ModelFileError(
            f"{shown(path)} is of format version {version!r}, this program reads up to version {VERSION}",
            "load it with the version of treewright that saved it, or save the model again",
        )


def _object(data: Any, name: str, keys: set[str], optional: Collection[str] = ()) -> dict[str, Any]:
    require(isinstance(data, dict), f"{name} must be an object")
    missing, unknown = keys - data.keys(), data.keys() - keys - set(optional)
    require(not missing, f"{name} lacks {', '.join(sorted(missing))}")
    require(not unknown, f"{name} has unknown entries {', '.join(sorted(map(repr, unknown)))}")
    made: dict[str, Any] = data
    return made


def _text(data: Any, name: str) -> str:
    require(isinstance(data, str), f"{name} must be text, got {type(data).__name__}")
    return str(data)
