"""Room for the search by absolute error."""

from __future__ import annotations

import numpy as np

import oracle
from engine_roads import engine_by
from recipes_by_hand import by_median
from strategies import Problem
from tables import encode_problem


def test_a_later_node_may_be_larger():
    """If the best go first, a worker may see a small node before a large one: it is given more room then."""
    problem = Problem([oracle.Column("numeric", np.arange(40.0))], np.arange(40.0) % 7, None, None)
    with engine_by("compiled", encode_problem(problem, sorted_columns=True), by_median(problem)) as engine:
        root, search = engine.root(), engine.shortcut
        engine.store.open(root)
        search.begin(root)
        whole = search.nodes
        search.nodes = whole._replace(stop=np.array([3]))
        assert len(search._room(0).ranks) == 3
        search.nodes = whole
        assert len(search._room(0).ranks) == 40
        search.nodes = whole._replace(stop=np.array([3]))
        assert len(search._room(0).ranks) == 40
