"""Model files: what is saved is what is loaded, and what is damaged is refused."""

import copy
import json
import os
import stat
from importlib import resources

import jsonschema
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from made_trees import AGES, PLAY_TENNIS, bushy, cases, chain, play_tennis, rows_of, same, stump
from strategies import examples
from treewright.data.schema import Column, Kind, Schema, Target, Unit
from treewright.errors import ModelFileError, TreewrightError
from treewright.explain.explanation import explain_row
from treewright.explain.leaf_rules import rules
from treewright.explain.tree_text import render
from treewright.tree import files
from treewright.tree.io import (
    read_document,
    schema_from_json,
    schema_to_json,
    tree_from_json,
    tree_to_json,
    write_document,
)

FORMAT = json.loads(resources.files("treewright.tree").joinpath("model.schema.json").read_text("utf-8"))
CHECKER = jsonschema.Draft202012Validator(FORMAT)


def document_of(schema, tree, **more):
    return {
        "estimator": "CARTClassifier",
        "parameters": {},
        "schema": schema_to_json(schema),
        "tree": tree_to_json(tree, schema),
        "facts": {},
        **more,
    }


def load(path):
    document = read_document(path)
    schema = schema_from_json(document["schema"])
    return schema, tree_from_json(document["tree"], schema)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.json"


@pytest.fixture
def saved(path):
    """A good file, and the plain JSON in it to spoil."""
    write_document(path, document_of(PLAY_TENNIS, play_tennis()))
    return json.loads(path.read_text("utf-8"))


# What is saved is what is loaded


@given(case=cases())
def test_round_trip_is_exact(case, tmp_path_factory):
    schema, tree = case
    path = tmp_path_factory.mktemp("models") / "model.json"
    write_document(path, document_of(schema, tree))
    loaded_schema, loaded_tree = load(path)
    assert loaded_schema == schema
    assert [[type(x) for x in c.levels] for c in loaded_schema.columns] == [
        [type(x) for x in c.levels] for c in schema.columns
    ]
    assert same(loaded_tree, tree)


@given(case=cases())
def test_saved_files_satisfy_the_published_format(case, tmp_path_factory):
    schema, tree = case
    path = tmp_path_factory.mktemp("models") / "model.json"
    write_document(path, document_of(schema, tree, parameters={"min_gain": float("-inf"), "class_weight": {0: 1.5}}))
    CHECKER.validate(json.loads(path.read_text("utf-8"), parse_constant=pytest.fail))


def test_the_published_format_is_itself_valid():
    jsonschema.Draft202012Validator.check_schema(FORMAT)


def test_infinite_edges_and_signed_zeros_survive(path):
    tree = stump()._replace(edges=np.array([np.inf]))
    tree = tree._replace(gain=np.array([np.inf, -0.0, 0.0]))
    write_document(path, document_of(AGES, tree))
    assert '"inf"' in path.read_text("utf-8")
    assert same(load(path)[1], tree)


def test_parameters_and_facts_survive_with_their_types(path):
    values = {
        "text": "é\n",
        "none": None,
        "yes": True,
        "whole": 3,
        "real": 0.1,
        "inf": float("inf"),
        "tuple": (1, (2.0, "x")),
        "by class": {0: 1.0, True: 2.0, "a": [None]},
        "empty": {},
        "looks special": {"float": "inf"},
        "nested": {"tuple": [1], "other": {"map": {}}},
    }
    write_document(path, document_of(AGES, stump(), parameters=values, facts=values))
    document = read_document(path)
    assert document["parameters"] == values
    assert repr(document["facts"]) == repr(values)


def test_not_a_number_survives_in_facts(path):
    write_document(path, document_of(AGES, stump(), facts={"error": float("nan"), "weight": np.float32(0.5)}))
    facts = read_document(path)["facts"]
    assert np.isnan(facts["error"])
    assert facts["weight"] == 0.5


