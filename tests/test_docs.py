"""What the pages of the documentation show is what happens.

Every Python block of every page is run, the blocks of a page one after the other, in a folder of their own. A block
that cannot be run has a line ``<!-- not run: why -->`` above it. A block with ``<!-- printed -->`` above it is what the
blocks before it have printed, or a part of that. Commands are looked up, whether they stand in blocks or in sentences;
those of README.md, docs/cli.md and docs/teach.md are run by ``tests/cli``.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest

from command import call

try:
    import tomllib
except ImportError:  # Python 3.10; pytest brings it there
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "treewright"
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md")])
RUN_ELSEWHERE = {"README.md", "docs/cli.md", "docs/teach.md"}
BLOCK = re.compile(r"(?:^<!-- (?P<mark>[^\n]*?) -->\n+)?^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.M | re.S)
NOT_RUN = re.compile(r"not run: \S.*")
COMMAND = re.compile(r"^(?:\$ )?(?:cat \S+ \| )?(treewright(?: .+)?)$", re.M)
PATH = re.compile(r"`((?:[\w.-]+/)*[\w.-]+\.(?:py|md|json|toml|svg))(?::(\w+))?`")


@dataclass(frozen=True)
class Block:
    mark: str | None
    language: str
    text: str

    @property
    def is_python(self) -> bool:
        return self.language == "python" or self.text.startswith(">>> ")

    @property
    def is_run(self) -> bool:
        return self.is_python and not NOT_RUN.fullmatch(self.mark or "")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def blocks(page: Path) -> list[Block]:
    return [Block(**found.groupdict()) for found in BLOCK.finditer(text_of(page))]


def sentences(page: Path) -> str:
    """The page without its blocks."""
    return BLOCK.sub("", text_of(page))


def commands(page: Path) -> list[str]:
    """In blocks a command is a line, in sentences what stands between backticks."""
    in_blocks = [line for block in blocks(page) if not block.is_python for line in COMMAND.findall(block.text)]
    in_sentences = [code for code in re.findall(r"`([^`\n]+)`", sentences(page)) if COMMAND.fullmatch(code)]
    return [line.partition("  #")[0] for line in (*in_blocks, *in_sentences)]


def each(pages):
    return pytest.mark.parametrize("page", pages, ids=name_of)


# ---- Python ------------------------------------------------------------------------------------------------------


def run(block: Block, names: dict, place: str) -> None:
    if ">>> " not in block.text:
        exec(compile(block.text, place, "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(block.text, names, place, place, 0)
    told = io.StringIO()
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=told.write, clear_globs=False)
    names.update(test.globs)
    assert not told.getvalue(), told.getvalue()


@each([page for page in PAGES if any(block.is_run for block in blocks(page))])
@pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")
def test_the_python_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names, printed = {"__name__": "__main__"}, io.StringIO()
    for number, block in enumerate(blocks(page), 1):
        if block.is_run:
            with contextlib.redirect_stdout(printed):
                run(block, names, f"{name_of(page)}, block {number}")
        elif block.mark == "printed":
            assert block.text in printed.getvalue()


@each(PAGES)
def test_marks_are_known_and_blocks_are_closed(page):
    assert text_of(page).count("\n```") % 2 == 0
    marks = [block.mark for block in blocks(page) if block.mark]
    assert all(NOT_RUN.fullmatch(mark) or mark == "printed" or mark.startswith("benchmarks:") for mark in marks), marks
    assert text_of(page).count("<!-- not run") == sum(mark.startswith("not run") for mark in marks)


# ---- commands ----------------------------------------------------------------------------------------------------


def unknown_in(line: str) -> list[str]:
    """Commands and options in a line that do not exist."""
    import typer

    from treewright.cli.app import app
    from treewright.cli.learner_options import LearnerCommand, all_options, written

    group = typer.main.get_command(app)
    _, *words = shlex.split(line)
    if not words or words[0].startswith("-"):
        return [word for word in words if word not in {"-h", "--help", "--version", "--install-completion"}]
    command = group.commands.get(words[0])
    if command is None:
        return words[:1]
    known = {name for option in command.params for name in (*option.opts, *option.secondary_opts)} | {"-h", "--help"}
    if isinstance(command, LearnerCommand):
        names = [written(option) for option in all_options()]
        known |= {*names, *("--no-" + name.removeprefix("--") for name in names)}
    return [word for word in words[1:] if re.match(r"--?[a-z]", word) and word.partition("=")[0] not in known]


@each([page for page in PAGES if commands(page)])
def test_commands_and_their_options_exist(page):
    assert {line: found for line in commands(page) if (found := unknown_in(line))} == {}


def test_what_does_not_exist_is_found():
    assert unknown_in("treewright grow table.csv") == ["grow"]
    assert unknown_in("treewright fit table.csv --max-depth 3 --no-raising --deep 2") == ["--deep"]


@each([page for page in PAGES if name_of(page) not in RUN_ELSEWHERE])
def test_command_blocks_of_other_pages_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for block in blocks(page):
        if not block.is_python and not NOT_RUN.fullmatch(block.mark or ""):
            for line in COMMAND.findall(block.text):
                ran = call(*shlex.split(line)[1:])
                assert ran.code == 0, f"{line}: {ran.err}"


@each(PAGES)
def test_make_knows_what_is_made(page):
    targets = set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    lines = [line for block in blocks(page) if not block.is_python for line in block.text.splitlines()]
    named = [found[1] for line in lines if (found := re.match(r"make ([a-z-]+)", line))]
    named += re.findall(r"`make ([a-z-]+)", sentences(page))
    assert set(named) <= targets


# ---- names of files ----------------------------------------------------------------------------------------------

MADE_BY_EXAMPLES = {"model.json", "flowers.json", "tennis.json"}


@each(PAGES)
def test_files_and_their_functions_exist(page):
    places = (ROOT, PACKAGE, page.parent)
    for path, name in PATH.findall(sentences(page)):
        found = [place / path for place in places if (place / path).exists()]
        assert found or path in MADE_BY_EXAMPLES, f"{name_of(page)} names {path}, which does not exist"
        if name:
            assert re.search(rf"^(def|class) {name}\b", text_of(found[0]), re.M), f"{path} has no {name}"


@each(PAGES)
def test_links_lead_somewhere(page):
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)", sentences(page)):
        linked = page.parent / target if target else page
        assert linked.exists(), f"{name_of(page)} links to {target}"
        if anchor:
            headings = re.findall(r"^#+ (.+)$", text_of(linked), re.M)
            assert anchor in {heading.lower().replace(" ", "-") for heading in headings}


def test_every_page_of_decisions_is_listed():
    folder = ROOT / "docs" / "decisions"
    listed = set(re.findall(r"^\| \[[^]]+\]\(([^)]+)\)", text_of(folder / "README.md"), re.M))
    assert listed == {page.name for page in folder.glob("*.md")} - {"README.md"}


# ---- layers ------------------------------------------------------------------------------------------------------


def layers() -> list[set[str]]:
    """From the top down, as import-linter is told."""
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    (contract,) = (contract for contract in tools["importlinter"]["contracts"] if contract["type"] == "layers")
    return [set(re.findall(r"\w+", layer)) for layer in contract["layers"]]


def section(page: Path, heading: str) -> str:
    return text_of(page).partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def test_contributing_shows_the_layers_of_the_contract():
    lines = section(ROOT / "CONTRIBUTING.md", "Layers").partition("```\n")[2].partition("```")[0].splitlines()
    shown = [re.fullmatch(r"(\w+(?: \| \w+)*)  +(\S.*)", line) for line in lines]
    assert all(shown), "every layer is its names, two spaces at least and what it means"
    assert [set(line[1].split(" | ")) for line in shown] == layers()


def test_the_folders_are_shown_in_the_order_of_the_layers():
    rows = re.findall(r"^\| (`[^|]+`) \|", section(ROOT / "docs" / "how_it_works.md", "The folders"), re.M)
    shown = [name for row in rows for name in re.findall(r"`(\w+?)(?:/|\.py)`", row)]
    rank = {name: place for place, layer in enumerate(reversed(layers())) for name in layer}
    assert sorted(shown) == sorted(rank)
    assert [rank[name] for name in shown] == sorted(rank.values())


def test_how_it_works_is_two_pages():
    assert len(text_of(ROOT / "docs" / "how_it_works.md").splitlines()) <= 120
