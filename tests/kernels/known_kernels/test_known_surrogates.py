"""How a cut stands in for a split in two, against all ways there are."""

from itertools import product

from treewright.kernels.known_kernels.known_surrogates import two_ways


def test_a_cut_agrees_as_much_as_it_can():
    for low_left, low_right, high_left, high_right, higher in product(range(4), range(4), range(4), range(4), (0, 1)):
        agreeing, low, high = two_ways(low_left, low_right, high_left, high_right, higher)
        assert {low, high} == {0, 1}
        assert agreeing == (low_left, low_right)[low] + (high_left, high_right)[high]
        assert agreeing == max(low_left + high_right, low_right + high_left)


def test_what_is_even_names_the_branch_of_the_higher_mean_below_the_cut():
    assert tuple(two_ways(1, 1, 2, 2, 0)) == (3, 0, 1)
    assert tuple(two_ways(1, 1, 2, 2, 1)) == (3, 1, 0)
