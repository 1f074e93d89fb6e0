"""Every format gives the same table, however it is written."""

import gzip
import io
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.data.readers import Told, read_chunks, read_table
from treewright.data.readers import delimited_text as text_reader
from treewright.data.readers import text_blocks as line_reader
from treewright.errors import DataError

TABLE = pl.DataFrame({
    "size": [3.5, 4.25, None, 10.0], "count": [1, 2, 3, 40], "name": ["Ann", "Bob, jr", None, 'the "fourth"'],
    "ok": [True, False, True, None], "y": ["a", "b", "a", "b"],
})  # fmt: skip


@pytest.fixture(autouse=True)
def inside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def same(found: pl.DataFrame, expected: pl.DataFrame = TABLE) -> bool:
    return found.to_dicts() == expected.to_dicts()


def write(name: str, content: bytes) -> str:
    Path(name).write_bytes(content)
    return name


def csv_of(table: pl.DataFrame = TABLE, **options) -> bytes:
    return table.write_csv(**options).encode()


# ---- CSV and its kin -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_are_found(delimiter):
    contents = read_table(write("a.csv", csv_of(separator=delimiter)))
    assert same(contents.table)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_encodings_are_found(encoding):
    table = pl.DataFrame({"größe": [1, 2, 3], "straße": ["Küche", "Bäder", "x"]})
    contents = read_table(write("a.csv", table.write_csv().encode(encoding)))
    assert same(contents.table, table)
    assert encoding in contents.words


def test_an_odd_letter_far_down_the_file():
    """The first megabyte is plain; then there is a byte that UTF-8 does not know."""
    lines = b"n,t\n" + b"1,plain\n" * 200_000 + "2,Größe\n".encode("cp1252")
    contents = read_table(write("a.csv", lines))
    assert contents.table["t"][-1] == "Größe"
    assert "cp1252" in contents.words


def test_a_told_encoding():
    table = read_table(write("a.csv", "t,n\nжук,1\nкот,2\n".encode("koi8-r")), Told(encoding="koi8-r")).table
    assert table["t"].to_list() == ["жук", "кот"]


def test_decimal_commas_are_found_or_told():
    contents = read_table(write("a.csv", b"x;y\n1,5;a\n-2,25;b\n7;a\n"))
    assert contents.table["x"].to_list() == [1.5, -2.25, 7.0]
    assert "decimal comma" in contents.words
    assert read_table("a.csv", Told(decimal=".")).table["x"].to_list() == ["1,5", "-2,25", "7"]


@pytest.mark.parametrize(
    ("cells", "numbers", "n_notes"),
    [
        (["1.234,50", "7,25", ""], [1234.5, 7.25, None], 0),
        (["1.234", "17", "2.345.678"], [1234.0, 17.0, 2345678.0], 1),
        (["1.5", "1.234", "2"], None, 0),
    ],
)
def test_points_between_thousands_beside_decimal_commas(cells, numbers, n_notes):
    lines = "".join(f"{cell};{n},5;{'ab'[n % 2]}\n" for n, cell in enumerate(cells))
    contents = read_table(write("a.csv", f"x;y;z\n{lines}".encode()))
    if numbers is None:  # points that are decimal marks for certain: then commas are none
        assert contents.table["x"].to_list() == [1.5, 1.234, 2.0]
        return
    assert contents.table["x"].to_list() == numbers
    assert [note.column for note in contents.notes] == ["x"] * n_notes
    types = {"x": pl.Float64, "y": pl.Float64, "z": pl.String}
    again = pl.concat(list(read_chunks("a.csv", Told(types=types)).chunks))
    assert again["x"].to_list() == numbers


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz"])
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
@pytest.mark.parametrize("header", [True, False])
def test_codes_keep_their_zeros_however_the_file_is_kept(name, encoding, header):
    text = ("PLZ;a;b\n" if header else "") + "01067;1.5;ü\n80331;2.5;ä\n"
    data = text.encode(encoding)
    write(name, gzip.compress(data) if name.endswith("gz") else data)
    contents = read_table(name, Told(header=header))
    assert contents.table.to_series(0).to_list() == ["01067", "80331"]
    assert "such as 01067, and is read as text" in contents.notes[0]


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_decimal_commas_in_every_column_are_not_taken_for_delimiters(delimiter):
    """Commas then cut every row into as many cells or more, but not the names."""
    rows = ["1,5|3,5|0,2", "2,5|3,0|0,4", "4,0|1,25|7,1"]
    text = "\n".join(["x|y|z", *rows]).replace("|", delimiter)
    assert read_table(write("a.csv", text.encode())).table["y"].to_list() == [3.5, 3.0, 1.25]
    bare = "\n".join(rows).replace("|", delimiter)
    assert read_table(write("a.csv", bare.encode()), Told(header=False)).table.row(2) == (4.0, 1.25, 7.1)