def test_a_large_tree_round_trips(path):
    for tree in (bushy(12), chain(10_000)):
        write_document(path, document_of(AGES, tree))
        assert same(load(path)[1], tree)


def test_units_kinds_and_a_numeric_target_survive():
    schema = Schema(
        (
            Column("day", Kind.NUMERIC, (), Unit.DATE),
            Column("size", Kind.ORDINAL, ("S", "M")),
            Column("flag", Kind.NOMINAL, (False, True)),
            Column("code", Kind.NOMINAL, (1, 2.5, "1", float("inf"))),
        ),
        Target("price"),
    )
    assert schema_from_json(json.loads(json.dumps(schema_to_json(schema), allow_nan=False))) == schema


# Writing


@pytest.mark.parametrize("value", [object(), {1, 2}, len, b"bytes", 1j])
def test_what_is_not_plain_data_is_refused_by_name_and_nothing_is_written(path, value):
    with pytest.raises(TreewrightError, match="cannot save criterion"):
        write_document(path, document_of(AGES, stump(), parameters={"criterion": value}))
    assert not path.exists()


def test_endless_values_are_refused(path):
    endless = []
    endless.append(endless)
    with pytest.raises(TreewrightError, match="nested"):
        write_document(path, document_of(AGES, stump(), parameters={"loop": endless}))


def test_a_tree_that_could_not_be_read_is_not_written():
    with pytest.raises(ModelFileError, match="not finite"):
        tree_to_json(stump()._replace(stats=np.full((3, 2), np.inf)), AGES)


def test_a_document_without_all_sections_is_refused(path):
    with pytest.raises(TreewrightError, match="sections"):
        write_document(path, {"tree": {}})


def test_a_folder_is_not_overwritten(tmp_path):
    with pytest.raises(TreewrightError, match=r"it is a folder\. Hint: give the name of a file"):
        write_document(tmp_path, document_of(AGES, stump()))


def test_the_folder_must_exist(tmp_path):
    with pytest.raises(TreewrightError, match="folder does not exist"):
        write_document(tmp_path / "none" / "model.json", document_of(AGES, stump()))


def test_a_file_is_not_a_folder(path, tmp_path):
    path.write_text("x")
    with pytest.raises(TreewrightError, match="cannot save the model"):
        write_document(path / "model.json", document_of(AGES, stump()))


def test_impossible_names_are_refused():
    with pytest.raises(TreewrightError, match="cannot save the model"):
        write_document("nul\0l.json", document_of(AGES, stump()))
    with pytest.raises(ModelFileError):
        read_document("nul\0l.json")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_folder_that_may_not_be_written_to(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(TreewrightError, match="not yours to write to"):
        write_document(tmp_path / "model.json", document_of(AGES, stump()))


@pytest.mark.parametrize("failing", ["fsync", "replace"])
@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (OSError(28, "No space left"), TreewrightError),
        (PermissionError("no"), TreewrightError),
        (KeyboardInterrupt(), KeyboardInterrupt),
    ],
)
def test_a_failure_keeps_the_old_file_and_leaves_no_trace(path, monkeypatch, failing, error, expected):
    path.write_text("old")

    def fail(*_):
        raise error

    monkeypatch.setattr(os, failing, fail)
    with pytest.raises(expected):
        write_document(path, document_of(AGES, stump()))
    assert path.read_text() == "old"
    assert os.listdir(path.parent) == ["model.json"]


def test_saving_again_replaces_the_file_and_leaves_nothing_beside_it(path):
    write_document(path, document_of(AGES, stump()))
    write_document(path, document_of(PLAY_TENNIS, play_tennis()))
    assert load(path)[0] == PLAY_TENNIS
    assert os.listdir(path.parent) == ["model.json"]


