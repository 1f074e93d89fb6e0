"""What the options of the pruning methods mean, by method."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from typing import Any

from treewright.option_text import Code, OptionText, Parameter, WithParameters

_RULE = OptionText(
    "How many standard errors worse than the best a smaller tree may be on rows it was not grown from: a number of at "
    'least 0, "0se" or "1se".',
    "0se",
    "float or str",
)
_LINKS = OptionText(
    'How the sequence of trees is found: "exact" as Breiman et al. define it, "rpart" with the shortcut that rpart '
    "takes.",
    "rpart",
    "str",
)
_ALPHA = OptionText(
    "The complexity parameter α, what a leaf costs: a number of at least 0. Left out, held-out rows or "
    "cross-validation choose it.",
    0.01,
    "float or None",
)
_RELATIVE = OptionText("Whether α is a share of the risk of the root, as rpart's cp is.", True, "bool")
_RISK = OptionText(
    'What an error counts in a tree of classes: "gini", "entropy" or "misclassification". Left out, the Gini index or, '
    "with costs or priors, misclassification; of numbers it is the variance.",
    "misclassification",
    "str or None",
)
_STRICT = OptionText("Whether a node stays split where both are equally good.", True, "bool")
_ORDER = OptionText(
    'Which nodes are judged first: "bottom-up", "top-down" or, for reduced error, "greedy" (the most improving one).',
    "top-down",
    "str",
)

TEXTS: Mapping[str, Mapping[str, OptionText]] = {
    "CostComplexity": {"alpha": _ALPHA, "relative": _RELATIVE, "risk": _RISK, "rule": _RULE, "links": _LINKS},
    "ErrorComplexity": {"alpha": _ALPHA, "relative": _RELATIVE, "rule": _RULE, "links": _LINKS},
    "ReducedError": {"order": _ORDER, "strict": _STRICT},
    "MinimumError": {
        "m": OptionText(
            "The m of the m-estimate, a number of at least 0: the larger, the smaller the tree. Left out, the estimate "
            "of Niblett and Bratko is used.",
            2.0,
            "float or None",
        )
    },
    "Pessimistic": {
        "standard_errors": OptionText(
            "How many standard errors of the subtree's count are added to it: a number of at least 0. Fewer cut less.",
            0.0,
            "float",
        ),
        "correction": OptionText("The continuity correction of each leaf: a number of at least 0.", 0.5, "float"),
        "strict": _STRICT,
        "order": _ORDER,
    },
    "ErrorBased": {
        "confidence": OptionText(
            "The confidence of the pessimistic errors, above 0 and at most 1: less of it prunes more.", 0.1, "float"
        ),
        "flavour": OptionText('Whose numbers are followed: "c4.5" or "j48" (Weka).', "j48", "str"),
        "raising": OptionText(
            "Whether the largest branch may take the place of its parent; that needs the rows of the fit.",
            False,
            "bool",
        ),
    },
    "CostBased": {
        "costs": OptionText(
            "What errors cost, the truth first and the prediction second; left out, the costs of the model.",
            Code("{('ill', 'well'): 10}"),
            "mapping, matrix or None",
        )
    },
    "CriticalValue": {
        "value": OptionText(
            "The least score of a split that is kept, in units of the criterion. Left out, held-out rows choose it.",
            0.1,
            "float or None",
        ),
        "rule": _RULE,
    },
    "MDL": {"of_splits": OptionText("How much a bit of a test counts: a number of at least 0.", 0.5, "float")},
    "AtNodes": {"nodes": OptionText("The numbers of the nodes that become leaves.", [2, 5], "iterable of int")},
    "Where": {
        "holds": OptionText(
            "A function of a node that is true for those that become leaves.",
            Code("lambda node: node.n < 50"),
            "function",
        )
    },
    "ToDepth": {"depth": OptionText("The depth whose nodes become leaves; the root is at 0.", 3, "int")},
    "ToLeaves": {
        "leaves": OptionText("The most leaves that are left: a whole number of at least 1.", 8, "int"),
        "risk": _RISK,
    },
    "MergeSame": {},
}


def parameters_of(kind: type[Any]) -> Iterator[Parameter]:
    """The options of a pruning method with their texts."""
    for option in fields(kind):
        if option.init:
            text = TEXTS[kind.__name__][option.name]
            default = "" if option.default is MISSING else repr(option.default)
            yield Parameter(option.name, str(text.type), default, text.meaning, "", repr(text.example))


def document(*kinds: type[Any]) -> None:
    """Let the docstrings of methods end with their options."""
    for kind in kinds:
        setattr(kind, "__doc__", WithParameters(str(kind.__doc__), parameters_of))  # noqa: B010 - a lazy text, not a str
