"""The one style of all plots: axes in the colours of ``palette.py``, on light or dark paper.

What a colour says is said again, by a marker, a line style or a word. Matplotlib is imported for the first plot.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import cycle, islice
from typing import Any

from treewright.errors import TreewrightError
from treewright.palette import DARK, LIGHT, Palette, palette_of

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")
LINE_STYLES = ("-", "--", "-.", ":")
MANY_POINTS = 60  # markers of a line run into one another from here on
_LONGEST = 40  # characters of a name
_SIZE = (6.4, 4.0)  # inches
_HALF = 0.5  # luminance of the paper
_EQUAL_CONTRAST = 0.179  # luminance of a fill on which black and white are read equally well


_current: ContextVar[Palette] = ContextVar("theme", default=LIGHT)


@contextmanager
def theme(name: str) -> Iterator[Palette]:
    """Plots that are begun within are on "light" or "dark" paper.

    >>> with theme("dark") as dark:
    ...     dark.paper
    '#15191f'
    """
    chosen = palette_of(name)
    before = _current.set(chosen)
    try:
        yield chosen
    finally:
        _current.reset(before)


def new_axes(ax: Any = None, size: tuple[float, float] = _SIZE) -> Any:
    """Matplotlib's axes in this style: those given, or those of a new picture."""
    if ax is None:
        made = require_pyplot().subplots(figsize=size, layout="constrained", facecolor=_current.get().paper)[1]
        made.set_facecolor(_current.get().paper)
        return _dressed(made)
    return _dressed(ax)


def new_row(count: int, size: tuple[float, float] = _SIZE) -> Sequence[Any]:
    """Axes side by side in a new picture."""
    paper = _current.get().paper
    made = require_pyplot().subplots(1, count, figsize=size, layout="constrained", facecolor=paper, squeeze=False)[1][0]
    for ax in made:
        ax.set_facecolor(paper)
    return [_dressed(ax) for ax in made]


def theme_of(ax: Any) -> Palette:
    """The colours that can be seen on these axes."""
    from matplotlib.colors import to_rgba

    red, green, blue, alpha = to_rgba(ax.get_facecolor())
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return DARK if alpha and luminance < _HALF else LIGHT


def colour_map(palette: Palette) -> Any:
    """The ramp of numbers as matplotlib has it."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list(f"treewright-{palette.name}", palette.ramp)


def ink_on(colour: Any) -> str:
    """The ink that is read best on a fill: dark or light."""
    from matplotlib.colors import to_rgb

    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#000000" if luminance > _EQUAL_CONTRAST else "#FFFFFF"


def legend(ax: Any, *, outside: bool = False, **options: Any) -> None:
    """The legend of what has a label; ``outside`` puts it to the right of the axes."""
    if outside:
        options = {"loc": "center left", "bbox_to_anchor": (1.01, 0.5), "borderaxespad": 0.0, **options}
    made = ax.legend(frameon=not outside, labelcolor=theme_of(ax).ink, fontsize=9, **options)
    if made is not None:
        made.get_frame().set(facecolor=ax.get_facecolor(), edgecolor=theme_of(ax).faint)
        if made.get_title().get_text():
            made.get_title().set(color=theme_of(ax).ink, fontsize=9)


def count_axis(axis: Any) -> None:
    """Counts on a logarithmic axis as plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def title(ax: Any, text: str) -> None:
    ax.set_title(text, loc="left", fontsize=10.5, color=theme_of(ax).ink)


def markers(count: int) -> list[str]:
    """A marker for each, again from the first where there are many."""
    return list(islice(cycle(MARKERS), count))


def label_text(text: str, most: int = _LONGEST) -> str:
    r"""A name as matplotlib shows it literally: no formula between dollars, never left out for its first character.

    >>> print(label_text("cost in $"), label_text("_id"), label_text("x" * 99, most=5))
    cost in \$  _id xxxx…
    """
    short = text if len(text) <= most else f"{text[: most - 1]}…"
    return (" " if short.startswith("_") else "") + short.replace("$", r"\$")


def require_pyplot() -> Any:
    """Matplotlib's module of pictures; without it an error that says what to install."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise TreewrightError("drawing needs matplotlib", 'pip install "treewright[plot]"') from error
    return pyplot


def _dressed(ax: Any) -> Any:
    """Axes without what tells nothing: two spines are enough, and the grid stands back."""
    colours = theme_of(ax)
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(colours.soft)
    ax.grid(True, color=colours.faint, linewidth=0.8)
    ax.set_axisbelow(True)
    ax.tick_params(colors=colours.soft, labelcolor=colours.ink, labelsize=9)
    for axis in (ax.xaxis, ax.yaxis):
        axis.label.set(color=colours.ink, fontsize=10)
    return ax
