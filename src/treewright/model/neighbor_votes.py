"""Why neighbours decide as they do: who they are, how far, and what they say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from treewright.explain.number_text import format_number


@dataclass(frozen=True)
class NeighborVotes:
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

    def __str__(self) -> str:
        head = f"{self.target} = {self.prediction}, by {len(self.rows)} nearest"
        lines = [head, "  row  distance  vote  " + self.target]
        for row, distance, vote, said in zip(self.rows, self.distances, self.votes, self.targets):
            lines.append(f"{row:5}  {format_number(distance):>8}  {format_number(vote):>4}  {said}")
        return "\n".join(lines)
