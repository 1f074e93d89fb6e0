"""Printed trees, rules and reasons that a person has read and found good, kept in ``*.txt`` beside this file.

After a change that is meant to change them: ``pytest tests/golden --regen``, then read what git says has changed.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

import treewright as tw

HERE = Path(__file__).parent


class Print(NamedTuple):
    """A fitted model and a row to explain."""

    model: Any
    row: dict[str, Any]


def play_tennis_id3() -> Print:
    table = {name: cells for name, cells in tw.datasets.load("play_tennis").table.items() if name != "day"}
    row = {"outlook": "Sunny", "temperature": "Cool", "humidity": "High", "windy": "Strong"}
    return Print(tw.fit(table, target="play", method="id3"), row)


def monk_id3() -> Print:
    """Empty branches, which answer as their parent does, and a row of a level that no training row had."""
    levels = ["round", "square", "octagon"]
    table = pd.DataFrame(
        [
            {"head": head, "body": body, "smiles": smiles, "monk": "yes" if head == body else "no"}
            for head, body, smiles in itertools.product(levels, levels, [True, False])
            if (head, body, smiles) not in {("round", "octagon", True), ("round", "octagon", False)}
        ]
    )
    return Print(tw.fit(table, target="monk", method="id3"), {"head": "triangle", "body": "round", "smiles": True})


def iris_cart() -> Print:
    flowers = datasets.load_iris(as_frame=True)
    species = pd.Series(flowers.target_names[flowers.target], name="species")
    model = tw.CARTClassifier(max_depth=3).fit(flowers.data, species)
    return Print(model, flowers.data.iloc[100].to_dict())


def loans() -> pd.DataFrame:
    """Six columns of several kinds with gaps. RandomState: its stream never changes."""
    random = np.random.RandomState(7)
    n_rows = 400
    table = pd.DataFrame(
        {
            "age": random.randint(18, 80, n_rows).astype(float),
            "income": random.lognormal(10.3, 0.5, n_rows).round(-2),
            "purpose": random.choice(["car", "holiday", "house", "school", "repair", "other"], n_rows),
            "owns_home": random.choice([True, False], n_rows),
            "debts": random.choice(["none", "some", "many"], n_rows),
        }
    )
    risk = (
        0.5 * table["purpose"].isin(["holiday", "other", "car"])
        + 0.6 * (table["income"] < 28_000)
        + 0.4 * (table["debts"] == "many")
        - 0.3 * table["owns_home"]
        + 0.15 * random.standard_normal(n_rows)
    )
    table["repaid"] = np.where(risk > 0.55, "no", "yes")
    table.loc[random.rand(n_rows) < 0.1, "income"] = np.nan
    table["purpose"] = table["purpose"].where(random.rand(n_rows) >= 0.1, None)
    return table


def loans_cart() -> Print:
    row = {"age": 40.0, "income": None, "purpose": "yacht", "owns_home": True, "debts": "many"}
    return Print(tw.fit(loans(), target="repaid", max_depth=4, min_rows_leaf=10), row)


def loans_weighted() -> Print:
    """Weights that are not whole numbers, and the most promising nodes first."""
    table = loans()
    model = tw.CARTClassifier(criterion="entropy", class_weight="balanced", max_leaves=6)
    model.fit(table.drop(columns="repaid"), table["repaid"])
    return Print(model, table.drop(columns="repaid").iloc[0].to_dict())


def loans_costs() -> Print:
    """A loan that is not repaid costs ten times one that is refused, and asking for the income costs too."""
    options = {"costs": {("no", "yes"): 10}, "attribute_costs": {"income": 5, "debts": 2}, "priors": "equal"}
    row = {"age": 40.0, "income": 20_000.0, "purpose": "car", "owns_home": True, "debts": "none"}
    return Print(tw.fit(loans(), target="repaid", max_depth=3, min_rows_leaf=10, **options), row)


def cars() -> pd.DataFrame:
    """All combinations of five properties, judged by a rule of thumb into four classes."""
    levels = {
        "price": ["low", "medium", "high", "very high"],
        "doors": ["2", "3", "4", "5 or more"],
        "persons": ["2", "4", "more"],
        "boot": ["small", "medium", "big"],
        "safety": ["low", "medium", "high"],
    }
    table = pd.DataFrame(itertools.product(*levels.values()), columns=list(levels))
    for name, known in levels.items():
        table[name] = pd.Categorical(table[name], categories=known, ordered=True)
    score = (3 - table["price"].cat.codes) + 2 * table["safety"].cat.codes + table["boot"].cat.codes
    score = np.where((table["persons"] == "2") | (table["safety"] == "low"), 0, score)
    verdicts = ["refused", "acceptable", "good", "very good"]
    table["verdict"] = pd.Categorical(np.array(verdicts)[np.digitize(score, [3.5, 5.5, 7.5])], categories=verdicts)
    return table


def car_of(table: pd.DataFrame) -> dict[str, Any]:
    return table.drop(columns="verdict").iloc[200].to_dict()


def cars_nominal() -> Print:
    """Subsets of levels for four classes."""
    nominal = dict.fromkeys(["price", "doors", "persons", "boot", "safety"], "nominal")
    return Print(tw.fit(cars(), target="verdict", kinds=nominal, max_depth=4), car_of(cars()))


def cars_ordinal() -> Print:
    """The same table with its levels in order."""
    return Print(tw.fit(cars(), target="verdict", max_depth=4), car_of(cars()))


def diabetes_regression() -> Print:
    data = datasets.load_diabetes(as_frame=True, scaled=False)
    model = tw.CARTRegressor(max_depth=3, min_rows_leaf=10).fit(data.data, data.target.rename("progression"))
    return Print(model, data.data.iloc[0].to_dict())


def rides() -> pd.DataFrame:
    """Days, instants and durations, the last with gaps, and a count that depends on all of them."""
    n = np.arange(480)
    booked = pd.Timestamp("2023-11-01 08:00") + pd.to_timedelta(n * 211 % 480 * 2.5, unit="h")
    table = pd.DataFrame(
        {
            "day": (pd.Timestamp("2024-01-01") + pd.to_timedelta(n // 16, unit="D")).date,
            "booked": booked,
            "trip": pd.to_timedelta(120 + 97 * (n * 7 % 41), unit="s"),
            "weather": np.array(["sun", "rain", "snow"])[n * 5 % 7 % 3],
        }
    )
    late, early_bird = n // 16 >= 17, booked < pd.Timestamp("2023-12-01")
    long = np.asarray(table["trip"] > pd.Timedelta(minutes=45))
    table["riders"] = (
        3 + 9 * late + 4 * (long & ~late) + 3 * (early_bird & late) + 2 * (table["weather"] == "sun") + n % 2
    )
    table.loc[::17, "trip"] = pd.NaT
    return table


def rides_poisson() -> Print:
    table = rides()
    model = tw.fit(table, target="riders", criterion="poisson", max_depth=3)
    return Print(model, table.drop(columns="riders").iloc[300].to_dict())


def digits_shortened() -> Print:
    """A tree of many lines on a narrow page: the nodes of most rows are shown."""
    data = datasets.load_digits(as_frame=True)
    model = tw.CARTClassifier(min_rows_leaf=5).fit(data.data, data.target.rename("digit"))
    return Print(model, data.data.iloc[3].to_dict())


MODELS: list[Callable[[], Print]] = [
    play_tennis_id3,
    monk_id3,
    iris_cart,
    loans_cart,
    loans_weighted,
    loans_costs,
    cars_nominal,
    cars_ordinal,
    diabetes_regression,
    rides_poisson,
]


def in_full(made: Print) -> None:
    print(made.model, end="\n\n")
    print(*made.model.rules(), sep="\n", end="\n\n")
    print(made.model.explain(made.row))


@pytest.mark.parametrize("make", MODELS, ids=lambda make: make.__name__)
def test_print(make, capsys, request):
    in_full(make())
    compare(make.__name__, capsys.readouterr().out, request)


def test_print_of_a_large_tree(capsys, request):
    made = digits_shortened()
    print(made.model.to_text(max_lines=30, width=60), end="\n\n")
    print(made.model.to_text(depth=2), end="\n\n")
    print(made.model.explain(made.row))
    compare("digits_shortened", capsys.readouterr().out, request)


def compare(name: str, text: str, request: pytest.FixtureRequest) -> None:
    path = HERE / f"{name}.txt"
    if request.config.getoption("--regen"):
        path.write_text(text, encoding="utf-8", newline="\n")
    assert path.exists(), f"there is no {path.name}; make it with pytest --regen and read it"
    assert text == path.read_text(encoding="utf-8")
