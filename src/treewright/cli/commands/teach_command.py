"""``treewright teach``: the calculation by hand, with the numbers filled in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from treewright.cli import completions
from treewright.cli.arguments.row_option import written_row
from treewright.cli.arguments.shared_options import Choosing, Reading, Talk, with_options
from treewright.cli.input_tables import choose, read_kinds, remarks
from treewright.cli.output import columns, result, result_json, say
from treewright.errors import OptionError

_EXERCISE = "exercise"
_FORMS = {"latex": "latex", "tex": "latex", "html": "html", "markdown": "markdown", "md": "markdown"}
EXAMPLES = """
\b
  treewright teach gain
  treewright teach gain --node 3 --base e
  treewright teach id3 --table robot --markdown
  treewright teach cart --table customer_loyalty --node 0
  treewright teach regression --table batman --target height
  treewright teach entropy --data tennis.csv --target play
  treewright teach pruning --step 3
  treewright teach missing --table customer_loyalty --column gender
  treewright teach costs --cost humidity=0.5 --cost windy=2 --weight 0.5
  treewright teach boosting --rounds 2
  treewright teach knn --k 3 --metric manhattan
  treewright teach kd-tree --query 'sepal_length=5.5, sepal_width=3, petal_length=4, petal_width=1'
  treewright teach myopia --table same_shape
  treewright teach id3 --notation H,S --latex
  treewright teach exercise gain --data tennis.csv --target play --solution
  treewright teach --examples
  treewright teach --example 15
