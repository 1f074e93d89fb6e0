"""What the arguments of the public functions mean: one table, since many functions take the same ones.

``describe(functions)`` lets their docstrings end with it, in numpydoc form. An argument that means something else to
one function stands there with the function's name, as ``"example.number"``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from treewright.option_text import Parameter

_TABLE = "Any dataframe, array, list of dicts or dict of columns"
_COLUMN = "str or int"
_SEED = "int, numpy.random.RandomState or None"
_WEIGHTS = ("array-like or None", "How much each row counts; None counts all alike.")
_NEW_ROWS = ("table or None", "Rows the model was not fitted to.")

ARGUMENTS: Mapping[str, tuple[str, str]] = {
    # ---- rows --------------------------------------------------------------------------------------------------
    "X": ("table", f"{_TABLE}."),
    "y": ("array-like", "The target, a value per row."),
    "sample_weight": _WEIGHTS,
    "X_val": ("table", "Rows the model was not fitted to, to validate on."),
    "y_val": ("array-like", "Their target."),
    "X_test": ("table or None", "Further rows, which tell how well the tree really does."),
    "y_test": ("array-like or None", "Their target."),
    "column": (f"{_COLUMN} or None", "The column, by name or place; None takes the best one."),
    "columns": (
        "list of str or None",
        "Two columns by name; None takes those a tree gains most by, else the first two.",
    ),
    "at": ("mapping or None", "Values at which other columns are held; None is their median or commonest level."),
    # ---- models and how they are tried -------------------------------------------------------------------------
    "model": ("estimator", "A fitted model."),
    "models": ("list or mapping of name to estimator", "Estimators of this library or with scikit-learn's manners."),
    "cv": ("int, 'loo' or splitter", 'How many folds; "loo" leaves one row out in turn.'),
    "random_state": (_SEED, "The seed of what is random."),
    "repeats": ("int", "How often it is repeated."),
    "rounds": ("int", "How many samples are drawn."),
    "leaves": ("list of int or None", "The sizes of the trees that are looked at; None is a dozen of them."),
    "sizes": ("int or list of float", "Shares of the training rows, or how many of them, evenly up to all."),
    "rule": (
        "str or float",
        'How the tree is chosen: "0se" is the least error, "1se" the smallest tree within a standard error of it, a '
        "number the smallest within so many.",
    ),
    "risk": ("str or None", 'What an error counts: "gini", "entropy" or "misclassification"; None as in pruning.'),
    "share": ("float", "The share of the rows that is tested on and never fitted to."),
    "test": ("float", "The share of the rows to test on."),
    "pruning": ("float", "The share to prune with, of what is left over."),
    "positive": ("class or None", "The class that is meant; None is the second of two, or the last."),
    "bins": ("int", "Into how many bins probabilities are put."),
    # ---- measures ----------------------------------------------------------------------------------------------
    "table": ("tw.Table or array-like", "Counts with a row per group; leading axes are further tables."),
    "counts": ("array-like", "The weight of each class, on the last axis."),
    "moments": ("array-like", "The sums of w, w·y and w·y², on the last axis."),
    "values": ("array-like", "The numbers that the columns of counts stand for."),
    "by": ("str or None", "The measure; None is information gain for classes, the decrease in variance for numbers."),
    "base": ("float or 'e'", "The base of the logarithm."),
    "log": ("bool", "Whether the natural logarithm of p is returned, which stays apart where p is 0."),
    "q": ("array-like", "The distribution that p is compared with."),
    "measures": ("list of str", "Measures by name."),
    # ---- neighbours --------------------------------------------------------------------------------------------
    "k": ("int", "How many neighbours are looked for."),
    "leaf_size": ("int", "The most rows of a cell."),
    "split": ("str", 'Which column is cut: each in turn ("rotate") or the one that varies most ("variance").'),
    "metric": ("str", '"euclidean", "manhattan", "chebyshev" or "minkowski".'),
    "n_rows": ("int", "How many rows there are."),
    "n_queries": ("int", "How many rows are asked about."),
    "weights": ("array-like or None", "A number per column."),
    # ---- plots -------------------------------------------------------------------------------------------------
    "ax": ("matplotlib axes or None", "Where to draw; None makes new axes."),
    "axes": ("list of axes or None", "Where to draw; None makes new axes."),
    "**options": ("object", "Options of the function or estimator that is named above."),
    # ---- of one function ---------------------------------------------------------------------------------------
    "complexity_curve.cv": (
        "int, 'loo', splitter or None",
        "None: X and y are rows the model was not fitted to. Else they are the rows of the fit, in so many folds.",
    ),
    "complexity_curve.along": ("str", '"pruning" follows the cost-complexity sequence, "growth" split after split.'),
    "compare_trees.trees": ("list or mapping of name to model", "Fitted trees; nothing is fitted anew."),
    "corrected_t_test.differences": ("array-like", "What two models differ by, fold by fold."),
    "corrected_t_test.test_per_training": ("float", "Test rows divided by training rows."),
    "learning_curve.model": ("estimator", "A model; models like it are fitted."),
    "bias_variance.model": ("estimator", "A tree; trees like it are fitted."),
    "measure_bias.levels": ("list of int", "How many levels the columns have."),
    "measure_bias.rows": ("int", "How many rows each round draws."),
    "measure_bias.classes": ("int", "How many classes the target has."),
    "partial_dependence.columns": ("str or list of str", "One column, or two."),
    "partial_dependence.label": ("class or None", "The class whose probability is meant; None is the last."),
    "partial_dependence.grid": ("int", "Into how many quantiles a numeric column is cut."),
    "partial_dependence.max_rows": ("int", "Of more rows an evenly spaced part is used."),
    "compare.methods": ("list, mapping or None", "Names or pruners; None is all that suit the target."),
    "compare.share": ("float or None", "The share of the rows to prune with; None is a half, with cv 0.3."),
    "pruning_comparison.methods": ("list, mapping or None", "Names or pruners; None is all that suit the target."),
    "hold_out.tree": ("Tree", "The tree."),
    "hold_out.schema": ("Schema", "Its schema."),
    "hold_out.leaves": ("array of int", "The leaf that every row reaches."),
    "hold_out.weights": ("array or None", "The weight of each row; None is 1."),
    "hold_out.n_rows": ("int or None", "How many rows it were, where a row reaches several leaves."),
    "hold_out.cells": ("array or None", "The rows themselves, where leaves are models."),
    "report.before": ("Tree", "The tree as it was."),
    "report.after": ("Tree", "What a pruner made of it."),
    "report.schema": ("Schema", "Its schema."),
    "report.method": ("str", "The name of the method."),
    "case_study.columns": ("list of int", "How many columns the tables have."),
    "time_study.columns": ("list of int", "How many columns the tables have."),
    "time_study.rows": ("list of int", "How many rows the tables have."),
    "distance_metric.p": ("float or None", "The exponent of minkowski."),
    "distance_metric.n_columns": ("int or None", "How many columns there are, to check the weights."),
    "load.path": ("str or PathLike", "The file."),
    "load.name": ("str", "The name of the table; ``names()`` lists them."),
    "bundled.name": ("str", "The name of the table; ``tw.datasets.names()`` lists them."),
    "bundled.target": ("str or None", "The column to predict; None is the table's own."),
    "bundled_numbers.name": ("str", "The name of the table; ``tw.datasets.names()`` lists them."),
    "bundled_numbers.target": ("str or None", "The column to predict; None is the table's own."),
    "example.number": ("int", "The number of the example."),
    "gains.label": ("class or None", "The class that is looked for; None is the second of two."),
    "gains.bins": ("int", "Into how many bins the rows are put, by their probability."),
    "gains.benefit": ("float", "What a row of the class earns."),
    "gains.cost": ("float", "What every row costs that is taken."),
    "inspect.table": ("table", f"{_TABLE}."),
    "inspect.kinds": ("mapping or None", "Which kind a column is, as in ``fit``."),
    "notation": (
        "str or None",
        'How symbols are written: "En" or "H" for entropy, "K" or "S" for the rows of a node, or both, "H,S".',
    ),
    "lesson.topic": ("str", "One of ``tw.teach.TOPICS``."),
    "lesson.rows": ("rows, str or None", "Rows, a bundled table by name, or None for the usual table of the topic."),
    "rows_of.columns": ("table", f"{_TABLE}, the target among them."),
    "rows_of.target": ("str", "The column to predict, a class."),
    "rows_of.name": ("str", "What the table is called in the lesson."),
    "rows_of.drop": ("list of str", "Columns to leave out."),
    "rows_of.kinds": ("mapping or None", "Which kind a column is, as in ``fit``."),
    "rows_of.identifiers": ("bool", "Whether columns that only name the rows are taken in."),
    "numbers_of.columns": ("table", f"{_TABLE}, the target among them."),
    "numbers_of.target": ("str", "The column to predict, a number."),
    "numbers_of.name": ("str", "What the table is called in the lesson."),
    "numbers_of.drop": ("list of str", "Columns to leave out."),
    "numbers_of.kinds": ("mapping or None", "Which kind a column is, as in ``fit``."),
    "numbers_of.identifiers": ("bool", "Whether columns that only name the rows are taken in."),
    "from_tree.model": ("tree", "A fitted tree."),
    "kl_divergence.p": ("array-like", "A distribution, on the last axis."),
    "confusion_matrix.normalise": ("bool", "Whether shares of the true class are shown instead of rows."),
    "cost_complexity_path.X": _NEW_ROWS,
    "cost_complexity_path.y": ("array-like or None", "Their target; then their error is drawn as well."),
    "decision_regions.y": ("array-like or None", "The target; then the rows are drawn."),
    "regression_steps.y": ("array-like or None", "The target; then the rows are drawn."),
    "node_region.node": ("int", "The number of the node."),
    "node_region.X": ("table or None", "Rows to draw."),
    "node_region.y": ("array-like or None", "Their target."),
    "tree_regions.X": ("table or None", "Rows to draw; without them the axes end around the cuts."),
    "tree_regions.y": ("array-like or None", "Their target."),
    "tree_regions.labels": ("bool", "Whether leaves are named in their regions."),
    "permutation_importance.X": ("table or None", "The rows of the fit, if these are gone."),
    "permutation_importance.y": ("array-like or None", "Their target."),
    "error_by_k.model": ("estimator", "A ``tw.KNNClassifier`` or ``tw.KNNRegressor``, whose other options count."),
    "error_by_k.max_k": ("int or None", "The largest k; None is the model's, or 50."),
    "impurity_curves.scaled": ("bool", "Whether each is divided by its largest value, to compare their forms."),
    "kd_search.query": ("pair of numbers or None", "The point that is asked about; None is the middle of the rows."),
    "neighbour_regions.ks": ("list of int", "The numbers of neighbours, a picture each."),
    "pruned_regions.pruned": ("estimator", "The pruned model."),
    "pruned_regions.names": ("pair of str", "What the two are called."),
    "theme.name": ("str", '"light" or "dark".'),
}  # fmt: skip


def describe(functions: Iterable[Callable[..., Any]]) -> None:
    """Let the docstrings of functions end with their arguments; one that has such a section is left as it is."""
    for function in functions:
        text = inspect.cleandoc(function.__doc__ or "")
        shown = [_parameter(function.__name__, given) for given in inspect.signature(function).parameters.values()]
        if shown and "\nParameters\n---" not in text:
            entries = [parameter.to_numpydoc() for parameter in shown if parameter is not None]
            function.__doc__ = "\n".join([text, "", "Parameters", "----------", *entries]) + "\n"


def _parameter(function: str, given: inspect.Parameter) -> Parameter | None:
    name = "**" * (given.kind is given.VAR_KEYWORD) + given.name
    found = ARGUMENTS.get(f"{function}.{name}") or ARGUMENTS.get(name)
    if found is None:
        return None
    default = "" if given.default is given.empty else repr(given.default)
    return Parameter(name, found[0], default, found[1])
