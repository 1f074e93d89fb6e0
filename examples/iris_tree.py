"""The picture README opens with: a tree of every other iris, the others as hold-out. `make picture` draws it."""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd
from sklearn.datasets import load_iris

import treewright as tw


def pictures() -> dict[str, str]:
    """By theme."""
    flowers = load_iris(as_frame=True)
    X, y = flowers.data, pd.Series(flowers.target_names[flowers.target], name="species")
    model = tw.CARTClassifier(max_depth=3, min_rows_leaf=4).fit(X[::2], y[::2]).with_holdout(X[1::2], y[1::2])
    return {theme: model.to_svg(X=X[::2], y=y[::2], theme=theme) for theme in ("light", "dark")}


def main(folder: str) -> None:
    for theme, text in pictures().items():
        Path(folder, f"iris_tree_{theme}.svg").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(sys.argv[1])
