"""What is on matplotlib's axes, read back."""

from __future__ import annotations

import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.patches import Rectangle, StepPatch


def lines(axes) -> dict[str, np.ndarray]:
    """Points of lines by their label."""
    return {line.get_label(): np.asarray(line.get_xydata(), float) for line in axes.get_lines()}


def stairs(axes) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Values and edges of steps by their label."""
    found = [patch for patch in axes.patches if isinstance(patch, StepPatch)]
    return {patch.get_label(): (patch.get_data().values, patch.get_data().edges) for patch in found}


def regions(axes) -> list[tuple[float, ...]]:
    """The regions of the leaves of a tree: left, bottom, right, top."""
    (found,) = (part for part in axes.collections if part.get_gid() == "regions")
    return [(*path.vertices.min(0), *path.vertices.max(0)) for path in found.get_paths()]


def region_colours(axes) -> np.ndarray:
    (found,) = (part for part in axes.collections if part.get_gid() == "regions")
    return found.get_facecolors()


def cuts(axes) -> list[tuple[int, float]]:
    """The axis (0 or 1) that is cut and where, in order."""
    (found,) = (part for part in axes.collections if part.get_gid() == "cuts")
    axis = [0 if segment[0, 0] == segment[1, 0] else 1 for segment in found.get_segments()]
    return sorted((k, float(segment[0, k])) for k, segment in zip(axis, found.get_segments()))


def node_boxes(axes) -> list[tuple[float, ...]]:
    """The region of one node."""
    boxes = [patch for patch in axes.patches if isinstance(patch, Rectangle) and patch.get_gid()]
    return [(*box.get_xy(), box.get_x() + box.get_width(), box.get_y() + box.get_height()) for box in boxes]


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
