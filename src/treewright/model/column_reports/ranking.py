"""``tw.rank_attributes``: what every measure says of every column, before any tree is grown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright.criteria import CRITERIA
from treewright.data.column_findings import looks_like_identifier
from treewright.data.encode import encode, make_schema
from treewright.data.encoded import CodedColumn
from treewright.data.frame import Frame
from treewright.data.kinds import names_rows, read_kinds
from treewright.data.labelled import Labelled, has_classes, labelled
from treewright.data.schema import Column, Kind, Target
from treewright.data.user_warnings import warn_user
from treewright.display import MOST_ROWS, Displayed, DisplayedRecord, Sheet, row_at
from treewright.engines.workers import available_cores
from treewright.errors import OptionError, unknown
from treewright.explain.condition_text import level_text, one_line
from treewright.explain.number_text import plural
from treewright.explain.printed_cuts import cut_text
from treewright.model.column_reports.column_measures import ClassTarget, Measured, NumberTarget, best_cut
from treewright.split import midway
from treewright.table import Table
from treewright.ties import TIE
from treewright.typing import Floats, Ints

_MANY_BRANCHES = 10
_FEW_ROWS = 5  # per branch, below which counts tell little of a χ² (Cochran 1954)
_IDENTIFIER = "looks like an identifier; measures that do not charge for branches prefer it"
_LEFT_OUT = "names the rows, and fitting leaves it out"
_WIDTH = 120


@dataclass(frozen=True, repr=False)
class RankedAttribute(DisplayedRecord):
    """One column: the test that was measured, and the measures.

    ``missing`` is the share of the weight whose value is missing. ``score`` is what columns are sorted by, larger is
    better. ``warning`` says why the figures may flatter the column, or is empty.
    """

    attribute: str
    kind: str
    test: str
    branches: int
    missing: float
    measures: Mapping[str, float]
    score: float
    warning: str

    def _facts(self) -> dict[str, Any]:
        told = super()._facts()
        measures = told.pop("measures")
        return {**told, **measures}

    def __getitem__(self, measure: str) -> float:
        if measure not in self.measures:
            raise unknown("measure", measure, self.measures)
        return self.measures[measure]


@dataclass(frozen=True, repr=False)
class Ranking(Displayed, Sequence[RankedAttribute]):
    """Columns, the best first; ``print`` shows them as a table."""

    attributes: tuple[RankedAttribute, ...]
    by: str
    target: str
    n_rows: int

    def __len__(self) -> int:
        return len(self.attributes)

    def __iter__(self) -> Iterator[RankedAttribute]:
        return iter(self.attributes)

    def __getitem__(self, key: Any) -> Any:
        """A column by its name or its place."""
        return row_at(key, self.attributes, [row.attribute for row in self.attributes], "attribute")

    @property
    def names(self) -> list[str]:
        return [row.attribute for row in self.attributes]

    @property
    def warnings(self) -> list[str]:
        return [f"{one_line(row.attribute)}: {row.warning}" for row in self.attributes if row.warning]

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns of the table: the attribute, its kind, test, branches and missing share, then the measures."""
        about = ("attribute", "kind", "test", "branches", "missing")
        columns: dict[str, list[Any]] = {name: [getattr(row, name) for row in self.attributes] for name in about}
        return columns | {name: [row[name] for row in self.attributes] for name in self.attributes[0].measures}

    def to_pandas(self) -> Any:
        import pandas as pd

        return pd.DataFrame(self.to_dict())

    def to_polars(self) -> Any:
        import polars as pl

        return pl.DataFrame(self.to_dict())

    def _title(self) -> str:
        measure = f"{CRITERIA[self.by].title} ({self.by})" if self.by in CRITERIA else self.by
        return f"{plural(self.n_rows, 'row')}, target {self.target}, by {measure}"

    def __str__(self) -> str:
        columns = [_aligned(name, cells) for name, cells in self._texts().items()]
        lines = [line for block in _blocks(columns) for line in (*map("  ".join, zip(*block)), "")]
        left = len(self) - MOST_ROWS
        more = [f"… and {left:,} more columns; to_frame() has them all"] if left > 0 else []
        return "\n".join([self._title(), *(line.rstrip() for line in lines[:-1]), *more, *self.warnings])

    def _sheet(self) -> Sheet:
        told = self.to_dict()
        return Sheet({name: told[name] for name in self._texts()}, self._title(), tuple(self.warnings))

    def _texts(self) -> dict[str, list[str]]:
        columns = self.to_dict()
        if not any(columns["missing"]):
            del columns["missing"]
        del columns["kind"]
        return {name: [_text(cell, name) for cell in cells[:MOST_ROWS]] for name, cells in columns.items()}