def test_quotes():
    assert read_table(write("a.csv", b"x,y\n'a, b',1\n'c',2\n")).table["x"].to_list() == ["a, b", "c"]
    assert read_table(write("b.csv", b'x,y\n"a\nb",1\n"c ""d""",2\n')).table["x"].to_list() == ["a\nb", 'c "d"']
    told = Told(quote="~")
    assert read_table(write("c.csv", b"x,y\n~a, b~,1\n~c~,2\n"), told).table["x"].to_list() == ["a, b", "c"]


def test_line_ends_and_blank_lines():
    for end in ("\n", "\r\n", "\r"):
        text = end.join(["x,y", "", "1,a", "", "2,b", "", ""])
        assert read_table(write("a.csv", text.encode())).table.rows() == [(1, "a"), (2, "b")]
    assert read_table(write("a.csv", b"x,y\n1,a\n2,b")).table.height == 2


def test_blank_lines_among_quoted_cells_are_no_rows_and_those_within_stay():
    write("a.csv", b'x,y\n"a\n\nb",1\n\n"c",2\n\r\n"d",3\n')
    expected = [("a\n\nb", 1), ("c", 2), ("d", 3)]
    assert read_table("a.csv").table.rows() == expected
    (chunk,) = read_chunks("a.csv", Told(types={"y": pl.Int64})).chunks
    assert chunk.rows() == expected


SHORT = {
    "plain": (b"x,y,z\n1,2,3\n4,5\n7,8,9\n", 3),
    "quoted": (b'x,y,z\n1,2,"3"\n"4","5"\n7,8,9\n', 3),
    "quoted line breaks": (b'x,y,z\n1,2,"3\n\n4"\n\n"4","5"\n7,8,9\n', 6),
    "padded": (b"x, y, z\n1, 2, 3\n4, 5\n7, 8, 9\n", 3),
    "announced": (b"sep=;\n\nx;y;z\n1;2;3\n4;5\n", 5),
    "the first": (b"x,y,z\n4,5\n7,8,9\n", 2),
    "too long": (b"x,y,z\n4,5,6\n7,8,9\n7,8,9,10\n", 4),
    "carriage returns": (b"x,y,z\r1,2,3\r4,5\r7,8,9\r", 3),
    "another encoding": ("x,y,z\n1,2,3\n4,5\n7,8,9\n".encode("utf-16"), 3),
}


@pytest.mark.parametrize("name", SHORT)
@pytest.mark.parametrize("read", [read_table, lambda name: list(read_chunks(name).chunks)], ids=["whole", "chunks"])
@pytest.mark.parametrize("size", [8, 1 << 20])
def test_a_row_of_too_few_or_too_many_cells_is_named_by_its_line(name, read, size, monkeypatch):
    content, line = SHORT[name]
    monkeypatch.setattr(text_reader, "BLOCK", size)
    write("a.csv", content)
    with pytest.raises(DataError, match=rf"^line {line} of 'a.csv' has \d cells for 3 columns"):
        read("a.csv")


def test_an_empty_last_cell_is_no_short_row():
    write("a.csv", b'x,y\n"1",a\n"2",\n"3",""\n')
    assert read_table("a.csv").table["y"].to_list() == ["a", None, None]
    (chunk,) = read_chunks("a.csv", Told(columns=["x"])).chunks
    assert chunk.columns == ["x"]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b'{"a": 1, "y": "u"}\n{"a": 2, "y": "v"}\n', "JSON"), (b'[\n {"a": 1, "y": 2}\n]\n', "JSON"),
        (b'[{"a": 1}]', "JSON"), (b"<!DOCTYPE html>\n<html>\n", "page of the web"),
    ],
)  # fmt: skip
def test_what_is_called_csv_and_is_not(content, what):
    write("a.csv", content)
    for read in (read_table, read_chunks):
        with pytest.raises(DataError, match=what):
            read("a.csv")
    assert read_table(write("b.csv", b"[a],{b}\n1,2\n")).table.columns == ["[a]", "{b}"]


