"""The picture of overfitting: errors on rows seen and not seen, of small and large trees. `make picture` draws it."""

from __future__ import annotations

import sys

import matplotlib
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

import treewright as tw
from treewright.plots.picture_files import write_picture


def main(path: str) -> None:
    matplotlib.use("svg")
    X, y = make_classification(2000, n_features=8, n_informative=4, flip_y=0.3, random_state=1)  # 3 in 10 are noise
    X_grow, X_held_out, y_grow, y_held_out = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
    model = tw.CARTClassifier().fit(X_grow, y_grow)
    axes = tw.evaluate.complexity_curve(model, X_held_out, y_held_out).plot()
    axes.figure.set_size_inches(7, 3.2)
    write_picture(axes, path, "svg")


if __name__ == "__main__":
    main(sys.argv[1])
