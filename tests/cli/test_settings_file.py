"""``init``, ``fit --config``, variables of the environment, and the command that a model keeps."""

import json
import os
import shlex
import sys

import pytest

import treewright as tw
from command import call, typed
from treewright.kernels import switch


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    for name in [name for name in os.environ if name.startswith("TREEWRIGHT_")]:
        monkeypatch.delenv(name)
    with switch.compiling("never"):
        yield


def options_of(path: str) -> dict:
    return tw.load(path).get_params()


def test_the_command_line_counts_more_than_the_settings_file_and_that_more_than_the_environment(folder, monkeypatch):
    (folder / "r.toml").write_text(
        'data = "loans.csv"\ntarget = "paid"\nmethod = "cart"\ncv = 0\noutput = "m.json"\n'
        "[options]\nmax-depth = 3\nmin_rows_leaf = 2\n[kinds]\nsize = ['S', 'M', 'L']\n"
    )
    monkeypatch.setenv("TREEWRIGHT_MAX_DEPTH", "9")
    monkeypatch.setenv("TREEWRIGHT_MIN_ROWS_LEAF", "9")
    monkeypatch.setenv("TREEWRIGHT_MIN_ROWS_SPLIT", "7")
    monkeypatch.setenv("TREEWRIGHT_DROP", "job")
    assert typed("fit", "--config", "r.toml", "--min-rows-leaf", "4").code == 0
    model = tw.load("m.json")
    found = model.get_params()
    assert [found[name] for name in ("min_rows_leaf", "max_depth", "min_rows_split")] == [4, 3, 7]
    assert model.schema_.names == ("income", "size")
    assert model.schema_.columns[1].levels == ("S", "M", "L")
    line = typed("show", "m.json", "--command").out.strip()
    assert "--config" not in line
    assert "--max-depth 3" in line
    assert line.count("--min-rows-leaf 4") == line.count("rows-leaf") == 1
    # The line says all: typed without settings file and environment it makes the same model.
    monkeypatch.undo()
    os.chdir(folder)
    again = shlex.split(line)[1:]
    again[again.index("--output") + 1] = "n.json"
    assert typed(*again).code == 0
    assert str(tw.load("n.json")) == str(model)
    assert options_of("n.json") == found


def test_a_settings_file_named_by_the_environment_and_variables_that_are_no_options(folder, monkeypatch):
    monkeypatch.setenv("TREEWRIGHT_CONFIG", "settings.toml")
    monkeypatch.setenv("TREEWRIGHT_MAXDEPTH", "3")
    ran = typed("fit", "-o", "m.json")
    assert ran.code == 0
    assert "TREEWRIGHT_MAXDEPTH is no option" in ran.err
    assert options_of("m.json")["max_depth"] is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("min_samples_leaf = 3", "min_samples_leaf is --min-rows-leaf here"),
        ('tagret = "paid"', "did you mean 'target'?"),
        ("xyzzy = 1", "treewright fit --help"),
        ("x = [", "is not TOML"),
        ("max_depth = 1\n[options]\nmax_depth = 2", "stands twice"),
        ("options = 1", "is no section"),
        ('data = "loans.csv"\ntarget = "paid"\nmethod = "cart"\nmax_depth = -3', "--max-depth -3 is not accepted"),
        ('data = ["a.csv", "b.csv"]', "takes one value"),
    ],
)
def test_a_bad_recipe_is_refused_with_a_hint(text, words, folder):
    (folder / "r.toml").write_text(text)
    ran = typed("fit", "--config", "r.toml")
    assert ran.code == 2
    assert words in ran.err
    assert "Hint:" in ran.err


def test_a_settings_file_that_is_not_there(folder):
    ran = typed("fit", "--config", "no.toml")
    assert ran.code == 2
    assert "treewright init" in ran.err
    assert typed("fit", "--config").code == 2


def test_init_writes_what_fit_reads(folder):
    for purpose in ("accurate", "readable", "rules", "segments", "forecast"):
        ran = typed("init", "loans.csv", "-t", "paid", "-p", purpose, "-o", f"{purpose}.toml")
        assert ran.code == 0
        assert f"treewright fit --config {purpose}.toml" in ran.err
    assert typed("fit", "--config", "readable.toml", "--cv", "0").code == 0
    assert options_of("model.json")["max_depth"] == 4
    assert 'method = "m5rules"' in typed("init", "rent.csv", "-t", "rent", "-p", "rules", "--print").out
    assert typed("init", "loans.csv", "-t", "paid", "-p", "rules", "-o", "rules.toml").code == 2  # is there already
    assert typed("init", "loans.csv", "-t", "paid", "-p", "rules", "-o", "rules.toml", "--force").code == 0