def test_blanks_around_cells():
    table = read_table(write("a.csv", b"x, y, d\n1, a, 2020-01-01\n 2,b , ?\n")).table
    assert table.columns == ["x", "y", "d"]
    assert table["x"].to_list() == [1, 2]
    assert table["y"].to_list() == ["a", "b"]
    assert table["d"].dtype == pl.Date


def test_texts_that_mean_missing():
    table = read_table(write("a.csv", b"x,y\n1,a\n?,NA\nNaN,\n4,null\n")).table
    assert table["x"].to_list() == [1, None, None, 4]
    assert table["y"].to_list() == ["a", None, None, None]
    assert read_table("a.csv", Told(missing=("?",))).table["y"].to_list() == ["a", "NA", None, "null"]


def test_a_type_that_shows_late():
    """The first 10,000 rows are whole numbers, a later one is not."""
    lines = "x,y\n" + "1,a\n" * 12_000 + "2.5,b\nlots,a\n"
    assert read_table(write("a.csv", lines.encode())).table["x"].dtype == pl.String
    assert read_table(write("b.csv", lines.replace("lots", "3").encode())).table["x"].to_list()[-2:] == [2.5, 3.0]


def test_headers():
    assert read_table(write("a.csv", b"1,a\n2,b\n"), Told(header=False)).table.columns == ["x0", "x1"]
    contents = read_table(write("b.csv", b",x\n1,a\n2,b\n"))
    assert contents.table.columns == ["column1", "x"]
    assert "has no name" in contents.notes[0]
    assert "looks like data" in read_table(write("c.csv", b"1,2\n3,4\n")).notes[0]
    assert read_table(write("d.csv", b"sep=;\nx;y\n1;a\n")).table.rows() == [(1, "a")]


def test_dates_are_dates():
    table = read_table(
        write("a.csv", b"d,t,y\n2024-02-29,2024-02-29 10:30:00,a\n2024-03-01,2024-03-01 00:00:00,b\n")
    ).table
    assert table["d"].dtype == pl.Date
    assert table["t"].dtype.base_type() == pl.Datetime


# ---- packed, several, standard input ---------------------------------------------------------------------------------


def zstd(data: bytes) -> bytes:
    import zstandard

    return zstandard.compress(data)


@pytest.mark.parametrize("pack", [gzip.compress, zstd], ids=["gzip", "zstd"])
def test_packed_files(pack):
    assert same(read_table(write("a.csv.gz", pack(csv_of()))).table)
    buffer = io.BytesIO()
    TABLE.write_parquet(buffer)
    assert same(read_table(write("b.parquet.gz", pack(buffer.getvalue()))).table)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstd])
def test_standard_input(pack, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(pack(csv_of()))))
    assert same(read_table("-").table)


def test_patterns():
    for place in range(3):
        write(f"part-{place}.csv", csv_of(TABLE[place : place + 1]))
    contents = read_table("part-*.csv")
    assert contents.table["count"].to_list() == [1, 2, 3]
    assert contents.words.startswith("3 files")
    assert sum(chunk.height for chunk in read_chunks("part-*.csv").chunks) == 3


# ---- formats with types ----------------------------------------------------------------------------------------------


def test_parquet_arrow_json_and_their_first_bytes():
    TABLE.write_parquet("a.parquet")
    TABLE.write_ipc("a.feather")
    TABLE.write_ipc_stream("stream.arrow")
    TABLE.write_ndjson("a.jsonl")
    Path("a.json").write_text(TABLE.write_json())
    for name in ("a.parquet", "a.feather", "stream.arrow", "a.jsonl", "a.json"):
        assert same(read_table(name).table), name
        unnamed = shutil.copy(name, f"{name}-copy")
        if name != "stream.arrow":  # which has no mark of its own
            assert same(read_table(unnamed).table), unnamed
        assert same(pl.concat(read_chunks(name).chunks)), name


def test_json_lines_in_blocks(monkeypatch):
    monkeypatch.setattr("treewright.data.readers.json_lines.BYTES", 40)
    write("a.jsonl", b'{"x": 1, "y": "a"}\n\n{"x": 2.5}\n{"y": "c", "x": 3}\n{"x": 4}')
    parts = list(read_chunks("a.jsonl").chunks)
    assert len(parts) > 1
    assert all(part.columns == ["x", "y"] for part in parts)
    assert [row for part in parts for row in part.rows()] == [(1, "a"), (2.5, None), (3, "c"), (4, None)]
    write("b.jsonl", b'{"x": 1}\n{"x": \n')
    with pytest.raises(DataError, match="cannot read 'b.jsonl'"):
        list(read_chunks("b.jsonl").chunks)


