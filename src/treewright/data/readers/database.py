"""Tables of SQLite, DuckDB and PostgreSQL, by URL."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from treewright.data.readers.contents import Contents, needed, polars
from treewright.errors import DataError, TreewrightError

_SCHEMES = ("sqlite", "duckdb", "postgresql", "postgres")
_HINT = "write sqlite:///file.db?table=name, duckdb:///file.db?table=name or postgresql://user@host/base?table=name"
_BATCH = 100_000  # rows


@dataclass(frozen=True)
class Place:
    """``where`` is a file, or what PostgreSQL connects to."""

    scheme: str
    where: str
    table: str | None

    def __str__(self) -> str:
        """For messages; a password does not belong there."""
        return f"{self.scheme}:{re.sub(r':[^:@/]*@', '@', self.where)}"


def is_database(text: str) -> bool:
    """
    >>> is_database("sqlite:///shop.db?table=orders"), is_database("shop.csv")
    (True, False)
    """
    return text.partition(":")[0].lower() in _SCHEMES and "://" in text


def place_of(url: str) -> Place:
    parts = urlsplit(url)
    scheme = "postgresql" if parts.scheme.startswith("postgres") else parts.scheme
    query = dict(parse_qsl(parts.query))
    table = query.pop("table", None) or (parts.fragment or None)
    if scheme == "postgresql":
        return Place(scheme, urlunsplit((scheme, parts.netloc, parts.path, urlencode(query), "")), table)
    path = parts.netloc + (parts.path if parts.netloc else parts.path[1:])
    if not path or not os.path.isfile(path):
        raise DataError(f"there is no file {path!r}", f"check the name; {_HINT}")
    return Place(scheme, path, table)


def read_database(url: str) -> Contents:
    parts = list(database_chunks(url).chunks or ())
    table = polars().concat(parts, how="vertical_relaxed")
    if not len(table):
        raise DataError(f"the table of {place_of(url)} has no rows", "choose another table")
    return Contents(place_of(url).scheme, table)


def database_chunks(url: str) -> Contents:
    place = place_of(url)
    return Contents(place.scheme, chunks=_batches(place))


def _batches(place: Place) -> Iterator[Any]:
    with _told_of(place), _connected(place) as connection:
        name = place.table or _only_table(connection.cursor(), place)
        # A cursor with a name stays on PostgreSQL's side; one without would fetch all rows at once.
        cursor = connection.cursor("rows") if place.scheme == "postgresql" else connection.cursor()
        cursor.execute(f"select * from {'.'.join(map(_quoted, name.split('.')))}")
        names = [column[0] for column in cursor.description]
        while True:
            rows = cursor.fetchmany(_BATCH)
            yield polars().DataFrame(rows, schema=names, orient="row", infer_schema_length=None, strict=False)
            if len(rows) < _BATCH:
                return


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def _connected(place: Place) -> Iterator[Any]:
    """A connection that reads only."""
    if place.scheme == "sqlite":
        import sqlite3
        from pathlib import Path

        with closing(sqlite3.connect(f"{Path(place.where).resolve().as_uri()}?mode=ro", uri=True)) as connection:
            yield connection
    elif place.scheme == "duckdb":
        with closing(
            needed("duckdb", "reading DuckDB", "databases").connect(place.where, read_only=True)
        ) as connection:
            yield connection
    else:
        with needed("psycopg", "reading PostgreSQL", "databases").connect(
            place.where, connect_timeout=10
        ) as connection:
            connection.read_only = True
            yield connection


def _only_table(cursor: Any, place: Place) -> str:
    query = {
        "sqlite": "select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite_%'",
        "duckdb": "select table_name from information_schema.tables where table_schema = 'main'",
        "postgresql": "select table_name from information_schema.tables where table_schema = current_schema()",
    }[place.scheme]
    cursor.execute(f"{query} order by 1")
    names = [row[0] for row in cursor.fetchall()]
    if len(names) != 1:
        tables = ", ".join(names[:12])
        raise DataError(
            f"{place} has {len(names)} tables", f"say which: ?table=… of {tables}" if names else "it is empty"
        )
    return str(names[0])


@contextmanager
def _told_of(place: Place) -> Iterator[None]:
    try:
        yield
    except (TreewrightError, GeneratorExit):
        raise
    except Exception as error:
        reason = " ".join(str(error).split())[:200].rstrip(".")
        raise DataError(f"cannot read {place}: {reason}", _HINT) from error
