"""The calculation by hand: lessons that fill the numbers into the formulas, step by step.

Lessons are records (:class:`Lesson`, :class:`Step`); their numbers come from :mod:`treewright.criteria`,
:mod:`treewright.prune` and :mod:`treewright.costs`, so that they are those of the trees. ``treewright teach`` prints
them.
"""

from inspect import isfunction

from treewright.argument_text import describe
from treewright.teach.lesson import Lesson, Step
from treewright.teach.lesson_exercise import exercise
from treewright.teach.lesson_rows import LessonRows, bundled, rows_of
from treewright.teach.number_rows import NumberRows, bundled_numbers, numbers_of
from treewright.teach.topics import TOPICS, lesson
from treewright.teach.worked_examples import EXAMPLES, Example, example

__all__ = [
    "EXAMPLES",
    "TOPICS",
    "Example",
    "Lesson",
    "LessonRows",
    "NumberRows",
    "Step",
    "bundled",
    "bundled_numbers",
    "example",
    "exercise",
    "lesson",
    "numbers_of",
    "rows_of",
]

describe(public for name in __all__ if isfunction(public := globals()[name]))


def __dir__() -> list[str]:
    """What editors complete: no inner modules."""
    return __all__
