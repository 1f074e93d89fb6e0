"""The calculation by hand: lessons that fill the numbers into the formulas, step by step.

Lessons are records (:class:`Lesson`, :class:`Step`); their numbers come from :mod:`treewright.criteria`,
:mod:`treewright.prune` and :mod:`treewright.costs`, so that they are those of the trees. ``treewright teach`` prints
them.
"""

from treewright.teach.examples import EXAMPLES, Example, example
from treewright.teach.rows import Rows, bundled, rows_of
from treewright.teach.step import Lesson, Step
from treewright.teach.topics import TOPICS, lesson

__all__ = ["EXAMPLES", "TOPICS", "Example", "Lesson", "Rows", "Step", "bundled", "example", "lesson", "rows_of"]