@pytest.mark.parametrize("size", [3, 20, 1000])
def test_a_json_list_in_blocks(size, monkeypatch):
    monkeypatch.setattr("treewright.data.readers.json_lines.BYTES", size)
    rows = [{"x": k, "y": "ä}]{" * (k % 3)} for k in range(2000)]
    write("a.json", ("\ufeff" + json.dumps(rows, ensure_ascii=False, indent=1)).encode())
    parts = list(read_chunks("a.json").chunks)
    assert len(parts) > 10
    assert pl.concat(parts).to_dicts() == rows
    assert read_table("a.json").table.to_dicts() == rows


@pytest.mark.parametrize("text", ['[{"a": 1}', '[{"a": 1}, 5]', '[{"a": 1} x]', "[1, 2]"])
def test_a_list_that_is_no_list_of_objects(text):
    write("a.json", text.encode())
    for read in (lambda: read_table("a.json"), lambda: list(read_chunks("a.json").chunks)):
        with pytest.raises(DataError, match=r"'a\.json'"):
            read()


def test_excel():
    import openpyxl

    book = openpyxl.Workbook()
    for sheet, rows in (
        (book.active, [("x", "y"), (1, "a"), (2.5, "b")]),
        (book.create_sheet("other"), [("z",), (7,)]),
    ):
        for row in rows:
            sheet.append(row)
    book.save("a.xlsx")
    assert read_table("a.xlsx").table.to_dict(as_series=False) == {"x": [1.0, 2.5], "y": ["a", "b"]}
    assert read_table("a.xlsx", Told(sheet="other")).table.to_dict(as_series=False) == {"z": [7]}


ARFF = b"""% a comment
@RELATION weather

@attribute outlook {sunny, 'heavy rain', overcast}
@attribute 'air temperature' REAL
@attribute play {yes, no}
@data
sunny, 85.5, no
'heavy rain', ?, yes  \n\n?, 70, yes
{1 64, 2 no}
"""


def test_arff():
    contents = read_table(write("a.arff", ARFF))
    assert contents.table.columns == ["outlook", "air temperature", "play"]
    assert contents.table["outlook"].to_list() == ["sunny", "heavy rain", None, "sunny"]
    assert contents.table["air temperature"].to_list() == [85.5, None, 70.0, 64.0]
    assert contents.table["play"].to_list() == ["no", "yes", "yes", "no"]
    assert contents.target == "play"
    assert contents.kinds == {"outlook": "nominal", "play": "nominal"}


NAMES = rb"""| classes
good, bad.          | what is predicted
width: continuous.
colour of it: red,
   green, dark\, blue.
id: ignore.
rating: 1, 2, 3.
"""


def test_c45():
    write("s.names", NAMES)
    write("s.data", b"1.5, red, x1, 1, good.\n?, dark\\, blue, x2, 3, bad.\n")
    write("s.test", b"2, green, x3, ?, bad\n")
    contents = read_table("s.names")
    assert contents.table.columns == ["width", "colour of it", "rating", "class"]
    assert contents.table["width"].to_list() == [1.5, None]
    assert contents.table["colour of it"].to_list() == ["red", "dark, blue"]
    assert contents.table["rating"].to_list() == ["1", "3"]
    assert contents.target == "class"
    assert read_table("s.data").table.equals(contents.table)
    assert read_table("s.test").table["class"].to_list() == ["bad"]
    write("s.data", b"1.5, pink, x1, 1, good.\n")
    with pytest.raises(DataError, match="'pink'"):
        read_table("s.names")


def chunks(name: str, rows: int, monkeypatch) -> list[pl.DataFrame]:
    monkeypatch.setattr("treewright.data.readers.text_lines.ROWS", rows)
    return list(read_chunks(name).chunks)


def test_arff_and_c45_a_part_at_a_time(monkeypatch):
    write("a.arff", ARFF)
    write("s.names", NAMES)
    write("s.data", b"1.5, red, x1, 1, good.\n?, red, x2, 3, bad.\n| a comment\n2, green, x3, ?, bad\n")
    for name in ("a.arff", "s.names", "s.data"):
        parts = chunks(name, 2, monkeypatch)
        assert len(parts) == 2
        assert pl.concat(parts).equals(read_table(name).table)