def rank_attributes(
    X: Any, y: Any, by: str | None = None, *, sample_weight: Any = None, kinds: Any = None, target: str | None = None
) -> Ranking:
    """Every measure of :data:`tw.criteria.CRITERIA` for every column as the test of a root, the best column first.

    A nominal column has a branch per level. Numbers and ordered levels are cut in two where ``by`` is best (the usual
    measure, if ``by`` is none of a cut); the p-values of such a cut do not know that it was chosen among many. Rows of
    missing value count in no branch, and what the others gain is multiplied by the known fraction.

    Classes are also measured by their ``split_info``, numbers by ``correlation_ratio`` (the part of the variance that
    the test explains) and, for columns with an order, ``correlation`` (Pearson's r; ordinal levels by rank). A column
    with a branch for nearly every row looks good to all measures that do not charge for branches: it is warned about
    and, as columns that fitting leaves out, listed last, unless ``kinds`` says what it is.

    Parameters
    ----------
    X : table
        Any dataframe, array, list of dicts or dict of columns.
    y : array-like
        The target, a value per row.
    by : str or None, default None
        The measure to cut and sort by; None is "entropy" (information gain) for classes, "squared_error" for numbers.
    sample_weight : array-like or None, default None
        How much each row counts.
    kinds : mapping or None, default None
        Which kind a column is, as in ``fit``.
    target : str or None, default None
        "classes" or "numbers"; None takes y for numbers if it has decimals or more than ten different values.

    Examples
    --------
    >>> import treewright as tw
    >>> tennis = tw.datasets.load("play_tennis")
    >>> ranking = tw.rank_attributes({name: tennis.X[name] for name in ("outlook", "humidity", "windy")}, tennis.y)
    >>> [(row.attribute, round(row["entropy"], 4), round(row["gain_ratio"], 4)) for row in ranking]
    [('outlook', 0.2467, 0.1564), ('humidity', 0.1518, 0.1518), ('windy', 0.0481, 0.0488)]
    """
    rows = labelled(X, y, is_classifier=has_classes(y, target), sample_weight=sample_weight)
    measured: Measured = NumberTarget(rows, by) if rows.classes is None else ClassTarget(rows)
    _check_measure(by, measured, rows)
    chosen = by or measured.names[0]
    schema = make_schema(rows.frame, Target(rows.name, rows.classes), kinds)
    named = read_kinds(kinds, rows.frame)
    encoded = encode(rows.frame, schema, rows.y, rows.weights, max_bins=None, n_jobs=available_cores())
    columns = zip(schema.columns, encoded.columns, strict=True)
    ranked = [_ranked(column, codes, measured, chosen, rows.weights) for column, codes in columns]
    free = [(place, row) for place, row in enumerate(ranked) if place not in named]
    last = {row.attribute for place, row in free if _names_rows(row, rows.frame, place)}
    ranked.sort(key=lambda row: (row.attribute in last, -row.score))
    ranked = [_put_last(row) if row.attribute in last else row for row in ranked]
    ranking = Ranking(tuple(ranked), chosen, _described(rows), rows.n_rows)
    if ranking[0].warning and _IDENTIFIER not in ranking[0].warning:  # identifiers are warned about as they are read
        warn_user(f"column {ranking[0].attribute!r}, the first by {chosen}, has {ranking[0].warning}")
    return ranking


def _check_measure(by: str | None, measured: Measured, rows: Labelled) -> None:
    if by is None or by in measured.names:
        return
    if by in CRITERIA and CRITERIA[by].is_for_classes == (rows.classes is None):
        one, other = ("numbers", "classes") if rows.classes is None else ("classes", "numbers")
        raise OptionError(
            f"{by} measures a target of {other}, and {rows.name!r} holds {one}",
            f"for {one} there are {', '.join(sorted(measured.names))}",
        )
    raise unknown("measure", by, measured.names)


def _names_rows(row: RankedAttribute, frame: Frame, place: int) -> bool:
    """Whether a column names the rows, so that no place among the others says anything of it."""
    return row.warning == _IDENTIFIER or names_rows(frame, place)