@pytest.mark.skipif(os.name != "posix", reason="permissions as on Unix")
def test_permissions_are_the_usual_ones_or_those_of_the_old_file(path):
    usual = path.with_name("usual")
    usual.write_text("")
    write_document(path, document_of(AGES, stump()))
    assert path.stat().st_mode == usual.stat().st_mode
    path.chmod(0o640)
    write_document(path, document_of(AGES, stump()))
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.skipif(os.name != "posix", reason="links as on Unix")
def test_a_link_stays_a_link(path):
    link = path.with_name("link.json")
    write_document(path, document_of(AGES, stump()))
    link.symlink_to(path)
    write_document(link, document_of(PLAY_TENNIS, play_tennis()))
    assert link.is_symlink()
    assert load(path)[0] == PLAY_TENNIS


# Reading what is not a model


def test_no_such_file(tmp_path):
    with pytest.raises(ModelFileError, match="there is no file"):
        read_document(tmp_path / "none.json")


def test_a_folder_is_not_a_model(tmp_path):
    with pytest.raises(ModelFileError, match="is not a file"):
        read_document(tmp_path)


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b"", "not JSON"),
        (b"hello", "not JSON"),
        (b"\xff\xfe\x00", "not text"),
        (b"\x80\x04K\x01.", "not text"),
        (b"[1, 2]", "not a treewright model"),
        (b"null", "not a treewright model"),
        (b'{"format": "other", "version": 1}', "not a treewright model"),
        (b'{"format": "treewright"}', "version None"),
        (b'{"format": "treewright", "version": 6}', "format version 6, this program reads up to version 5"),
        (b'{"format": "treewright", "version": true}', "version True"),
        (b'{"format": "treewright", "version": 1}', "lacks estimator"),
        (b'{"format": "treewright", "version": 2}', "lacks estimator"),
        (b'{"format": "treewright", "format": "treewright"}', "same key twice"),
        (b'{"format": NaN}', "NaN is not JSON"),
        (b'{"format": -Infinity}', "-Infinity is not JSON"),
        (b"[" * 200_000, "nested too deep"),
        (b'{"a":' * 200_000, "nested too deep"),
        (b"9" * 10_000, "not JSON"),
    ],
)
def test_other_files_are_refused_with_the_reason(path, content, match):
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=match):
        read_document(path)


def test_every_truncation_is_refused(path, saved):
    content = path.read_bytes().rstrip()
    for end in range(0, len(content), 7):
        path.write_bytes(content[:end])
        with pytest.raises(ModelFileError):
            read_document(path)


def test_a_file_far_too_large_is_not_read(path, saved, monkeypatch):
    monkeypatch.setattr(files, "_LARGEST_FILE", path.stat().st_size - 1)
    with pytest.raises(ModelFileError, match="larger than any model"):
        read_document(path)


