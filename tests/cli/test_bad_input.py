"""What a new user gets wrong: each mistake is one line with a hint, exit code 2, and nothing is written or changed."""

import gzip
import json
import os
import sqlite3
from pathlib import Path

import polars as pl
import pytest

import treewright as tw
from command import Ran, call

IRIS = "a,b,species\n1,2,x\n3,4,y\n5,6,x\n"


def refused(ran: Ran) -> str:
    """The error, after a look at its form."""
    assert ran.code == 2, (ran.code, ran.out, ran.err)
    errors = [line for line in ran.err.splitlines() if line.startswith("Error:")]
    assert len(errors) == 1, ran.err
    assert "Hint:" in errors[0]
    assert "Traceback" not in ran.err
    assert ran.err.endswith(f"{errors[0]}\n"), "the error is the last that is said"
    return errors[0]


# ---- files that cannot be learned from: name, content, what is said, more options ------------------------------------

FILES = [
    ("empty.csv", b"", "is empty"),
    ("blank.csv", b"\n\n  \n", "nothing but blank lines"),
    ("header.csv", b"a,b,y\n", "no rows"),
    ("few.csv", b"a,b,y\n1,2,x\n3,4\n5,6,y\n", "line 3 of 'few.csv' has 2 cells for 3 columns"),
    ("many.csv", b"a,b,y\n1,2,x\n3,4,y\n5,6,y,9\n", "line 4 of 'many.csv' has 4 cells"),
    ("quoted.csv", b'a,b,y\n"1,5",2,x\n"3",4\n', "line 3 of 'quoted.csv' has 2 cells"),
    ("unclosed.csv", b'a,b,y\n1,2,x\n"3,4,y\n5,6,x\n', "quoted cell"),
    ("wrong.csv", b"a:b:y\n1:2:x\n3:4:y\n", "no column but 'a:b:y'"),
    ("told.csv", IRIS.encode(), "no column but", "--delimiter", ";"),
    ("binary.csv", bytes(range(256)) * 20, "not text"),
    ("noise.csv", b"\xbf{\xc0\xf7\xb0|\xe9\x85\x8a\xeaYR0", "a line of names and no rows"),
    ("sounds.csv", b"\xbf{\xc0\xf7\n\x81\x8d\x8f\n", "not text: it is neither UTF-8 nor Windows'"),
    ("image.csv", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "not text"),
    ("lite.csv", b"SQLite format 3\0", "write sqlite:///lite.csv"),
    ("duck.csv", bytes(8) + b"DUCK", "write duckdb:///duck.csv"),
    ("twice.csv", b"a,a,y\n1,2,x\n3,4,y\n", "two columns called 'a'"),
    ("one.csv", b"y\nx\nz\n", "no column but 'y'"),
    ("constant.csv", b"a,y\n1,x\n2,x\n3,x\n", "only one class"),
    ("classless.csv", b"a,y\n1,\n2,\n3,\n", "the target 'y' of 'classless.csv' is empty"),
    ("alone.csv", b"a,y\n1,x\n", "only one class"),
    ("long.csv", b"x" * 3_000_000, "no rows"),
    ("latin.csv", "größe,y\n1,ä\n2,ö\n".encode("latin-1"), "not written in ascii", "--encoding", "ascii"),
    ("codec.csv", IRIS.encode(), "unknown encoding 'klingon'", "--encoding", "klingon"),
    ("delimiter.csv", IRIS.encode(), "a delimiter is one character", "--delimiter", "abc"),
    ("decimal.csv", IRIS.encode(), "decimal mark", "--decimal", "x"),
    ("format.csv", IRIS.encode(), "unknown format 'cvs'", "--format", "cvs"),
    ("cut.csv.gz", gzip.compress(IRIS.encode() * 50)[:60], "damaged or not all there"),
    ("fake.csv.gz", b"\x1f\x8bnonsense that is not packed", "damaged or not all there"),
    ("cut.csv.zst", b"\x28\xb5\x2f\xfdnonsense", "damaged or not all there"),
    ("fake.parquet", b"PAR1 and then nothing", "cannot read 'fake.parquet'"),
    ("text.parquet", IRIS.encode(), "cannot read 'text.parquet'"),
    ("text.feather", IRIS.encode(), "cannot read 'text.feather'"),
    ("text.xlsx", IRIS.encode(), "cannot read 'text.xlsx'"),
    ("broken.jsonl", b'{"a": 1, "y": "x"}\n{"a": 2, "y"\n', "cannot read 'broken.jsonl'"),
    ("broken.json", b'[{"a": 1, "y": "x"}', "cannot read 'broken.json'"),
    ("nested.jsonl", b'{"a": [1, 2], "y": "x"}\n{"a": [3], "y": "z"}\n', "lists or objects"),
    ("nodata.arff", b"@relation r\n@attribute a numeric\n", "no line @data"),
    ("norows.arff", b"@relation r\n@attribute a numeric\n@data\n", "no rows after @data"),
    ("type.arff", b"@relation r\n@attribute a colour\n@data\n1\n", "unknown type 'colour'"),
    ("level.arff", b"@relation r\n@attribute a numeric\n@attribute y {u,v}\n@data\n1,w\n", "no level of 'y'"),
    ("cells.arff", b"@relation r\n@attribute a numeric\n@attribute y {u,v}\n@data\n1\n", "1 cell for 2"),
    ("number.arff", b"@relation r\n@attribute a numeric\n@attribute y {u,v}\n@data\nbig,u\n", "holds 'big'"),
    ("lonely.names", b"u, v.\na: continuous.\n", "there is no 'lonely.data'"),
    ("empty.names", b"a: continuous.\n", "does not begin with the classes"),
    ("mark.csv", b"\xef\xbb\xbf", "nothing but blank lines"),
    ("page.csv", b"<!doctype html>\n<html><body>404</body></html>\n", "a page of the web"),
    ("json.csv", b'{"a": 1, "y": "u"}\n{"a": 2, "y": "v"}\n', "holds JSON, not CSV. Hint: say --format jsonl"),
    ("inches.csv", b'a,y\n5" pipe,u\n6" pipe,v\n7,u\n', "whole cells. Hint: if they are text say --quote none"),
    ("integer.csv", b"a,y\n123456789012345678901234567890,u\n2,v\n", "--kinds a=nominal"),
    ("half.csv", "a,y\n1,u\n2,v\n".encode("utf-16")[:-1], "not written in utf-16"),
    ("pretty.json", b'{\n "a": 1,\n "y": 2\n}\n', "a list of objects"),
    ("numbers.jsonl", b"1\n2\n", "cannot read 'numbers.jsonl'"),
    ("lists.json", b"[[1, 2], [3, 4]]", "a list of objects"),
    ("object.json", b'{"data": [{"a": 1}]}', "lists or objects"),
    ("cut.csv.bz2", b"BZh91AY&SY nonsense", "damaged or not all there"),
    ("cut.csv.xz", b"\xfd7zXZ\0 nonsense", "damaged or not all there"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "said", "more"), [(n, c, s, m) for n, c, s, *m in FILES],
                         ids=[row[0] for row in FILES])  # fmt: skip
