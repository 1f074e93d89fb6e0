"""``treewright draw``: the tree of a saved model as a picture."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from treewright.cli.arguments.shared_options import Reading, Talk, with_options
from treewright.cli.input_tables import remarks, rows_for
from treewright.cli.output import say
from treewright.cli.output_file import STDOUT, check_place, replacing
from treewright.cli.saved_models import ModelPath, load_tree
from treewright.errors import OptionError

EXAMPLES = """
\b
  treewright draw loans.json -o loans.svg
  treewright draw loans.json -o loans.png --data loans.csv --holdout new.csv --theme dark
"""


@with_options(reading=Reading, talk=Talk)
def draw(
    model: ModelPath,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="A name that ends in .svg, .png or .pdf. [default: SVG to -]")
    ] = None,
    data: Annotated[str | None, typer.Option(help="Rows of the fit, for histograms and quartiles.")] = None,
    holdout: Annotated[
        str | None, typer.Option(metavar="FILE", help="Rows that were not learned from: their errors at every node.")
    ] = None,
    content: Annotated[str, typer.Option(help="auto, bars, histogram, box or text.")] = "auto",
    orientation: Annotated[str, typer.Option(help="auto, down or right.")] = "auto",
    theme: Annotated[str, typer.Option(help="light or dark.")] = "light",
    depth: Annotated[int | None, typer.Option(min=0, help="Cut what is deeper.")] = None,
    max_leaves: Annotated[
        int | None, typer.Option(min=1, help="Cut to so many ends. [default: 24 of a tree of more than 60 leaves]")
    ] = None,
    node: Annotated[int, typer.Option(min=0, help="Draw what is below this node.")] = 0,
    whole: Annotated[bool, typer.Option("--whole", help="Cut nothing, however large the tree is.")] = False,
    *,
    reading: Reading,
    talk: Talk,
) -> None:
    """Draw the tree of a saved model.

    Every edge says which values take it, every leaf what it predicts. Edges are as wide as their share of the rows. PNG
    and PDF need matplotlib.
    """
    if talk.json:
        raise OptionError("a picture is no JSON", "leave --json out; show --json has the tree as data")
    if whole and max_leaves is not None:
        raise OptionError("--whole and --max-leaves contradict each other", "leave one of them out")
    check_place(output, model, data, holdout)
    style: dict[str, Any] = {
        "content": content,
        "orientation": orientation,
        "theme": theme,
        "depth": depth,
        "node": node,
    }
    style["max_leaves"] = None if whole else max_leaves or "auto"
    _write(_scene(model, style, data, holdout, reading, talk), output, talk)


def _scene(
    model: str, style: dict[str, Any], data: str | None, holdout: str | None, reading: Reading, talk: Talk
) -> Any:
    from treewright.drawing.tree_picture import style_of
    from treewright.model.shown.model_pictures import scene_of

    chosen, fitted = style_of(style), load_tree(model)
    with remarks(talk):
        if holdout is not None:
            rows = rows_for(fitted, holdout, reading)
            fitted = fitted.with_holdout(rows.frame, rows.target)
        rows = None if data is None else rows_for(fitted, data, reading)
    if rows is None and style["content"] in ("histogram", "box"):
        raise OptionError(f"--content {style['content']} needs the rows of the fit", "name their file with --data")
    return scene_of(fitted, chosen) if rows is None else scene_of(fitted, chosen, rows.frame, rows.target)


def _write(scene: Any, output: str | None, talk: Talk) -> None:
    from treewright.drawing.axes_painter import rendered, suffix_of
    from treewright.drawing.svg import to_svg

    is_standard = output is None or output == STDOUT
    form = ".svg" if is_standard else suffix_of(output)
    picture = to_svg(scene).encode("utf-8") if form == ".svg" else rendered(scene, form[1:])
    with replacing(output) as file:
        file.write(picture)
    if not is_standard:
        say(talk, f"Saved as {output}.")
