"""The small tables of the lecture notes, to learn and to test with: ``load(name)``, ``names()``.

Play tennis keeps its column ``day``, which numbers the rows: under plain information gain it wins, and a tree that asks
for it is useless. Drop it to learn something::

    data = load("play_tennis")
    X = {name: cells for name, cells in data.X.items() if name != "day"}
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.resources import files
from typing import TypeAlias

from treewright.argument_text import describe
from treewright.display import Displayed, Sheet
from treewright.errors import OptionError

Cell: TypeAlias = str | int | float | None

__all__ = ["Dataset", "load", "names"]


@dataclass(frozen=True, repr=False)
class Dataset(Displayed):
    """A table by columns. ``X`` and ``table`` are accepted wherever a table is."""

    name: str
    columns: dict[str, list[Cell]]
    target: str
    description: str
    source: str

    @property
    def X(self) -> dict[str, list[Cell]]:  # noqa: N802 - what everyone calls it
        """Every column but the target."""
        return {name: cells for name, cells in self.columns.items() if name != self.target}

    @property
    def y(self) -> list[Cell]:
        return self.columns[self.target]

    @property
    def table(self) -> dict[str, list[Cell]]:
        """All columns, the target among them."""
        return dict(self.columns)

    def _sheet(self) -> Sheet:
        rows = len(self.y)
        return Sheet(self.columns, f"{self.name}: {rows} rows, target {self.target}", (self.description, self.source))


_NOTES = "lecture notes on decision trees"
_MADE = "made for the lesson on myopia; the second after the monk problems of S. Thrun et al., 1991"
_MITCHELL = "T. Mitchell, Machine Learning, 1997"

# name: target, description, where it comes from
_TABLES: dict[str, tuple[str, str, str]] = {
    "play_tennis": ("play", "14 days and whether tennis was played; `day` only numbers them", _MITCHELL),
    "play_tennis_noisy": ("play", "play tennis with a 15th day that contradicts the 11th", _MITCHELL),
    "temperature": ("play", "six temperatures (°F) and whether tennis was played", _NOTES),
    "robot": ("action", "four obstacle sensors of a robot and what it should do", _NOTES),
    "customer_loyalty": ("loyalty", "14 customers; the gender of the first is not known", _NOTES),
    "food": ("eat", "six dishes and whether the roommate ate them", _NOTES),
    "batman": ("label", "six characters, good or evil; `hero` names them", _NOTES),
    "batman_new": ("label", "two characters to classify, their label missing", _NOTES),
    "xor": ("y", "exclusive or: no single column tells anything", _NOTES),
    "xor_decoy": ("y", "exclusive or of a and b, and a third column that is right three times of four", _MADE),
    "same_shape": ("friend", "27 robots, friends if head and body have the same shape; most of these smile", _MADE),
    "six_points": ("label", "six points in the plane with two perfect trees, one smaller", _NOTES),
    "four_points": ("label", "four points in the plane with three candidate cuts", _NOTES),
    "seven_points": ("label", "seven points in the plane, two dots and five stars", _NOTES),
    "isolated_point": ("label", "13 points in the plane, a dot alone among the stars; the notes draw it", _NOTES),
    "isolated_point_new": ("label", "eight more points to validate on: stars where that dot was", _NOTES),
    "ab": ("y", "eight rows in which column a is constant", _NOTES),
    "iris_rows": ("species", "seven of Fisher's irises: setosa (0) and versicolor (1), which the notes call virginica",
                  "R. A. Fisher, 1936"),
}  # fmt: skip


def names() -> list[str]:
    """The tables there are.

    >>> names()[:3]
    ['play_tennis', 'play_tennis_noisy', 'temperature']
    """
    return list(_TABLES)


def load(name: str) -> Dataset:
    """The table of this name. Numbers are numbers, an empty cell is None.

    >>> data = load("xor")
    >>> data.X, data.y
    ({'a': [0, 0, 1, 1], 'b': [0, 1, 0, 1]}, [0, 1, 1, 0])
    """
    if name not in _TABLES:
        close = get_close_matches(str(name), _TABLES, n=1, cutoff=0.4)
        hint = f"there are {', '.join(_TABLES)}"
        raise OptionError(f"no data set is called {name!r}", f"did you mean {close[0]!r}? {hint}" if close else hint)
    target, description, source = _TABLES[name]
    text = files(__name__).joinpath(f"{name}.csv").read_text(encoding="utf-8")
    header, *rows = csv.reader(text.splitlines())
    columns = {title: _parse(cells) for title, cells in zip(header, zip(*rows, strict=True), strict=True)}
    return Dataset(name, columns, target, description, source)


def _parse(cells: tuple[str, ...]) -> list[Cell]:
    """The whole column as integers, else as floats, else as text."""
    parsers: tuple[Callable[[str], Cell], ...] = (int, float)
    for parse in parsers:
        try:
            return [parse(cell) if cell else None for cell in cells]
        except ValueError:
            continue
    return [cell or None for cell in cells]


describe([load])


def __dir__() -> list[str]:
    """What editors complete: no inner modules."""
    return __all__