def test_a_broken_file(name, content, said, more, folder):
    Path(name).write_bytes(content)
    Path("kept.json").write_text("as it was")
    before = set(os.listdir())
    assert said in refused(call("fit", name, *more, "-o", "kept.json"))
    assert Path("kept.json").read_text() == "as it was"
    assert set(os.listdir()) == before


# ---- calls that make no sense: the line, what is said ----------------------------------------------------------------

CALLS = [
    ("fit", "Missing argument"),
    ("fti iris.csv", "No such command"),
    ("fit nowhere.csv", "there is no file 'nowhere.csv'"),
    ("fit irsi.csv", "did you mean 'iris.csv'?"),
    ("fit 'none*.csv'", "no file fits 'none*.csv'"),
    ("fit .", "'.' is a folder"),
    ("fit -", "standard input is empty"),
    ("fit iris.csv --target specis", "did you mean 'species'?"),
    ("fit iris.csv --drop colour", "no column 'colour' for --drop"),
    ("fit iris.csv --method cat", "unknown method 'cat'"),
    ("fit iris.csv --max-dept 3", "did you mean '--max-depth'?"),
    ("fit iris.csv --max-depth deep", "--max-depth deep is not accepted"),
    ("fit iris.csv --max-depth -1", "--max-depth -1 is not accepted"),
    ("fit iris.csv --method cart --max-depth", "--max-depth needs a value"),
    (
        "fit iris.csv --confidence 0.1",
        "the method cart has no option --confidence. Hint: it is an option of c4.5, c4.5rules, c5.0",
    ),
    (
        "fit iris.csv -m adaboost --n-trees 5",
        "has no option --n-trees. Hint: it is --n-rounds here; treewright",
    ),
    ("fit iris.csv -m bagging --max-depth 5", "Hint: members have it, as in --member cart:max_depth=5; treewright"),
    ("fit iris.csv -m c4.5 --confidence 7", "--confidence 7 is not accepted"),
    ("fit iris.csv --criterion luck", "--criterion luck is not accepted"),
    ("fit iris.csv --engine warp", "--engine warp is not accepted"),
    ("fit iris.csv --prune trim", "unknown pruning method 'trim'"),
    ("fit iris.csv --prune cost-complexity:beta=2", "option of cost-complexity pruning 'beta'"),
    ("fit iris.csv --prune cost-complexity:2", "is no option"),
    ("fit iris.csv --cv 1", "--cv 1 is not accepted"),
    ("fit iris.csv --cv many", "neither a whole number nor loo"),
    ("fit iris.csv --test-size 30", "--test-size 30.0 is not accepted"),
    (
        "fit iris.csv --test tennis.csv",
        "'tennis.csv' does not have 'sepal_length', 'sepal_width', 'petal_length' and 1 more",
    ),
    ("fit iris.csv --kinds species", "--kinds 'species' is not accepted"),
    ("fit iris.csv --kinds colour=nominal", "no column 'colour' for --kinds"),
    ("fit iris.csv --kinds petal_width=round", "is not accepted"),
    ("fit iris.csv --kinds kinds.json", "cannot read kinds"),
    ("fit loans.csv -t paid --kinds 'size=S<M'", "holds the level 'L'"),
    ("fit iris.csv --weights species -t petal_width", "are not all numbers"),
    ("fit iris.csv --weights species", "both the target and the weights"),
    ("fit iris.csv -o nowhere/model.json", "its folder does not exist"),
    ("fit iris.csv -o .", "'.' is a folder"),
    ("fit iris.csv -o iris.csv/model.json", "its folder"),
    ("fit sqlite:///none.db?table=t", "there is no file 'none.db'"),
    ("fit postgresql://nobody@127.0.0.1:1/none?table=t", "cannot read postgresql"),
    ("fit loans.csv -t paid --costs nowhere.csv", "there is no file 'nowhere.csv'"),
    ("fit loans.csv -t paid --costs iris.csv", "cannot read costs"),
    ("fit iris.csv --costs costs.csv", "names the class 'no'"),
    ("compare iris.csv --methods cart:foo=1", "no option --foo. Hint: treewright methods cart"),
    ("fit rent.csv -t area --kinds area=nominal", "Hint: leave out --kinds area=nominal"),
    ("fit rent.csv -t rent --class-weight balanced", "--kinds TARGET=nominal makes classes"),
    ("fit loans.csv -t paid --missing guess", "--missing guess is not accepted"),
    ("fit loans.csv -t paid --missing error", "missing values"),
    ("show nowhere.json", "there is no file 'nowhere.json'"),
    ("show iris.csv", "'iris.csv' is a table, and a model is wanted"),
    ("show loans.json --depth -1", "Invalid value"),
    ("rules .", "is not a file"),
    ("explain loans.json", "no row is given"),
    ("explain loans.json --row income", "--row 'income' is not accepted"),
    ("explain loans.json --row colour=red", "has no column 'colour'"),
    ("explain loans.json --row income=much", "is numeric, got 'much'"),
    ("explain loans.json --row '{broken'", "is not JSON"),
    ("explain loans.json new.csv --row 9999", "--row 9999 is no row of 'new.csv'"),
    ("predict loans.json iris.csv", "'iris.csv' does not have 'income', 'size', 'job'"),
    ("predict loans.json nowhere.csv", "there is no file"),
    ("predict loans.json new.csv --keep colour", "no column 'colour' to keep"),
    ("predict loans.json new.csv -o out.parquet", "not written as 'out.parquet'"),
    ("predict loans.json new.csv -o nowhere/out.csv", "its folder does not exist"),
    ("predict loans.json -", "standard input is empty"),
    ("evaluate loans.json iris.csv", "'iris.csv' does not have 'income', 'size', 'job'"),
    # ---- found by trying
    ("fit iris.csv --test-size 0.999", "leaves none to learn from"),
    ("fit iris.csv --test-size nan", "--test-size nan is not accepted"),
    ("fit iris.csv --target ''", "no column '' for --target"),
    ("fit iris.csv --kinds 'species=a<b'", "'setosa' in row 1 (the first below the names is 1)"),
    ("fit iris.csv --select max", "unknown option '--select'"),
    ("fit iris.csv --tets new.csv", "did you mean '--test'?"),
    ("fit iris.csv --monotone petal_width=2", "--monotone petal_width=2 is not accepted. Hint: --monotone is none or"),
    ("fit iris.csv --class-weight nope=1", "--class-weight names a class that does not occur: 'nope'"),
    ("fit iris.csv --forbid nope", "names 'nope', which is no column"),
    ("fit iris.csv -m c4.5 --binary --subset", "exclude each other"),
    ("fit iris.csv -m chaid --test g", "there is no file 'g'"),
    ("fit rent.csv -t rent -m id3", "id3 predicts classes, and the target 'rent' holds numbers such as"),
    ("fit iris.csv -m m5", "m5 predicts numbers, and the target 'species' holds classes such as 'setosa'. Hint: use"),
    ("fit rent.csv -t rent --priors equal", "priors is an option for classes"),
    ("fit iris.csv --prune where", "unknown pruning method 'where'"),
    ("fit iris.csv --prune depth", "write depth:depth=VALUE"),
    ("fit iris.csv --quote xx", "the quote 'xx' is not one character"),
    ("fit ''", "there is no file ''"),
    ("fit iris.csv -o ''", "the output has no name"),
    ("fit https://example.com/iris.csv", "Hint: download files first"),
    ("fit mysql://u@h/b", "the databases are sqlite, duckdb and postgresql"),
    ("predict new.csv loans.json", "'new.csv' is a table, and a model is wanted"),
    ("predict loans.json loans.json", "an object per line, or a list of objects"),
    ("predict loans.json new.csv --no-header", "check names, --delimiter and --no-header"),
    ("predict loans.json new.csv --delimiter ';'", "does not have 'income', 'size', 'job'"),
    ("predict loans.json new.csv -o out.csv.bz2", "not packed as 'out.csv.bz2'"),
    ("predict loans.json 'ne*.csv' -o new.csv", "'new.csv' is read by this command"),
    ("explain loans.json new.csv --row 0", "rows are numbered from 1 to 60"),
    ("explain loans.json --row 'income=1, income=2'", "--row gives 'income' twice"),
    ("explain loans.json --row '[1,2,3]'", "is not accepted"),
    ("evaluate loans.json new.csv --weights paid", "both the target and the weights"),
    ("prune loans.json -m where", "unknown pruning method 'where'"),
    ("prune loans.json -m nodes:nodes=x", "whole numbers from 0"),
    ("prune loans.json -m cost-complexity:alpha=-1", "alpha must be a number of at least 0"),
    ("prune loans.json -m cost-complexity --data loans.csv --cv 0", "--cv 0 is not accepted"),
    ("compare iris.csv --methods cart,cart", "'cart' is named twice"),
    ("compare iris.csv --methods cart:max_depth", "write METHOD:OPTION=VALUE"),
    ("compare iris.csv --methods cart:max_depth=x", "--max-depth x is not accepted"),
    ("compare loans.csv -t paid --models loans.json,loans.json", "'loans.json' is named twice"),
    ("compare loans.csv -t paid --models loans.json --max-depth 2", "--max-depth does not go with --models"),
    ("compare iris.csv --confidence 0.1 --splits subset", "no method has --confidence and --splits"),
    ("compare rent.csv -t rent --methods cart,id3", "compare them apart"),
    ("teach gini iris.csv", "'iris.csv' is no exercise. Hint: a table is given as --data iris.csv --target COLUMN"),
    ("teach gini --base e", "the lesson 'gini' has no option 'base'"),
    ("teach chi2 --base 10", "the lesson 'chi2' has no option 'base'"),
    ("teach id3 --depth -1", "Invalid value"),
    ("methods where", "unknown method 'where'"),
    ("prune loans.json", "Missing option"),
    ("prune loans.json -m trim", "unknown pruning method 'trim'"),
    ("prune loans.json -m reduced-error", "not fitted to. Hint: name a file with the rows with --data"),
    ("prune loans.json -m error-based", "are gone. Hint: name a file with the rows with --data"),
    ("prune loans.json -m cost-complexity --cv 5", "--cv needs rows"),
    ("prune loans.json -m mdl --data new.csv", "does not look at held-out rows"),
    ("prune loans.json -m depth", "depth pruning needs depth. Hint: write depth:depth=VALUE"),
    ("prune loans.json -m nodes:nodes=999", "there is no node 999"),
    ("compare iris.csv --methods ,", "names none"),
    ("compare iris.csv --methods c4.5 --models loans.json", "do not go together"),
    ("compare rent.csv --models loans.json", "does not predict numbers"),
    ("compare iris.csv --cv 1", "--cv 1 is not accepted"),
    ("compare iris.csv --cv one", "neither a whole number nor loo"),
    ("rank iris.csv --by luck", "unknown measure 'luck'"),
    ("methods c6", "unknown method 'c6'"),
    ("datasets tennis", "did you mean 'play_tennis'?"),
    ("datasets -o out.csv", "-o needs the name of a table"),
    ("demo --colour", "no such option: --colour. Hint: see treewright demo --help"),
    ("evaluate loans.json new.csv --lift", "no such option: --lift. Hint: see treewright evaluate --help"),
    ("evaluate loans.json new.csv --wieghts x", "did you mean --weights?"),
    ("summary loans.json loans.csv", "a table is given by --data loans.csv"),
    ("prune loans.json loans.csv -m mdl", "a table is given by --data loans.csv"),
    ("fit loans.csv --method c4.5 -M 5", "-M 5 is --min-cases 5 here"),
    ("fit loans.csv --method c4.5 -C 0.1", "-C 0.1 is --confidence 0.1 here"),
    ("fit loans.csv --method c4.5 -X", "unknown option '-X'. Hint: treewright methods c4.5"),
    ("teach gain --format latex", "write --latex for a lesson in that form"),
]


