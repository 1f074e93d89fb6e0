"""``treewright teach``: what it prints, and what it refuses."""

import json
import re
from pathlib import Path

import pytest

from command import call, shell
from treewright import teach
from treewright.teach.formula_symbols import is_formula, latex_formula

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "teach.md"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)

# What a person has read and found good. After a change that is meant to change it: pytest tests/cli --regen.
GOLDEN = {
    "gain": "treewright teach gain",
    "id3_temperature": "treewright teach id3 --table temperature",
    "gini_markdown": "treewright teach gini --node 3 --markdown",
    "pruning": "treewright teach pruning",
    "missing": "treewright teach missing",
    "example_25": "treewright teach --example 25",
    "cart": "treewright teach cart --depth 2",
    "c45_temperature": "treewright teach c4.5 --table temperature",
    "chaid": "treewright teach chaid",
    "regression": "treewright teach regression --depth 2",
    "likelihood": "treewright teach likelihood",
    "boosting": "treewright teach boosting",
    "bagging": "treewright teach bagging",
    "myopia": "treewright teach myopia",
}


@pytest.mark.parametrize("name", GOLDEN)
def test_what_is_printed(name, request):
    ran = shell(GOLDEN[name])
    path = HERE / "teach" / f"{name}.txt"
    if request.config.getoption("--regen"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(ran.out, encoding="utf-8")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == path.read_text(encoding="utf-8")


def is_math(step, line):
    return not step.verbatim and is_formula(line)


@pytest.mark.parametrize("topic", teach.TOPICS)
def test_every_topic_as_text_markdown_and_json(topic):
    text, markdown = call("teach", topic).out, call("teach", topic, "--markdown").out
    record = json.loads(call("teach", topic, "--json").out)
    lesson = teach.lesson(topic)
    for step in lesson.steps:
        assert f"Step {step.number}. {step.title}\n" in text
        assert f"## {step.number}. {step.title}\n" in markdown
        assert all(line in text for line in step.formulas)
        assert all((latex_formula(line) if is_math(step, line) else line) in markdown for line in step.formulas)
    assert [step["values"] for step in record["steps"]] == [dict(step.values) for step in lesson.steps]
    assert "\x1b" not in text


@pytest.mark.parametrize("number", teach.EXAMPLES)
def test_every_worked_example(number):
    ran = call("teach", "--example", str(number))
    erratum = teach.example(number).erratum
    assert ran.code == 0
    assert ran.out.startswith(f"Worked example {number}. ")
    assert (f"Erratum: {erratum}." in ran.out) if erratum else "Erratum" not in ran.out


def test_the_list_of_worked_examples():
    lines = call("teach", "--examples").out.splitlines()
    assert len(lines) == 1 + len(teach.EXAMPLES)
    assert sum(line.endswith("with an erratum") for line in lines) == sum(
        bool(e.erratum) for e in teach.EXAMPLES.values()
    )
    assert [each["number"] for each in json.loads(call("teach", "--examples", "--json").out)] == list(teach.EXAMPLES)


def test_one_step_keeps_its_number():
    whole, third = call("teach", "gain").out, call("teach", "gain", "--step", "3").out
    assert third.count("Step ") == 1
    assert third.partition("Step 3.")[2].strip() in whole


def test_the_base_of_the_logarithm():
    assert "En(play) = −(5/14·ln 5/14 + 9/14·ln 9/14) = 0.6518" in call("teach", "entropy", "--base", "e").out
    assert "log10" in call("teach", "gain", "--base", "10").out


def test_one_s_own_file_is_as_good_as_the_bundled_table(folder):
    own = call("teach", "gain", "--data", "tennis.csv", "--target", "play").out
    assert own.replace("tennis.csv", "play_tennis") == call("teach", "gain").out


def test_columns_can_be_left_out_and_taken_in():
    assert "Gain(windy)" not in call("teach", "gain", "--drop", "windy").out
    assert "Gain(day) = 0.9403" in call("teach", "gain", "--identifiers").out
    nominal = call("teach", "gain", "--table", "xor", "--kinds", "a=nominal").out
    assert "a = 0" in nominal
    assert "b ≤ 0.5" in nominal


def test_validation_rows_from_a_file(folder):
    out = call("teach", "pruning", "--table", "play_tennis", "--validation", "tennis.csv").out
    assert "14 validation rows" in out


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("teach --table play_tennis", "no topic is given"),
        ("teach entropie", "unknown topic 'entropie'"),
        ("teach gain --table tenis", "no data set is called 'tenis'"),
        ("teach gain --table xor --data tennis.csv", "both given"),
        ("teach gain --data nowhere.csv", "there is no file 'nowhere.csv'"),
        ("teach gain --data tennis.csv --target zz", "there is no column 'zz'"),
        ("teach gain --table food --target zz", "no column 'zz'"),
        ("teach entropy --table iris_rows --target petal_width", "is a number"),
        ("teach entropy --data rent.csv --target rent", "is a number"),
        ("teach entropy --table batman_new", "target of every row is missing"),
        ("teach gain --data header.csv", "no rows"),
        ("teach gain --data empty.csv", "empty"),
        ("teach gain --data constant.csv", "only one class"),
        ("teach gain --base 3", "the base '3' is not accepted"),
        ("teach gain --node 99", "there is no node 99"),
        ("teach id3 --node 99", "no step is about node 99"),
        ("teach gain --step 0", "there is no step 0"),
        ("teach gain --depth 2", "has no option 'depth'"),
        ("teach gain --drop zz", "no column 'zz'"),
        ("teach pruning --validation loans.csv", "there is no column 'play'"),
        ("teach missing --table xor", "no missing values"),
        ("teach costs --cost windy", "--cost 'windy' is not accepted"),
        ("teach costs --cost zz=2", "there is no column 'zz'"),
        ("teach costs --weight 2", "less than or equal to 1"),
        ("teach cart --node 99", "no step is about node 99"),
        ("teach cart --alpha 0.1", "has no option 'alpha'"),
        ("teach chaid --alpha 2", "--alpha 2 is not accepted"),
        ("teach regression --table play_tennis", "holds classes"),
        ("teach regression --data loans.csv --target paid", "holds classes"),
        ("teach likelihood --base 2", "has no option 'base'"),
        ("teach --example 99", "there is no worked example 99"),
        ("teach gain --example 9", "a worked example has its own topic"),
    ],
)
def test_bad_input_is_one_line_with_a_hint(line, message, folder):
    (folder / "header.csv").write_text("x,y\n")
    (folder / "empty.csv").write_text("")
    (folder / "constant.csv").write_text("x,y\n1,a\n2,a\n")
    ran = call(*line.split())
    *said, error = ran.err.splitlines()
    assert (ran.code, ran.out) == (2, "")
    assert message in error
    assert "Hint: " in error
    assert all(text.startswith("The target is ") for text in said)


