"""Why neighbours decide as they do: who they are, how far, and what they say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from treewright.display import Displayed, Sheet
from treewright.explain.number_text import format_number, plural


@dataclass(frozen=True, repr=False)
class NeighborVotes(Displayed):
    """The neighbours of one row, the nearest first: numbers of rows of the fit, distances, targets and votes."""

    rows: tuple[int, ...]
    distances: tuple[float, ...]
    targets: tuple[Any, ...]
    votes: tuple[float, ...]
    prediction: Any
    target: str

    @property
    def shares(self) -> dict[Any, float]:
        """Of every target among the neighbours its share of the votes."""
        total = sum(self.votes)
        return {
            name: sum(vote for vote, said in zip(self.votes, self.targets) if said == name) / total
            for name in dict.fromkeys(self.targets)
        }

    def _sheet(self) -> Sheet:
        columns = {"row": self.rows, "distance": self.distances, "vote": self.votes, self.target: self.targets}
        return Sheet(columns, self._outcome())

    def _outcome(self) -> str:
        return f"{self.target} = {self.prediction}, by {plural(len(self.rows), 'nearest row')}"

    def __str__(self) -> str:
        told = ((row, format_number(d), format_number(vote), said) for row, d, vote, said in
                zip(self.rows, self.distances, self.votes, self.targets))  # fmt: skip
        cells = [("row", "distance", "vote", self.target), *((*map(str, line),) for line in told)]
        row, distance, vote = (max(len(line[place]) for line in cells) for place in range(3))
        lines = [f"  {a:>{row}}  {b:>{distance}}  {c:>{vote}}  {d}" for a, b, c, d in cells]
        return "\n".join([f"{self._outcome()}:", *lines])
