"""Dates that are written as the user says, at the fit, at predict, in files, and in the words of the notices."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from refusals import check_refused
from treewright.data.column_values import LevelValues
from treewright.data.frame import read_frame
from treewright.data.written_dates import DateFormat, dates_of, month_first_format

FORMATS = ("%m/%d/%Y", "%d %b %Y", "%Y%m%d", "%m/%d/%Y %H:%M", "%Y-%jT%H:%M:%S", "%d.%m.%Y %H:%M %z")
US = ["12/31/2024", "01/15/2024", None, "07/04/2024", "02/28/2024", "11/05/2024"]
Y = ["late", "early", "early", "late", "early", "late"]


@given(st.sampled_from(FORMATS), st.lists(st.datetimes(datetime.datetime(1000, 1, 1)), min_size=1, max_size=9))
def test_what_is_written_is_read_as_the_dates_themselves(text, times):
    """The twin: the column of the dates and times that were meant."""
    format, zone = DateFormat(text), datetime.timezone.utc
    if "%z" in text:
        times = [time.replace(tzinfo=zone, second=0, microsecond=0) for time in times]
    elif "%S" in text:
        times = [time.replace(microsecond=0) for time in times]
    elif "%H" in text:
        times = [time.replace(second=0, microsecond=0) for time in times]
    else:
        times = [time.date() for time in times]
    texts = [time.strftime(text).zfill(len(times[0].strftime(text))) for time in times]
    read = dates_of(read_frame({"when": texts}), 0, format)
    meant = read_frame({"when": times}).cells(0)
    assert read.unit is meant.unit is format.unit
    assert read.values.tolist() == meant.values.tolist()


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame])
def test_a_tree_of_us_dates_is_the_tree_of_the_dates(make):
    real = [None if text is None else datetime.datetime.strptime(text, "%m/%d/%Y").date() for text in US]
    model = tw.CARTClassifier(kinds={"joined": "%m/%d/%Y"}).fit(make({"joined": US}), Y)
    expected = tw.CARTClassifier().fit({"joined": real}, Y)
    assert str(model) == str(expected)
    assert "joined ≤ 2024-0" in str(model)
    assert model.predict(make({"joined": US})).tolist() == Y
    # what is a date already, and what is written as trees print it
    assert model.predict({"joined": real}).tolist() == Y
    assert model.predict([{"joined": "2024-12-31"}]).tolist() == ["late"]


def test_the_model_file_keeps_how_dates_are_written(tmp_path):
    tw.CARTClassifier(kinds={"joined": "%m/%d/%Y"}).fit({"joined": US}, Y).save(tmp_path / "m.json")
    loaded = tw.load(tmp_path / "m.json")
    assert loaded.schema_.columns[0].format == "%m/%d/%Y"
    assert loaded.predict({"joined": US}).tolist() == Y
    text = (tmp_path / "m.json").read_text()
    for wrong, said in (('"%m/%d"', "no year"), ('"%Q %Y"', "does not say how"), ("7", "must be text, got int")):
        (tmp_path / "odd.json").write_text(text.replace('"format": "%m/%d/%Y"', f'"format": {wrong}'))
        check_refused(lambda: tw.load(tmp_path / "odd.json"), said, tw.errors.ModelFileError)
    (tmp_path / "odd.json").write_text(text.replace('"unit": "date"', '"unit": "number"'))
    check_refused(lambda: tw.load(tmp_path / "odd.json"), "has the format of a date and holds none", tw.ModelFileError)


def test_numbers_may_be_dates():
    model = tw.CARTClassifier(kinds={"day": "%Y%m%d"}).fit(
        {"day": [20240131, 20240229, 20240301, 20241231]}, list("aabb")
    )
    assert "day ≤ 2024-02-29" in str(model)
    assert model.predict({"day": [20240101, 20250101]}).tolist() == ["a", "b"]
    assert model.predict(pl.DataFrame({"day": ["20240101", "20250101"]})).tolist() == ["a", "b"]


def test_a_cross_validated_part_reads_as_the_whole_does():
    """Of a part no day may be above 12; nothing is guessed from it."""
    model = tw.CARTClassifier(kinds={"joined": "%m/%d/%Y"}).fit({"joined": ["01/12/2024", "12/01/2024"]}, ["a", "b"])
    assert model.predict({"joined": ["02/11/2024", "11/02/2024"]}).tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("%m/%d", "have no year. Hint: write %Y"),
        ("%Q %Y", "does not say how dates are written"),
        ("%Y%", "does not say how dates are written"),
        ("date", "dates are recognised where.* say how they are written, as in kinds={'joined': \"%m/%d/%Y\"}"),
        ("monthly", "how dates are written, such as '%m/%d/%Y'"),
        ("%d/%m/%Y", "cannot be read as dates: row 0 holds '12/31/2024'. Hint: write them as 31/12/2024"),
    ],
)
def test_what_is_no_way_of_writing_dates_is_refused(kind, said):
    check_refused(lambda: tw.CARTClassifier(kinds={"joined": kind}).fit({"joined": US}, Y), said, tw.TreewrightError)


def test_what_is_written_otherwise_at_predict_is_refused():
    model = tw.CARTClassifier(kinds={"joined": "%m/%d/%Y"}).fit({"joined": US}, Y)
    check_refused(lambda: model.predict({"joined": ["01/01/2024", "31.12.2024"]}), "row 1 holds '31.12.2024'")
    check_refused(
        lambda: tw.fit({"y": US, "x": range(6)}, target="y", kinds={"y": "%m/%d/%Y"}), "cannot be dates", tw.OptionError
    )


def test_notices_tell_the_remedy():
    """What they say is accepted."""
    with pytest.warns(tw.TreewrightWarning, match="compare them as dates say kinds={'joined': \"%m/%d/%Y\"}"):
        tw.CARTClassifier().fit({"joined": US}, Y)
    found = tw.inspect({"joined": ["12/31/2024 08:00", "1/2/2024 18:30"]})
    assert "kinds={'joined': \"%m/%d/%Y %H:%M\"}" in found.warnings[0]
    assert tw.inspect({"joined": US}, {"joined": "%m/%d/%Y"})["joined"].unit == "date"
    mixed = tw.inspect({"joined": ["12/31/2024 08:00", "1/2/2024"]})
    assert "write them all as 2024-05-31" in mixed.warnings[0]


def test_month_first_formats():
    assert month_first_format(["12-31-2024T08:15:30.5"]) == "%m-%d-%YT%H:%M:%S.%f"
    assert month_first_format(["12/31/2024", "31/12/2024"]) is None
    assert month_first_format([]) is None


def test_missing_cells_stay_missing():
    cells = LevelValues(np.array([0, 1]), ("01/02/1970",))
    assert np.isnan(DateFormat("%m/%d/%Y").values(cells, "joined").values).tolist() == [True, False]
