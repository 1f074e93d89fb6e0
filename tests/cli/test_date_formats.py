"""``--kinds COLUMN=%m/%d/%Y``: dates with the month first, from the notice to the prediction."""

import pytest

from command import call

ROWS = "joined,paid\n12/31/2024,yes\n01/15/2024,no\n,no\n07/04/2024,yes\n02/28/2024,no\n11/05/2024,yes\n"
AMBIGUOUS = "joined,paid\n12/01/2024,yes\n01/05/2024,no\n07/04/2024,yes\n02/08/2024,no\n11/05/2024,yes\n"


@pytest.mark.parametrize("rows", [ROWS, AMBIGUOUS])
def test_from_the_notice_to_the_prediction(rows, folder):
    (folder / "us.csv").write_text(rows)
    remedy = "--kinds joined=%m/%d/%Y"
    assert remedy in call("fit", "us.csv", "--method", "cart", "--cv", "0").err
    fitted = call("fit", "us.csv", "--method", "cart", "--cv", "0", *remedy.split(), "-o", "us.json")
    assert (fitted.code, "dates" in fitted.err) == (0, False)
    assert "joined > 2024-0" in fitted.out
    answers = call("predict", "us.json", "us.csv").out.split()[1:]
    assert answers == [line.rpartition(",")[2] for line in rows.split()[1:]]
    assert call("predict", "us.json", "--row", "joined=12/02/2024").out.split() == ["prediction", "yes"]
    assert "accuracy 100.0 %" in call("evaluate", "us.json", "us.csv").out
    assert "joined is 2024-12-" in call("explain", "us.json", "us.csv", "--row", "1").out


def test_inspect_rank_and_settings_files_know_it(folder):
    (folder / "us.csv").write_text(AMBIGUOUS)
    assert "2024-12-01" in call("inspect", "us.csv", "--kinds", "joined=%m/%d/%Y").out
    assert "<= 2024-0" in call("rank", "us.csv", "--kinds", "joined=%m/%d/%Y").out
    settings = 'data = "us.csv"\nmethod = "cart"\ncv = 0\n[kinds]\njoined = "%m/%d/%Y"\n'
    (folder / "us.toml").write_text(settings)
    assert "joined > 2024-0" in call("fit", "--config", "us.toml").out


def test_a_wrong_way_of_writing_is_refused(folder):
    (folder / "us.csv").write_text(ROWS)
    ran = call("fit", "us.csv", "--kinds", "joined=%d/%m/%Y")
    assert (ran.code, "row 1 (the first below the names is 1) holds '12/31/2024'" in ran.err) == (2, True)
    ran = call("fit", "us.csv", "--kinds", "joined=date")
    assert (ran.code, "say how they are written, as in --kinds joined=%m/%d/%Y" in ran.err) == (2, True)
