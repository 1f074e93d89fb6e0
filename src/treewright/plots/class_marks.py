"""Classes as colours, markers and words: the seven commonest have their own, where there are more than eight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.explain.condition_text import level_text, one_line
from treewright.explain.number_text import plural
from treewright.palette import Palette
from treewright.plot_style import label_text, legend, markers
from treewright.typing import Array, Floats, Ints

_OTHER_MARKER = "."


@dataclass(frozen=True)
class ClassMarks:
    """``group[code]`` is the mark of a class; the last group may stand for several classes."""

    names: tuple[str, ...]
    colours: tuple[str, ...]
    markers: tuple[str, ...]
    group: Ints

    def legend(self, ax: Any, theme: Palette, title: str, shown: Array | None = None, *, rings: bool = False) -> None:
        """A line per mark; ``shown`` are the class codes that occur, None all. ``rings`` are around wrong rows."""
        from matplotlib.lines import Line2D

        seen = range(len(self.names)) if shown is None else np.unique(self.group[shown]).tolist()
        handles = [
            Line2D([], [], linestyle="none", marker=self.markers[k], color=self.colours[k],
                   markeredgecolor=theme.ink, markeredgewidth=0.6, markersize=7, label=self.names[k])
            for k in seen
        ]  # fmt: skip
        if rings:
            handles.append(Line2D([], [], linestyle="none", marker="o", markersize=11, markerfacecolor="none",
                                  markeredgecolor=theme.ink, markeredgewidth=1.6, label="wrong"))  # fmt: skip
        legend(ax, outside=True, handles=handles, title=label_text(one_line(title), 24) if title != "y" else None)


def class_marks(classes: Sequence[Any], counts: Floats, theme: Palette) -> ClassMarks:
    """Marks of all classes, by how many rows each has."""
    names = [label_text(level_text(label), 24) for label in classes]
    hues = theme.hues
    if len(names) <= len(hues):
        return ClassMarks(tuple(names), hues[: len(names)], tuple(markers(len(names))), np.arange(len(names)))
    own = np.sort(np.argsort(-np.asarray(counts), kind="stable")[: len(hues) - 1])
    group = np.full(len(names), len(own))
    group[own] = np.arange(len(own))
    rest = f"other ({plural(len(names) - len(own), 'class', 'classes')})"
    return ClassMarks(
        (*(names[k] for k in own), rest), (*hues[: len(own)], theme.soft), (*markers(len(own)), _OTHER_MARKER), group
    )
