"""What errors cost, from a file: JSON, a table of costs, a list of them, or the lines C5.0 reads."""

from __future__ import annotations

import csv
import json
import re
from typing import Any

from treewright.data.readers.input_source import sources
from treewright.errors import DataError

Costs = dict[tuple[str, str], float]
_HINT = (
    'write a CSV table with a row for each true class and a column for each predicted one, "truth,prediction,cost" '
    'lines, or JSON {"truth": {"prediction": cost}}'
)


def read_costs(path: str) -> Costs:
    """Costs by (truth, prediction), classes as text.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "costs.csv")
    >>> _ = path.write_text(",well,ill\\nwell,0,1\\nill,10,0\\n")
    >>> read_costs(str(path))
    {('well', 'ill'): 1.0, ('ill', 'well'): 10.0}
    """
    source = sources(path)[0]
    try:
        text = source.read().decode("utf-8-sig").strip()
        found = _from_json(text) if text.startswith("{") else _from_text(text)
    except (ValueError, TypeError, AttributeError) as error:
        raise DataError(f"cannot read costs from {path!r}: {error}", _HINT) from error
    if not found:
        raise DataError(f"{path!r} has no costs", _HINT)
    return {pair: cost for pair, cost in found.items() if pair[0] != pair[1] or cost}


def _from_json(text: str) -> Costs:
    named: dict[str, dict[str, Any]] = json.loads(text)
    return {(truth, predicted): float(cost) for truth, row in named.items() for predicted, cost in row.items()}


def _from_text(text: str) -> Costs:
    lines = [line for line in re.sub(r"\|.*", "", text).splitlines() if line.strip()]
    if ":" in lines[0]:
        return dict(_c50_line(line) for line in lines)
    delimiter = max(",;\t", key=lines[0].count)
    rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=delimiter)]
    head = [cell.lower() for cell in rows[0]]
    if {"truth", "prediction", "cost"} <= set(head):
        truth, predicted, cost = (head.index(name) for name in ("truth", "prediction", "cost"))
        return {(row[truth], row[predicted]): float(row[cost]) for row in rows[1:]}
    uneven = next((row for row in rows if len(row) != len(rows[0])), None)
    if uneven is not None:
        raise ValueError(f"the row of {uneven[0]!r} has {len(uneven) - 1} costs for {len(rows[0]) - 1} classes")
    return {(row[0], predicted): float(cost) for row in rows[1:] for predicted, cost in zip(rows[0][1:], row[1:])}


def _c50_line(line: str) -> tuple[tuple[str, str], float]:
    """``predicted, true: cost``: the other way round."""
    classes, _, cost = line.rpartition(":")
    predicted, _, truth = classes.partition(",")
    return (truth.strip(), predicted.strip()), float(cost)
