"""The options of ``treewright plot``, in groups."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from treewright.cli.arguments.fold_option import METAVAR, FoldNumber, fold_number
from treewright.cli.arguments.shared_options import Choosing
from treewright.cli.output_file import replacing
from treewright.errors import OptionError

_SIZE = re.compile(r"(\d+(?:\.\d+)?)x(\d+(?:\.\d+)?)")
_LARGEST = 60.0  # inches


@dataclass(frozen=True)
class PictureLook:
    """Where a picture goes and how it looks."""

    output: Annotated[
        str | None, typer.Option("--output", "-o", help="A .png, .svg or .pdf file. [default: the plot's name, .png]")
    ] = None
    dark: Annotated[bool, typer.Option("--dark", help="On dark paper.")] = False
    size: Annotated[str | None, typer.Option(help="Width x height in inches, such as 8x4.")] = None
    dpi: Annotated[int, typer.Option(min=20, max=1200, help="Dots per inch of a .png.")] = 120

    @contextmanager
    def drawing(self, place: str) -> Iterator[Callable[[Any], None]]:
        """Draw within; what is yielded saves axes to a file."""
        from treewright.plot_style import theme
        from treewright.plots.picture_files import format_of, without_display, write_picture

        ending, inches = format_of(place), self._inches()

        def save(axes: Any) -> None:
            if inches is not None:
                first = axes[0] if isinstance(axes, Sequence) else axes
                first.get_figure().set_size_inches(inches)
            with replacing(place) as file:
                write_picture(axes, file, ending, self.dpi)

        with without_display(), theme("dark" if self.dark else "light"):
            yield save

    def _inches(self) -> tuple[float, float] | None:
        if self.size is None:
            return None
        found = _SIZE.fullmatch(self.size.replace("×", "x").replace(" ", ""))
        if found is None or not all(0.5 <= float(part) <= _LARGEST for part in found.groups()):
            raise OptionError(f"--size {self.size!r} is not accepted", "write inches as WIDTHxHEIGHT, such as 8x4")
        return float(found[1]), float(found[2])


@dataclass(frozen=True)
class TableColumns:
    """Which columns of a table are what, where a plot is made of one."""

    target: Annotated[
        str | None, typer.Option("--target", "-t", help="The column to predict of a TABLE. [default: the last]")
    ] = None
    drop: Annotated[list[str] | None, typer.Option(help="A column of a TABLE to leave out; may be repeated.")] = None
    weights: Annotated[str | None, typer.Option(help="A column that says how much each row counts.")] = None

    def choosing(self) -> Choosing:
        return Choosing(self.target, self.drop, None, self.weights)


@dataclass(frozen=True)
class PlotDetails:
    """What single plots ask for. Those that are not given are None, or False."""

    columns: Annotated[str | None, typer.Option(help="Two columns between a comma, for plots of a plane.")] = None
    column: Annotated[str | None, typer.Option(help="The column, for plots of one.")] = None
    at: Annotated[
        list[str] | None, typer.Option(help="COLUMN=VALUE at which a column is held that the plot does not show.")
    ] = None
    node: Annotated[int | None, typer.Option(help="The number of a node, as the printed tree has it.")] = None
    by: Annotated[str | None, typer.Option(help="A measure, such as gini.")] = None
    base: Annotated[str | None, typer.Option(help="The base of logarithms: 2, e or another number.")] = None
    positive: Annotated[str | None, typer.Option(help="The class to be found.")] = None
    bins: Annotated[int | None, typer.Option(help="How many bins of probabilities.")] = None
    cv: Annotated[
        FoldNumber | None, typer.Option(parser=fold_number, metavar=METAVAR, help="Cross-validate; loo: a row each.")
    ] = None
    along: Annotated[str | None, typer.Option(help="The way a tree becomes smaller: pruning or growth.")] = None
    risk: Annotated[str | None, typer.Option(help="Of cost-complexity: gini, entropy or misclassification.")] = None
    rule: Annotated[str | None, typer.Option(help="How a tree is chosen: 1se or 0se.")] = None
    leaf_size: Annotated[int | None, typer.Option(help="The most rows of a cell of a k-d tree.")] = None
    split: Annotated[str | None, typer.Option(help="How a k-d tree chooses columns: rotate or variance.")] = None
    query: Annotated[str | None, typer.Option(help="Two numbers between a comma: where to search.")] = None
    k: Annotated[int | None, typer.Option(help="How many neighbours.")] = None
    ks: Annotated[str | None, typer.Option(help="Numbers of neighbours between commas, such as 1,3,9.")] = None
    max_k: Annotated[int | None, typer.Option(help="The largest number of neighbours.")] = None
    metric: Annotated[str | None, typer.Option(help="The metric of neighbours, such as manhattan.")] = None
    scale: Annotated[str | None, typer.Option(help="How numbers are scaled: standard, minmax or none.")] = None
    normalise: Annotated[bool, typer.Option("--normalise", help="Shares instead of rows.")] = False
    scaled: Annotated[bool, typer.Option("--scaled", help="Every measure divided by its largest value.")] = False


def given_in(group: Any) -> dict[str, Any]:
    """The options of a group that somebody gave."""
    return {name: value for name, value in vars(group).items() if value is not None and value is not False}
