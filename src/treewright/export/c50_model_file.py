"""The model as the text that C5.0 writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from treewright.c50.candidate_rules import C50Condition, C50Rule
from treewright.c50.case_table import BESIDE
from treewright.c50.node import C50Node, TestKind
from treewright.c50.program import C50Run
from treewright.c50.voting_rules import C50Rules
from treewright.data.schema import Schema, text_of
from treewright.kernels.c50_kernels.c50_conditions import ABOVE, UP_TO

_PROGRAM = "See5/C5.0 2.07 GPL Edition"


@dataclass(frozen=True)
class Names:
    """Names of classes, columns and values as texts."""

    classes: tuple[str, ...]
    columns: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, schema: Schema) -> Names:
        texts = ([text_of(level) for level in column.levels] for column in schema.columns)
        levels = tuple(tuple(text for text in own if text != BESIDE) for own in texts)
        classes = tuple(text_of(label) for label in schema.target.classes or ())
        return cls(classes, schema.names, levels)

    def value(self, column: int, value: int) -> str:
        """Value 1 is not applicable, declared ones follow."""
        return BESIDE if value == 1 else self.levels[column][value - 2]


def text_of_run(run: C50Run, schema: Schema) -> str:
    """The whole model."""
    names = Names.of(schema)
    lines = header(len(run.trials), costs=run.start.costs is not None)
    for trial in run.trials:
        lines += tree_lines(trial.root, names) if trial.rules is None else rule_lines(trial.rules, names)
    return "\n".join(lines) + "\n"


def header(n_trials: int, *, costs: bool) -> list[str]:
    return [_pairs(id=_PROGRAM), *([_pairs(costs="1")] if costs else []), _pairs(entries=str(n_trials))]


def tree_lines(root: C50Node, names: Names) -> Iterator[str]:
    """One line per node, a node before its branches."""
    for node in root.walk():
        yield " ".join(_node_parts(node, names))


def _node_parts(node: C50Node, names: Names) -> Iterator[str]:
    yield _pairs(**{"type": str(int(node.kind)), "class": names.classes[node.label]})
    if node.weight > 0:
        yield _pairs(freq=",".join(f"{count:.6g}" for count in node.counts))
    if node.is_leaf:
        return
    yield _pairs(att=names.columns[node.column], forks=str(len(node.branches)))
    if node.kind is TestKind.NUMBER:
        yield _pairs(cut=f"{node.cut:.8g}")
        if node.bounds is not None and node.bounds[2] > node.cut:
            yield _pairs(**{name: f"{bound:.7g}" for name, bound in zip(("low", "mid", "high"), node.bounds)})
    if node.kind is TestKind.SETS:
        for b in range(len(node.branches)):
            yield values_text(node.column, node.values_of(b), names)


def rule_lines(rules: C50Rules, names: Names) -> Iterator[str]:
    """A line with the number of rules, then those of each rule."""
    yield _pairs(rules=str(len(rules.rules)), default=names.classes[rules.default])
    for rule in rules.rules:
        yield _rule_text(rule, names)
        yield from (_condition_text(condition, names) for condition in rule.conditions)


def _rule_text(rule: C50Rule, names: Names) -> str:
    numbers = {"cover": rule.cover, "ok": rule.correct, "lift": rule.lift}
    texts = {name: f"{number:.6g}" for name, number in numbers.items()}
    return _pairs(conds=str(len(rule.conditions)), **texts, **{"class": names.classes[rule.target]})


def _condition_text(condition: C50Condition, names: Names) -> str:
    column, att = condition.column, names.columns[condition.column]
    if condition.ask in (UP_TO, ABOVE):
        result = "<" if condition.ask == UP_TO else ">"
        return _pairs(type="2", att=att, cut=f"{condition.cut:.8g}", result=result)
    if len(condition.among) == 1:
        return _pairs(type="1", att=att, val=names.value(column, condition.among[0]))
    return _pairs(type="3", att=att) + " " + values_text(column, condition.among, names)


def values_text(column: int, values: Sequence[int], names: Names) -> str:
    return "elts=" + ",".join(_quoted(names.value(column, value)) for value in values)


def _pairs(**entries: str) -> str:
    return " ".join(f"{name}={_quoted(value)}" for name, value in entries.items())


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