@pytest.mark.parametrize("name", ["a.arff", "s.data"])
def test_a_part_is_there_before_the_next_is_read(name, monkeypatch):
    monkeypatch.setattr("treewright.data.readers.text_lines.ROWS", 2)
    write("s.names", NAMES)
    write("a.arff", ARFF + b"rubbish\n")
    write("s.data", b"1.5, red, x1, 1, good.\n?, red, x2, 3, bad.\nrubbish\n")
    parts = read_chunks(name).chunks
    assert next(parts).height == 2
    with pytest.raises(DataError, match=r"^line \d+ of"):
        list(parts)


def test_sqlite():
    with sqlite3.connect("a.db") as base:
        base.execute('create table "my rows" (x real, y text)')
        base.executemany('insert into "my rows" values (?, ?)', [(1.5, "a"), (None, "b")])
    base.close()
    assert read_table("sqlite:///a.db").table.to_dict(as_series=False) == {"x": [1.5, None], "y": ["a", "b"]}
    assert read_table(f"sqlite:///{os.path.abspath('a.db')}?table=my rows").table.height == 2


def test_duckdb():
    import duckdb

    with duckdb.connect("a.duckdb") as base:
        base.execute("create table t as select 1.5 as x, 'a' as y union all select null, 'b' order by 2")
    assert [chunk.height for chunk in read_chunks("duckdb:///a.duckdb?table=t").chunks] == [2]
    assert read_table("duckdb:///a.duckdb").table["y"].to_list() == ["a", "b"]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("initdb") is None or not hasattr(os, "geteuid"), reason="needs a PostgreSQL server")
def test_postgresql():
    """A server of its own, reached through a socket in a folder of its own; PostgreSQL refuses to run as root."""
    import psycopg

    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o777)
        server = [
            "pg_ctl",
            "-D",
            f"{place}/base",
            "-o",
            f"-k {place} -c listen_addresses=''",
            "-l",
            f"{place}/log",
            "-w",
        ]
        as_user({"cwd": place}, "initdb", "-D", f"{place}/base", "-U", "tester", "-A", "trust")
        as_user({"cwd": place}, *server, "start")
        try:
            url = f"postgresql://tester@/postgres?host={place}"
            with psycopg.connect(url) as base:
                base.execute("create table flats (rooms int, rent double precision, town text)")
                base.execute("insert into flats values (2, 700.5, 'Ulm'), (3, null, 'Bonn')")
            assert read_table(f"{url}&table=flats").table.rows() == [(2, 700.5, "Ulm"), (3, None, "Bonn")]
            assert read_table(url).table.height == 2
        finally:
            as_user({"cwd": place}, *server, "-m", "immediate", "stop")


def as_user(more: dict, *command: str) -> None:
    if os.geteuid() == 0:
        import pwd

        user = pwd.getpwnam("nobody")
        more = {**more, "user": user.pw_uid, "group": user.pw_gid}
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)


def test_passwords_are_not_repeated():
    with pytest.raises(DataError) as refusal:
        read_table("postgresql://me:secret@127.0.0.1:1/none?table=t")
    assert "secret" not in str(refusal.value)


# ---- blocks of lines -------------------------------------------------------------------------------------------------

CELLS = st.text(st.sampled_from('ab,"\n \r;'), max_size=6)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=12), st.integers(1, 40))
def test_blocks_end_between_rows_and_lose_nothing(rows, size):
    """Whatever stands in the cells, and however small the pieces are."""
    lines = pl.DataFrame(rows, schema=["p", "q"], orient="row").write_csv(quote_style="always").encode()
    pieces = [lines[start : start + size] for start in range(0, len(lines), size)]
    blocks = list(line_reader._line_blocks(iter(pieces), b'"'))
    assert b"".join(blocks).strip() == lines.strip()
    assert all(block.count(b'"') % 2 == 0 for block in blocks)


def test_chunks_have_the_types_they_are_told(monkeypatch):
    monkeypatch.setattr(text_reader, "BLOCK", 30)
    told = Told(types={"size": pl.Float64, "count": pl.Float64}, columns=["size", "name"])
    parts = list(read_chunks(write("a.csv", csv_of()), told).chunks)
    assert len(parts) > 1
    table = pl.concat(parts)
    assert table.schema == {"size": pl.Float64, "name": pl.String}
    assert table.rows() == TABLE.select("size", "name").rows()
