"""The formulas. Each is a function from counts, or a table of counts, to a number; all broadcast over leading axes.

*Measures of one distribution* (entropy, Gini index, …) read the last axis: class weights, or the moments
(Σw, Σw·y, Σw·y²) of a numeric target. *Measures of a table* (gain, gain ratio, …) take a :class:`Table` or plain counts
with a row per group. :data:`CRITERIA` has those that can choose a split, by name; :data:`SAME_AS` has other names.

Every gain is counted per row of the node: rows whose value is missing tell nothing, so the gain of the others is
multiplied by the known fraction (Quinlan 1993, section 3.2). Statistics of tests and log-likelihoods are sums over the
rows of known value. Nothing at all has measure 0.

References
----------
Breiman, Friedman, Olshen, Stone (1984). *Classification and Regression Trees.* Wadsworth.
Cieslak, Chawla (2008). Learning decision trees for unbalanced data. *ECML PKDD*, 241–256.
Dietterich, Kearns, Mansour (1996). Applying the weak learning framework to understand and improve C4.5. *ICML*, 96–104.
Drummond, Holte (2000). Exploiting the cost (in)sensitivity of decision tree splitting criteria. *ICML*, 239–246.
Fayyad, Irani (1992). The attribute selection problem in decision tree generation. *AAAI*, 104–110.
Fisher (1925). *Statistical Methods for Research Workers.* Oliver and Boyd.
Friedman (2001). Greedy function approximation: a gradient boosting machine. *Annals of Statistics* 29, 1189–1232.
Kononenko (1995). On biases in estimating multi-valued attributes. *IJCAI*, 1034–1040.
Kullback, Leibler (1951). On information and sufficiency. *Annals of Mathematical Statistics* 22, 79–86.
Pearson (1900). On the criterion that a given system of deviations … *Philosophical Magazine* 50, 157–175.
Quinlan (1986). Induction of decision trees. *Machine Learning* 1, 81–106.
Quinlan (1993). *C4.5: Programs for Machine Learning.* Morgan Kaufmann.
Shannon (1948). A mathematical theory of communication. *Bell System Technical Journal* 27, 379–423.
Wilks (1935). The likelihood test of independence in contingency tables. *Annals of Mathematical Statistics* 6, 190–196.
"""

from __future__ import annotations

from inspect import isfunction

from treewright.argument_text import describe
from treewright.criteria.distributions import (
    absolute_error,
    dkm,
    entropy,
    gini,
    kl_divergence,
    kl_from_uniform,
    log_likelihood,
    misclassification,
    poisson_deviance,
    variance,
)
from treewright.criteria.gains import (
    absolute_error_gain,
    conditional_entropy,
    dkm_gain,
    gain,
    gain_ratio,
    gini_gain,
    log_likelihood_gain,
    mdl,
    misclassification_gain,
    poisson_gain,
    split_info,
    variance_gain,
)
from treewright.criteria.independence import chi2, chi2_p, degrees_of_freedom, f, f_p, g, g_p
from treewright.criteria.registry import CRITERIA, SAME_AS, SplitCriterion
from treewright.criteria.separation import c_sep, correlation_ratio, friedman, hellinger, twoing

__all__ = [
    "CRITERIA",
    "SAME_AS",
    "SplitCriterion",
    "absolute_error",
    "absolute_error_gain",
    "c_sep",
    "chi2",
    "chi2_p",
    "conditional_entropy",
    "correlation_ratio",
    "degrees_of_freedom",
    "dkm",
    "dkm_gain",
    "entropy",
    "f",
    "f_p",
    "friedman",
    "g",
    "g_p",
    "gain",
    "gain_ratio",
    "gini",
    "gini_gain",
    "hellinger",
    "kl_divergence",
    "kl_from_uniform",
    "log_likelihood",
    "log_likelihood_gain",
    "mdl",
    "misclassification",
    "misclassification_gain",
    "poisson_deviance",
    "poisson_gain",
    "split_info",
    "twoing",
    "variance",
    "variance_gain",
]

describe(public for name in __all__ if isfunction(public := globals()[name]))


def __dir__() -> list[str]:
    """What editors complete: no inner modules."""
    return __all__
