"""Rules as data: from any tree (``from_tree``) or by C4.5rules (``tw.C45RulesClassifier``).

``model.rules()`` says in words what each leaf does; a ``RuleSet`` is the same to predict with, edit and keep.
"""

from inspect import isfunction

from treewright.argument_text import describe
from treewright.rules.from_tree import from_tree
from treewright.rules.rule import Condition, Rule
from treewright.rules.rule_report import RuleMetrics, RuleReport
from treewright.rules.rule_set import RuleSet

__all__ = ["Condition", "Rule", "RuleMetrics", "RuleReport", "RuleSet", "from_tree"]

describe(public for name in __all__ if isfunction(public := globals()[name]))


def __dir__() -> list[str]:
    """What editors complete: no inner modules."""
    return __all__
