"""Rows to rules: conditions as flat arrays, and a kernel over them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any

import numpy as np

from treewright.data.schema import Column, Kind, Schema
from treewright.engines.workers import Workers
from treewright.rules.rule import Condition, Rule
from treewright.typing import Array, Ints, Mask

_CHUNK = 50_000  # rows a thread takes at a time


def program_of(rules: tuple[Rule, ...], schema: Schema) -> Any:
    """The rules as kernels read them."""
    from treewright.kernels.match import Program

    place = {column.name: j for j, column in enumerate(schema.columns)}
    conditions = [condition for rule in rules for condition in rule.conditions]
    columns = [schema.columns[place[condition.column]] for condition in conditions]
    is_level = np.array([column.kind is not Kind.NUMERIC for column in columns], np.bool_)
    n_intervals = [len(condition.intervals) for condition in conditions]
    accepted = [_accepted(*pair) for pair in zip(conditions, columns)]
    interval_start, level_start = _starts(n_intervals), _starts([len(codes) for codes in accepted])
    bounds = [interval for condition in conditions for interval in condition.intervals]
    return Program(
        rule_start=_starts([len(rule.conditions) for rule in rules]),
        column=np.array([place[condition.column] for condition in conditions], np.int64),
        missing=np.array([condition.missing for condition in conditions], np.bool_),
        start=np.where(is_level, level_start[:-1], interval_start[:-1]),
        stop=np.where(is_level, -1, interval_start[1:]),
        low=np.array([np.nan if bound.low is None else bound.low for bound in bounds], np.float64),
        high=np.array([bound.high for bound in bounds], np.float64),
        accepted=np.concatenate([np.empty(0, np.bool_), *accepted]),
    )


def first_matches(program: Any, matrix: Array, n_jobs: int) -> Ints:
    """The place of the first rule each row meets, -1 where it meets none."""
    from treewright.kernels.match import first_match

    found = np.empty(len(matrix), np.int64)
    _in_chunks(len(matrix), n_jobs, lambda first, last: first_match(matrix, first, last, program, found))
    return found


def match_chunks(program: Any, matrix: Array) -> Iterator[tuple[slice, Mask]]:
    """Slices of the rows with a matrix of rows × rules that says which rules each row meets."""
    from treewright.kernels.match import all_matches

    for first in range(0, len(matrix), _CHUNK):
        rows = slice(first, min(first + _CHUNK, len(matrix)))
        found = np.empty((rows.stop - first, len(program.rule_start) - 1), np.bool_)
        all_matches(matrix, first, rows.stop, program, found)
        yield rows, found


def _accepted(condition: Condition, column: Column) -> Mask:
    """By code, that of missing values first; nothing for numbers."""
    if column.kind is Kind.NUMERIC:
        return np.empty(0, np.bool_)
    return np.concatenate([[condition.missing], condition.region(column).levels])


def _starts(sizes: list[int]) -> Ints:
    return np.array(list(accumulate(sizes, initial=0)), np.int64)


def _in_chunks(n_rows: int, n_jobs: int, work: Callable[[int, int], None]) -> None:
    n_chunks = -(-n_rows // _CHUNK)
    with Workers(min(n_jobs, max(n_chunks, 1))) as workers:
        workers.each(n_chunks, lambda chunk, worker: work(chunk * _CHUNK, min((chunk + 1) * _CHUNK, n_rows)))
