"""Numbers as people write them in text."""

import pytest

import treewright as tw
from treewright.data.written_numbers import has_decimal_comma, is_grouped, written_number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12", 12), ("-1.5", -1.5), ("1e3", 1000), (".5", 0.5), ("12,5", 12.5), ("-0,48", -0.48), ("1.234,50", 1234.5),
        ("1 234,5", 1234.5), ("1'234,5", 1234.5), ("12 %", 12), ("12,5%", 12.5), (" 3 ", 3), ("1.234", 1.234),
    ],
)  # fmt: skip
def test_what_is_written_is_read(text, number):
    assert written_number(text) == number


@pytest.mark.parametrize("text", ["", "a", "1,2,3", "12,5,", "1.23.4", "1,234.5", "%", "12.34,5"])
def test_what_is_no_number_is_refused(text):
    with pytest.raises(ValueError, match="could not convert"):
        written_number(text)


def test_a_point_beside_a_comma_may_mean_thousands():
    assert is_grouped("1.234")
    assert not is_grouped("1.23")
    assert has_decimal_comma("4,5 %")
    prices = {"price": ["4,5", "1.234"] * 8, "size": list(range(16))}
    with pytest.raises(tw.DataError, match="'4,5' and '1.234', which may be meant as 1.234 or as 1234"):
        tw.CARTClassifier(kinds={"price": "numeric"}).fit(prices, ["a", "b"] * 8)


def test_a_column_with_decimal_commas_is_learned_and_predicted():
    prices = [f"{number},5" for number in range(20)]
    with pytest.warns(tw.TreewrightWarning, match=r'decimal comma .* Hint: .* kinds=\{\'price\': "numeric"\}'):
        tw.CARTClassifier().fit({"price": prices, "size": [1, 2] * 10}, ["a", "b"] * 10)
    model = tw.CARTClassifier(kinds={"price": "numeric"}).fit({"price": prices}, ["a"] * 10 + ["b"] * 10)
    assert model.tree_.root.split.edges.tolist() == [10.0]
    assert model.predict([{"price": "9,5"}, {"price": "10,5"}]).tolist() == ["a", "b"]
    assert model.predict([{"price": 12.5}]).tolist() == ["b"]
