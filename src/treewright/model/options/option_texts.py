"""What the options of the estimators mean: one table, from which docstrings, the command line and the reference are
made. What an option accepts is in :mod:`treewright.model.options.option_limits`.

A text holds for every estimator that has the option; ``learner_option_texts`` has what means something else in one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from typing import Any

from treewright.model.options.learner_option_texts import OWN_TEXTS, SEED
from treewright.model.options.limit import is_yes_no, type_of
from treewright.option_text import Code, OptionText, Parameter

_MAPPING = "mapping or None"

TEXTS: Mapping[str, OptionText] = {
    # ---- the table ---------------------------------------------------------------------------------------------
    "kinds": OptionText(
        'Which kind a column is, where its values do not tell: "numeric", "nominal", "ordinal", a list of its levels '
        'in order, or how its dates are written, such as "%m/%d/%Y".',
        {"zip": "nominal", "size": ["S", "M", "L"]},
        _MAPPING,
    ),
    "unseen": OptionText(
        'What becomes of a level that training did not have: "missing" treats it as missing, "error" refuses the row.',
        "error",
    ),
    "n_jobs": OptionText("How many threads may run; the model does not depend on it.", 2, "int or None"),
    "random_state": OptionText(
        "The seed of what is random in the fit.",
        7,
        SEED,
    ),
    "progress": OptionText("Whether a bar on the error stream shows how far the fit is.", True),
    # ---- stopping ----------------------------------------------------------------------------------------------
    "max_depth": OptionText(
        "The most tests on the way from the root to a leaf; 0 is a single leaf, None sets no limit.", 3
    ),
    "max_leaves": OptionText(
        "The most leaves. The split that gains most is made first, wherever it is; None sets no limit.", 8
    ),
    "min_rows_split": OptionText("A node of fewer training rows becomes a leaf.", 20),
    "min_rows_leaf": OptionText("The fewest training rows a branch may have; splits that leave fewer are not made.", 5),
    "min_weight_fraction_leaf": OptionText("The same as a share of the weight of all training rows.", 0.01),
    "min_gain": OptionText(
        "What a split must gain at least, in the units of the criterion. It is the gain at the node itself, not "
        "weighted by the rows of the node.",
        0.01,
    ),
    "significance": OptionText(
        "The largest p of a test of independence between branch and target (χ² for classes, F for numbers) at which a "
        "node is split; None makes no test.",
        0.05,
    ),
    "significance_of": OptionText(
        'Whose p must be small: "chosen" is that of the split taken, "any" the smallest of the best splits of all '
        "columns. It goes with significance.",
        "any",
    ),
    # ---- missing values ----------------------------------------------------------------------------------------
    "missing": OptionText(
        "What becomes of missing values, for all columns or by column: the branch that scores best (learned), every "
        "branch by its share (fractional) or in full (every), as the commonest value (common), a branch of their own "
        "(branch), as another column says (surrogate), the answer of the node (stop), rows left out (drop), refused "
        "(error).",
        "surrogate",
        "str or mapping",
    ),
    "missing_at_predict": OptionText(
        "Another policy for missing values of rows to be predicted; None is the policy of the fit.",
        "stop",
        "str, mapping or None",
    ),
    "surrogates": OptionText(
        'Which surrogate splits are admitted: "breiman", or "rpart", whose slip leaves out perfect nominal ones. It '
        "goes with the missing policy surrogate.",
        "rpart",
    ),
    "max_surrogates": OptionText("The most surrogates a node keeps.", 3),
    "surrogate_agreement": OptionText(
        'What the agreement of a surrogate is a share of: "all" rows that the split sends, or those of them whose '
        'surrogate value is "known".',
        "known",
    ),
    "surrogate_otherwise": OptionText(
        'Where a row goes that no surrogate sends: "majority" is the heaviest branch, "stop" ends at the node.', "stop"
    ),
    # ---- classes -----------------------------------------------------------------------------------------------
    "class_weight": OptionText(
        'How much rows of each class count; "balanced" lets all classes weigh the same.',
        "balanced",
        "mapping, 'balanced' or None",
    ),
    "costs": OptionText(
        "What errors cost: the truth first, the prediction second. Errors that are not named cost 1, right predictions "
        "nothing. Growing, the class of a leaf and pruning go by them.",
        {("ill", "well"): 10},
        "mapping, matrix or None",
    ),
    "priors": OptionText(
        'How frequent the classes are where the model is used; "equal" makes all alike, None takes the shares of the '
        "training rows.",
        {"ill": 0.01, "well": 0.99},
        "mapping, sequence, 'equal' or None",
    ),
    "attribute_costs": OptionText(
        "What the test of a column costs; columns that are not named cost 1. Splits are then chosen by cost_rule.",
        {"blood_test": 20},
        _MAPPING,
    ),
    "test_groups": OptionText(
        "Tests that share a sample, whose cost attribute_costs names: it is paid once on a path.",
        {"blood": ["glucose", "insulin"]},
        _MAPPING,
    ),
    "cost_rule": OptionText(
        "The score of a test that costs something: tan-schlimmer is Gain²/Cost, nunez (2^Gain − 1)/(Cost + 1)^w, idx "
        "Gain/Cost.",
        "idx",
    ),
    "cost_weight": OptionText("The w of the cost rule nunez; 0 takes no notice of costs.", 0.5),
    # ---- constraints -------------------------------------------------------------------------------------------
    "monotone": OptionText(
        "Columns with which predictions may only rise (1) or fall (-1), for numbers or two classes.",
        {"age": 1, "price": -1},
        _MAPPING,
    ),
    "interactions": OptionText(
        "Groups of columns that may meet on a path; a column in no group stands alone.",
        [["age", "income"], ["region"]],
        "list of lists or None",
    ),
    "force": OptionText(
        "The column that is tested at a depth, wherever it can be split; the cut is learned.", {0: "region"}, _MAPPING
    ),
    "forbid": OptionText("Columns that are never tested.", ["zip", "name"], "list or None"),
    "min_branch_share": OptionText("The least share of its node's weight that every branch must have.", 0.05),
    "max_levels": OptionText("Nominal columns of more levels are not tested; None sets no limit.", 50),
    # ---- choosing a split --------------------------------------------------------------------------------------
    "criterion": OptionText(
        "The measure by which splits are compared; larger is better.",
        "entropy",
        "str or function",
    ),
    "above_average": OptionText(
        "With the criterion gain_ratio, compare only columns whose information gain is at least average.", True
    ),
    "base": OptionText("The base of the logarithm in which entropies are given.", 10.0),
    "splits": OptionText(
        'What a test on a nominal column looks like: "subset" (two sets of levels), "multiway" (a branch per level) or '
        '"one-vs-rest".',
        "multiway",
    ),
    "select": OptionText(
        "A function that is given the best split of every column at a node, best first, and returns one of them or "
        "None.",
        Code("lambda candidates: candidates[0]"),
        "function or None",
    ),
    "stop": OptionText(
        "A function of an open node (depth, rows, stats) that says whether it becomes a leaf.",
        Code("lambda node: node.rows < 50"),
        "function or None",
    ),
    "engine": OptionText(
        '"exact" tries every threshold between two values; "histogram" puts numbers into at most 255 bins first, which '
        "is faster on large tables.",
        "histogram",
    ),
    "tie": OptionText('Which of equally good splits is taken: the "first" column, or one at "random".', "random"),
    # ---- leaves and pruning ------------------------------------------------------------------------------------
    "empty": OptionText(
        'What a branch without rows predicts: as its "parent" does, or as the whole table ("overall").', "overall"
    ),
    "smoothing": OptionText(
        'Draws the probabilities of a leaf together: "laplace", or the m of an m-estimate; 0 leaves them as they are.',
        "laplace",
    ),
    "leaf": OptionText(
        "What leaves predict by: their shares or mean, or a linear or logistic model of their rows.", "linear"
    ),
    "ridge": OptionText("The ridge penalty on the slopes of standardised columns in the models of leaves.", 0.1),
    "eliminate": OptionText("Whether weak terms are dropped from the models of leaves.", False),
    "extrapolation": OptionText(
        "How far a linear model may predict beyond the targets it has seen, in per cent of their spread.", 10.0
    ),
    "prune": OptionText(
        "How the tree is pruned at the end of every fit: a method by name, by name with its options, as "
        '{"cost-complexity": {"cv": 10, "rule": "1se"}}, or one of tw.prune; None leaves the tree as it was grown.',
        "pessimistic",
        "str, mapping, pruner or None",
    ),
    # ---- C4.5 and C5.0 -----------------------------------------------------------------------------------------
    "confidence": OptionText(
        "The confidence of the pessimistic errors by which the tree is pruned: less of it prunes more.", 0.1
    ),
    "min_cases": OptionText("The least weight of rows that at least two branches of a test must have.", 5),
    "flavour": OptionText("Whose small print is followed.", "j48"),
    "binary": OptionText("Whether a nominal column is tested as one level against the rest.", True),
    "subset": OptionText("Whether levels are merged into branches for as long as that raises the gain ratio.", True),
    "mdl": OptionText("Whether numeric tests are charged log2(cuts) / N for the choice of the cut.", False),
    "thresholds": OptionText('Thresholds are "values" of training rows, or "midpoints" between two.', "midpoints"),
    "collapse": OptionText("Whether splits that save no training error are undone before pruning.", False),
    "soft_thresholds": OptionText("Whether a number near a threshold goes down both branches in parts.", True),
    "raising": OptionText("Whether pruning lets a branch take the place of its parent.", False),
    "laplace": OptionText("Whether probabilities are drawn towards equal ones: (m₊ + 1) / (m + K).", True),
    "theory_weight": OptionText("How much a bit of the rules counts beside a bit of their exceptions.", 1.0),
    "rules": OptionText("Whether rules that vote are made of the tree.", True),
    "trials": OptionText("The most trees, or sets of rules, that are boosted; 1 does not boost.", 10),
    "winnow": OptionText("Whether columns that do not help a trial tree are left out first.", True),
    "global_pruning": OptionText(
        "Whether the weakest subtrees are cut while errors stay within a standard error.", False
    ),
    "bands": OptionText("Into how many bands rules are put by their use; None orders them as usual.", 10),
    "sample": OptionText("The share of the rows to learn from; None is all of them.", 0.5),
    "early_stopping": OptionText("Whether boosting ends when a trial is perfect or no better than chance.", False),
    "not_applicable": OptionText(
        "The number that means not applicable in a column, which is a value of its own and not a missing one.",
        {"weeks": -1},
        _MAPPING,
    ),
    # ---- CHAID -------------------------------------------------------------------------------------------------
    "alpha_merge": OptionText("Levels whose difference has a p above this are merged.", 0.1, "float"),
    "alpha_split": OptionText("A node is split if the adjusted p of its best column is at most this.", 0.01, "float"),
    "alpha_resplit": OptionText(
        "Groups that come apart again with a p up to this are split; None never does.", 0.04, "float or None"
    ),
    "bonferroni": OptionText("Whether p-values are multiplied by the number of ways to merge the levels.", False),
    "exhaustive": OptionText(
        "Whether levels are merged down to two groups and the stage of smallest p is taken.", True
    ),
    "bins": OptionText(
        "Into how many bins numbers are cut at quantiles before levels are merged, or by column a number or edges.",
        {"age": [18, 30, 65]},
        "int or mapping",
    ),
    "max_branches": OptionText("The most branches of a split; None sets no limit.", 4),
    "small_node_share": OptionText("The share of a small node's rows that is enough for a group.", 0.2),
    "test": OptionText(
        'The test of independence: Pearson\'s "chi2", the likelihood ratio "g", or mean "scores" of ordered classes.',
        "g",
    ),
    "scores": OptionText(
        "A number for each class, by which the test scores compares groups; None is 1, 2, 3 and so on.",
        {"low": 1, "middle": 2, "high": 4},
        _MAPPING,
    ),
    # ---- models in leaves and rules ----------------------------------------------------------------------------
    "smooth": OptionText("Whether the model of a leaf is mixed with those on its path.", False),
    "min_rows": OptionText("A node of fewer rows is not divided.", 10),
    "committees": OptionText("How many members are trained, each to make up for the errors of the one before.", 5),
    "neighbors": OptionText("By how many near training rows a prediction is corrected; 0 corrects none.", 5),
    "unbiased": OptionText("Whether the mean error of every rule is made about 0.", True),
    # ---- searched trees ----------------------------------------------------------------------------------------
    "search": OptionText(
        "How many columns nodes keep at each depth from the root; deeper nodes keep one.", (5, 3, 2), "tuple of int"
    ),
    "rule": OptionText(
        "How many standard errors worse than the best a smaller tree may be and still be chosen.",
        "1se",
        "float or str",
    ),
    "cv": OptionText(
        "How many folds the cross-validation has; loo leaves one row out in turn.", 5, "int, 'loo' or splitter"
    ),
    "repeats": OptionText("How often the cross-validation is repeated; None is 3 times up to 500 rows, else once.", 3),
    "choose": OptionText(
        'How the size of the tree is chosen: by "cv", or by the rows out of bootstrap samples ("oob").', "oob"
    ),
    "alpha": OptionText(
        "What a leaf costs, as a share of the rows; no rows are left out then. None lets cross-validation choose it.",
        0.01,
    ),
    "alternative_cost": OptionText(
        "To take another split of a node than its best costs as much as so many leaves for every doubling of its rank; "
        "with 0 as little as the best.",
        0.5,
    ),
    # ---- many trees --------------------------------------------------------------------------------------------
    "member": OptionText(
        "The learner that the members are; None is CART (for AdaBoost a tree of one split, or of depth 3 for numbers).",
        Code("tw.CARTClassifier(max_depth=3)"),
        "estimator or None",
        "cart:max_depth=3",
    ),
    "n_trees": OptionText("How many members there are.", 50),
    "n_rounds": OptionText("The most members, each learned from what those before got wrong.", 25),
    "learning_rate": OptionText("By how much the say of each member is multiplied.", 0.5),
    "patience": OptionText(
        "After how many rounds without a smaller error on held-out rows boosting ends; None never does.", 5
    ),
    "validation_share": OptionText("The share of the rows that is held out for patience.", 0.2),
    "resample": OptionText("Whether members learn from rows drawn by weight, instead of from weights.", True),
    "loss": OptionText("How the distance of a prediction counts.", "square"),
    "method": OptionText('The algorithm: "samme" for any number of classes, or "m1".', "m1"),
    "bootstrap": OptionText("Whether rows are drawn with replacement.", False),
    "row_share": OptionText("How many rows each member draws, as a share of all.", 0.5),
    "column_share": OptionText("The share of the columns that each member sees.", 0.5),
    "max_columns": OptionText(
        "How many columns a node draws to choose from: sqrt, third or log2 of all, a number, a share, or all (None).",
        "log2",
        "str, int, float or None",
    ),
    "stratify": OptionText(
        'Whether rows are drawn class by class; "balanced" draws as many of every class as of the rarest.', "balanced"
    ),
    "voting": OptionText('"mean" averages the probabilities of the members, "votes" counts one vote each.', "votes"),
    "oob": OptionText("Whether rows are predicted by the members that did not draw them (oob_error_).", False),
    "warm_start": OptionText("Whether a fit keeps the members of the last one and adds what is wanted beyond.", True),
    "max_megabytes": OptionText("The most memory that the members may take; a fit that needs more is stopped.", 500.0),
    # ---- nearest neighbours ------------------------------------------------------------------------------------
    "k": OptionText('How many rows decide; "auto" takes the number of least error.', 15),
    "max_k": OptionText('The largest number that k="auto" tries; None is 50.', 30),
    "metric": OptionText(
        "The distance: euclidean, manhattan, chebyshev or minkowski for complete numbers; heom, gower or vdm where "
        "columns hold levels or cells are missing; auto is Euclid's where it can be, else heom.",
        "gower",
    ),
    "p": OptionText("The exponent of the metric minkowski.", 3.0),
    "column_weights": OptionText(
        "How much each column counts in the distance.", {"age": 2.0}, "mapping, sequence or None"
    ),
    "weights": OptionText('"uniform" gives every neighbour one vote, "distance" votes of 1/d.', "distance"),
    "scale": OptionText(
        'How numbers are scaled first: "standard" (mean 0, standard deviation 1), "minmax" (0 to 1) or not at all.',
        "minmax",
        "str or None",
    ),
    "algorithm": OptionText("How neighbours are found; auto decides by the size of the table.", "kd"),
    "leaf_size": OptionText("The most rows of a cell of the search tree; None leaves it to the tree.", 20),
    # ---- binning -----------------------------------------------------------------------------------------------
    "min_share": OptionText("The least share of the rows in a bin, for optimal bins.", 0.05),
    "columns": OptionText(
        "Other options for some columns: a method, a list of edges, or a mapping of options.",
        {"age": [18, 30, 65]},
        _MAPPING,
    ),
    "labels": OptionText(
        "Names for the bins, the lowest first; for all columns or by column.",
        {"age": ["young", "old"]},
        "list, mapping or None",
    ),
    "output": OptionText('"codes" are 0, 1, …; "labels" are intervals in words.', "labels"),
    "target": OptionText(
        "Whether y holds classes or numbers; None takes decimals and more than ten values for numbers.", "classes"
    ),
}


# What is looked for first; the others follow as their classes have them.
_FIRST = (
    "criterion", "confidence", "min_cases", "n_trees", "member", "n_rounds", "learning_rate", "trials", "rules",
    "committees", "neighbors", "k", "alpha", "alpha_split", "alpha_merge", "alpha_resplit", "max_depth", "max_leaves",
    "min_rows_split", "min_rows_leaf", "min_rows", "min_gain", "prune", "leaf", "splits", "max_columns", "class_weight",
    "costs", "priors", "missing", "kinds", "random_state", "n_jobs", "progress",
)  # fmt: skip


def place_of_option(name: str) -> int:
    """Where an option stands in a list of them.

    >>> sorted(["unseen", "n_jobs", "max_depth", "criterion"], key=place_of_option)
    ['criterion', 'max_depth', 'n_jobs', 'unseen']
    """
    return _FIRST.index(name) if name in _FIRST else len(_FIRST)


def text_of_option(kind: type[Any], name: str) -> OptionText:
    """What an option means to an estimator."""
    own = (OWN_TEXTS[owner.__name__] for owner in kind.__mro__ if owner.__name__ in OWN_TEXTS)
    return next((texts[name] for texts in own if name in texts), None) or TEXTS[name]


def parameters_of_model(kind: type[Any]) -> Iterator[Parameter]:
    """The options of an estimator with their texts, those that are looked for first at the beginning."""
    for option in sorted(fields(kind), key=lambda option: place_of_option(option.name)):
        if option.init:
            text, limit = text_of_option(kind, option.name), kind.option_limits.get(option.name)
            default = "" if option.default is MISSING else repr(option.default)
            words = "" if is_yes_no(limit) else str(limit or "")
            yield Parameter(option.name, text.type or type_of(limit), default, text.meaning, words, repr(text.example))