def test_the_page_is_what_is_printed(request):
    page = PAGE.read_text(encoding="utf-8")

    def replayed(found):
        lines = [line for line in found[1].splitlines() if line.startswith("$ ")]
        return "```console\n" + "".join(f"{line}\n{shell(line[2:]).out}" for line in lines) + "```"

    made = BLOCK.sub(replayed, page)
    if request.config.getoption("--regen"):
        PAGE.write_text(made, encoding="utf-8")
    assert BLOCK.findall(made) == BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    assert len(BLOCK.findall(page)) >= 6


def test_forms_notation_and_exercises(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert call("datasets", "play_tennis", "-o", "my.csv").code == 0
    assert call("teach", "gain", "--latex").out == teach.lesson("gain").to_latex()
    assert call("teach", "gain", "--html").out == teach.lesson("gain").to_html()
    assert "H(S) =" in call("teach", "gain", "--notation", "H,S").out
    mine = ("--data", "my.csv", "--target", "play", "--drop", "day")
    sheet, solved = call("teach", "exercise", "gain", *mine), call("teach", "exercise", "gain", *mine, "--solution")
    assert (sheet.code, solved.code) == (0, 0)
    assert solved.out.startswith(sheet.out.rstrip("\n"))
    assert "a) En(play) = ?" in sheet.out
    assert "0.2467" in solved.out
    assert "0.2467" not in sheet.out
    assert len(call("teach", "exercise", "gain", *mine, "--rows", "5", "--seed", "2").out) < len(sheet.out)
    for arguments, words in (
        (("exercise",), "an exercise is of a topic"),
        (("exercise", "knn"), "no exercises"),
        (("gain", "--solution"), "--solution is for exercises"),
        (("gain", "entropy"), "'entropy' is for exercises"),
        (("gain", "--latex", "--html"), "both given"),
        (("gain", "--notation", "Q"), "notation"),
    ):
        ran = call("teach", *arguments)
        assert ran.code == 2
        assert words in ran.err


def test_without_a_topic_the_topics_are_listed():
    listed = call("teach")
    assert listed.code == 0
    assert [line.split()[0] for line in listed.out.splitlines()[1:]] == list(teach.TOPICS)
    assert [each["topic"] for each in json.loads(call("teach", "--json").out)] == list(teach.TOPICS)


def test_exercises_of_a_file_leave_out_what_names_the_rows(tmp_path):
    """… as fitting would leave it out of the whole file, however few rows are drawn."""
    lines = [f"{5000 + 7 * n},u{n},{n % 3},{n % 2}" for n in range(40)]
    (tmp_path / "users.csv").write_text("\n".join(["user_id,email,size,y", *lines, ""]))
    sheet = call("teach", "exercise", "gain", "--data", str(tmp_path / "users.csv"), "--target", "y", "--rows", "6")
    assert "size" in sheet.out
    assert not re.search("user_id|email", sheet.out)
    kept = call(
        "teach", "exercise", "gain", "--data", str(tmp_path / "users.csv"), "--target", "y", "--rows", "6",
        "--kinds", "user_id=numeric",
    )  # fmt: skip
    assert "Gain(user_id" in kept.out
