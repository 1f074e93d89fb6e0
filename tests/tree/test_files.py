"""Files of models: what is refused before it is read."""

import pytest

import treewright as tw


def test_a_table_is_no_model(tmp_path):
    (tmp_path / "flats.csv").write_text("rooms,rent\n2,700\n")
    with pytest.raises(tw.ModelFileError, match="flats.csv' is a table, and a model is wanted"):
        tw.load(tmp_path / "flats.csv")