@pytest.mark.parametrize(
    ("section", "entry", "value", "match"),
    [
        ("tree", "parent", [], "no nodes"),
        ("tree", "parent", [-1, 0, 0, 0, 1, 1, 3], "8 entries|7 nodes"),
        ("tree", "parent", [-1, 0, 0, 0, 1, 1, 3, 2], "parents and children"),
        ("tree", "parent", [0, 0, 0, 0, 1, 1, 3, 3], "parents and children"),
        ("tree", "parent", [-1, 0, 0, 0, 1, 1, 3, 99], "parents and children"),
        ("tree", "first_child", [1, 4, -1, 1, -1, -1, -1, -1], "level by level"),
        ("tree", "first_child", [0, 4, -1, 6, -1, -1, -1, -1], "level by level"),
        ("tree", "first_child", [1, 4, 6, 6, -1, -1, -1, -1], "leaf has children"),
        ("tree", "n_branches", [3, 2, 0, 2, 0, 0, 0, -1], "fewer than no branches"),
        ("tree", "n_branches", [3, 2, 0, 3, 0, 0, 0, 0], "add up"),
        ("tree", "n_branches", [0, 0, 3, 4, 0, 0, 0, 0], "leaf has children"),
        ("tree", "n_branches", [2147483647, 2147483647, 0, 2, 0, 0, 0, 0], "add up"),
        ("tree", "column", [4, 2, -1, 3, -1, -1, -1, -1], "not among the 4"),
        ("tree", "column", [-1, 2, -1, 3, -1, -1, -1, -1], "not among the 4"),
        ("tree", "column", [0, 2, 1, 3, -1, -1, -1, -1], "leaf tests"),
        ("tree", "column", [2, 2, -1, 3, -1, -1, -1, -1], "every value of its column"),
        ("tree", "edge_start", [0, 0, 0, 0, 0, 0, 0, 0, 1], "rise from 0 to 0"),
        ("tree", "edge_start", [0, 0, 0], "one entry more"),
        ("tree", "edges", [1.0], "rise from 0 to 1"),
        ("tree", "branch_start", [0, 7, 4, 7, 10, 10, 10, 10, 10], "rise"),
        ("tree", "branch_start", [1, 4, 7, 7, 10, 10, 10, 10, 10], "rise"),
        ("tree", "branch_of", [0, 0, 1, 3, 0, 0, 1, 1, 0, 1], "not those of its children"),
        ("tree", "branch_of", [0, 0, 1, 1, 0, 0, 1, 1, 0, 1], "not those of its children"),
        ("tree", "branch_of", [0, 0, -4, 2, 0, 0, 1, 1, 0, 1], "negative"),
        ("tree", "branch_of", [-4, 0, 1, 2, 0, 0, 1, 1, 0, 1], "negative"),
        ("tree", "branch_of", [0, 0, 1, 2**31, 0, 0, 1, 1, 0, 1], "out of range"),
        ("tree", "branch_of", [0, 0, 1, 2**70, 0, 0, 1, 1, 0, 1], "out of range"),
        ("tree", "branch_of", [0, 0, 1, 2.0, 0, 0, 1, 1, 0, 1], "whole numbers"),
        ("tree", "branch_of", [0, 0, 1, True, 0, 0, 1, 1, 0, 1], "whole numbers"),
        ("tree", "branch_of", [[0]], "whole numbers"),
        ("tree", "branch_of", "0123", "must be a list"),
        ("tree", "rows", [14, 5, 4, 5, 3, 2, 2, -3], "fewer than no rows"),
        ("tree", "missing", [15, 0, 0, 0, 0, 0, 0, 0], "misses more"),
        ("tree", "gain", ["nan"] + [0.0] * 7, "not a number"),
        ("tree", "gain", ["1.0"] + [0.0] * 7, "a number is expected"),
        ("tree", "gain", [None] + [0.0] * 7, "numbers only"),
        ("tree", "gain", [10**400] + [0.0] * 7, "out of range"),
        ("tree", "stats", [[1.0, 2.0]] * 7 + [[1.0]], "one length"),
        ("tree", "stats", [[1.0, 2.0, 3.0]] * 8, "2 numbers per node"),
        ("tree", "stats", [[]] * 8, "2 numbers per node"),
        ("tree", "stats", [[1.0, "inf"]] * 8, "not finite"),
        ("tree", "stats", [[1.0, -1.0]] * 8, "negative"),
        ("tree", "stats", [[1e308, 1e308]] * 8, "a weight is larger than any"),
        ("tree", "stats", [1.0] * 8, "a list for every node"),
        ("tree", "value", [[0.5, 0.6]] * 8, "shares of 1"),
        ("tree", "value", [[1.5, -0.5]] * 8, "shares of 1"),
        ("tree", "value", [["nan", 1.0]] * 8, "not finite"),
        ("schema", "columns", {}, "must be a list"),
        ("schema", "columns", [{"name": "a"}], "lacks kind, levels, unit"),
        ("schema", "columns", [{"name": 1, "kind": "nominal", "unit": "number", "levels": []}], "must be text"),
        ("schema", "columns", [{"name": "a", "kind": "odd", "unit": "number", "levels": []}], "unknown kind"),
        ("schema", "columns", [{"name": "a", "kind": "nominal", "unit": "mile", "levels": []}], "unknown unit"),
        ("schema", "columns", [{"name": "a", "kind": "numeric", "unit": "number", "levels": ["a"]}], "has levels"),
        (
            "schema",
            "columns",
            [{"name": "a", "kind": "nominal", "unit": "number", "levels": ["a", "a"]}],
            "level twice",
        ),
        ("schema", "columns", [{"name": "a", "kind": "nominal", "unit": "number", "levels": [1, True]}], "level twice"),
        ("schema", "columns", [{"name": "a", "kind": "nominal", "unit": "number", "levels": [[1]]}], "no text, number"),
        (
            "schema",
            "columns",
            [{"name": "a", "kind": "nominal", "unit": "number", "levels": [None]}],
            "no text, number",
        ),
        (
            "schema",
            "columns",
            [{"name": "a", "kind": "nominal", "unit": "number", "levels": [{"float": "nan"}]}],
            "not a number",
        ),
        ("schema", "columns", [{"name": "a", "kind": "nominal", "unit": "number", "levels": []}] * 2, "same name"),
        ("schema", "target", {"name": "play", "classes": []}, "no classes"),
        ("schema", "target", {"name": "play", "classes": ["a", "a"]}, "twice"),
        ("schema", "target", {"name": None, "classes": ["a", "b"]}, "must be text"),
        (
            "schema",
            "target",
            {"name": "play", "classes": None},
            "leaves are classes, and the target 'play' is a number",
        ),
        ("parameters", "weights", {"map": [[[1], 2]]}, "cannot be one"),
        ("parameters", "weights", {"map": [[1, 2], [1, 3]]}, "same key twice"),
        ("parameters", "weights", {"map": [[1, 2, 3]]}, "list of pairs"),
        ("parameters", "weights", {"tuple": 1}, "not a list"),
        ("parameters", "weights", {"float": "1.0"}, "a number is expected"),
        ("parameters", "weights", {"float": []}, "a number is expected"),
    ],
)
def test_damage_is_named(path, saved, section, entry, value, match):
    saved[section][entry] = value
    path.write_text(json.dumps(saved))
    with pytest.raises(ModelFileError, match=match):
        load(path)


