"""``treewright draw``."""

from __future__ import annotations

import pytest

from command import call


def test_a_picture_by_the_name_of_its_file(folder):
    pytest.importorskip("matplotlib", reason="pictures in pixels need the extra plot").use("Agg")
    for name, start in (("a.svg", b"<svg"), ("a.png", b"\x89PNG"), ("a.pdf", b"%PDF")):
        ran = call("draw", "loans.json", "-o", name)
        assert (ran.code, ran.out, ran.err) == (0, "", f"Saved as {name}.\n")
        assert (folder / name).read_bytes().startswith(start)


def test_the_picture_to_standard_output(folder):
    ran = call("draw", "loans.json", "--depth", "2", "--theme", "dark", "--orientation", "right")
    assert ran.code == 0
    assert ran.out.startswith("<svg")
    assert "The tree is cut (depth=2)" in ran.out


def test_rows_add_histograms_and_hold_out(folder):
    ran = call("draw", "smaller.json", "--data", "loans.csv", "--holdout", "new.csv")
    assert ran.code == 0, ran.err
    assert 'class="bin"' in ran.out
    assert "hold-out error" in ran.out


@pytest.mark.parametrize(
    "options",
    [
        ("--content", "pie"),
        ("--content", "histogram"),
        ("--theme", "red"),
        ("--orientation", "up"),
        ("--whole", "--max-leaves", "3"),
        ("-o", "a.gif"),
        ("-o", "loans.json"),
        ("--depth", "-1"),
        ("--node", "1000"),
        ("--json",),
        ("--holdout", "nothing.csv"),
    ],
    ids=" ".join,
)
def test_bad_input_is_refused(folder, options):
    before = (folder / "loans.json").read_bytes()
    ran = call("draw", "loans.json", *options)
    assert ran.code == 2
    assert "Traceback" not in ran.err
    assert (folder / "loans.json").read_bytes() == before


def test_rules_have_no_tree_to_draw(folder):
    assert call("fit", "loans.csv", "-t", "paid", "--method", "c4.5rules", "-o", "rules.json", "--cv", "0").code == 0
    ran = call("draw", "rules.json")
    assert ran.code == 2
    assert "a tree is needed" in ran.err