"""


@with_options(reading=Reading, talk=Talk)
def teach(
    topic: Annotated[
        str | None,
        typer.Argument(
            autocompletion=completions.topics,
            help="entropy, gain, gain-ratio, gini, likelihood, chi2, id3, c4.5, cart, chaid, regression, m5, pruning, "
            "missing, costs, myopia, bagging, boosting, knn or kd-tree; or exercise and one of these.",
        ),
    ] = None,
    about: Annotated[str | None, typer.Argument(autocompletion=completions.topics, help="exercise: the topic.")] = None,
    table: Annotated[
        str | None,
        typer.Option(autocompletion=completions.tables, help="A bundled table; treewright datasets lists them."),
    ] = None,
    data: Annotated[str | None, typer.Option(help="A file of your own.")] = None,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="The column to predict: classes, for regression and m5 a number."),
    ] = None,
    drop: Annotated[list[str] | None, typer.Option(help="A column to leave out; may be repeated.")] = None,
    kinds: Annotated[list[str] | None, typer.Option(help="COLUMN=nominal and the like; may be repeated.")] = None,
    identifiers: Annotated[bool, typer.Option("--identifiers", help="Keep columns that only name the rows.")] = False,
    base: Annotated[str | None, typer.Option(help="The base of the logarithm: 2, e or 10. [default: 2]")] = None,
    node: Annotated[int | None, typer.Option(help="Show one node of the tree; 0 is the root.")] = None,
    step: Annotated[int | None, typer.Option(help="Show one step.")] = None,
    depth: Annotated[int | None, typer.Option(min=0, help="Whole trees: how deep they may grow.")] = None,
    alpha: Annotated[float | None, typer.Option(help="chaid: what p must not exceed. [default: 0.1]")] = None,
    column: Annotated[str | None, typer.Option(help="missing: the column whose missing values are shown.")] = None,
    cost: Annotated[
        list[str] | None, typer.Option(help="costs: COLUMN=NUMBER; others cost 1. May be repeated.")
    ] = None,
    weight: Annotated[float | None, typer.Option(min=0.0, max=1.0, help="costs: Núñez's w. [default: 1]")] = None,
    rounds: Annotated[int | None, typer.Option(help="bagging, boosting: how many stumps. [default: 3]")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="bagging, exercise: the seed of the draws. [default: 1 and 0]")
    ] = None,
    query: Annotated[
        str | None, typer.Option(help="knn, kd-tree: 'column=value, …' to ask about. [default: the last row]")
    ] = None,
    k: Annotated[int | None, typer.Option(help="knn, kd-tree: how many neighbours. [default: 3 and 1]")] = None,
    metric: Annotated[
        str | None, typer.Option(help="knn, kd-tree: euclidean, manhattan, … [default: by table]")
    ] = None,
    leaf_size: Annotated[int | None, typer.Option(help="kd-tree: the most rows of a cell. [default: 1]")] = None,
    split: Annotated[str | None, typer.Option(help="kd-tree: rotate or variance. [default: rotate]")] = None,
    validation: Annotated[str | None, typer.Option(help="pruning: a file of rows to validate on.")] = None,
    solution: Annotated[bool, typer.Option("--solution", help="exercise: with the solution, step by step.")] = False,
    rows: Annotated[
        int | None, typer.Option(min=2, help="exercise: how many rows are drawn of a larger table. [default: 16]")
    ] = None,
    notation: Annotated[
        str | None, typer.Option(help="En or H for entropy, K or S for the rows of a node, or both: H,S.")
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Markdown, for slides.")] = False,
    latex: Annotated[bool, typer.Option("--latex", help="A document for LaTeX.")] = False,
    html: Annotated[bool, typer.Option("--html", help="A page of HTML.")] = False,
    example: Annotated[int | None, typer.Option(help="A worked example of the lecture notes, by number.")] = None,
    examples: Annotated[bool, typer.Option("--examples", help="List the worked examples.")] = False,
    *,
    reading: Reading,
    talk: Talk,
) -> None:
    """Step through a calculation by hand, with the counts, the terms and their numbers.

    The numbers are those the trees are grown and pruned by.
    """
    from treewright import teach as lessons

    if examples:
        _list(lessons.EXAMPLES, talk)
        return
    if topic is None and example is None and not (table or data):
        _list_topics(lessons.TOPICS, talk)
        return
    source = _Source(table, data, target, drop or [], kinds or [], identifiers)
    given = {
        "base": base, "node": node, "depth": depth, "alpha": alpha, "column": column, "weight": weight,
        "cost": _costs(cost or []), "validation": validation, "rounds": rounds, "seed": seed,
        "query": query, "k": k, "metric": metric,
        "leaf_size": leaf_size, "split": split, "notation": notation,
    }  # fmt: skip
    given = {name: value for name, value in given.items() if value is not None}
    asked = _exercise(topic, about, solution, rows)
    if example is not None:
        made = _worked(example, topic, source, given)
    else:
        made = _lesson(topic if asked is None else about, source, given, reading, talk, asked)
    made = made if step is None else made.step(step)
    _print(made, talk, {"markdown": markdown, "latex": latex, "html": html})


def _print(made: Any, talk: Talk, forms: dict[str, bool]) -> None:
    from treewright.teach.lesson_forms import as_text

    wanted = [form for form, is_wanted in {"json": talk.json, **forms}.items() if is_wanted]
    if len(wanted) > 1:
        raise OptionError(f"--{wanted[0]} and --{wanted[1]} are both given", "give one of them")
    if talk.json:
        result_json(made.to_dict())
    else:
        result(str(getattr(made, f"to_{wanted[0]}")()).rstrip("\n") if wanted else as_text(made, _bold))


def _bold(text: str) -> str:
    """On a terminal that wants it."""
    import os
    import sys

    wanted = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    return typer.style(text, bold=True) if wanted else text


def _exercise(topic: str | None, about: str | None, solution: bool, rows: int | None) -> dict[str, Any] | None:
    """What an exercise is asked for with; None if none is."""
    if topic == _EXERCISE and about is None:
        raise OptionError("an exercise is of a topic", "for example: treewright teach exercise gain")
    if topic == _EXERCISE:
        return {"solution": solution, "n_rows": rows}
    if about is not None and Path(about).exists():
        raise OptionError(f"{about!r} is no exercise", f"a table is given as --data {about} --target COLUMN")
    for name, given in ((f"{about!r}", about), ("--solution", solution or None), ("--rows", rows)):
        if given is not None:
            raise OptionError(f"{name} is for exercises", "write: treewright teach exercise TOPIC")
    return None


class _Source:
    """Where the rows come from."""

    def __init__(
        self, table: str | None, data: str | None, target: str | None, drop: list[str], kinds: list[str], ids: bool
    ) -> None:
        if table is not None and data is not None:
            raise OptionError("--table and --data are both given", "give one of them")
        self.table, self.data, self.target, self.drop, self.kinds = table, data, target, drop, kinds
        self.identifiers = ids

    @property
    def is_given(self) -> bool:
        return any((self.table, self.data, self.target, self.drop, self.kinds, self.identifiers))

    def rows(self, usual: str, reading: Reading, talk: Talk, *, numbers: bool) -> Any:
        from treewright import datasets
        from treewright.teach import bundled, bundled_numbers

        if self.data is not None:
            return self.read(self.data, self.target, reading, talk, numbers=numbers)
        name = self.table or usual
        kinds = read_kinds(self.kinds, list(datasets.load(name).columns))
        make = bundled_numbers if numbers else bundled
        return make(name, target=self.target, drop=self.drop, kinds=kinds, identifiers=self.identifiers)

    def read(self, path: str, target: str | None, reading: Reading, talk: Talk, *, numbers: bool = False) -> Any:
        from treewright.teach import numbers_of, rows_of

        make = numbers_of if numbers else rows_of
        with remarks(talk):
            chosen = choose(path, reading, Choosing(target, self.drop, self.kinds), talk)
            return make(chosen.frame, chosen.target, name=path, kinds=chosen.kinds, identifiers=self.identifiers)


def _lesson(
    topic: str | None,
    source: _Source,
    given: dict[str, Any],
    reading: Reading,
    talk: Talk,
    asked: dict[str, Any] | None,
) -> Any:
    from treewright.errors import unknown
    from treewright.teach import TOPICS, exercise, lesson
    from treewright.teach.formula_text import read_base
    from treewright.teach.topics import WHOLE_TREES, check_taken

    if topic is None:
        about = "; ".join(f"{name} ({each.about})" for name, each in TOPICS.items())
        raise OptionError("no topic is given", f"the topics are {about}; or --example 15, --examples")
    if topic not in TOPICS:
        raise unknown("topic", topic, TOPICS)
    free = ("notation", *(("node",) if topic in WHOLE_TREES else ()), *(() if asked is None else ("seed",)))
    check_taken(topic, [name for name in given if name not in free])
    if source.data is None and "validation" not in given and reading != Reading():
        form = _FORMS.get(str(reading.format).lower())
        hint = f"write --{form} for a lesson in that form" if form else "say which file with --data"
        raise OptionError("options about reading are given, but no file is read", hint)
    rows = source.rows(TOPICS[topic].table, reading, talk, numbers=TOPICS[topic].numbers)
    options = dict(given)
    if "base" in options:
        options["base"] = read_base(options["base"])
    if "query" in options:
        options["query"] = written_row(options["query"], rows.schema, "--query")
    if "validation" in options:
        options["validation"] = source.read(options["validation"], rows.schema.target.name, reading, talk)
    if asked is not None:
        return exercise(topic, rows, **{name: value for name, value in asked.items() if value is not None}, **options)
    if topic in WHOLE_TREES and "node" in options:
        return lesson(topic, rows, **{k: v for k, v in options.items() if k != "node"}).at_node(options["node"])
    return lesson(topic, rows, **options)


def _worked(number: int, topic: str | None, source: _Source, given: dict[str, Any]) -> Any:
    from treewright.teach import example

    node = given.get("node")
    if topic is not None or source.is_given or set(given) - {"node"}:
        raise OptionError("a worked example has its own topic, table and options", "give --example alone, or a topic")
    made = example(number)
    return made if node is None else made.at_node(node)


def _list(examples: Any, talk: Talk) -> None:
    if talk.json:
        result_json([{"number": n, "title": e.title, "erratum": bool(e.erratum)} for n, e in examples.items()])
        return
    rows = [(str(n), e.title, "with an erratum" if e.erratum else "") for n, e in examples.items()]
    result(columns([("number", "worked example", ""), *rows], right=[0]))


def _list_topics(topics: Any, talk: Talk) -> None:
    if talk.json:
        result_json([{"topic": name, "about": each.about, "table": each.table} for name, each in topics.items()])
        return
    rows = [(name, each.about, each.table) for name, each in topics.items()]
    result(columns([("topic", "what is reckoned", "usual table"), *rows]))
    say(talk, "\nNext: treewright teach gain; with a table of yours --data FILE --target COLUMN.")
    say(talk, "treewright teach exercise gain [--solution] makes an exercise, --examples lists worked examples.")


def _costs(given: list[str]) -> dict[str, float] | None:
    costs = {}
    for text in given:
        name, _, number = text.rpartition("=")
        try:
            costs[name] = float(number)
        except ValueError:
            name = ""
        if not name:
            raise OptionError(f"--cost {text!r} is not accepted", "write COLUMN=NUMBER, such as humidity=2.5")
    return costs or None