def test_every_commented_line_of_a_settings_file_is_one_that_fit_takes(folder):
    text = typed("init", "loans.csv", "-t", "paid", "-p", "readable", "--print").out
    lines = [line.removeprefix("# ") if " = " in line else line for line in text.splitlines()]
    (folder / "all.toml").write_text("\n".join(lines))
    assert typed("fit", "--config", "all.toml", "--cv", "2").code == 0


def test_init_says_what_is_odd_about_columns_and_what_to_write(folder):
    rows = [f"{1 + k % 12:02}/{1 + k % 28}/2024,${k},{k},{'ab'[k % 2]}" for k in range(40)]
    (folder / "odd.csv").write_text("\n".join(["joined on,fee,row,y", *rows]) + "\n")
    text = typed("init", "odd.csv", "-t", "y", "-p", "readable", "--print").out
    assert 'Hint: to compare them as dates say "joined on" = "%m/%d/%Y".' in text
    assert 'Hint: to compare them as numbers say fee = "numeric".' in text
    assert "column 'row' numbers the rows and looks like an identifier. Hint: drop = [\"row\"]." in text
    assert "--kinds" not in text


def test_init_asks_on_a_terminal(folder, monkeypatch):
    monkeypatch.setattr("command._Stream.isatty", lambda stream: True)
    ran = typed("init", "-o", "asked.toml", stdin=b"loans.csv\n\nreadable\n")
    assert (ran.code, ran.out) == (0, "")
    assert "Which column is to be predicted?" in ran.err
    assert 'target = "paid"' in (folder / "asked.toml").read_text()
    assert typed("init", stdin=b"\n").code == 2


def test_an_answer_that_is_no_good_is_told_and_asked_for_again(folder, monkeypatch):
    monkeypatch.setattr("command._Stream.isatty", lambda stream: True)
    ran = typed("init", "-o", "asked.toml", stdin=b"lonas.csv\nloans.csv\npiad\npaid\nreadible\nreadable\n")
    assert (ran.code, ran.out) == (0, ""), ran.err
    for said in ("there is no file 'lonas.csv'", "did you mean 'paid'?", "did you mean 'readable'?"):
        assert ran.err.count(said) == 1
    assert ran.err.count("Which file holds the table?") == 2
    assert "max_depth = 4" in (folder / "asked.toml").read_text()
    ended = typed("init", "-o", "ended.toml", stdin=b"lonas.csv\n")
    assert (ended.code, (folder / "ended.toml").exists()) == (2, False)


def test_a_value_that_is_not_accepted_names_the_place_that_says_it(folder, monkeypatch):
    (folder / "s.toml").write_text('data = "loans.csv"\ntarget = "paid"\nmethod = "cart"\nmin_rows_leaf = "few"\n')
    refused = typed("fit", "--config", "s.toml")
    assert (refused.code, "--min-rows-leaf few is not accepted ('s.toml' says so)" in refused.err) == (2, True)
    monkeypatch.setenv("TREEWRIGHT_MAX_DEPTH", "two")
    refused = typed("fit", "--config", "s.toml", "--min-rows-leaf", "2")
    assert "--max-depth two is not accepted (TREEWRIGHT_MAX_DEPTH says so). Hint: --max-depth is a whole" in refused.err
    refused = typed("fit", "--config", "s.toml", "--min-rows-leaf", "2", "--max-depth", "three")
    assert (refused.code, "says so" in refused.err) == (2, False), refused.err


def test_a_settings_file_says_what_keeps_a_column_that_is_left_out(folder):
    (folder / "keys.csv").write_text("id,code,gap,y\n" + "".join(f"{9 * n},c{n},,{n % 2}\n" for n in range(40)))
    text = typed("init", "keys.csv", "-t", "y", "-p", "readable", "--print").out
    assert '# id = "numeric"  # left out; numbers' in text
    assert '# code = "nominal"  # left out; 40 levels' in text
    assert '# gap = "nominal"  # no values' in text
    (folder / "keys.toml").write_text(text.replace("# id =", "id =").replace("# code =", "code ="))
    ran = typed("fit", "--config", "keys.toml", "--cv", "2")
    assert (ran.code, "left out" in ran.err) == (0, False), ran.err


