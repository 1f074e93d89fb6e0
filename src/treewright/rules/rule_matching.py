"""Rows to rules: which rules pass each code of each column, as bits, and a kernel that combines them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np

from treewright.data.schema import Column, Kind, Schema
from treewright.engines.workers import Workers
from treewright.explain.region import Interval
from treewright.rules.rule import Condition, Rule
from treewright.typing import Array, Floats, Ints, Mask

_CHUNK = 50_000  # rows a thread takes at a time
_BLOCK = 512  # rules whose bits are looked up together; a table of all rules of a large tree would fill the memory


class Matcher:
    """Rules made ready for many rows."""

    def __init__(self, rules: Sequence[Rule], schema: Schema) -> None:
        self.n_rules = len(rules)
        self._blocks = [_block(rules[first : first + _BLOCK], schema) for first in range(0, len(rules), _BLOCK)]

    def first(self, matrix: Array, n_jobs: int) -> Ints:
        """The place of the first rule each row of a prediction matrix meets, -1 where it meets none."""
        from treewright.kernels.jit import runner
        from treewright.kernels.rule_kernels.rule_bits import first_match

        found = np.full(len(matrix), -1)
        search = partial(runner(self._plain_seconds(matrix), first_match), first_match)
        for place, block in enumerate(self._blocks):
            _in_chunks(len(matrix), n_jobs, _partly(search, matrix, block, place * _BLOCK, found))
        return found

    def chunks(self, matrix: Array) -> Iterator[tuple[slice, Mask]]:
        """Slices of the rows, with a matrix of rows × rules that says which rules each row meets."""
        from treewright.kernels.jit import runner
        from treewright.kernels.rule_kernels.rule_bits import all_matches

        run = runner(self._plain_seconds(matrix), all_matches)
        for first in range(0, len(matrix), _CHUNK):
            rows = slice(first, min(first + _CHUNK, len(matrix)))
            found = np.empty((rows.stop - first, self.n_rules), np.bool_)
            for place, block in enumerate(self._blocks):
                run(all_matches, matrix, first, rows.stop, block, found[:, place * _BLOCK : (place + 1) * _BLOCK])
            yield rows, found

    def _plain_seconds(self, matrix: Array) -> float:
        """How much longer the rows take without compiled kernels."""
        n_lookups: int = sum(len(block.column) * (1 + block.everything.size) for block in self._blocks)
        return 1e-8 * len(matrix) * n_lookups


def _partly(search: Any, matrix: Array, block: Any, first_rule: int, found: Ints) -> Callable[[int, int], None]:
    return lambda first, last: search(matrix, first, last, block, first_rule, found)


def _block(rules: Sequence[Rule], schema: Schema) -> Any:
    """What each code of each column that is asked about lets pass."""
    from treewright.kernels.rule_kernels.rule_bits import RuleBits

    asked: dict[str, list[tuple[int, Condition]]] = {}
    for r, rule in enumerate(rules):
        for condition in rule.conditions:
            asked.setdefault(condition.column, []).append((r, condition))
    columns = [(j, column) for j, column in enumerate(schema.columns) if column.name in asked]
    edges = [_edges(asked[column.name]) for _, column in columns]
    passing = [_passing(asked[column.name], column, own, len(rules)) for (_, column), own in zip(columns, edges)]
    n_words = -(-len(rules) // 64)
    return RuleBits(
        column=np.array([j for j, _ in columns], np.int64),
        is_level=np.array([column.kind is not Kind.NUMERIC for _, column in columns], np.bool_),
        edge_start=_starts([len(own) for own in edges]),
        edges=np.concatenate([np.empty(0), *edges]),
        code_start=_starts([len(codes) for codes in passing])[:-1],
        passing=np.concatenate([np.empty((0, n_words), np.uint64), *(_bits(codes) for codes in passing)]),
        everything=_bits(np.ones((1, len(rules)), np.bool_))[0],
    )


def _edges(asked: list[tuple[int, Condition]]) -> Floats:
    """All ends of intervals: between two of them no condition tells numbers apart."""
    intervals = [interval for _, condition in asked for interval in condition.intervals]
    ends = {end for interval in intervals for end in (interval.low, interval.high) if end is not None}
    return np.array(sorted(ends), np.float64)


def _passing(asked: list[tuple[int, Condition]], column: Column, edges: Floats, n_rules: int) -> Mask:
    """Codes × rules, missing values first; a rule that does not ask about the column lets all of them pass."""
    n_codes = len(edges) + 2 if column.kind is Kind.NUMERIC else len(column.levels) + 1
    passing = np.ones((n_codes, n_rules), np.bool_)
    for r, condition in asked:
        passing[0, r] &= condition.missing
        passing[1:, r] &= _accepted(condition, column, edges)
    return passing


def _accepted(condition: Condition, column: Column, edges: Floats) -> Mask:
    if column.kind is not Kind.NUMERIC:
        return condition.region(column).levels
    accepted = np.zeros(len(edges) + 1, np.bool_)
    for interval in condition.intervals:
        accepted[_bins(interval, edges)] = True
    return accepted


def _bins(interval: Interval, edges: Floats) -> slice:
    """Bin b holds the numbers above edge b - 1 up to edge b; the ends of the interval are among the edges."""
    first = 0 if interval.low is None else int(np.searchsorted(edges, interval.low)) + 1
    return slice(first, int(np.searchsorted(edges, interval.high)) + 1)


def _bits(passing: Mask) -> Array:
    """Rules as bits of 64-bit words, the first rule lowest."""
    n_words = -(-passing.shape[1] // 64)
    bytes_ = np.zeros((len(passing), 8 * n_words), np.uint8)
    packed = np.packbits(passing, axis=1, bitorder="little")
    bytes_[:, : packed.shape[1]] = packed
    return bytes_.view(np.dtype("<u8")).astype(np.uint64)


def _starts(sizes: list[int]) -> Ints:
    return np.array(list(accumulate(sizes, initial=0)), np.int64)


def _in_chunks(n_rows: int, n_jobs: int, work: Callable[[int, int], None]) -> None:
    n_chunks = -(-n_rows // _CHUNK)
    with Workers(min(n_jobs, max(n_chunks, 1))) as workers:
        workers.each(n_chunks, lambda chunk, worker: work(chunk * _CHUNK, min((chunk + 1) * _CHUNK, n_rows)))
