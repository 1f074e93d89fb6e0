"""The significance of splits as part of a tree: read at nodes, kept in files, refused where it cannot be."""

import math

import numpy as np
import pytest

from made_trees import PLAY_TENNIS, play_tennis
from treewright.errors import ModelFileError
from treewright.explain.significance_text import p_text, split_test
from treewright.explain.tree_text import render
from treewright.tree.edit import cut
from treewright.tree.io import tree_from_json, tree_to_json
from treewright.tree.tree import N_TEST, SplitTest

CHI2 = (0.0, 3.5, 2.0, 0.0, math.log(0.17), math.log(0.51))


def with_tests(row=CHI2):
    """Play tennis with the same test at every split."""
    tree = play_tennis()
    test = np.zeros((tree.n_nodes, N_TEST))
    test[tree.n_branches > 0] = row
    return tree._replace(test=test)


def test_nodes_know_the_test_of_their_split():
    tree = with_tests()
    assert tree.root.test == SplitTest(*CHI2)
    assert (tree.root.test.name, round(tree.root.test.p, 9)) == ("χ²", 0.17)
    assert next(tree.leaves()).test is None
    assert play_tennis().root.test is None


@pytest.mark.parametrize("row", [CHI2, (2.0, math.inf, 1.0, 38.0, -math.inf, -math.inf)])
def test_files_keep_tests(row):
    tree = with_tests(row)
    np.testing.assert_array_equal(tree_from_json(tree_to_json(tree, PLAY_TENNIS), PLAY_TENNIS).test, tree.test)


def test_trees_without_tests_say_nothing_of_them():
    written = tree_to_json(play_tennis(), PLAY_TENNIS)
    assert "test" not in written
    assert tree_from_json(written, PLAY_TENNIS).test.size == 0


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (CHI2[:5], "6 numbers per node"),
        ((math.nan, *CHI2[1:]), "not one"),
        ((9.0, *CHI2[1:]), "unknown kind"),
        ((0.0, -1.0, *CHI2[2:]), "negative"),
        ((*CHI2[:4], -1.0, 0.5), "between 0 and its adjusted"),
        ((*CHI2[:4], -1.0, -2.0), "between 0 and its adjusted"),
    ],
)
def test_impossible_tests_are_refused(row, problem):
    written = tree_to_json(with_tests(), PLAY_TENNIS)
    written["test"] = [[str(x) if math.isnan(x) else x for x in row]] * len(written["test"])
    with pytest.raises(ModelFileError, match=problem):
        tree_from_json(written, PLAY_TENNIS)


def test_a_node_that_becomes_a_leaf_forgets_its_test():
    smaller = cut(with_tests(), np.array([1]))
    assert smaller.node(1).test is None
    assert not smaller.test[1].any()
    assert smaller.root.test == SplitTest(*CHI2)


def test_prints_tell_the_test_beside_the_node():
    lines = render(with_tests(), PLAY_TENNIS).splitlines()
    assert lines[1] == "[0]  χ² = 3.5, df = 2, p = 0.17 (adjusted 0.51)"
    assert sum("df = 2" in line for line in lines) == 3
    assert render(with_tests(), PLAY_TENNIS, ascii=True).isascii()


def test_words():
    assert split_test(SplitTest(2.0, 4.25, 1.0, 30.0, -3.0, -3.0)) == "F = 4.25, df = 1, 30, p = 0.0498"
    assert [p_text(x) for x in (0.0, -math.inf, -1000.0)] == ["1", "0", "5.1e-435"]
