"""What C5.0 prints beside its models, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from treewright.c50.predictor import Answers
from treewright.c50.training_evaluation import TrainingEvaluation
from treewright.data.schema import Level, Schema, Target
from treewright.display import Displayed, Sheet
from treewright.explain.condition_text import level_text, one_line
from treewright.explain.cost_text import cost_facts
from treewright.explain.number_text import format_share, plural
from treewright.explain.tree_text import render
from treewright.prune.training_counts import training_error
from treewright.tree.tree import Tree


@dataclass(frozen=True, repr=False)
class TrialVotes(Displayed):
    """Why a boosted model predicts a row as it does: the class and the confidence of every trial."""

    votes: tuple[tuple[Level, float], ...]
    prediction: Level
    distribution: tuple[tuple[Level, float], ...]
    target: str

    def _sheet(self) -> Sheet:
        columns: dict[str, list[Any]] = {
            "trial": list(range(len(self.votes))),
            "votes with": [label for label, _ in self.votes],
            "confidence": [confidence for _, confidence in self.votes],
        }
        return Sheet(columns, notes=(self._outcome(),))

    def _outcome(self) -> str:
        shares = ", ".join(f"{level_text(label)}: {format_share(share, ' ')}" for label, share in self.distribution)
        return f"prediction: {one_line(self.target)} = {level_text(self.prediction)} ({shares})"

    def __str__(self) -> str:
        lines = [
            f"trial {t} votes {level_text(label)} with {confidence:.3f}"
            for t, (label, confidence) in enumerate(self.votes)
        ]
        return "\n".join([*lines, self._outcome()])


def usage_text(evaluation: TrainingEvaluation, names: tuple[str, ...]) -> str:
    """The share of rows that each column was asked of, the greatest first."""
    used = sorted((-share, j) for j, share in enumerate(evaluation.usage) if share > 0)
    if not used:
        return "attribute usage: none"
    return "\n".join(["attribute usage:", *(f"  {-share:7.2%}  {one_line(names[j])}" for share, j in used)])


def trials_table(evaluation: TrainingEvaluation, *, of_rules: bool) -> dict[str, list[Any]]:
    """Every trial with its size and training errors, as columns of a table."""
    sizes, errors = list(evaluation.sizes), list(evaluation.errors)
    return {"trial": list(range(len(sizes))), "rules" if of_rules else "leaves": sizes, "training errors": errors}


def boosted_text(texts: list[str], evaluation: TrainingEvaluation, *, of_rules: bool) -> str:
    """Every trial, then a table of their sizes and training errors."""
    parts = [f"trial {t}:\n{text}\n" for t, text in enumerate(texts)]
    n_cases, name = evaluation.n_cases, "rules" if of_rules else "leaves"
    rows = zip(evaluation.sizes, evaluation.errors)
    lines = [
        f"{plural(n_cases, 'training row')}:",
        f"trial  {name:>6}  errors",
        *(f"{t:5}  {size:6}  {_errors(errors, n_cases)}" for t, (size, errors) in enumerate(rows)),
        f"boost          {_errors(evaluation.all_errors, n_cases)}",
    ]
    return "\n".join([*parts, *lines])


def _errors(errors: int, n_cases: int) -> str:
    return f"{errors:6} ({errors / n_cases:.1%})"


def tree_text(tree: Tree, schema: Schema, *, title: str, **style: Any) -> str:
    """One tree of several."""
    shown: dict[str, Any] = {"depth": None, "max_lines": 200, "width": None, "unfold": "depth=None, max_lines=None"}
    return render(
        tree, schema, **{**shown, **style}, ascii=False, title=title, training_error=training_error(tree, schema),
        holdout=None, more=cost_facts(schema.target),
    )  # fmt: skip


def votes_of(answers: list[Answers], together: Answers, target: Target) -> TrialVotes:
    """What the trials of a boosted model answer for the first row."""
    classes = target.classes or ()
    return TrialVotes(
        votes=tuple((classes[int(one.label[0])], float(one.confidence[0])) for one in answers),
        prediction=classes[int(together.label[0])],
        distribution=tuple(zip(classes, together.value[0].tolist())),
        target=target.name,
    )
