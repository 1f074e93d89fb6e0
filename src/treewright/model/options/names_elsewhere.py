"""What options of scikit-learn, rpart, Weka, C5.0, CHAID, SPSS, SAS and other programs are here.

A name is looked up without case, dashes and underscores; a single letter with its case, as Weka's -C and C5.0's -c.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Change = Callable[[Any], Any]
Meanings = tuple[tuple[str, Change], ...]

NOT_MEANT: Any = object()  # what a change answers where the value means something else


def key_of(name: str) -> str:
    """A name as it is looked up.

    >>> key_of("minNumObj"), key_of("min_samples-leaf"), key_of("C")
    ('minnumobj', 'minsamplesleaf', 'C')
    """
    short = name.replace("-", "").replace("_", "")
    return short.lower() if len(short) > 1 else short


def _same(value: Any) -> Any:
    return value


def _opposite(value: Any) -> Any:
    return (not value) if isinstance(value, bool) else NOT_MEANT


def _switch(on: Any, off: Any = NOT_MEANT) -> Change:
    """One value where the other program says yes, another where it says no."""
    return lambda value: (on if value else off) if isinstance(value, bool) else NOT_MEANT


def _word(words: Mapping[str, Any]) -> Change:
    """A word for a word; other words are not known."""
    return lambda value: words.get(str(value).lower(), NOT_MEANT)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _percent(value: Any) -> Any:
    """A share; numbers above 1 are percentages."""
    return NOT_MEANT if not _is_number(value) else value / 100 if value > 1 else value


def _rest_of_one(value: Any) -> Any:
    return round(1 - value, 12) if _is_number(value) else NOT_MEANT


def _one_more(value: Any) -> Any:
    return value + 1 if _is_number(value) else NOT_MEANT


def _not_text(value: Any) -> Any:
    """Of a name that means something else where its value is a word."""
    return NOT_MEANT if isinstance(value, str) else value


def _by_folds(value: Any) -> Any:
    return {"cost-complexity": {"cv": value}}


def _by_share(value: Any) -> Any:
    """Weka prunes with one of so many parts."""
    return {"reduced-error": {"share": round(1 / value, 2)}} if _is_number(value) and value > 1 else NOT_MEANT


def _limit(value: Any) -> Any:
    """A limit; -1 and 0 are none."""
    return None if _is_number(value) and value <= 0 else value


def _same_as(*options: str, by: Change = _same) -> Meanings:
    """Of several options the first that the estimator has."""
    return tuple((option, by) for option in options)


_LEAF = _same_as("min_rows_leaf", "min_cases", "min_rows")
_CASES = _same_as("min_cases", "min_rows_leaf", "min_rows")
_TREES = _same_as("n_trees", "n_rounds", "trials")
_COLUMNS = _same_as("max_columns")
_SHARE = _same_as("row_share", by=_percent)
_CONFIDENCE = _same_as("confidence", by=_percent)
_LEVEL = _same_as("alpha_split", "significance")
_SMOOTHNESS = _same_as("laplace")

_SCIKIT_LEARN: Mapping[str, Meanings] = {
    "minsamplesleaf": _LEAF,
    "minrowsleaf": _LEAF,  # ours, of other learners
    "mincases": _CASES,
    "minrows": _CASES,
    "ntrees": _TREES,
    "nrounds": _TREES,
    "minsamplessplit": _same_as("min_rows_split"),
    "maxleafnodes": _same_as("max_leaves"),
    "monotoniccst": _same_as("monotone"),
    "nestimators": _TREES,
    "maxfeatures": _COLUMNS,
    "maxsamples": _same_as("row_share"),
    "estimator": _same_as("member"),
    "baseestimator": _same_as("member"),
    "oobscore": _same_as("oob"),
    "nneighbors": _same_as("k"),
    "verbose": (("progress", bool),),
}
_R: Mapping[str, Meanings] = {  # rpart, partykit, randomForest and ranger
    "minsplit": _same_as("min_rows_split"),
    "minbucket": _LEAF,
    "maxdepth": _same_as("max_depth"),
    "maxheight": _same_as("max_depth", by=_limit),
    "stump": (("max_depth", _switch(1)),),
    "maxsurrogate": _same_as("max_surrogates"),
    "surrogatestyle": (("surrogate_agreement", _word({"0": "all", "1": "known"})),),
    "xval": (("cv", _same), ("prune", _by_folds)),
    "loss": _same_as("costs", by=_not_text),
    "prior": _same_as("priors"),
    "cost": _same_as("attribute_costs", "costs", by=_not_text),
    "alpha": _same_as("alpha_split"),
    "mincriterion": _same_as("alpha_split", "significance", by=_rest_of_one),
    "mtry": _COLUMNS,
    "ntree": _TREES,
    "numtrees": _TREES,
    "nodesize": _LEAF,
    "minnodesize": _LEAF,
    "maxnodes": _same_as("max_leaves"),
    "replace": _same_as("bootstrap"),
    "samplefraction": _SHARE,
    "classwt": _same_as("class_weight"),
}
_WEKA: Mapping[str, Meanings] = {
    "C": _CONFIDENCE,
    "confidencefactor": _CONFIDENCE,
    "M": _CASES,
    "minnumobj": _CASES,
    "minnuminstances": _same_as("min_rows", "min_cases", "min_rows_leaf"),
    "U": (("prune", _switch(False)), ("prune", _switch(None))),
    "unpruned": (("prune", _switch(False)), ("prune", _switch(None))),
    "R": (("prune", _switch("reduced-error")), ("leaf", _switch("mean"))),
    "N": (("prune", _by_share), ("prune", _switch(False))),
    "numfolds": (("prune", _by_share),),
    "reducederrorpruning": (("prune", _switch("reduced-error")),),
    "B": _same_as("binary"),
    "binarysplits": _same_as("binary"),
    "S": _same_as("raising", by=_opposite),
    "subtreeraising": _same_as("raising"),
    "noprune": (("prune", _switch(False)), ("prune", _switch(None))),
    "nopruning": (("prune", _switch(False)), ("prune", _switch(None))),
    "A": _SMOOTHNESS,
    "uselaplace": _SMOOTHNESS,
    "J": _same_as("mdl", by=_opposite),
    "usemdlcorrection": _same_as("mdl"),
    "O": _same_as("collapse", by=_opposite),
    "collapsetree": _same_as("collapse"),
    "donotmakesplitpointactualvalue": (("thresholds", _switch("midpoints", "values")),),
    "buildregressiontree": (("leaf", _switch("mean", "linear")),),
    "useunsmoothed": _same_as("smooth", by=_opposite),
    "numiterations": _same_as("n_trees", "n_rounds"),
    "numfeatures": _COLUMNS,
    "bagsizepercent": _SHARE,
    "K": _same_as("k", "max_columns"),
    "knn": _same_as("k"),
}
_C50: Mapping[str, Meanings] = {  # C4.5, C5.0 and the R package C50
    "c": _CONFIDENCE,
    "cf": _CONFIDENCE,
    "m": _CASES,
    "mincases": _CASES,
    "r": _same_as("rules"),
    "t": _same_as("trials"),
    "w": _same_as("winnow"),
    "s": _same_as("subset"),
    "g": _same_as("global_pruning", by=_opposite),
    "noglobalpruning": _same_as("global_pruning", by=_opposite),
    "fuzzythreshold": _same_as("soft_thresholds"),
    "u": _same_as("bands"),
    "seed": _same_as("random_state"),
}
_CHAID: Mapping[str, Meanings] = {  # R-Forge's and PyPI's CHAID, SPSS and SAS
    "alpha2": _same_as("alpha_merge"),
    "alphamerge": _same_as("alpha_merge"),
    "alpha3": _same_as("alpha_resplit", by=_limit),
    "splitmerged": (("alpha_resplit", lambda value: {"yes": 0.05, "true": 0.05}.get(str(value).lower())),),
    "alpha4": _same_as("alpha_split"),
    "alphasplit": _same_as("alpha_split"),
    "significancelevel": _LEVEL,
    "testtype": (("bonferroni", _word({"bonferroni": True, "univariate": False})),),
    "adjust": (("bonferroni", _word({"bonferroni": True, "none": False})),),
    "chisquare": (("test", _word({"pearson": "chi2", "lr": "g"})),),
    "minprob": _same_as("min_weight_fraction_leaf"),
    "minparentnodesize": _same_as("min_rows_split"),
    "minchildnodesize": _LEAF,
    "minparentsize": _same_as("min_rows_split"),
    "minchildsize": _LEAF,
    "minleafsize": _LEAF,
    "minleaf": _LEAF,
    "maxbranch": _same_as("max_branches"),
    "intervals": _same_as("bins"),
    "intervalbins": _same_as("bins"),
    "maxbins": _same_as("bins"),
    "maxbin": _same_as("bins"),
    "assignmissing": (("missing", _word({"branch": "branch", "popular": "common", "similar": "learned"})),),
    "minimprovement": _same_as("min_gain"),
    "impurity": _same_as("criterion"),
    "splitcriterion": _same_as("criterion"),
    "costmatrix": _same_as("costs"),
    "misclassificationcosts": _same_as("costs"),
}
_OTHERS: Mapping[str, Meanings] = {  # LightGBM, XGBoost, MATLAB, and words one would try
    "numleaves": _same_as("max_leaves"),
    "maxnumsplits": _same_as("max_leaves", by=_one_more),
    "minchildsamples": _LEAF,
    "mindatainleaf": _LEAF,
    "maximaldepth": _same_as("max_depth", by=_limit),
    "depth": _same_as("max_depth", by=_limit),
    "eta": _same_as("learning_rate"),
    "shrinkage": _same_as("learning_rate"),
    "subsample": _SHARE,
    "baggingfraction": _SHARE,
    "colsamplebytree": _same_as("column_share"),
    "featurefraction": _same_as("column_share"),
    "colsamplebynode": _COLUMNS,
    "treemethod": (("engine", _word({"hist": "histogram", "approx": "histogram", "exact": "exact"})),),
    "nthread": _same_as("n_jobs"),
    "numthreads": _same_as("n_jobs"),
    "nthreads": _same_as("n_jobs"),
    "ncores": _same_as("n_jobs"),
    "randomseed": _same_as("random_state"),
    "cv": (("prune", _by_folds),),
    "folds": (("cv", _same), ("prune", _by_folds)),
    "pruning": _same_as("prune"),
}
NAMES: Mapping[str, Meanings] = {**_SCIKIT_LEARN, **_R, **_WEKA, **_C50, **_CHAID, **_OTHERS}

_NO_MODEL_OPTION = "that is no option of a model"
TOLD: Mapping[str, tuple[str, str]] = {  # what takes its place, where the estimator has the option named first, if any
    "minimpuritydecrease": (
        "min_gain",
        "min_gain is nearest, but is what the node itself gains, not times its share of the rows: one number gives two "
        "trees",
    ),
    "ccpalpha": ("alpha", "alpha is what a leaf costs here; without it cross-validation chooses"),
    "usesurrogate": (
        "surrogate_otherwise",
        'usesurrogate=2 is missing="surrogate" here, and usesurrogate=1 also surrogate_otherwise="stop"',
    ),
    "maxdepth": ("member", "options of trees go to the members: member is an estimator with options of its own"),
    "maxleaves": ("member", "options of trees go to the members: member is an estimator with options of its own"),
    "splitter": ("", 'splitter="best" is what every tree here does; cuts at random are those of ExtraTreesClassifier'),
    "parms": ("criterion", "parms=list(split=, loss=, prior=) is criterion, costs and priors here"),
    "maxcompete": ("", "all splits that compete are told when they are asked for, by model.competitors(node)"),
    "method": (
        "",
        "what is predicted follows from the class, CARTClassifier or CARTRegressor; tw.fit has method=",
    ),
    "categoricalfeatures": ("kinds", 'text is nominal by itself; for numbers say kinds={"column": "nominal"}'),
    "catfeatures": ("kinds", 'text is nominal by itself; for numbers say kinds={"column": "nominal"}'),
    "categoricalfeature": ("kinds", 'text is nominal by itself; for numbers say kinds={"column": "nominal"}'),
    "nominal": ("kinds", 'text is nominal by itself; for numbers say kinds={"column": "nominal"}'),
    "naaction": ("missing", 'missing values are learned from as they are; missing="drop" leaves their rows out'),
    "sampleweight": ("", f"{_NO_MODEL_OPTION}: rows are weighted in fit(X, y, sample_weight=…)"),
    "caseweights": ("", f"{_NO_MODEL_OPTION}: rows are weighted in fit(X, y, sample_weight=…)"),
    "weights": ("", f"{_NO_MODEL_OPTION}: rows are weighted in fit(X, y, sample_weight=…)"),
    "featurenames": ("", f"{_NO_MODEL_OPTION}: names come with the table, a data frame or a dict of columns"),
    "classnames": ("", f"{_NO_MODEL_OPTION}: classes are called what the target calls them"),
}
VALUES: Mapping[str, Mapping[str, str]] = {  # of options: what their values are called by other programs
    "criterion": {
        "logloss": "entropy", "deviance": "entropy", "information": "entropy", "informationgain": "gain",
        "infogain": "gain", "gainratio": "gain_ratio", "giniindex": "gini", "chisquare": "chi2", "chisq": "chi2",
        "chaid": "chi2", "error": "misclassification", "mse": "squared_error", "squarederror": "squared_error",
        "anova": "squared_error", "friedmanmse": "friedman", "mae": "absolute_error",
    },
}  # fmt: skip
PRUNING: Mapping[str, tuple[str, Mapping[str, Any]]] = {  # α is the value of the other program's option
    "alpha": ("cost-complexity", {}),
    "ccpalpha": ("cost-complexity", {}),
    "cp": ("cost-complexity", {"relative": True, "risk": "misclassification"}),
    "complexity": ("cost-complexity", {"relative": True, "risk": "misclassification"}),
}
