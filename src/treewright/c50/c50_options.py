"""The options of a run of C5.0."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class C50Settings:
    """As the program's user knows them. ``bands`` orders rules by their use; 0: classes and votes do."""

    rules: bool = False
    trials: int = 1
    winnow: bool = False
    subset: bool = True
    confidence: float = 0.25
    min_cases: float = 2.0
    soft_thresholds: bool = False
    global_pruning: bool = True
    bands: int = 0
    early_stopping: bool = True
