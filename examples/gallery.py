"""The gallery: every picture of treewright.plots.gallery as a small PNG, and the page that shows them."""

from __future__ import annotations

import io
import sys
import warnings
from itertools import groupby
from pathlib import Path

import matplotlib
from PIL import Image

import treewright as tw
from treewright.plots.gallery import PICTURES, GalleryPicture
from treewright.plots.picture_files import write_picture

COLOURS = 96  # of a picture: plots have few, and the files stay small
HEAD = """# Gallery

Plots are drawn on [matplotlib](https://matplotlib.org)'s axes: `pip install 'treewright[plot]'`. Each is a function
of `tw.plots` that takes a model or a table and `ax`, and returns the axes. On the command line `treewright plot` lists
them, and `treewright plot confusion-matrix MODEL DATA -o confusion.png` draws one. Colours are safe for colour-blind
eyes, and everything a colour says is said by a marker, a line style or a word as well.

The pictures of this page are drawn by `make gallery`; `treewright plot --example seven-points` draws one of them.

```python
import treewright as tw

days = tw.datasets.load("temperature")
axes = tw.plots.gain_by_threshold(days.X, days.y)

points, new = tw.datasets.load("isolated_point"), tw.datasets.load("isolated_point_new")
whole = tw.ID3Classifier().fit(points.X, points.y)
smaller = whole.prune("reduced-error", new.X, new.y)
before, after = tw.plots.pruned_regions(whole, smaller, new.X, new.y)
with tw.plots.theme("dark"):
    tw.plots.pruning_errors(whole, new.X, new.y)
```
"""


def main(folder: str) -> None:
    matplotlib.use("Agg")
    warnings.simplefilter("ignore", tw.TreewrightWarning)
    pictures = Path(folder) / "gallery"
    pictures.mkdir(exist_ok=True)
    for old in pictures.glob("*.png"):
        old.unlink()
    for picture in PICTURES.values():
        draw(picture, pictures / f"{picture.name}.png")
    (Path(folder) / "gallery.md").write_text(page(), encoding="utf-8")


def draw(picture: GalleryPicture, path: Path) -> None:
    drawn = io.BytesIO()
    write_picture(picture.draw(), drawn, "png", dpi=120)
    Image.open(drawn).convert("RGB").quantize(COLOURS).save(path, optimize=True)


def page() -> str:
    sections = [HEAD]
    by_plot = sorted(PICTURES.values(), key=lambda picture: list(tw.plots.__all__).index(picture.plot))
    for plot, pictures in groupby(by_plot, key=lambda picture: picture.plot):
        shown = (f"![{p.caption}](gallery/{p.name}.png)\n\n{p.caption} (`{p.name}`).\n" for p in pictures)
        sections.append(f"## tw.plots.{plot}\n\n" + "\n".join(shown))
    return "\n".join(sections)


if __name__ == "__main__":
    main(sys.argv[1])
