"""Numbers as people write them in text."""

import pytest

import treewright as tw
from treewright.data.written_numbers import has_decimal_comma, is_grouped, written_number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12", 12), ("-1.5", -1.5), ("1e3", 1000), (".5", 0.5), ("12,5", 12.5), ("-0,48", -0.48), ("1.234,50", 1234.5),
        ("1 234,5", 1234.5), ("1'234,5", 1234.5), ("12 %", 12), ("12,5%", 12.5), (" 3 ", 3), ("1.234", 1.234),
        ("$1,039.77", 1039.77), ("$1,234", 1234), ("-$5.50", -5.5), ("$-5.50", -5.5), ("£ 1,234,567", 1234567),
        ("0,40 €", 0.4), ("1.234,50 €", 1234.5), ("€1,234.50", 1234.5), ("1.234.567 €", 1234567), ("12 EUR", 12),
        ("CHF 1'234.50", 1234.5), ("1\xa0234,50 €", 1234.5), ("USD 5", 5),
    ],
)  # fmt: skip
def test_what_is_written_is_read(text, number):
    assert written_number(text) == number


@pytest.mark.parametrize("text", ["", "a", "1,2,3", "12,5,", "1.23.4", "1,234.5", "%", "12.34,5", "$", "5 USD 5",
                                  "$12,34", "$1,23.4", "1.234 €", "1,234 €", "$5 %", "USD"])  # fmt: skip
def test_what_is_no_number_is_refused(text):
    with pytest.raises(ValueError, match="could not convert"):
        written_number(text)


def test_amounts_of_money_are_learned_and_predicted_where_that_is_asked_for():
    fees = [f"${number:,}.50" for number in range(900, 1100, 10)]
    with pytest.warns(
        tw.TreewrightWarning, match=r'amounts as text.*nearly all.*Hint: .* kinds=\{\'fee\': "numeric"\}'
    ):
        tw.CARTClassifier().fit({"fee": fees, "size": [1, 2] * 10}, ["a", "b"] * 10)
    model = tw.CARTClassifier(kinds={"fee": "numeric"}).fit({"fee": fees}, ["a"] * 10 + ["b"] * 10)
    assert model.tree_.root.split.edges.tolist() == [995.5]
    assert model.predict([{"fee": "$995"}, {"fee": "$1,000"}]).tolist() == ["a", "b"]
    assert isinstance(tw.fit({"fee": fees, "size": range(20)}, "fee", "m5", kinds={"fee": "numeric"}), tw.M5Regressor)
    with pytest.raises(tw.DataError, match=r"holds '\$1.50' and '1,234', which may be meant as 1.234 or not"):
        tw.CARTClassifier(kinds={"fee": "numeric"}).fit({"fee": ["$1.50", "1,234"] * 8}, ["a", "b"] * 8)


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
