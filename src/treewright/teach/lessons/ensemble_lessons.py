"""Bagging and boosting by hand: stumps of a few rounds, with every draw, weight and vote."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.ensemble.boosting_rounds import M1, boosting_round
from treewright.ensemble.row_draw import RowDraw, member_generator
from treewright.errors import OptionError
from treewright.explain.number_text import plural
from treewright.teach.formula_text import rounded
from treewright.teach.lesson import Lesson, Step
from treewright.teach.lesson_rows import CandidateTest, LessonRows
from treewright.typing import Floats, Ints, Mask

_MOST_ROWS = 40  # whose weights are shown one by one
_MOST_ROUNDS = 20


@dataclass(frozen=True)
class Stump:
    """One test: every branch says the class that weighs most there, the first of equals."""

    test: CandidateTest
    says: tuple[int, ...]  # the class of each branch
    predicted: Ints  # of every row

    def words(self, rows: LessonRows) -> str:
        parts = (f"{self.test.condition(b)} → {rows.class_names[k]}" for b, k in enumerate(self.says))
        return ", ".join(parts)


def best_stump(rows: LessonRows, weights: Floats) -> tuple[Stump, list[tuple[str, float]]]:
    """The test whose rows of a wrong class weigh least, the first of equals; and the error of every test.

    A row whose value has no branch of its own, as it was not drawn, is said to be of the class that weighs most.
    """
    found: list[tuple[Stump, float]] = []
    for column in range(len(rows.schema.columns)):
        for test in rows.candidates(column):
            if test.is_test:
                stump = _stump(rows, test, weights)
                found.append((stump, float(weights[stump.predicted != rows.y].sum() / weights.sum())))
    if not found:
        raise OptionError("no column has two values: there is nothing to test", "take another table")
    errors = [error for _, error in found]
    best = next(k for k, error in enumerate(errors) if error <= min(errors) + 1e-12)
    return found[best][0], [(stump.test.name, error) for stump, error in found]


def _stump(rows: LessonRows, test: CandidateTest, weights: Floats) -> Stump:
    branch = _branches(rows, test)
    n_classes = len(rows.classes)
    overall = int(np.bincount(rows.y, weights, n_classes).argmax())
    says = []
    for b in range(len(test.branches)):
        totals = np.bincount(rows.y[branch == b], weights[branch == b], n_classes)
        says.append(int(totals.argmax()) if totals.sum() > 0 else overall)
    known = np.where(branch >= 0, np.array(says)[np.maximum(branch, 0)], overall)
    return Stump(test, tuple(says), known)


def _branches(rows: LessonRows, test: CandidateTest) -> Ints:
    """The branch of every row; -1 where its value is missing."""
    codes = rows.codes[test.column]
    if test.edge is not None:
        values = np.concatenate([[np.nan], rows.values[test.column]])[codes]
        return np.where(codes == 0, -1, (values > test.edge).astype(np.int64))
    seen = np.unique(codes[codes > 0])
    return np.where(codes == 0, -1, np.searchsorted(seen, codes))


def _check(rows: LessonRows, rounds: int) -> None:
    if not 1 <= rounds <= _MOST_ROUNDS:
        raise OptionError(f"rounds={rounds} is not accepted", f"give a number from 1 to {_MOST_ROUNDS}")
    if rows.n_rows > _MOST_ROWS:
        raise OptionError(
            f"{rows.n_rows} rows are too many to calculate by hand", f"take a table of at most {_MOST_ROWS}"
        )


# ---- boosting --------------------------------------------------------------------------------------------------------


def boosting_lesson(rows: LessonRows, *, rounds: int = 3) -> Lesson:
    """AdaBoost.M1 with stumps: errors, what members have to say, the weights of the rows, and the vote."""
    _check(rows, rounds)
    weights = np.full(rows.n_rows, 1 / rows.n_rows)
    steps = [_first_weights(rows)]
    says: list[float] = []
    votes = np.zeros((rows.n_rows, len(rows.classes)))
    for k in range(1, rounds + 1):
        stump, errors = best_stump(rows, weights)
        wrong = stump.predicted != rows.y
        found = boosting_round(weights, wrong, len(rows.classes), M1)
        steps.append(_stump_step(rows, k, stump, errors, weights, found.error))
        if found.say <= 0:
            steps.append(Step(f"Round {k} is the last", result="the best stump is wrong half of the time or more"))
            break
        says.append(found.say)
        votes[np.arange(rows.n_rows), stump.predicted] += found.say
        steps.append(_weights_step(k, weights, wrong, found.error, found.say, found.weights))
        weights = found.weights
        if found.error == 0:
            break
    steps.append(_vote_step(rows, votes, says))
    title = f"Boosting (AdaBoost.M1): {rows.name}, {plural(rows.n_rows, 'row')}, target {rows.target}"
    return Lesson("boosting", title, tuple(steps))


def _first_weights(rows: LessonRows) -> Step:
    weight = 1 / rows.n_rows
    return Step(
        "All rows weigh the same",
        formulas=(f"w = 1/{rows.n_rows} = {rounded(weight)}",),
        values={"w": weight},
        remark="A stump is one test; each branch says the class that weighs most there.",
    )


def _stump_step(
    rows: LessonRows, k: int, stump: Stump, errors: list[tuple[str, float]], weights: Floats, error: float
) -> Step:
    wrong = stump.predicted != rows.y
    terms = " + ".join(rounded(w) for w in weights[wrong]) or "0"
    table = (("test", "ε"), *((name, rounded(value)) for name, value in errors))
    return Step(
        f"Round {k}: the stump of least weighted error",
        table,
        (f"ε{_below(k)} = {terms} = {rounded(error)}",),
        f"{stump.test.name}: {stump.words(rows)}; wrong on {_numbers(wrong)}",
        values={f"ε{k}": error, **{f"ε{k}({name})": value for name, value in errors}},
    )


def _weights_step(k: int, weights: Floats, wrong: Mask, error: float, say: float, after: Floats) -> Step:
    if error == 0:
        return Step(f"Round {k}: no errors", result="its vote counts 1, and the boosting ends", values={f"α{k}": 1.0})
    factor = float(np.exp(say))
    raw = np.where(wrong, weights * factor, weights)
    total = float(raw.sum())
    lines = [
        f"α{_below(k)} = ln((1 − {rounded(error)}) / {rounded(error)}) = {rounded(say)}",
        f"e^α{_below(k)} = {rounded(factor)}",
    ]
    for is_wrong, what in ((True, "wrong"), (False, "right")):
        for weight in np.unique(weights[wrong == is_wrong].round(12)):
            now = weight * factor if is_wrong else weight
            times = f" · {rounded(factor)}" if is_wrong else ""
            divided = f" / {rounded(total)}"
            lines.append(f"w({what}) = {rounded(weight)}{times}{divided} = {rounded(now / total)}")
    table = (("row", "before", "", "after"), *(
        (str(i), rounded(b), "wrong" if w else "right", rounded(a))
        for i, (b, w, a) in enumerate(zip(weights, wrong, after), 1)
    ))  # fmt: skip
    return Step(
        f"Round {k}: rows that were wrong weigh more",
        table,
        tuple(lines),
        f"the wrong rows weigh {rounded(float(after[wrong].sum()))} of 1, half of all",
        values={
            f"α{k}": say,
            f"wrong{k}": float(after[wrong].sum()),
            **{f"w{k}({i})": float(a) for i, a in enumerate(after, 1)},
        },
    )


def _vote_step(rows: LessonRows, votes: Floats, says: list[float]) -> Step:
    head = ("row", *(f"votes for {name}" for name in rows.class_names), "says", "is")
    predicted = votes.argmax(1)
    table = (head, *(
        (str(i), *map(rounded, vote), rows.class_names[p], rows.class_names[t])
        for i, (vote, p, t) in enumerate(zip(votes, predicted, rows.y), 1)
    ))  # fmt: skip
    wrong = predicted != rows.y
    error = float(wrong.mean())
    sums = " + ".join(f"α{_below(k)}" for k in range(1, len(says) + 1)) or "0"
    return Step(
        "The vote: every stump counts α",
        table,
        (f"{sums} = {' + '.join(map(rounded, says)) or '0'} = {rounded(sum(says))}",),
        f"wrong on {_numbers(wrong)}: training error {rounded(error)}",
        values={"error": error, "Σα": float(sum(says))},
    )


# ---- bagging ---------------------------------------------------------------------------------------------------------


def bagging_lesson(rows: LessonRows, *, rounds: int = 3, seed: int = 1) -> Lesson:
    """Stumps of rows drawn with replacement: what was drawn, what was left out, the votes and the out-of-bag error."""
    _check(rows, rounds)
    votes = np.zeros((rows.n_rows, len(rows.classes)))
    bag = np.zeros_like(votes)
    steps = [_chances(rows)]
    for k in range(1, rounds + 1):
        counts = RowDraw().counts(member_generator(seed, k - 1), rows.y, len(rows.classes))
        stump, errors = best_stump(rows, counts.astype(np.float64))
        out = counts == 0
        votes[np.arange(rows.n_rows), stump.predicted] += 1
        bag[np.flatnonzero(out), stump.predicted[out]] += 1
        steps.append(_draw_step(rows, k, counts, stump, errors))
    steps += [_majority_step(rows, votes), _out_of_bag_step(rows, bag)]
    title = f"Bagging: {rows.name}, {plural(rows.n_rows, 'row')}, target {rows.target}"
    return Lesson("bagging", title, tuple(steps))


def _chances(rows: LessonRows) -> Step:
    n = rows.n_rows
    left = (1 - 1 / n) ** n
    return Step(
        "Rows are drawn with replacement, as many as there are",
        formulas=(f"P(a row is never drawn) = (1 − 1/{n})^{n} = {rounded(left)}", f"n → ∞: 1/e = {rounded(1 / np.e)}"),
        values={"P(left out)": left},
        remark="A row that is never drawn is out of bag: the stump has not seen it, and can be tested on it.",
    )


def _draw_step(rows: LessonRows, k: int, counts: Ints, stump: Stump, errors: list[tuple[str, float]]) -> Step:
    out = counts == 0
    wrong = out & (stump.predicted != rows.y)
    best = min(error for _, error in errors)
    terms = f"{round(best * rows.n_rows)}/{rows.n_rows}"
    table = (
        ("row", *map(str, range(1, rows.n_rows + 1))),
        ("times", *(str(count) for count in counts)),
    )
    return Step(
        f"Stump {k}",
        table,
        (
            f"error on the rows drawn = {terms} = {rounded(best)}",
            f"out of bag: {_numbers(out)}; wrong there: {_numbers(wrong)}",
        ),
        f"{stump.test.name}: {stump.words(rows)}",
        values={f"error{k}": best, f"left out{k}": float(out.sum()), f"wrong out of bag{k}": float(wrong.sum())},
    )


def _majority_step(rows: LessonRows, votes: Floats) -> Step:
    predicted = votes.argmax(1)
    wrong = predicted != rows.y
    head = ("row", *(f"votes for {name}" for name in rows.class_names), "says", "is")
    table = (head, *(
        (str(i), *(str(int(v)) for v in vote), rows.class_names[p], rows.class_names[t])
        for i, (vote, p, t) in enumerate(zip(votes, predicted, rows.y), 1)
    ))  # fmt: skip
    error = float(wrong.mean())
    line = f"training error = {int(wrong.sum())}/{rows.n_rows} = {rounded(error)}"
    return Step("The vote: one for each stump", table, (line,), f"wrong on {_numbers(wrong)}", values={"error": error})


def _out_of_bag_step(rows: LessonRows, bag: Floats) -> Step:
    known = bag.sum(1) > 0
    wrong = known & (bag.argmax(1) != rows.y)
    error = float(wrong.sum() / known.sum()) if known.any() else float("nan")
    return Step(
        "The out-of-bag error: every row by the stumps that left it out",
        formulas=(f"{int(wrong.sum())} wrong of {int(known.sum())} rows = {rounded(error)}",),
        result=f"out-of-bag error {rounded(error)}, without a second fit",
        values={"out-of-bag error": error, "out-of-bag rows": float(known.sum())},
    )


def _numbers(rows: Mask) -> str:
    """Rows by number, from 1."""
    places = (np.flatnonzero(rows) + 1).tolist()
    return f"{'row' if len(places) == 1 else 'rows'} {', '.join(map(str, places))}" if places else "no row"


def _below(k: int) -> str:
    return str(k).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
