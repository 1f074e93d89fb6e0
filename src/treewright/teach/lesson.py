"""What a calculation by hand is made of: steps, each with a small table, formulas with their numbers, and a result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from treewright.display import Displayed, data_frame
from treewright.errors import OptionError
from treewright.teach.lesson_forms import as_html, as_latex, as_markdown, as_text, step_html, step_markdown, step_text

if TYPE_CHECKING:
    from treewright.teach.growing_tree import GrowingTree


@dataclass(frozen=True, repr=False)
class Step(Displayed):
    """One step. The first row of a table is its heading; ``values`` are the results by name, unrounded.

    ``node`` is the number of the node that the step is about, None where there is no tree. ``number`` is the place of
    the step in its lesson, from 1. ``verbatim``: the lines are no formulas, but a printed tree, rules or sentences.
    ``drawing`` is the tree as it is after the step.

    >>> step = Step("A coin", formulas=("En = −(1/2·log2 1/2 + 1/2·log2 1/2) = 1",), values={"En": 1.0})
    >>> step.values["En"]
    1.0
    """

    title: str
    table: tuple[tuple[str, ...], ...] = ()
    formulas: tuple[str, ...] = ()
    result: str = ""
    remark: str = ""
    values: Mapping[str, float] = field(default_factory=dict)
    node: int | None = None
    number: int = 0
    verbatim: bool = False
    drawing: GrowingTree | None = field(default=None, compare=False, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The step as plain data; the tree as lines of text."""
        return {
            "number": self.number,
            "title": self.title,
            "table": [list(row) for row in self.table],
            "formulas": list(self.formulas),
            "result": self.result,
            "remark": self.remark,
            "values": dict(self.values),
            "node": self.node,
            "drawing": self.drawing.lines() if self.drawing else [],
        }

    def __str__(self) -> str:
        return step_text(self)

    def _repr_html_(self) -> str:
        return step_html(self)

    def to_markdown(self) -> str:
        """The step as Markdown: formulas stand between dollars."""
        return step_markdown(self)

    def to_frame(self) -> Any:
        """The results by name as a data frame, unrounded."""
        return data_frame({"name": list(self.values), "value": list(self.values.values())})


@dataclass(frozen=True)
class Lesson:
    """Steps in order. ``erratum`` says where printed lecture notes have another number, and why.

    >>> lesson = Lesson("entropy", "Two steps", (Step("first", node=0), Step("second", node=1)))
    >>> lesson.step(2).steps[0].title, lesson.at_node(0).steps[0].title
    ('second', 'first')
    """

    topic: str
    title: str
    steps: tuple[Step, ...]
    erratum: str = ""

    def __post_init__(self) -> None:
        numbered = (replace(s, number=s.number or k) for k, s in enumerate(self.steps, start=1))
        object.__setattr__(self, "steps", tuple(numbered))

    def step(self, number: int) -> Lesson:
        """The lesson with this step alone; the first is 1."""
        if not 1 <= number <= len(self.steps):
            raise OptionError(f"there is no step {number}", f"the steps are numbered from 1 to {len(self.steps)}")
        return self._with([self.steps[number - 1]])

    def at_node(self, node: int) -> Lesson:
        """The lesson with the steps about this node alone."""
        kept = [step for step in self.steps if step.node == node]
        if not kept:
            known = sorted({step.node for step in self.steps if step.node is not None})
            nodes = ", ".join(map(str, known)) or "none: this lesson has no tree"
            raise OptionError(f"no step is about node {node}", f"the nodes are {nodes}")
        return self._with(kept)

    @property
    def values(self) -> dict[str, float]:
        """The results of all steps by name; of equal names the first."""
        found: dict[str, float] = {}
        for step in self.steps:
            found = {**step.values, **found}
        return found

    # ---- forms -------------------------------------------------------------------------------------------------

    def to_text(self) -> str:
        """For a terminal."""
        return as_text(self)

    def to_markdown(self) -> str:
        """For slides and notebooks: formulas stand between dollars."""
        return as_markdown(self)

    def to_latex(self, *, document: bool = True) -> str:
        """For TeX: a document, or without ``document`` its inside. Formulas need amsmath, drawings of trees tikz."""
        return as_latex(self, document=document)

    def to_html(self, *, document: bool = True) -> str:
        """A page that needs no other file and no script: formulas are MathML, trees SVG."""
        return as_html(self, document=document)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        steps = [step.to_dict() for step in self.steps]
        return {"topic": self.topic, "title": self.title, "steps": steps, "erratum": self.erratum}

    def to_frame(self) -> Any:
        """The results of all steps as a data frame, unrounded."""
        rows = [(step.number, step.title, *result) for step in self.steps for result in step.values.items()]
        names = ("step", "title", "name", "value")
        return data_frame({name: [row[place] for row in rows] for place, name in enumerate(names)})

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"Lesson({self.topic!r}, {self.title!r}, {len(self.steps)} steps)"

    def _repr_html_(self) -> str:
        return self.to_html(document=False)

    def _with(self, steps: Iterable[Step]) -> Lesson:
        return replace(self, steps=tuple(steps))
