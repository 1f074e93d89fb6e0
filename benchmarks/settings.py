"""How large and how often to measure."""

from __future__ import annotations

from dataclasses import dataclass

QUICK_ROWS = 5_000


@dataclass(frozen=True)
class Settings:
    """``quick`` runs every script on a small table: its results say nothing."""

    quick: bool = False
    threads: int = 2
    repeats: int = 3
    long: bool = False  # also what takes minutes for one row of the table
    budget: float = 240.0  # seconds after which a race is not repeated again

    def rows(self, wanted: int) -> int:
        return min(wanted, QUICK_ROWS) if self.quick else wanted
