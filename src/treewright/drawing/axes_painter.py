"""A scene on matplotlib's axes, and through matplotlib to PNG and PDF."""

from __future__ import annotations

from os import PathLike
from typing import Any

from treewright.drawing.scene import POINTS, Rectangle, Scene, Shape, Words
from treewright.drawing.svg import to_svg
from treewright.errors import OptionError, TreewrightError

_INCH = 96.0  # pixels
SUFFIXES = (".svg", ".png", ".pdf")
_DOTS_PER_INCH = 192
_FONT = "DejaVu Sans"  # the one that texts were measured in


def paint(scene: Scene, axes: Any = None) -> Any:
    """Paint the scene and return the axes: new ones of the picture's size, or those given, which it fills.

    Texts are as large as the picture makes them: in small axes they are small.
    """
    pyplot = _pyplot()
    if axes is None:
        canvas = pyplot.figure(figsize=(scene.width / _INCH, scene.height / _INCH), facecolor=scene.background)
        axes = canvas.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, scene.width)
    axes.set_ylim(scene.height, 0)
    axes.set_aspect("equal")
    axes.axis("off")
    scale = _scale(scene, axes)
    _add(axes, Rectangle(0, 0, scene.width, scene.height, scene.background), scale, -1)
    for order, group in enumerate(scene.groups):
        for shape in group.shapes:
            _add(axes, shape, scale, order)
    return axes


def _scale(scene: Scene, axes: Any) -> float:
    """Points of the axes for a pixel of the scene."""
    extent, dpi = axes.get_window_extent(), axes.figure.dpi
    return float(min(extent.width / scene.width, extent.height / scene.height) / dpi * _INCH * POINTS)


def _add(axes: Any, shape: Shape, scale: float, order: int) -> None:
    from matplotlib import patches
    from matplotlib.path import Path

    if isinstance(shape, Words):
        axes.text(
            shape.x, shape.y, shape.text, fontsize=shape.size * scale, color=shape.colour, va="baseline",
            ha={"start": "left", "middle": "center", "end": "right"}[shape.anchor], zorder=order, family=_FONT,
            fontweight="bold" if shape.bold else "normal", parse_math=False,
        )  # fmt: skip
        return
    if isinstance(shape, Rectangle):
        corners = f"round,pad=0,rounding_size={shape.radius}" if shape.radius else "square,pad=0"
        patch: Any = patches.FancyBboxPatch(
            (shape.x, shape.y), shape.width, shape.height, boxstyle=corners, linewidth=scale if shape.stroke else 0,
            facecolor=shape.fill, edgecolor=shape.stroke or "none", linestyle="--" if shape.dashed else "-",
        )  # fmt: skip
    else:
        codes = [Path.MOVETO] + [Path.CURVE4 if len(s) == 3 else Path.LINETO for s in shape.steps for _ in s]
        patch = patches.PathPatch(
            Path(list(shape.points), codes), facecolor="none", edgecolor=shape.colour, capstyle="butt",
            linewidth=shape.width * scale, linestyle=(0, (4, 3)) if shape.dashed else "-",
        )  # fmt: skip
    patch.set_zorder(order)
    axes.add_patch(patch)


def save(scene: Scene, path: str | PathLike[str]) -> str:
    """Write the picture; the name says what it becomes. Returns the text of the SVG, which needs no matplotlib."""
    from treewright.tree.files import replace_file

    suffix = suffix_of(path)
    text = to_svg(scene)
    replace_file(path, text.encode("utf-8") if suffix == ".svg" else rendered(scene, suffix[1:]))
    return text


def suffix_of(path: Any) -> str:
    """What a file is to become, by its name."""
    import os

    suffix: str = os.path.splitext(os.fspath(path))[1].lower()
    if suffix not in SUFFIXES:
        raise OptionError(f"{os.fspath(path)!r} is no name of a picture", f"names end in {', '.join(SUFFIXES)}")
    return suffix


def rendered(scene: Scene, form: str) -> bytes:
    """The picture as PNG or PDF."""
    import io

    pyplot, file = _pyplot(), io.BytesIO()
    axes = paint(scene)
    try:
        bare = {"Software": None} if form == "png" else {"CreationDate": None}
        axes.figure.savefig(file, format=form, dpi=_DOTS_PER_INCH, metadata=bare)
    finally:
        pyplot.close(axes.figure)
    return file.getvalue()


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise TreewrightError("PNG, PDF and axes need matplotlib", 'pip install "treewright[plot]"') from error
    return pyplot