def _put_last(row: RankedAttribute) -> RankedAttribute:
    kind = f'kinds={{{row.attribute!r}: "{row.kind}"}}'
    why = row.warning or _LEFT_OUT
    return replace(row, warning=f"{why}. It is listed last. Hint: to rank it with the others say {kind}.")


def _described(rows: Labelled) -> str:
    what = "a number" if rows.classes is None else plural(len(rows.classes), "class", "classes")
    return f"{rows.name} ({what})"


def _score(by: str, measures: Mapping[str, float], table: Table) -> float:
    """Larger is better. p-values by their logarithms: themselves they may all be 0."""
    criterion = CRITERIA.get(by)
    if criterion is not None and criterion.is_p_value:
        return float(criterion.score(table))
    value = abs(measures[by]) if by == "correlation" else measures[by]
    return -math.inf if math.isnan(value) else value


def _ranked(column: Column, codes: CodedColumn, target: Measured, by: str, weights: Floats | None) -> RankedAttribute:
    groups, test = _branches(column, codes, target, by)
    measures = target.measures(groups, _ordered_values(column, codes))
    sizes = np.bincount(groups)
    known, n_branches = int(sizes[1:].sum()), int((sizes[1:] > 0).sum())
    missing = float(np.average(groups == 0, weights=weights))
    warning = _warning(n_branches, known) if column.kind is Kind.NOMINAL else ""
    score = _score(by, measures, target.branches(groups))
    return RankedAttribute(column.name, column.kind.value, test, n_branches, missing, measures, score, warning)


def _branches(column: Column, codes: CodedColumn, target: Measured, by: str) -> tuple[Ints, str]:
    """The branch of every row from 1, 0 where its value is missing; and the test in words."""
    if column.kind is Kind.NOMINAL:
        return codes.codes, plural(len(column.levels), "level")
    cut = best_cut(codes, target, by)
    if cut is None:
        return np.minimum(codes.codes, 1), "one value" if codes.codes.any() else "no value"
    test = f"<= {_threshold(column, codes, cut)}"
    return np.where(codes.codes == 0, 0, 1 + (codes.codes > cut)), test


def _threshold(column: Column, codes: CodedColumn, cut: int) -> str:
    if column.kind is Kind.ORDINAL:
        return level_text(column.levels[cut - 1])
    below, above = (_value(codes, code) for code in (cut, cut + 1))
    return cut_text(float(midway(below, above)), np.array([below, above]), column.unit)


def _value(codes: CodedColumn, code: int) -> Floats:
    found = codes.lows[code - 1] if codes.numbers is None else codes.numbers[np.argmax(codes.codes == code)]
    return np.asarray(found, np.float64)


def _ordered_values(column: Column, codes: CodedColumn) -> Floats | None:
    """The numbers, or the ranks of ordinal levels; NaN where missing. None for nominal columns."""
    if column.kind is Kind.NOMINAL:
        return None
    if codes.numbers is not None:
        return np.asarray(codes.numbers, np.float64)
    values = codes.lows if column.kind is Kind.NUMERIC else np.arange(1.0, codes.n_codes)
    return np.append(np.nan, values)[codes.codes]


def _warning(n_branches: int, n_rows: int) -> str:
    if looks_like_identifier(n_branches, n_rows):
        return _IDENTIFIER
    if n_branches > _MANY_BRANCHES and n_rows < _FEW_ROWS * n_branches:
        return f"{n_branches} branches for {n_rows} rows; measures that do not charge for branches prefer it"
    return ""


# ---------------------------------------------------------------- the print


def _text(cell: Any, name: str) -> str:
    if not isinstance(cell, float):
        return one_line(str(cell))
    if abs(cell) < TIE and not (name in CRITERIA and CRITERIA[name].is_p_value):
        return "0"
    return "" if math.isnan(cell) else f"{cell:.4g}"


def _aligned(name: str, cells: list[str]) -> list[str]:
    """The heading and the cells at one width; words to the left, figures to the right."""
    width = max(map(len, (name, *cells)))
    return [text.ljust(width) if name in ("attribute", "test") else text.rjust(width) for text in (name, *cells)]


def _blocks(columns: list[list[str]]) -> Iterator[list[list[str]]]:
    """As many columns side by side as there is room for, every block beginning with the attribute."""
    first, *others = columns
    block = [first]
    for column in others:
        if len(block) > 1 and sum(len(c[0]) + 2 for c in (*block, column)) > _WIDTH:
            yield block
            block = [first]
        block.append(column)
    yield block
