"""How objects show themselves: as text in a console, as HTML in a notebook, as Markdown, as a data frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import zip_longest
from numbers import Integral, Real
from typing import Any, TypeVar

from treewright.errors import OptionError, unknown

Row = TypeVar("Row")

MOST_ROWS = 60  # that are shown; data frames have them all
_DIGITS = 4
_MOST_VALUES = 8  # in a row
_MOST_DIGITS = 1e15  # beyond which digits say nothing
# Notebooks have styles of their own for tables and text, which are to give way.
_STYLE = (
    "<style>.treewright-sheet{overflow-x:auto}.treewright-sheet table{border-collapse:collapse;margin:.3em 0}"
    ".treewright-sheet th,.treewright-sheet td{padding:.15em .7em;text-align:left!important;vertical-align:top;"
    "max-width:60em;white-space:normal}.treewright-sheet thead th{border-bottom:1px solid currentColor;"
    "white-space:nowrap}.treewright-sheet .number{text-align:right!important;font-variant-numeric:tabular-nums;"
    "white-space:nowrap}.treewright-sheet p{margin:.3em 0}"
    ".treewright-sheet pre{margin:.3em 0;line-height:1.25;font-family:monospace!important;white-space:pre}</style>"
)


@dataclass(frozen=True)
class Sheet:
    """Columns of cells by name, with a title above and notes below.

    >>> print(Sheet({"leaves": [12, 3], "error": [0.25, 0.3333]}, "two trees", ("The smaller one is chosen.",)).text())
    two trees
    leaves   error
        12    0.25
         3  0.3333
    The smaller one is chosen.
    """

    columns: Mapping[str, Sequence[Any]]
    title: str = ""
    notes: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        return max(map(len, self.columns.values()), default=0)

    def text(self, most: int | None = MOST_ROWS) -> str:
        """Aligned columns; numbers to the right. Beyond ``most`` rows it says how many more there are."""
        lines = [self.title] if self.title else []
        blocks = [self._aligned(name, cells, most) for name, cells in self.columns.items()]
        lines += ["  ".join(cells).rstrip() for cells in zip(*blocks)]
        return "\n".join([*lines, *self._more(most), *self.notes])

    def _aligned(self, name: str, cells: Sequence[Any], most: int | None) -> list[str]:
        texts = [name, *(one_line(cell_text(cell)) for cell in cells[:most])]
        width = max(map(len, texts))
        return [text.rjust(width) if _is_numbers(cells) else text.ljust(width) for text in texts]

    def html(self, most: int | None = MOST_ROWS) -> str:
        """A table that a notebook shows, in its colours."""
        numbers = [_is_numbers(cells) for cells in self.columns.values()]
        head = "".join(_cell("th", name, is_number) for name, is_number in zip(self.columns, numbers))
        rows = zip_longest(*(cells[:most] for cells in self.columns.values()), fillvalue="")
        body = "".join(
            f"<tr>{''.join(_cell('td', cell_text(cell), is_number) for cell, is_number in zip(row, numbers))}</tr>"
            for row in rows
        )
        title = f"<p><b>{escape(self.title)}</b></p>" if self.title else ""
        notes = "".join(f"<p>{escape(note)}</p>" for note in (*self._more(most), *self.notes))
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if self.columns else ""
        return f'<div class="treewright-sheet">{_STYLE}{title}{table}{notes}</div>'

    def markdown(self) -> str:
        """A table of Markdown, with every row."""
        lines = [f"**{self.title}**", ""] if self.title else []
        if self.columns:
            ruler = ["---:" if _is_numbers(cells) else "---" for cells in self.columns.values()]
            rows = zip_longest(*self.columns.values(), fillvalue="")
            cells = [list(self.columns), ruler, *([cell_text(cell) for cell in row] for row in rows)]
            lines += [f"| {' | '.join(_marked(cell) for cell in row)} |" for row in cells]
        for note in self.notes:
            lines += ["", note]
        return "\n".join(lines)

    def _more(self, most: int | None) -> tuple[str, ...]:
        left = 0 if most is None else self.n_rows - most
        return (f"… and {left:,} more rows; to_frame() has them all",) if left > 0 else ()


class Displayed:
    """What an object has that says its ``_sheet`` or, if it is nothing but columns, its ``to_dict``. Data classes keep
    it by ``repr=False``."""

    def _sheet(self) -> Sheet:
        return Sheet(self.to_dict())

    def __str__(self) -> str:
        return self._sheet().text()

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        """What notebooks show."""
        return self._sheet().html()

    def to_markdown(self) -> str:
        """The same as a table of Markdown."""
        return self._sheet().markdown()

    def to_dict(self) -> dict[str, Any]:
        """Columns by name, as every data frame takes them."""
        return {name: list(cells) for name, cells in self._sheet().columns.items()}

    def to_frame(self) -> Any:
        """The same as a data frame: of pandas or, where that is not installed, of polars."""
        return data_frame(self.to_dict())


class DisplayedRecord(Displayed):
    """The same of a data class that is one record: its fields by name, those of several numbers in short."""

    def _sheet(self) -> Sheet:
        facts = self._facts()
        return Sheet({type(self).__name__: list(facts), "": [fact_text(value) for value in facts.values()]})

    def _facts(self) -> dict[str, Any]:
        """What there is to show, by name."""
        return {name: getattr(self, name) for name in getattr(self, "__dataclass_fields__", ())}

    def to_dict(self) -> dict[str, Any]:
        """The fields by name."""
        return self._facts()

    def to_frame(self) -> Any:
        """The same as a data frame of one row for each field."""
        return data_frame(self._sheet().columns)


def row_at(key: str | int, rows: Sequence[Row], names: Sequence[str], what: str) -> Row:
    """A row by its name or its place.

    >>> row_at("b", [10, 20], ["a", "b"], "column"), row_at(0, [10, 20], ["a", "b"], "column")
    (20, 10)
    """
    if not isinstance(key, str):
        return rows[key]
    if key not in names:
        raise unknown(what, key, names)
    return rows[list(names).index(key)]


def preformatted(text: str) -> str:
    """Text for a notebook, its lines kept.

    >>> preformatted("x < 1")[-33:]
    '</style><pre>x &lt; 1</pre></div>'
    """
    return f'<div class="treewright-sheet">{_STYLE}<pre>{escape(text)}</pre></div>'


def code_block(text: str) -> str:
    """Text for Markdown, its lines kept."""
    return f"```text\n{text}\n```"


def data_frame(columns: Mapping[str, Sequence[Any]]) -> Any:
    """Columns as a data frame of pandas or, where that is not installed, of polars."""
    made = {name: list(cells) for name, cells in columns.items()}
    try:
        import pandas as pd

        return pd.DataFrame(made)
    except ImportError:
        pass
    try:
        import polars as pl

        return pl.DataFrame(made, strict=False)
    except ImportError:
        raise OptionError("a data frame needs pandas or polars", "install one of them, or use to_dict()") from None


def cell_text(cell: Any) -> str:
    """A cell in a table that is shown: numbers with four digits, nothing where there is none.

    >>> [cell_text(cell) for cell in (0.123456, 12, 123456.0, 6883.67, None, float("nan"), "yes", True)]
    ['0.1235', '12', '123,456', '6,884', '', '', 'yes', 'True']
    """
    if cell is None or (isinstance(cell, Real) and cell != cell):
        return ""
    if isinstance(cell, (list, tuple)):
        return ", ".join(map(cell_text, cell))
    if isinstance(cell, bool) or not isinstance(cell, Real):
        return str(cell)
    if isinstance(cell, Integral):
        return f"{int(cell):,}"
    number = float(cell)
    whole = abs(number) >= 10 ** (_DIGITS - 1) or number.is_integer()
    return f"{number:,.0f}" if whole and abs(number) < _MOST_DIGITS else f"{number:.{_DIGITS}g}"


def fact_text(value: Any) -> str:
    """A value of a record; of many in a row the first.

    >>> fact_text((1.0, 0.25)), fact_text(range(20)), fact_text("red")
    ('1, 0.25', '0, 1, 2, 3, 4, 5, 6, 7, … (20)', 'red')
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, (list, tuple, range)):
        return cell_text(value)
    more = f", … ({len(value)})" if len(value) > _MOST_VALUES else ""
    return ", ".join(fact_text(one) for one in value[:_MOST_VALUES]) + more


def one_line(text: str) -> str:
    return " ".join(text.split()) if any(sign in text for sign in "\n\r\t") else text


def _is_numbers(cells: Sequence[Any]) -> bool:
    known = [cell for cell in cells if cell is not None]
    return bool(known) and all(isinstance(cell, Real) and not isinstance(cell, bool) for cell in known)


def _cell(tag: str, text: str, is_number: bool) -> str:
    kind = ' class="number"' if is_number else ""
    return f"<{tag}{kind}>{escape(text)}</{tag}>"


def _marked(text: str) -> str:
    return one_line(text).replace("|", "\\|")
