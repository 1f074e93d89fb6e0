"""``rules`` as an option of the estimator and, once it is fitted, as what tells the rules of a tree.

Both names are public: ``C50Classifier(rules=True)`` learns rules, and ``model.rules()`` lists those of the leaves of a
tree. So the attribute is a descriptor, as ``prune`` is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from treewright.errors import OptionError
from treewright.explain.leaf_rules import LeafRule, rules


class RulesOption:
    """The class attribute. A dataclass reads its default from the class."""

    def __get__(self, model: Any, owner: Any = None) -> Any:
        return False if model is None else RulesAttribute(model)

    def __set__(self, model: Any, value: Any) -> None:
        model.__dict__["rules"] = value.option if isinstance(value, RulesAttribute) else value


@dataclass(frozen=True, repr=False, eq=False)
class RulesAttribute:
    """``model.rules``; ``option`` is what the constructor was given."""

    model: Any

    @property
    def option(self) -> Any:
        return self.model.__dict__.get("rules", False)

    def __bool__(self) -> bool:
        return bool(self.option)

    def __eq__(self, other: object) -> bool:
        """Whoever looks at the attribute for the option finds it: ``model.rules == True``."""
        return bool(self.option == (other.option if isinstance(other, RulesAttribute) else other))

    def __repr__(self) -> str:
        return f"<rules of {type(self.model).__name__}, option {self.option!r}>"

    def __call__(self) -> list[LeafRule]:
        """One rule per leaf in words, in the order of the printed tree."""
        self.model._check_fitted()
        if "tree_" not in self.model.__dict__:
            raise OptionError(f"this {type(self.model).__name__} is not one tree", self.model._where_it_is())
        return rules(self.model.tree_, self.model.schema_)