def test_init_says_what_is_wrong(folder):
    for arguments, words in (
        (("init",), "DATA is not given"),
        (("init", "no.csv"), "there is no file"),
        (("init", "loans.csv"), "--target is not given"),
        (("init", "loans.csv", "-t", "none"), "there is no column 'none'"),
        (("init", "loans.csv", "-t", "paid"), "--purpose is not given"),
        (("init", "loans.csv", "-t", "paid", "-p", "fame"), "there is no --purpose 'fame'"),
    ):
        ran = typed(*arguments)
        assert (ran.code, words in ran.err) == (2, True), ran.err
        assert "Hint:" in ran.err


def test_commands_are_kept_one_after_the_other_and_passwords_are_not(folder):
    assert call("fit", "loans.csv", "-t", "paid", "--cv", "0", "-o", "a b.json").code == 0
    assert call("prune", "a b.json", "-m", "depth:depth=1", "-o", "c.json").code == 0
    lines = typed("show", "c.json", "--command").out.splitlines()
    assert lines == [
        "treewright fit --method cart loans.csv -t paid --cv 0 -o 'a b.json'",
        "treewright prune 'a b.json' -m depth:depth=1 -o c.json",
    ]
    assert call("byhand", "tree.txt", "loans.csv", "-t", "paid", "-o", "h.json").code == 0
    assert typed("show", "h.json", "--command").out == "treewright byhand tree.txt loans.csv -t paid -o h.json\n"
    from treewright.cli.typed_command import remember, typed_command

    remember(["fit", "postgresql://me:secret@host/db?table=t"])
    assert "secret" not in typed_command()
    assert "me:***@host" in typed_command()


def test_models_of_python_say_so(folder):
    table = tw.datasets.load("xor")
    model = tw.CARTClassifier(max_depth=2).fit(table.X, table.y)
    model.save("m.json")
    assert not hasattr(model, "origin_")
    assert typed("show", "m.json", "--command").out.splitlines() == [
        "# in Python, not by a command",
        "CARTClassifier(max_depth=2).fit(X, y)",
    ]
    found = json.loads(typed("show", "m.json", "--command", "--json").out)
    assert found == {"commands": [], "python": "CARTClassifier(max_depth=2).fit(X, y)", "version": tw.__version__}
    loaded = tw.load("m.json")
    assert not hasattr(loaded.fit(table.X, table.y), "origin_")
    document = json.loads((folder / "m.json").read_text())
    del document["facts"]["origin"]
    (folder / "old.json").write_text(json.dumps(document))
    assert "does not say" in typed("show", "old.json", "--command").err
    document["facts"]["origin"] = {"commands": "x"}
    (folder / "bad.json").write_text(json.dumps(document))
    with pytest.raises(tw.ModelFileError, match="not told as it should be"):
        tw.load("bad.json")


@pytest.mark.skipif(sys.version_info < (3, 11), reason="tomllib came with Python 3.11")
def test_settings_files_need_no_package_of_their_own():
    from treewright.cli.settings_file import _toml

    assert _toml().__name__ == "tomllib"


def test_a_shell_completes_after_config(folder, monkeypatch):
    monkeypatch.setenv("_TREEWRIGHT_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "treewright fit --config no.toml --max-d")
    monkeypatch.setenv("COMP_CWORD", "4")
    assert "--max-depth" in typed().out


def test_a_slip_in_a_variable_is_told_with_what_is_meant(folder, monkeypatch):
    monkeypatch.setenv("TREEWRIGHT_MAX_DEPHT", "2")
    monkeypatch.setenv("TREEWRIGHT_QUX", "2")
    said = call("fit", "loans.csv", "-t", "paid", "--method", "cart", "--cv", "0").err
    assert "TREEWRIGHT_MAX_DEPHT is no option of fit and is not used. Hint: did you mean TREEWRIGHT_MAX_DEPTH?" in said
    assert "TREEWRIGHT_QUX is no option of fit and is not used. Hint: treewright fit --help lists them." in said
