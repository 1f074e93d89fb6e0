"""Topics by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from treewright.errors import OptionError, unknown
from treewright.teach.lesson import Lesson
from treewright.teach.lesson_notation import with_notation
from treewright.teach.lesson_rows import LessonRows, bundled
from treewright.teach.lessons import split_lessons, tree_lessons
from treewright.teach.lessons.chaid_lesson import chaid_lesson
from treewright.teach.lessons.chi2_lesson import chi2_lesson
from treewright.teach.lessons.cost_lesson import costs_lesson
from treewright.teach.lessons.ensemble_lessons import bagging_lesson, boosting_lesson
from treewright.teach.lessons.likelihood_lesson import likelihood_lesson
from treewright.teach.lessons.m5_lesson import m5_lesson
from treewright.teach.lessons.missing_lesson import missing_lesson
from treewright.teach.lessons.myopia_lesson import myopia_lesson
from treewright.teach.lessons.neighbor_lessons import kd_tree_lesson, knn_lesson
from treewright.teach.lessons.pruning_lesson import pruning_lesson
from treewright.teach.lessons.regression_lesson import regression_lesson
from treewright.teach.number_rows import NumberRows, bundled_numbers


@dataclass(frozen=True)
class Topic:
    """A lesson, the bundled table it is usually held on, and the options it takes.

    A lesson without logarithms has no base: none of its values would change.
    """

    make: Callable[..., Lesson]
    table: str
    about: str
    options: tuple[str, ...] = ()
    numbers: bool = False  # the target is a number


TOPICS: dict[str, Topic] = {
    "entropy": Topic(split_lessons.entropy_lesson, "play_tennis", "how mixed the classes are", ("base", "node")),
    "gain": Topic(split_lessons.gain_lesson, "play_tennis", "information gain of every column", ("base", "node")),
    "gain-ratio": Topic(
        split_lessons.gain_ratio_lesson, "play_tennis", "gain over split information", ("base", "node")
    ),
    "gini": Topic(split_lessons.gini_lesson, "play_tennis", "Gini gain, a branch per level, then CART's", ("node",)),
    "id3": Topic(split_lessons.id3_lesson, "play_tennis", "the whole tree, node by node", ("base", "depth")),
    "c4.5": Topic(tree_lessons.c45_lesson, "play_tennis", "the whole tree by gain ratio, then pruned", ("depth",)),
    "cart": Topic(tree_lessons.cart_lesson, "play_tennis", "the whole tree by binary splits and Gini", ("depth",)),
    "chaid": Topic(
        chaid_lesson, "play_tennis", "the whole tree by merged levels and χ²", ("depth", "alpha")
    ),
    "regression": Topic(
        regression_lesson, "batman", "the whole tree of a number: variance and means", ("depth",), numbers=True
    ),
    "m5": Topic(m5_lesson, "iris_rows", "a tree of linear models: grown, pruned, smoothed", numbers=True),
    "likelihood": Topic(likelihood_lesson, "food", "how probable a tree makes the training rows", ("node",)),
    "pruning": Topic(pruning_lesson, "play_tennis_noisy", "seven methods of pruning on one tree", ("validation",)),
    "missing": Topic(missing_lesson, "customer_loyalty", "four policies for missing values", ("base", "column")),
    "costs": Topic(costs_lesson, "play_tennis", "tests that cost something", ("node", "cost", "weight")),
    "bagging": Topic(bagging_lesson, "play_tennis", "stumps of drawn rows, and their vote", ("rounds", "seed")),
    "boosting": Topic(boosting_lesson, "play_tennis", "AdaBoost with stumps, weight by weight", ("rounds",)),
    "knn": Topic(knn_lesson, "iris_rows", "distances, neighbours and votes", ("query", "k", "metric")),
    "kd-tree": Topic(
        kd_tree_lesson, "iris_rows", "rows cut at medians, and the search box by box",
        ("query", "k", "metric", "leaf_size", "split"),
    ),
    "myopia": Topic(myopia_lesson, "xor_decoy", "a first test that gains nothing, and the smallest tree"),
    "chi2": Topic(chi2_lesson, "play_tennis", "the χ² test of independence", ("node",)),
}  # fmt: skip


WHOLE_TREES = ("id3", "c4.5", "cart", "chaid", "regression")  # of which single nodes can be shown


def lesson(
    topic: str, rows: LessonRows | NumberRows | str | None = None, *, notation: str | None = None, **options: Any
) -> Lesson:
    """The lesson of a topic about some rows, a bundled table by name, or the table the topic is usually held on.

    options: ``base`` of the logarithm (2, "e", 10) where there are logarithms; ``node``, a node of ID3's tree, for
    those about one node; ``depth`` for whole trees; ``alpha`` for "chaid"; ``validation`` (rows) for "pruning";
    ``column`` for "missing"; ``cost`` (a mapping of column to number) and ``weight`` (Núñez's w) for "costs"; ``query``
    (a mapping of columns, by default the last row), ``k`` and ``metric`` for "knn" and "kd-tree", which also has
    ``leaf_size`` and ``split`` ("rotate" or "variance").
    ``rounds`` for "bagging" and "boosting", and the ``seed`` of the draws for "bagging".

    >>> from treewright import teach
    >>> made = teach.lesson("gain")
    >>> round(made.values["Gain(outlook)"], 4), made.steps[1].formulas[-1]
    (0.2467, 'Gain(outlook) = 0.9403 − (4/14·0 + 5/14·0.9710 + 5/14·0.9710) = 0.2467')
    """
    if topic not in TOPICS:
        raise unknown("topic", topic, TOPICS)
    about = TOPICS[topic]
    check_taken(topic, options)
    if rows is None or isinstance(rows, str):
        rows = (bundled_numbers if about.numbers else bundled)(rows or about.table)
    if isinstance(rows, NumberRows) != about.numbers:
        made = "numbers_of" if about.numbers else "rows_of"
        raise OptionError(f"the lesson {topic!r} is about other rows", f"make them with teach.{made}(table, target)")
    plain = about.make(rows, **options)
    return plain if notation is None else with_notation(plain, notation)


def check_taken(topic: str, options: Iterable[str]) -> None:
    """Refuse options that a lesson does not have."""
    taken = TOPICS[topic].options
    for name in options:
        if name not in taken:
            known = f"its options are {', '.join(taken)}" if taken else "leave it out"
            raise OptionError(f"the lesson {topic!r} has no option {name!r}", known)
