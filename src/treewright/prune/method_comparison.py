"""One tree, every method, side by side."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from treewright.data.labelled import Labelled, labelled
from treewright.display import Displayed, DisplayedRecord, row_at
from treewright.plot_style import count_axis, label_text, legend, markers, new_axes, theme_of
from treewright.prune.methods.error_based import ErrorBased
from treewright.prune.pruning_methods import Pruner, name_of, needs_data, needs_training, pruner_of
from treewright.prune.refit import check_fitted_tree, like, losses
from treewright.prune.training_counts import training_error
from treewright.tree.tree import LeafKind
from treewright.typing import Floats

_FOR_NUMBERS = ("cost-complexity", "reduced-error", "critical-value")
_FOR_CLASSES = (
    *_FOR_NUMBERS, "minimum-error", "pessimistic", ErrorBased(raising=False), "mdl", "cost-based",
)  # fmt: skip
_UNPRUNED = "unpruned"
_LARGEST_RING, _SMALLEST_RING = 24, 5  # points
_FEW_LEAVES = 20  # with a larger ratio of leaves the axis is logarithmic


@dataclass(frozen=True, repr=False)
class MethodRow(DisplayedRecord):
    """Errors are shares of wrong predictions, or mean squared errors (absolute ones in trees grown by absolute error).
    Seconds are those of pruning once."""

    method: str
    leaves: int
    depth: int
    training_error: float
    validation_error: float
    standard_error: float
    seconds: float


@dataclass(frozen=True, repr=False)
class Comparison(Displayed):
    """A table of methods; ``print`` shows it."""

    rows: list[MethodRow]

    def __getitem__(self, method: str | int) -> MethodRow:
        """That of a method, or at a place."""
        return row_at(method, self.rows, [row.method for row in self.rows], "method")

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns by name, as every dataframe takes them."""
        return {name: [asdict(row)[name] for row in self.rows] for name in MethodRow.__dataclass_fields__}

    def __str__(self) -> str:
        head = ("method", "leaves", "depth", "training error", "validation error", "seconds")
        lines = [head, *(_cells(row) for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines)]
        return "\n".join("  ".join(_aligned(line, widths)).rstrip() for line in lines)

    def plot(self, ax: Any = None) -> Any:
        """Validation error with its standard error against leaves, a point per method. Returns matplotlib's axes.

        Points are outlines, each smaller than the one before, so that methods which come to the same tree are all seen.
        """
        axes = new_axes(ax)
        sizes = np.linspace(_LARGEST_RING, _SMALLEST_RING, len(self.rows))
        handles = []
        for place, (row, size, marker) in enumerate(zip(self.rows, sizes, markers(len(self.rows)))):
            point, *_ = axes.errorbar(
                row.leaves, row.validation_error, yerr=row.standard_error, fmt=marker, capsize=size / 2,
                label=label_text(row.method), markersize=size, markerfacecolor="none", markeredgewidth=1.5,
                color=theme_of(axes).line(place),
            )  # fmt: skip
            handles.append(point)
        axes.set_xlabel("leaves")
        axes.set_ylabel("validation error")
        if self.rows[0].leaves > _FEW_LEAVES * min(row.leaves for row in self.rows):
            axes.set_xscale("log")
            count_axis(axes.xaxis)
        names = [label_text(row.method) for row in self.rows]
        legend(axes, outside=True, handles=handles, labels=names, markerscale=0.6)
        return axes


def _cells(row: MethodRow) -> tuple[str, ...]:
    error = f"{row.validation_error:.4g} ± {row.standard_error:.2g}"
    return row.method, str(row.leaves), str(row.depth), f"{row.training_error:.4g}", error, f"{row.seconds:.4f}"


def _aligned(line: tuple[str, ...], widths: list[int]) -> Iterator[str]:
    yield line[0].ljust(widths[0])
    yield from (cell.rjust(width) for cell, width in zip(line[1:], widths[1:]))


@dataclass(frozen=True)
class ComparisonRound:
    """A tree and the rows it was grown from (None: the model knows them), for methods that need no other rows; a tree
    grown from fewer rows and those left over, for methods that do; rows to score with (None: not scored)."""

    grown: Any
    training: Labelled | None
    grown_from_part: Any
    pruning: Labelled
    scoring: Labelled | None


@dataclass
class MethodTally:
    losses: list[Floats] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


