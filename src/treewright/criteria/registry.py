"""Criteria by name, in one form: a score of a table, larger is better."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from treewright.criteria import gains, independence, separation
from treewright.errors import DataError
from treewright.table import Table
from treewright.typing import Floats

CLASSES, MOMENTS, VALUES = "classes", "moments", "values"
_LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class SplitCriterion:
    """A measure of a table with any number of branches, and what is needed to rank splits by it.

    ``target`` says what the table's columns are: ``"classes"`` (class weights), ``"moments"`` of a number, or
    ``"values"``: the weights of the distinct values of a number, which are handed to the measure beside the table.

    >>> CRITERIA["gain_ratio"].score([[2, 3], [4, 0], [3, 2]]).round(4).item()
    0.1564
    >>> CRITERIA["chi2_p"].measure([[8, 2], [2, 8]]).round(4).item()
    0.0073
    >>> CRITERIA["chi2_p"].score([[8, 2], [2, 8]]).round(4).item()
    4.9212
    """

    name: str
    title: str  # for tables and help
    measure: Callable[..., Floats]
    target: str = CLASSES
    is_p_value: bool = False  # smaller is better, and ``measure`` has an option ``log``
    is_per_row: bool = True  # False: the score grows with the number of rows, the shares being the same

    @property
    def larger_is_better(self) -> bool:
        return not self.is_p_value

    @property
    def is_for_classes(self) -> bool:
        return self.target == CLASSES

    def score(self, table: Table | ArrayLike, values: ArrayLike | None = None) -> Floats:
        """The measure, larger is better: of a p-value −ln p, which is exact where p itself is too small for a float.

        Always a number one can subtract: the F of branches without spread is the largest float here.
        """
        if self.target == VALUES:
            if values is None:
                raise DataError(f"{self.name} needs the target values", hint="pass values=np.unique(y)")
            return self.measure(table, values)
        found = 0.0 - self.measure(table, log=True) if self.is_p_value else self.measure(table)
        return np.minimum(found, _LARGEST)


def _by_name(*criteria: SplitCriterion) -> Mapping[str, SplitCriterion]:
    return MappingProxyType({criterion.name: criterion for criterion in criteria})


CRITERIA: Mapping[str, SplitCriterion] = _by_name(
    SplitCriterion("entropy", "information gain", gains.gain),
    SplitCriterion("gain_ratio", "gain ratio", gains.gain_ratio),
    SplitCriterion("gini", "Gini gain", gains.gini_gain),
    SplitCriterion("misclassification", "decrease in misclassification", gains.misclassification_gain),
    SplitCriterion("chi2", "χ²", independence.chi2, is_per_row=False),
    SplitCriterion("chi2_p", "p of χ²", independence.chi2_p, is_p_value=True, is_per_row=False),
    SplitCriterion("g", "G", independence.g, is_per_row=False),
    SplitCriterion("g_p", "p of G", independence.g_p, is_p_value=True, is_per_row=False),
    SplitCriterion("mdl", "description length saved", gains.mdl),
    SplitCriterion("c_sep", "class separation", separation.c_sep),
    SplitCriterion("twoing", "twoing", separation.twoing),
    SplitCriterion("dkm", "DKM gain", gains.dkm_gain),
    SplitCriterion("hellinger", "Hellinger distance", separation.hellinger),
    SplitCriterion("log_likelihood", "log-likelihood gain", gains.log_likelihood_gain, is_per_row=False),
    SplitCriterion("squared_error", "decrease in variance", gains.variance_gain, MOMENTS),
    SplitCriterion("friedman", "Friedman's improvement", separation.friedman, MOMENTS, is_per_row=False),
    SplitCriterion("poisson", "decrease in Poisson deviance", gains.poisson_gain, MOMENTS),
    SplitCriterion("f", "F", independence.f, MOMENTS, is_per_row=False),
    SplitCriterion("f_p", "p of F", independence.f_p, MOMENTS, is_p_value=True, is_per_row=False),
    SplitCriterion("absolute_error", "decrease in absolute error", gains.absolute_error_gain, VALUES),
)

# Measures that rank the splits of a node as another does: what a split gains in one it gains in the other.
SAME_AS: Mapping[str, str] = MappingProxyType(
    {
        "gain": "entropy",
        "mutual_information": "entropy",
        "conditional_entropy": "entropy",  # the lower, the more is gained
        "kl_from_uniform": "entropy",  # rises by as much as the entropy falls
        "variance": "squared_error",
    }
)