def test_edges_must_rise_within_a_node_only():
    good = tree_to_json(bushy(3)._replace(edges=np.array([5.0, 3.0, 1.0])), AGES)
    assert tree_from_json(good, AGES).edges.tolist() == [5.0, 3.0, 1.0]
    two = {**tree_to_json(stump(), AGES), "edge_start": [0, 2, 2, 2], "branch_start": [0, 4, 4, 4]}
    two["branch_of"] = [1, 0, 1, 1]
    assert tree_from_json({**two, "edges": [1.0, 2.0]}, AGES).n_nodes == 3
    for edges in ([2.0, 1.0], [1.0, 1.0], ["inf", "inf"], [0.0, -0.0]):
        with pytest.raises(ModelFileError, match="do not rise"):
            tree_from_json({**two, "edges": edges}, AGES)
    with pytest.raises(ModelFileError, match="not a number"):
        tree_from_json({**two, "edges": ["nan", 1.0]}, AGES)


def test_a_level_may_belong_to_no_branch_but_a_number_may_not():
    with pytest.raises(ModelFileError, match="negative"):
        tree_from_json({**tree_to_json(stump(), AGES), "branch_of": [1, -1, 1]}, AGES)
    named = Schema((Column("age", Kind.NOMINAL, ("a", "b", "c")), AGES.columns[1]), AGES.target)
    levels = {**tree_to_json(stump(), AGES), "edge_start": [0, 0, 0, 0], "edges": [], "branch_start": [0, 4, 4, 4]}
    assert tree_from_json({**levels, "branch_of": [1, 0, -1, 1]}, named).n_leaves == 2


