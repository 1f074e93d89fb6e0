"""Every worked example has its numbers, to four decimals, in what is shown; and the errata are pointed out."""

from __future__ import annotations

import pytest

from treewright import teach

# number: numbers that must appear, as the notes should have printed them
SHOWN = {
    1: ["0.6931"],
    2: ["0.4621"],
    3: ["0.7520"],
    4: ["0.5983"],
    5: ["0.2121", "0.2022", "0.3255", "0.1175", "x2 ≤ 0.5 is taken", "x1 ≤ 1.5 is taken"],
    6: ["Gain(x1 ≤ 0.5)", "Gain(x1 ≤ 1.5)", "Gain(x2 ≤ 0.5)", "x2 ≤ 0.5 is taken: it is the only test"],
    7: ["No test gains anything", "4 leaves, depth 2, training error 0.0 %"],
    8: ["0.9403"],
    9: ["0.2467", "0.0292", "0.1518", "0.0481"],
    10: ["1.5774", "1.5567", "Split(humidity) = −(7/14·log2 7/14 + 7/14·log2 7/14) = 1", "0.9852", "3.8074"],
    11: ["0.1564", "0.0188", "0.1518", "0.0488"],
    12: [
        "if outlook = Sunny and humidity = High then play = No",
        "if outlook = Sunny and humidity = Normal then play = Yes",
        "if outlook = Overcast then play = Yes",
        "if outlook = Rainy and windy = Strong then play = No",
        "if outlook = Rainy and windy = Weak then play = Yes",
    ],
    13: ["1.4855", "1.5850"],
    14: ["0.4592", "0.2449", "0.4898", "0.0918"],
    15: ["1.2516", "0.3774", "0.2516", "0.9183", "Gain(left) = 1 − (1/2·0 + 1/2·0) = 1"],
    16: ["44.2", "54.25", "66.05", "76.05", "85.3", "0.8091"],
    17: ["Gain(day)", "0.9403", "0.9403 / 3.8074 = 0.2470", "looks like an identifier"],
    18: ["Gain(a) = 0.8113 − 8/8·0.8113 = 0", "0.3113"],
    19: ["1.5697", "1.3171", "1.9095", "0.5232", "healthy is taken: it has the largest LL"],
    20: ["3/5 = 0.6000", "2/3 = 0.6667", "2/7 = 0.2857"],
    21: ["training error 0.0 %", "none is smaller", "Batgirl", "prediction: label = Good", "prediction: label = Evil"],
    22: ["166.6667"],
    23: ["0.2467² / 1 = 0.0609", "(2^0.2467 − 1) / (1 + 1)^1", "0.1518 / 3 = 0.0506"],
    24: ["(20 − 15 + 3 − 1)/(20 + 3) = 0.3043", "17/20·0.2000 + 3/20·0.3333 = 0.2200", "keep the subtree"],
    25: ["5.5", "= 3\n", "1.5969", "4.5969", "keep the subtree"],
    26: ["91.6667", "0.8333", "103.1250", "19.6875", "20 < 20.5208: prune"],
    27: ["order bottom-up: pruned at node 8", "order greedy: pruned at node 8"],
    28: ["Error-complexity", "0.0889", "Critical value", "Error-based", "4·(1 − 0.25^(1/4)) = 1.1716"],
    29: ["0.8905"],
    30: ["13/14·(0.8905 − (7/13·0.5917 + 6/13·1)) = 0.1025"],
    31: ["ignore the case", "most common value", "divide the case", "down every branch", "0.1104", "0.1025", "0.6429"],
    32: ["KL(play‖uniform)", "0.0414", "−0.6518 + 0.6931 = 0.0414", "equal classes: KL = 0", "one class: KL = 0.6931"],
    33: ["8 validation rows", "order top-down: pruned at node 2", "error(T') < error(T): pruned at node 6"],
    34: ["Gain(petal_length ≤ 2.4)", "= 0.9852"],
}

# number: what the notes print, and what is right
ERRATA = {
    4: ("0.918", "0.5983"),
    5: ("0.22", "0.2121"),
    10: ("1.362", "1.5567"),
    11: ("0.021", "0.0188"),
    15: ("0.326", "0.3774"),
    14: ("En(K) − 7/14·En(K1) − 7/14·En(K2)", "0.0918"),
    19: ("1 for the maximum", "ln 2 = 0.6931"),
    25: ("5.991", "4.5969"),
    26: ("c = min Cost(K, c)", "argmin"),
    32: ("min KL(p‖1/K) = min H", "max KL = ln K − min H"),
    34: ("Iris virginica", "Iris versicolor"),
}
ALSO = {  # further slips on the same slide
    11: ["that the gain ratio is large when the rows are evenly spread", "the opposite"],
    15: ["1 − 1/2·1 − 1/2·0 − 1/2·0", "which makes 0.5", "1 − 1/2·0 − 1/2·0 = 1"],
    32: ["leave out ln K", "KL is 0.0414", "Σ p·ln p is −0.6518"],
}


def text_of(lesson):
    return "\n".join(
        line
        for step in lesson.steps
        for line in (step.title, *map("  ".join, step.table), *step.formulas, step.result, step.remark)
    )


def test_there_are_thirty_four():
    assert list(teach.EXAMPLES) == list(range(1, 35)) == list(SHOWN)


@pytest.mark.parametrize("number", SHOWN)
def test_the_values_are_shown(number):
    lesson = teach.example(number)
    text = text_of(lesson)
    assert lesson.title.startswith(f"Worked example {number}. ")
    assert [number_text for number_text in SHOWN[number] if number_text not in text] == []


@pytest.mark.parametrize("number", SHOWN)
def test_the_errata_are_pointed_out(number):
    erratum = teach.example(number).erratum
    if number not in ERRATA:
        assert erratum == ""
        return
    printed, right = ERRATA[number]
    assert f"the notes print {printed}" in erratum or f"{printed} for the limit" in erratum
    assert right in erratum.partition("right")[2]
    assert "{" not in erratum
    assert [text for text in ALSO.get(number, ()) if text not in erratum] == []


def test_what_the_notes_print_for_the_robot_does_not_follow_from_their_own_terms():
    assert round(1.25 - 2 / 6 * 1 - 4 / 6 * 0.811, 3) == 0.376


def test_where_the_entropy_of_the_seven_points_comes_from():
    """0.918 is that of one third and two thirds, in bits: what the left branch of the first split has."""
    left = teach.lesson("entropy", "seven_points", node=1)
    assert left.values["En(label)"] == pytest.approx(0.918, abs=5e-4)
