"""Lessons that are about a distribution or a few numbers, not about choosing a split."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treewright import criteria, datasets
from treewright.criteria.argument_checks import Base
from treewright.model.learners.classifier import ID3Classifier
from treewright.table import Table
from treewright.teach.formula_text import count, rounded, share
from treewright.teach.lesson import Lesson, Step
from treewright.teach.lesson_rows import bundled
from treewright.teach.lesson_tree import grown
from treewright.teach.lessons.pruning_lesson import pruning_lesson
from treewright.teach.lessons.split_lessons import entropy_step, id3_lesson
from treewright.teach.measures import entropy_in


def coin_lesson() -> Lesson:
    """Two faces, alike."""
    return Lesson("entropy", "A coin", (entropy_step("coin", ["head", "tail"], np.array([1.0, 1.0]), "e"),))


def first_joint_lesson() -> Lesson:
    return joint_lesson([[1, 1], [1, 0]], 3)


def second_joint_lesson() -> Lesson:
    return joint_lesson([[0, 6, 3], [1, 1, 1]], 12)


def joint_lesson(cells: Sequence[Sequence[float]], whole: float, base: Base = "e") -> Lesson:
    """H(X | Z) of a joint distribution: a row for each value of Z, in parts of ``whole``.

    >>> round(joint_lesson([[1, 1], [1, 0]], 3).values["H(X | Z)"], 4)
    0.4621
    """
    table, en = Table(cells), entropy_in(base)
    heading = ("", *(f"X = {k}" for k in range(table.counts.shape[1])), "Pr(Z)")
    body = [
        (f"Z = {z}", *(share(cell, whole) for cell in row), share(row.sum(), whole))
        for z, row in enumerate(table.counts)
    ]
    lines = [f"H{en.line(f'X | Z = {z}', row)[2:]}" for z, row in enumerate(table.counts)]
    value = float(criteria.conditional_entropy(table, base))
    terms = [f"{share(row.sum(), whole)}·{rounded(float(en.of(row)))}" for row in table.counts]
    lines.append(f"H(X | Z) = {' + '.join(terms)} = {rounded(value)}")
    step = Step("Entropy of X once Z is known", (heading, *body), tuple(lines), values={"H(X | Z)": value})
    return Lesson("entropy", "Conditional entropy", (step,))


def multistage_lesson() -> Lesson:
    """Choosing among three at once, or in two stages."""
    once, first, second = ([0.2, 0.3, 0.5], [0.2, 0.8], [3 / 8, 5 / 8])
    a, b, c = (float(criteria.entropy(p)) for p in (once, first, second))
    most = float(criteria.entropy([1, 1, 1]))
    at_once = Step(
        "At once",
        formulas=(f"En[0.2, 0.3, 0.5] = −(0.2·log2 0.2 + 0.3·log2 0.3 + 0.5·log2 0.5) = {rounded(a)}",),
        values={"at once": a},
    )
    stages = Step(
        "First one against the other two, then between these",
        formulas=(
            f"En[0.2, 0.8] = −(0.2·log2 0.2 + 0.8·log2 0.8) = {rounded(b)}",
            f"En[3/8, 5/8] = −(3/8·log2 3/8 + 5/8·log2 5/8) = {rounded(c)}",
            f"En[0.2, 0.8] + 0.8·En[3/8, 5/8] = {rounded(b)} + 0.8·{rounded(c)} = {rounded(b + 0.8 * c)}",
        ),
        result="Both ways the same entropy",
        values={"in stages": b + 0.8 * c},
    )
    largest = Step(
        "The largest entropy of three classes",
        formulas=(f"En[1/3, 1/3, 1/3] = log2 3 = {rounded(most)}",),
        values={"maximum": most},
    )
    return Lesson("entropy", "The multistage property", (at_once, stages, largest))


def divergence_lesson() -> Lesson:
    """How far play tennis is from equal classes: ln K − H."""
    rows = bundled("play_tennis")
    counts, k = rows.counts(), len(rows.classes)
    p = counts / counts.sum()
    divergence, entropy = float(criteria.kl_divergence(counts, np.ones(k), "e")), float(criteria.entropy(counts, "e"))
    shares = [share(n, counts.sum()) for n in counts]
    terms = " + ".join(f"{each}·ln({each} / (1/{k}))" for each in shares)
    by_hand = Step(
        "Σ p·ln(p / q) with q = 1/K for every class",
        formulas=(
            f"KL(play‖uniform) = {terms} = {rounded(divergence)}",
            f"Σ p·ln p = {' + '.join(f'{each}·ln {each}' for each in shares)} = {rounded(-entropy)}",
            f"KL = Σ p·ln p + ln {k} = {rounded(-entropy)} + {rounded(np.log(k))} = {rounded(divergence)}",
        ),
        result=f"KL(play‖uniform) = ln {k} − H(play): the purer, the farther from equal classes",
        values={"KL(play‖uniform)": divergence, "Σ p·ln p": float((p * np.log(p)).sum()), "H(play)": entropy},
    )
    ends = [("equal classes", np.ones(k)), ("one class", np.eye(k)[0])]
    lines = [f"{name}: KL = {rounded(float(criteria.kl_divergence(n, np.ones(k), 'e')))}" for name, n in ends]
    return Lesson("entropy", "Divergence", (by_hand, Step("Least and most", formulas=tuple(lines))))


def isolated_lesson() -> Lesson:
    """A dot among stars: ID3's tree, and reduced error pruning with points that were not grown from."""
    new = bundled("isolated_point_new")
    return pruning_lesson(bundled("isolated_point"), validation=new, methods=("reduced-error",))