@pytest.mark.parametrize(("line", "said"), CALLS, ids=[line for line, _ in CALLS])
def test_a_call_that_makes_no_sense(line, said, folder):
    import shlex

    before = {path: path.read_bytes() for path in folder.iterdir()}
    ran = call(*shlex.split(line))
    assert said in refused(ran)
    assert not ran.out
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


# ---- models and tables that do not fit -------------------------------------------------------------------------------


def changed(path: str, **entries: object) -> str:
    document = json.loads(Path(path).read_text())
    Path("changed.json").write_text(json.dumps(document | entries))
    return "changed.json"


def test_a_table_of_costs_without_one(folder):
    (folder / "short.csv").write_text(",no,yes\nno,0\nyes,1,0\n")
    said = refused(call("fit", "loans.csv", "-t", "paid", "--costs", "short.csv"))
    assert "the row of 'no' has 1 costs for 2 classes" in said


def test_a_model_of_another_version(folder):
    assert "version" in refused(call("show", changed("loans.json", version=99)))


def test_a_model_of_an_unknown_kind(folder):
    assert "'Oracle'" in refused(call("predict", changed("loans.json", estimator="Oracle"), "new.csv"))


def test_half_a_model(folder):
    text = Path("loans.json").read_text()
    Path("half.json").write_text(text[: len(text) // 2])
    assert "only a part of it" in refused(call("rules", "half.json"))


def test_a_column_that_was_numbers_and_is_text(folder):
    table = pl.read_csv("new.csv").with_columns(pl.lit("much").alias("income"))
    table.write_csv("text.csv")
    Path("out.csv").write_text("as it was")
    for more in ((), ("--keep", "income")):
        assert "'much'" in refused(call("predict", "loans.json", "text.csv", "-o", "out.csv", *more))
        assert Path("out.csv").read_text() == "as it was"


def test_a_fault_in_the_middle_of_a_file_leaves_the_output_as_it_was(folder, monkeypatch):
    monkeypatch.setattr("treewright.data.readers.delimited_text.BLOCK", 200)
    with open("new.csv", "a") as file:
        file.write("not a number,M,clerk,yes\n")
    Path("out.csv").write_text("as it was")
    assert "'not a number'" in refused(call("predict", "loans.json", "new.csv", "-o", "out.csv"))
    assert Path("out.csv").read_text() == "as it was"
    assert not [name for name in os.listdir() if name.endswith(".tmp")]


def test_classes_the_model_does_not_know(folder):
    table = pl.read_csv("new.csv").with_columns(pl.lit("perhaps").alias("paid"))
    table.write_csv("other.csv")
    assert "'perhaps'" in refused(call("evaluate", "loans.json", "other.csv"))


def test_files_that_differ(folder):
    assert "other columns" in refused(call("fit", "[lt]*s.csv"))


def test_a_database_of_several_tables_or_none(folder):
    base = sqlite3.connect("base.db")
    assert "empty" in refused(call("fit", "sqlite:///base.db"))
    base.executescript("create table a (x, y); create table b (x, y); insert into a values (1, 'u'), (2, 'v');")
    base.commit()
    assert "has 2 tables" in refused(call("fit", "sqlite:///base.db"))
    assert "cannot read sqlite" in refused(call("fit", "sqlite:///base.db?table=c"))
    assert "no rows" in refused(call("fit", "sqlite:///base.db?table=b"))
    Path("fake.db").write_text("no database")
    assert "cannot read sqlite" in refused(call("fit", "sqlite:///fake.db?table=a"))


def test_a_sheet_that_is_not_there(folder):
    pl.read_csv("iris.csv").to_pandas().to_excel("iris.xlsx", sheet_name="flowers", index=False)
    assert "has no sheet 'trees'. Hint: its sheets are flowers" in refused(call("fit", "iris.xlsx", "--sheet", "trees"))
    assert call("fit", "iris.xlsx", "--sheet", "flowers", "--cv", "0").code == 0


def test_an_archive(folder):
    import zipfile

    with zipfile.ZipFile("iris.zip", "w") as archive:
        archive.write("iris.csv")
    assert "unpack it" in refused(call("fit", "iris.zip"))


def test_rows_are_counted_from_one_through_all_parts(folder, monkeypatch):
    lines = ["day,y", *(f"2020-01-{k:02d},{'uv'[k > 15]}" for k in range(1, 31))]
    Path("days.csv").write_text("\n".join(lines) + "\n")
    assert call("fit", "days.csv", "--cv", "0", "-o", "m.json").code == 0
    monkeypatch.setattr("treewright.data.readers.delimited_text.BLOCK", 40)
    Path("days.csv").write_text("\n".join([*lines, "yesterday,u"]) + "\n")
    assert "row 31 (the first below the names is 1) holds 'yesterday'" in refused(call("predict", "m.json", "days.csv"))


def test_words_for_true_and_false(folder):
    Path("truth.csv").write_text("ok,y\n" + "true,u\nfalse,v\n" * 10)
    assert call("fit", "truth.csv", "--cv", "0", "-o", "m.json").code == 0
    Path("new.csv").write_text("ok\ntrue\nperhaps\n")
    said = refused(call("predict", "m.json", "new.csv"))
    assert "'perhaps' in line 3 of 'new.csv', which is neither true nor false" in said


def test_columns_are_read_as_the_model_learned_them(folder):
    """1 was a text among texts; in a file of numbers alone it is the same level."""
    Path("zip.csv").write_text("zip,y\n" + "1,u\n2,v\nx,u\n" * 8)
    assert call("fit", "zip.csv", "--cv", "0", "-o", "m.json").code == 0
    Path("new.csv").write_text("zip,y\n1,u\n2,v\n")
    assert json.loads(call("evaluate", "m.json", "new.csv", "--json").out)["error"] == 0
    assert "zip = 2" in call("explain", "m.json", "new.csv", "--row", "2").out
    assert "100.0 %" in call("fit", "zip.csv", "--test", "new.csv").out


def test_an_order_of_numbers(folder):
    Path("sizes.csv").write_text("size,y\n" + "1,u\n2,v\n3,u\n" * 8)
    assert call("fit", "sizes.csv", "--kinds", "size=3<1<2", "--cv", "0", "-o", "m.json").code == 0
    assert tw.load("m.json").schema_.columns[0].levels == (3, 1, 2)


def test_a_delimiter_at_the_end_of_every_line(folder):
    Path("ends.csv").write_text("a,y,\n1,u,\n2,v,\n")
    ran = call("fit", "ends.csv", "--cv", "0", "--json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["target"] == "y"


def test_quotes_that_are_text(folder):
    Path("inches.csv").write_text('a,y\n5" pipe,u\n6" pipe,v\n5" pipe,u\n')
    assert call("fit", "inches.csv", "--quote", "none", "--cv", "0", "-o", "m.json").code == 0
    assert tw.load("m.json").schema_.columns[0].levels == ('5" pipe', '6" pipe')
    assert call("predict", "m.json", "inches.csv", "--quote", "none").out == "prediction\nu\nv\nu\n"


def test_kept_columns_do_not_hide_answers(folder):
    Path("odd.csv").write_text("prediction,income,size,job\nmine,1000,S,nurse\n")
    assert "have one name" in refused(call("predict", "loans.json", "odd.csv", "--keep", "prediction"))
    said = call("predict", "loans.json", "odd.csv", "--keep", "all").out.splitlines()[0]
    assert said == "income,size,job,prediction"


def test_a_missing_extra_is_named(folder, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "polars", None)
    assert "pip install 'treewright[cli]'" in refused(call("fit", "iris.csv"))


def test_our_own_fault_is_one_line_too(folder, monkeypatch):
    def stumble(*arguments, **options):
        raise RuntimeError("oops")

    monkeypatch.setattr("treewright.data.readers.read_table", stumble)
    ran = call("fit", "iris.csv")
    assert ran.code == 1
    assert (
        ran.err
        == "Error: treewright stumbled over RuntimeError: oops. Hint: --verbose shows where; please report it.\n"
    )


@pytest.mark.parametrize("command", ["predict loans.json new.csv", "fit iris.csv --cv 0", "prune loans.json -m mdl"])
def test_a_folder_that_is_not_ours(command, folder, monkeypatch):
    Path("locked").mkdir()
    monkeypatch.setattr(os, "access", lambda path, mode: not str(path).endswith("locked"))
    assert "not yours to write to" in refused(call(*command.split(), "-o", "locked/out"))
    assert not os.listdir("locked")


def test_rules_are_no_tree(folder):
    """A file of rules is told from a damaged one."""
    tw.CARTClassifier().fit({"a": [1, 2, 3, 4]}, ["x", "x", "y", "y"]).rule_set().save("rules.json")
    assert "holds rules, and a tree is needed" in refused(call("prune", "rules.json", "-m", "mdl"))
    said = refused(call("compare", "iris.csv", "--models", "rules.json"))
    assert "holds rules alone" in said


# ---- files that are read are not written over ------------------------------------------------------------------------


def test_what_is_read_is_not_written_over(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table, model = Path("iris.csv"), Path("iris.json")
    table.write_text(IRIS)
    assert call("fit", "iris.csv", "--cv", "0", "-o", "iris.json").code == 0
    before = table.read_bytes(), model.read_bytes()
    for arguments in (
        ("fit", "iris.csv", "-o", "iris.csv"),
        ("predict", "iris.json", "iris.csv", "-o", "./iris.csv"),
        ("prune", "iris.json", "-m", "pessimistic", "-o", "iris.json"),
    ):
        assert "would be lost" in refused(call(*arguments))
    assert (table.read_bytes(), model.read_bytes()) == before


@pytest.mark.parametrize("arguments", [("--seed", "-1"), ("--quote", "xx")])
def test_options_out_of_range(tmp_path, arguments):
    (tmp_path / "iris.csv").write_text(IRIS)
    ran = call("fit", str(tmp_path / "iris.csv"), *arguments)
    assert ran.code == 2
    assert "Traceback" not in ran.err


def test_mappings_are_written_as_pairs(tmp_path):
    table = tmp_path / "iris.csv"
    table.write_text("a,b,species\n1,2,x\n3,2,y\n5,6,x\n7,6,y\n")
    ran = call("fit", str(table), "--cv", "0", "--force", "0=b", "--missing", "a=branch", "--min-gain", "0")
    assert ran.code == 0, ran.err
    assert "\nb ≤ 4" in ran.out


# ---- options that have nothing to say --------------------------------------------------------------------------------


def test_options_that_would_have_no_effect(folder):
    call("fit", "loans.csv", "-t", "paid", "-o", "m.json")
    assert "no file is read" in refused(call("teach", "gain", "--delimiter", ";"))
    assert "'id3' has no option 'validation'" in refused(call("teach", "id3", "--validation", "none.csv"))
    assert "--json has the whole tree" in refused(call("show", "m.json", "--json", "--lines", "3"))


def test_how_a_file_is_read_is_told_of_one_that_minds(folder):
    """No error: a file of another kind, given with --test, may mind."""
    pl.read_csv("loans.csv").write_parquet("loans.parquet")
    ran = call("fit", "loans.parquet", "-t", "paid", "--delimiter", ";", "--no-header")
    assert ran.code == 0
    assert "'loans.parquet' is read as Parquet, which --delimiter and --no-header cannot change" in ran.err
    assert "cannot change" not in call("fit", "loans.csv", "-t", "paid", "--delimiter", ",").err
    assert "which --sheet cannot change" in call("fit", "loans.csv", "-t", "paid", "--sheet", "one").err
