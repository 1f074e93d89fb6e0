"""The error for every number of neighbours, from one search."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.display import Displayed, Sheet
from treewright.plot_style import legend, new_axes, theme_of, title
from treewright.typing import Floats, Ints


@dataclass(frozen=True, eq=False, repr=False)
class KCurve(Displayed):
    """``errors[i]`` is the mean loss with ``ks[i]`` neighbours and ``standard_errors[i]`` its standard error.

    The loss of a row is 1 for a wrong class, what the error costs if errors have costs, or the squared error. ``by``
    says which rows were predicted: those of a fold from the others, or validation rows from all.
    """

    ks: Ints
    errors: Floats
    standard_errors: Floats
    by: str

    @property
    def best(self) -> int:
        """The k of least error, the smallest of equals."""
        return int(self.ks[int(np.argmin(self.errors))])

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns by name, as every dataframe takes them."""
        return {name: getattr(self, name).tolist() for name in ("ks", "errors", "standard_errors")}

    def _sheet(self) -> Sheet:
        columns: dict[str, list[Any]] = {
            "k": self.ks.tolist(),
            f"error ({self.by})": self.errors.tolist(),
            "standard error": self.standard_errors.tolist(),
            "": ["chosen" if k == self.best else "" for k in self.ks],
        }
        return Sheet(columns)

    def __str__(self) -> str:
        lines = [f"   k  error ({self.by})"]
        for k, error, spread in zip(self.ks, self.errors, self.standard_errors):
            lines.append(f"{k:4}  {error:.4g} ± {spread:.2g}{'  chosen' if k == self.best else ''}")
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """The error against k, with its standard error and the k that is chosen. Returns matplotlib's axes."""
        axes = new_axes(ax)
        theme, best = theme_of(axes), self.best
        low, high = self.errors - self.standard_errors, self.errors + self.standard_errors
        axes.fill_between(self.ks, low, high, color=theme.tint(theme.line(0)), linewidth=0, label="± standard error")
        axes.plot(self.ks, self.errors, "o-", markersize=3, color=theme.line(0), label=self.by)
        error = float(self.errors[list(self.ks).index(best)])
        axes.plot(best, error, "D", color=theme.line(1), zorder=4, label=f"k = {best}: {error:.3g}")
        axes.set_xlabel("k, the number of neighbours")
        axes.set_ylabel("error")
        legend(axes)
        title(axes, "small k follows every row, large k smooths")
        return axes


def k_curve(
    losses: Iterator[Floats] | Callable[[], Iterator[Floats]], by: str, weights: Floats | None = None
) -> KCurve:
    """From the losses of the rows with 1, 2, … neighbours."""
    found = list(losses() if callable(losses) else losses)
    each = np.array([np.average(loss, weights=weights) for loss in found])
    spread = np.array([np.sqrt(np.average((loss - mean) ** 2, weights=weights)) for loss, mean in zip(found, each)])
    return KCurve(np.arange(1, len(each) + 1), each, spread / np.sqrt(max(len(found[0]), 1)), by)