def test_a_numeric_test_needs_edges_and_other_tests_have_none():
    bare = {**tree_to_json(stump(), AGES), "edge_start": [0, 0, 0, 0], "edges": [], "branch_of": [1, 0, 1]}
    with pytest.raises(ModelFileError, match="edges belong"):
        tree_from_json(bare, AGES)
    named = Schema((Column("age", Kind.NOMINAL, ("a", "b")), AGES.columns[1]), AGES.target)
    with pytest.raises(ModelFileError, match="edges belong"):
        tree_from_json(tree_to_json(stump(), AGES), named)


@pytest.mark.parametrize("section", ["parameters", "schema", "tree", "facts", "estimator"])
@pytest.mark.parametrize("value", [None, 1, [], "x"])
def test_sections_of_the_wrong_type(path, saved, section, value):
    if section == "estimator" and value == "x":
        return
    path.write_text(json.dumps({**saved, section: value}))
    with pytest.raises(ModelFileError):
        read_document(path)


def test_parameters_must_have_names(path, saved):
    path.write_text(json.dumps({**saved, "parameters": {"tuple": []}}))
    with pytest.raises(ModelFileError, match="by name"):
        read_document(path)


def test_unknown_entries_are_refused(path, saved):
    path.write_text(json.dumps({**saved, "code": "import os"}))
    with pytest.raises(ModelFileError, match="unknown entries 'code'"):
        read_document(path)


# Random damage


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([-1, 0, 1, 2, 2**31, 2**63, 10**400])
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["inf", "-inf", "nan", "", "numeric", "nominal", "ordinal"])
    | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["float", "map", "tuple", "a"]), inner, max_size=2)
    ),
    max_leaves=4,
)


@st.composite
def damaged(draw, document):
    """The document with one to three places changed, dropped, doubled or swapped."""
    document = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 3))):
        spoil(draw, document)
    return document


def spoil(draw, document):
    holder, key = document, draw(st.sampled_from(sorted(document)))
    while isinstance(holder[key], (dict, list)) and holder[key] and draw(st.integers(0, 9)):
        holder = holder[key]
        key = draw(st.sampled_from(sorted(holder) if isinstance(holder, dict) else range(len(holder))))
    change = draw(st.sampled_from(["junk", "nudge", "drop", "double", "swap"]))
    if change == "nudge" and type(holder[key]) in (int, float):
        holder[key] += draw(st.sampled_from([-1, 1]))
    elif change == "drop" and len(holder) > 1:
        del holder[key]
    elif change == "double" and isinstance(holder, list):
        holder.insert(key, holder[key])
    elif change == "swap" and isinstance(holder, list):
        other = draw(st.integers(0, len(holder) - 1))
        holder[key], holder[other] = holder[other], holder[key]
    else:
        holder[key] = draw(JUNK)


@settings(max_examples=examples(400), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_random_damage_is_refused_or_harmless(data, path):
    schema, tree = data.draw(cases())
    write_document(path, document_of(schema, tree))
    spoiled = data.draw(damaged(json.loads(path.read_text("utf-8"))))
    path.write_text(json.dumps(spoiled), "utf-8")
    try:
        schema, tree = load(path)
    except ModelFileError:
        return
    row = data.draw(rows_of(schema))
    assert render(tree, schema).count("\n") >= 1
    assert len(rules(tree, schema)) == tree.n_leaves
    assert explain_row(tree, schema, row, {}).leaves[0] < tree.n_nodes
    write_document(path, document_of(schema, tree))
    assert same(load(path)[1], tree)


@settings(max_examples=examples(200), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_random_bytes_never_escape_the_error(data, path):
    write_document(path, document_of(PLAY_TENNIS, play_tennis()))
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(bytes(content))
    try:
        schema, tree = load(path)
    except ModelFileError:
        return
    assert len(rules(tree, schema)) == tree.n_leaves
