"""The pictures by name, and the tables they are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.errors import unknown
from treewright.model.evaluate.row_partition import three_parts


@dataclass(frozen=True)
class GalleryPicture:
    """A picture by name: what it shows, the plot it is made by, and how."""

    name: str
    caption: str
    plot: str
    draw: Callable[[], Any]


PICTURES: dict[str, GalleryPicture] = {}


def picture(name: str) -> GalleryPicture:
    """The picture of this name."""
    if name not in PICTURES:
        raise unknown("example", name, PICTURES, command="treewright plot --examples")
    return PICTURES[name]


def shows(plot: Callable[..., Any], caption: str) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """Enter a function into the gallery; underscores of its name become dashes."""

    def enter(draw: Callable[[], Any]) -> Callable[[], Any]:
        name = draw.__name__.replace("_", "-")
        PICTURES[name] = GalleryPicture(name, caption, plot.__name__, draw)
        return draw

    return enter


# ---- tables ------------------------------------------------------------------------------------------------------


def noisy() -> tuple[Any, Any]:
    """Classes of which three in ten are noise."""
    from sklearn.datasets import make_classification

    X, y = make_classification(2000, n_features=8, n_informative=4, flip_y=0.3, random_state=1)
    return X, y


def parts_of_rows_in(X: Any, y: Any) -> tuple[Any, ...]:
    grow, prune, test = three_parts(y)
    return X[grow], y[grow], X[prune], y[prune], X[test], y[test]


def iris(columns: tuple[int, ...] = (0, 1, 2, 3)) -> tuple[dict[str, Any], Any]:
    from sklearn.datasets import load_iris

    data = load_iris()
    names = [name.removesuffix(" (cm)") for name in data.feature_names]
    return {names[j]: data.data[:, j] for j in columns}, np.array(data.target_names)[data.target]


def moons() -> tuple[Any, Any]:
    from sklearn.datasets import make_moons

    X, y = make_moons(160, noise=0.3, random_state=3)
    return {"x1": X[:, 0], "x2": X[:, 1]}, np.where(y == 1, "crescent", "arch")


def wave() -> tuple[dict[str, Any], Any]:
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 6, 120))
    return {"x": x}, np.sin(x) + rng.normal(0, 0.2, 120)


def breast_cancer() -> tuple[dict[str, Any], Any]:
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    return dict(zip(map(str, data.feature_names), data.data.T)), np.array(data.target_names)[data.target]


def halves(table: tuple[Any, Any]) -> tuple[Any, Any, Any, Any]:
    X, y = table
    return {n: c[::2] for n, c in X.items()}, y[::2], {n: c[1::2] for n, c in X.items()}, y[1::2]


def customers() -> tuple[dict[str, Any], Any]:
    """Who buys: a number and levels, and a twentieth that does not follow the rule."""
    rng = np.random.default_rng(4)
    age, region = rng.integers(18, 75, 300), np.array(["city", "coast", "hills", "plain"])[rng.integers(0, 4, 300)]
    buys = ((age > 45) & (region != "hills")) | ((region == "coast") & (age > 28))
    return {"age": age, "region": region}, np.where(buys ^ (rng.random(300) < 0.05), "buys", "leaves")
