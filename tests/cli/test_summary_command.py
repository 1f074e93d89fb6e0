"""``treewright summary`` and ``show --counts``."""

import json

from command import call, typed


def test_the_file_alone_says_what_is_not_told_and_how_to_have_it(folder):
    ran = call("summary", "loans.json")
    assert ran.code == 0
    assert "Not told:" in ran.out
    assert "--data" in ran.out
    assert "--cv 10" in ran.out
    assert "X and y" not in ran.out


def test_with_rows_and_folds_all_is_told(folder):
    ran = call("summary", "loans.json", "--data", "loans.csv", "--cv", "3", "--node", "0")
    assert ran.code == 0
    assert "xerror" in ran.out
    assert "competing splits" in ran.out
    assert "Not told" not in ran.out
    found = json.loads(call("summary", "loans.json", "--data", "loans.csv", "--node", "0", "--json").out)
    assert [node["id"] for node in found["nodes"]] == [0]
    assert {c["column"] for c in found["nodes"][0]["competitors"]} == {"income", "size", "job"}


def test_pruning_by_folds_keeps_the_table_in_the_file(folder):
    ran = call("prune", "loans.json", "-m", "cost-complexity", "--data", "loans.csv", "--cv", "3", "-o", "p.json")
    assert ran.code == 0
    ran = call("summary", "p.json")
    assert "xerror by 3 folds" in ran.out
    assert "taken" in ran.out


def test_bad_calls_are_told(folder):
    for arguments, words in (
        (("summary", "forest.json"), "a tree is needed"),
        (("summary", "loans.json", "--cv", "5"), "--cv needs rows"),
        (("summary", "loans.json", "--node", "999"), "there is no node 999"),
        (("show", "forest.json", "--counts"), "--counts is for trees"),
    ):
        ran = typed(*arguments)
        assert ran.code == 2
        assert words in ran.err
        assert "Hint:" in ran.err


def test_counts_at_inner_nodes(folder):
    ran = call("show", "loans.json", "--counts")
    assert ran.out.splitlines()[1].startswith("[0] (160, no: 64, yes: 96)")
