"""Three trees in a minute: ID3 on a textbook table, CART on two of scikit-learn's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import train_test_split

import treewright as tw


def main() -> None:
    play_tennis()
    hold_out("Iris", load_iris(as_frame=True))
    hold_out("Breast cancer", load_breast_cancer(as_frame=True))


def play_tennis() -> None:
    heading("Play tennis: ID3, all 14 days")
    table = pd.DataFrame(tw.datasets.load("play_tennis").table)
    table = table.drop(columns="day")  # a day names its row and says nothing about other rows
    X, y = table.drop(columns="play"), table["play"]
    model = tw.ID3Classifier().fit(X, y)
    print(model)
    print("\nAs rules:")
    show_rules(model)
    print(f"\nAccuracy on the days it learned from: {model.score(X, y):.1%}")


def hold_out(name: str, bunch: Any) -> None:
    heading(f"{name}: CART, learned from 70 % of the rows and tested on the rest")
    y = bunch.target.map(dict(enumerate(bunch.target_names)))
    X_train, X_test, y_train, y_test = train_test_split(bunch.data, y, test_size=0.3, random_state=0, stratify=y)
    model = tw.CARTClassifier(max_depth=3, min_rows_leaf=5).fit(X_train, y_train)
    print(model)
    print(f"\nAccuracy on {len(y_test)} rows it has not seen: {model.score(X_test, y_test):.1%}")
    print(f"Baseline, the commonest class:         {commonest_share(y_train, y_test):.1%}")
    print("\nWhy the first of them is what it is:")
    print(model.explain(X_test.iloc[[0]]))


def show_rules(model: Any) -> None:
    print(*model.rules(), sep="\n")


def commonest_share(seen: Sequence[str], unseen: Sequence[str]) -> float:
    guess = Counter(seen).most_common(1)[0][0]
    return sum(label == guess for label in unseen) / len(unseen)


def heading(text: str) -> None:
    print(f"\n{text}\n{'=' * len(text)}")


if __name__ == "__main__":
    main()