def leaf_lesson() -> Lesson:
    """Leaves of play tennis by outlook alone; and a branch that no row takes."""
    rows = bundled("play_tennis")
    tree = grown(rows, max_depth=1)
    lines, values = [], {}
    for leaf in tree.tree.leaves():
        n, yes = leaf.stats.sum(), leaf.stats[-1]
        lines.append(f"{tree.path(leaf.id)}: P({rows.class_names[-1]}) = {share(yes, n)} = {rounded(leaf.value[-1])}")
        values[f"P at {tree.path(leaf.id)}"] = float(leaf.value[-1])
    shares = Step("Each leaf answers with its own fraction", formulas=tuple(lines), values=values)
    return Lesson("entropy", "Leaves", (shares, _empty_leaf()))


def _empty_leaf() -> Step:
    """At a = p no row has b = z."""
    table = {"a": list("pppqqqq"), "b": list("xyyxyzy")}
    y = ["no", "yes", "yes", "no", "no", "no", "no"]
    heading = ("a", "b", "y")
    found = {}
    for empty in ("parent", "overall"):
        model = ID3Classifier(empty=empty).fit(table, y)
        found[empty] = float(model.predict_proba({"a": ["p"], "b": ["z"]})[0, 1])
    return Step(
        "A branch that no row takes: a = p and b = z",
        (heading, *zip(table["a"], table["b"], y)),
        (
            f"the parent, a = p: P(yes) = {share(y[:3].count('yes'), 3)} = {rounded(found['parent'])}",
            f"all rows: P(yes) = {share(y.count('yes'), len(y))} = {rounded(found['overall'])}",
        ),
        'empty="parent" takes the first, empty="overall" the second',
        values={f"P(yes), {name}": p for name, p in found.items()},
    )


def batman_lesson() -> Lesson:
    """ID3's tree, why none is smaller, and two characters."""
    rows = bundled("batman")
    made, tree = id3_lesson(rows), grown(rows)
    tests = [test for j in range(len(rows.codes)) for test in rows.candidates(j) if test.is_test]
    wrong = {test.name: float((test.table.counts.sum(-1) - test.table.counts.max(-1)).sum()) for test in tests}
    least = min(wrong.values())
    smallest = Step(
        "Is there a smaller perfect tree?",
        (("test", "wrong"), *((name, count(n)) for name, n in wrong.items())),
        result=(
            f"Every single test gets at least {count(least)} of {rows.n_rows} wrong, so a perfect tree needs two tests "
            f"and three leaves; this one has {tree.tree.n_leaves} leaves: none is smaller."
        ),
        values={"least wrong": least},
    )
    new = datasets.load("batman_new")
    steps = []
    for place, hero in enumerate(new.columns["hero"]):
        row = {name: new.columns[name][place] for name in rows.schema.names}
        steps.append(Step(f"{hero}", formulas=tuple(str(tree.model.explain(row)).splitlines())))
    return Lesson("id3", made.title, (*made.steps, smallest, *steps))


def variance_lesson() -> Lesson:
    """Heights of Batman's characters, and what a split by label leaves of their variance."""
    data = datasets.load("batman")
    heights = np.array(data.columns["height"], np.float64)
    good = np.array([label == "Good" for label in data.y])
    groups = [("all", heights), ("Good", heights[good]), ("Evil", heights[~good])]
    lines, values = [], {}
    for name, y in groups:
        value = float(criteria.variance(Table.of_moments(np.ones(len(y), np.int64), y - y.mean()).pooled))
        squares = " + ".join(f"({count(each)} − {rounded(y.mean())})²" for each in y)
        lines.append(f"V({name}) = ({squares})/{len(y)} = {rounded(value)}")
        values[f"V({name})"] = value
    gain = float(criteria.variance_gain(Table.of_moments(np.where(good, 1, 2), heights - heights.mean())))
    left, right = values["V(Good)"], values["V(Evil)"]
    lines.append(f"gain = {rounded(values['V(all)'])} − (3/6·{rounded(left)} + 3/6·{rounded(right)}) = {rounded(gain)}")
    step = Step("(1/|R|) Σ (y − ȳ)² of the heights", formulas=tuple(lines), values={**values, "gain": gain})
    return Lesson("gain", "Variance", (step,))
