"""What is on matplotlib's axes, read back."""

from __future__ import annotations

import numpy as np
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.patches import Rectangle, StepPatch


def lines(axes) -> dict[str, np.ndarray]:
    """Points of lines by their label."""
    return {line.get_label(): np.asarray(line.get_xydata(), float) for line in axes.get_lines()}


def stairs(axes) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Values and edges of steps by their label."""
    found = [patch for patch in axes.patches if isinstance(patch, StepPatch)]
    return {patch.get_label(): (patch.get_data().values, patch.get_data().edges) for patch in found}


def regions(axes) -> dict[str, list[tuple[float, ...]]]:
    """Rectangles (left, bottom, right, top) by the leaf or node they belong to."""
    found: dict[str, list[tuple[float, ...]]] = {}
    for patch in axes.patches:
        if isinstance(patch, Rectangle) and patch.get_gid():
            x, y = patch.get_xy()
            found.setdefault(patch.get_gid(), []).append((x, y, x + patch.get_width(), y + patch.get_height()))
    return found


def cuts(axes) -> dict[int, list[np.ndarray]]:
    """Ends of the cuts by node."""
    found: dict[int, list[np.ndarray]] = {}
    for part in axes.collections:
        if isinstance(part, LineCollection):
            found.setdefault(int(part.get_label().rpartition(" ")[2]), []).extend(part.get_segments())
    return found


def points(axes) -> dict[str, np.ndarray]:
    """Scattered points by their label."""
    return {
        part.get_label(): np.asarray(part.get_offsets(), float)
        for part in axes.collections
        if isinstance(part, PathCollection)
    }


def texts(axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


def legend_texts(axes) -> list[str]:
    return [text.get_text() for text in axes.get_legend().get_texts()]


def bars(axes) -> list[float]:
    return [patch.get_width() for patch in axes.patches]
