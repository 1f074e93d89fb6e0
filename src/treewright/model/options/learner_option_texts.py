"""What options mean to one learner, where that is not what they mean to the others; by the name of its class."""

from __future__ import annotations

from collections.abc import Mapping

from treewright.option_text import OptionText

SEED = "int, numpy.random.RandomState or None"
_PRUNE_BY_ITSELF = OptionText("Whether the tree is pruned, as the program does.", False)
OWN_TEXTS: Mapping[str, Mapping[str, OptionText]] = {
    "GreedyModel": {
        "random_state": OptionText(
            "The seed by which tie=random chooses, and by which pruning makes folds. Ties are otherwise not random.",
            7,
            SEED,
        )
    },
    "NeighborsModel": {"random_state": OptionText("The seed of the folds by which k=auto is chosen.", 7, SEED)},
    "C45Classifier": {
        "random_state": OptionText("The seed by which reduced-error pruning draws the rows it prunes with.", 7, SEED),
        "criterion": OptionText('C4.5\'s "gain_ratio" among columns of average gain, or "gain".', "gain", "str"),
        "flavour": OptionText(
            'Whose small print is followed: "c4.5" is release 8 but for numbers of a small scale, "c4.5-release8" that '
            'too, "j48" Weka\'s.',
            "j48",
        ),
        "prune": OptionText(
            "Whether the tree is pruned by pessimistic errors; reduced-error grows from some rows and prunes with the "
            "others. Or another method, as in ``CARTClassifier``.",
            False,
            "bool, str, mapping or pruner",
        ),
    },
    "C45RulesClassifier": {
        "criterion": OptionText('C4.5\'s "gain_ratio" among columns of average gain, or "gain".', "gain", "str"),
        "confidence": OptionText(
            "The confidence of the pessimistic error by which conditions are dropped: less of it drops more.", 0.1
        ),
        "random_state": OptionText(
            "The seed of the climbs that choose rules; None starts as C4.5 does, so every fit is the same.",
            7,
            SEED,
        ),
    },
    "C50Classifier": {
        "subset": OptionText("Whether levels are merged into groups.", False),
        "trials": OptionText("The most trees, or sets of rules, that are boosted; 1 does not boost.", 10, "int"),
        "random_state": OptionText("The seed by which sample draws rows.", 7, SEED),
    },
    "CARTRegressor": {
        "criterion": OptionText(
            "The measure by which splits are compared; with absolute_error leaves predict medians.",
            "absolute_error",
            "str or function",
        )
    },
    "RegressorModel": {
        "criterion": OptionText(
            "The measure by which splits are compared; larger is better.",
            "squared_error",
            "str or function",
        )
    },
    "EnsembleRegressor": {
        "criterion": OptionText(
            "The measure by which splits are compared; larger is better.",
            "squared_error",
            "str or function",
        )
    },
    "TreeClassifier": {
        "leaf": OptionText(
            'What leaves predict by: their "shares" of the classes, or a "logistic" model of their rows.', "logistic"
        )
    },
    "TreeRegressor": {
        "leaf": OptionText('What leaves predict: the "mean", or by a "linear" model of their rows.', "linear")
    },
    "SearchModel": {
        "random_state": OptionText("The seed of the folds or bootstrap samples; None is 0.", 7, SEED),
        "missing": OptionText(
            "What becomes of missing values, for all columns or by column: the branch that scores best (learned), a "
            "branch of their own (branch), as the commonest value (common), the answer of the node (stop), rows left "
            "out (drop), refused (error).",
            "branch",
            "str or mapping",
        ),
    },
    "ChaidModel": {
        "missing": OptionText(
            "What becomes of missing values, for all columns or by column. floating, CHAID's own, is one more level "
            "that may join any group; the other policies are those of other trees.",
            "branch",
            "str or mapping",
        ),
        "flavour": OptionText(
            'Whose merging is followed: "kass" is what is published, "r" is R-Forge\'s CHAID, "pypi" PyPI\'s.', "r"
        ),
    },
    "M5Regressor": {
        "prune": _PRUNE_BY_ITSELF,
        "leaf": OptionText('What leaves predict by: a "linear" model, or their "mean".', "mean"),
    },
    "M5RulesRegressor": {
        "prune": _PRUNE_BY_ITSELF,
        "leaf": OptionText('What rules predict by: a "linear" model, or the "mean".', "mean"),
    },
    "CubistRegressor": {
        "rules": OptionText("The most rules that are made.", 20, "int"),
        "sample": OptionText("The percentage of the rows to learn from; None is all of them.", 50.0),
        "random_state": OptionText("The seed by which sample chooses rows.", 7, "int"),
    },
    "Ensemble": {
        "random_state": OptionText(
            "The seed; None is the seed 0, so that the same rows give the same model again.",
            7,
            SEED,
        )
    },
    "KNNClassifier": {
        "flavour": OptionText('"ibk" follows Weka\'s IBk; None is the usual vote.', "ibk"),
    },
    "Discretizer": {
        "method": OptionText(
            "How to cut: by description length (mdl), χ² tests of neighbours (chimerge), exactly (optimal), into bins "
            "of even weight (quantile) or of even width (width).",
            "quantile",
        ),
        "bins": OptionText("The most bins; None is 10, but no limit for mdl and chimerge.", 5, "int or None"),
        "alpha": OptionText("The level of the χ² tests of chimerge; None is 0.05.", 0.01),
    },
}