def compare(
    model: Any,
    X: Any,
    y: Any,
    methods: Iterable[Any] | Mapping[str, Any] | None = None,
    cv: Any = None,
    *,
    share: float | None = None,
    rule: Any = "1se",
    random_state: Any = None,
) -> Comparison:
    """Prune a fitted model by every method, and say what is left and how well it predicts.

    methods: names, pruners, or a mapping of your own words to them; unless given all that suit the target, error-based
    pruning without raising, as that needs the rows of the fit.

    Without ``cv``, X and y are rows the model was not fitted to. A ``share`` of them (a half) is for the methods that
    need held-out rows to prune with; all are scored on the others.

    With ``cv`` (a number of folds, "loo" or a splitter), X and y are the rows to learn from: a model like this one is
    fitted to all folds but one, pruned, and scored on that one. Methods that need held-out rows grow from all but a
    ``share`` (0.3) of the training part and prune with it. Leaves, depth and training error are those of a model of all
    rows.

    >>> import treewright as tw
    >>> table = tw.datasets.load("play_tennis_noisy")
    >>> X = {name: column for name, column in table.X.items() if name != "day"}
    >>> model = tw.ID3Classifier().fit(X, table.y)
    >>> found = compare(model, X, table.y, ["minimum-error", "pessimistic"])
    >>> found["unpruned"].leaves > found["pessimistic"].leaves
    True
    """
    check_fitted_tree(model)
    is_classifier = model.schema_.target.classes is not None
    rows = labelled(X, y, is_classifier=is_classifier)
    pruners = _pruners(methods, _FOR_CLASSES if is_classifier else _FOR_NUMBERS, rule)
    if cv is None:
        scoring, pruning = rows.part(0.5 if share is None else share, random_state)
        whole = ComparisonRound(model, None, model, pruning, scoring)
        folds = [whole]
    else:
        part = 0.3 if share is None else share
        whole = _round(model, rows, None, part, random_state)
        parts = rows.folds(cv, random_state)
        folds = [_round(model, training, scoring, part, random_state) for training, scoring in parts]
    return Comparison([_row(name, pruner, whole, folds) for name, pruner in pruners.items()])


def _pruners(methods: Any, otherwise: tuple[Any, ...], rule: Any) -> dict[str, Pruner | None]:
    pruners: dict[str, Pruner | None] = {_UNPRUNED: None}
    if isinstance(methods, Mapping):
        return pruners | {str(name): pruner_of(method, {}, rule) for name, method in methods.items()}
    if isinstance(methods, str) or not (methods is None or isinstance(methods, Iterable)):
        methods = [methods]
    made = [pruner_of(method, {}, rule) for method in (otherwise if methods is None else methods)]
    names = [name_of(pruner) for pruner in made]
    return pruners | {n if names.count(n) == 1 else repr(p): p for n, p in zip(names, made)}


def _round(
    model: Any, training: Labelled, scoring: Labelled | None, share: float, random_state: Any
) -> ComparisonRound:
    growing, pruning = training.part(share, random_state)
    known = np.isin(pruning.y, growing.y) | (pruning.classes is None)  # a class of a single row is in one part only
    return ComparisonRound(
        like(model, training), training, like(model, growing), pruning.take(np.flatnonzero(known)), scoring
    )


def _row(name: str, pruner: Pruner | None, whole: ComparisonRound, folds: list[ComparisonRound]) -> MethodRow:
    tally = MethodTally()
    final = _pruned(pruner, whole, tally)
    for fold in folds:
        model = final if fold is whole else _pruned(pruner, fold, tally)
        if fold.scoring is not None:
            tally.losses.append(_lost(model, fold.scoring))
    loss = np.concatenate(tally.losses)
    tree = final.tree_
    return MethodRow(
        name, tree.n_leaves, tree.depth, training_error(tree, final.schema_), float(loss.mean()),
        float(loss.std() / np.sqrt(len(loss))), float(np.mean(tally.seconds)),
    )  # fmt: skip


def _lost(model: Any, rows: Labelled) -> Floats:
    """As the error of the training rows counts."""
    found = losses(model, rows)
    return np.sqrt(found) if model.tree_.leaf is LeafKind.MEDIANS else found


def _pruned(pruner: Pruner | None, fold: ComparisonRound, tally: MethodTally) -> Any:
    if pruner is None:
        tally.seconds.append(0.0)
        return fold.grown
    model = fold.grown_from_part if needs_data(pruner) else fold.grown
    rows = fold.pruning if needs_data(pruner) else fold.training if needs_training(pruner) else None
    start = time.perf_counter()
    smaller = model.prune(pruner) if rows is None else model.prune(pruner, rows.frame, rows.target)
    tally.seconds.append(time.perf_counter() - start)
    return smaller
