"""What the pages of the documentation show is what happens.

The blocks of a page are run one after the other, in a folder of their own: Python, and commands. A block that cannot
be run has a line ``<!-- not run: why -->`` above it. A block with ``<!-- printed -->`` above it is what the blocks
before it have printed, or a part of that. A block of ``console`` is a session: what its commands print is compared, and
``--regen`` writes it anew. Commands are looked up, whether they stand in blocks or in sentences; those of README.md,
docs/cli.md and docs/teach.md are run by ``tests/cli``.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import runpy
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest

import treewright as tw
from command import call, replayed
from treewright.teach import TOPICS

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


def run_commands(block: Block) -> None:
    for line in COMMAND.findall(block.text):
        ran = call(*shlex.split(line)[1:])
        assert ran.code == 0, f"{line}: {ran.err}"


def run_session(page: Path, block: Block, regen: bool) -> None:
    """The commands of a session, and what they print."""
    shown = replayed(block.text)
    if regen:
        page.write_text(text_of(page).replace(f"```console\n{block.text}", f"```console\n{shown}"), encoding="utf-8")
    else:
        assert shown == block.text


@each([page for page in PAGES if blocks(page)])
@pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")
def test_the_blocks_of_a_page_run(page, tmp_path, monkeypatch, request):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names, printed = {"__name__": "__main__"}, io.StringIO()
    for number, block in enumerate(blocks(page), 1):
        if block.is_run:
            with contextlib.redirect_stdout(printed):
                run(block, names, f"{name_of(page)}, block {number}")
        elif block.mark == "printed":
            assert block.text in printed.getvalue()
        elif name_of(page) in RUN_ELSEWHERE or NOT_RUN.fullmatch(block.mark or ""):
            continue
        elif block.language == "console":
            run_session(page, block, request.config.getoption("--regen"))
        elif not block.is_python:
            run_commands(block)


@each(PAGES)
def test_marks_are_known_and_blocks_are_closed(page):
    assert text_of(page).count("\n```") % 2 == 0
    assert not re.search(r"^[ >]+```", text_of(page), re.M), "a block within a list is not run"
    marks = [block.mark for block in blocks(page) if block.mark]
    assert all(NOT_RUN.fullmatch(mark) or mark == "printed" or mark.startswith("benchmarks:") for mark in marks), marks
    assert text_of(page).count("<!-- not run") == sum(mark.startswith("not run") for mark in marks)


# ---- commands ----------------------------------------------------------------------------------------------------


def unknown_in(line: str) -> list[str]:
    """Commands and options in a line that do not exist."""
    import typer

    from treewright.cli.app import app
    from treewright.cli.arguments.learner_options import LearnerCommand, all_options, written

    group = typer.main.get_command(app)
    _, *words = shlex.split(line)
    if not words or words[0].startswith("-"):
        return [word for word in words if word not in {"-h", "--help", "--version", "--install-completion"}]
    command = group.commands.get(words[0])
    if command is None:
        return words[:1]
    if words[0] == "teach" and words[1:] and not words[1].startswith("-") and words[1] not in (*TOPICS, "exercise"):
        return words[1:2]
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
    assert unknown_in("treewright teach example 1") == ["example"]
    assert unknown_in("treewright fit table.csv --max-depth 3 --no-raising --deep 2") == ["--deep"]


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


LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")
SOURCE = re.compile(r'(?:src|srcset|href)="(?!https?:)([^"#]*)(?:#([^"]*))?"')


def anchors(page: Path) -> set[str]:
    """Where a link into a page may lead: to its headings, in the words that GitHub and the site make of them."""
    headings = re.findall(r"^#+ (.+)$", sentences(page), re.M)
    return {re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip()) for heading in headings}


@each(PAGES)
def test_links_lead_somewhere(page):
    text = sentences(page)
    for target, anchor in [*LINK.findall(text), *SOURCE.findall(text)]:
        linked = page.parent / target if target else page
        assert linked.exists(), f"{name_of(page)} links to {target}"
        assert not anchor or anchor in anchors(linked), f"{name_of(page)} links to {target}#{anchor}"


@each([page for page in PAGES if page.parent != ROOT])
def test_links_stay_within_the_site(page):
    """Pages of the site are read without the files around them."""
    for target, _ in [*LINK.findall(sentences(page)), *SOURCE.findall(sentences(page))]:
        assert (page.parent / target).resolve().is_relative_to(ROOT / "docs"), f"{name_of(page)} links to {target}"


def test_the_navigation_has_every_page_once():
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    listed = re.findall(r"(?:^|\s)(\S+\.md)$", navigation, re.M)
    assert sorted(listed) == sorted(page.relative_to(ROOT / "docs").as_posix() for page in ROOT.glob("docs/**/*.md"))


# ---- the reference -----------------------------------------------------------------------------------------------


def test_the_reference_has_every_public_name():
    pages = "".join(map(text_of, ROOT.glob("docs/reference/*.md")))
    shown = re.findall(r"^::: treewright\.(\w+)$", pages, re.M)
    assert sorted(shown) == sorted(tw.__all__)


def test_the_reference_has_every_command():
    import typer

    from treewright.cli.app import app

    hook = runpy.run_path(str(ROOT / "docs" / "site" / "commands_page.py"))
    assert hook["PLACE"] in text_of(ROOT / "docs" / hook["PAGE"])
    shown = hook["all_commands"]()
    assert re.findall(r"^## (\S+)$", shown, re.M) == list(typer.main.get_command(app).commands)
    assert "treewright fit iris.csv" in shown
    assert "The most tests on the way from the root to a leaf" in shown


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
