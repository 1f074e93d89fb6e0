"""``tw.tree_by_hand``: a tree that a person wrote, or that was printed, as a fitted model on given rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from importlib import import_module
from typing import Any, TypeVar, overload

import numpy as np
from sklearn.base import clone

from treewright.by_hand.condition_reader import ConditionReader
from treewright.by_hand.nested_tree import read_nested
from treewright.by_hand.outline import HandLeaf, Outline
from treewright.by_hand.outline_gains import with_gains
from treewright.by_hand.outline_tree import HandRows, answers_of, class_of, tree_of
from treewright.by_hand.printed_tree import Title, read_printed, title_of
from treewright.costs import target_costs, target_priors
from treewright.data.encode import encode, make_schema, prediction_matrix
from treewright.data.frame import Frame, listing, read_frame
from treewright.data.labelled import has_classes
from treewright.data.schema import Column, Level, Schema, Target
from treewright.data.target_column import check_classes, encode_classes
from treewright.data.user_warnings import warn_user
from treewright.data.weights import kept_rows, row_weights
from treewright.errors import DataError, OptionError, shown
from treewright.explain.condition_text import level_text
from treewright.model.base import TreeModel
from treewright.model.class_or_number import Classifies, TargetRows, altered, target_name
from treewright.model.learners.classifier import ClassifierModel, TreeClassifier
from treewright.model.learners.regressor import RegressorModel, TreeRegressor
from treewright.model.model_pruning import remember
from treewright.tree.tree import Tree

Given = TypeVar("Given", bound=TreeModel)


@overload
def tree_by_hand(
    tree: str | Mapping[Any, Any], X: Any, y: Any = None, *, model: Given, kinds: Any = None, sample_weight: Any = None
) -> Given: ...
@overload
def tree_by_hand(
    tree: str | Mapping[Any, Any], X: Any, y: Any = None, *, model: None = None, kinds: Any = None,
    sample_weight: Any = None,
) -> ClassifierModel | RegressorModel: ...  # fmt: skip
def tree_by_hand(
    tree: str | Mapping[Any, Any], X: Any, y: Any = None, *, model: TreeModel | None = None, kinds: Any = None,
    sample_weight: Any = None,
) -> Any:  # fmt: skip
    """A fitted model of a tree that is written down, its nodes holding the rows of X.

    It is nested dicts, or indented text as ``print(model)`` writes it. A split is ``{"outlook": {"Sunny": …}}``, a
    branch per level, or ``{"x ≤ 2.5": …, "x > 2.5": …}``, which may also be written ``{"x ≤ 2.5": {"yes": …,
    "no": …}}`` or with ``"else"`` for the rest. In text every branch has a line, ``x ≤ 2.5: yes``, and what is below
    it is indented. A leaf is the class or the number it predicts; None, or no answer, leaves it to the rows. ``or
    missing`` behind a condition says where missing values go; else they go as the model has it, or with most rows.

    The model predicts, prints, explains, is pruned and saved as any other. ``model.rows_by_level()`` sends the rows
    down step by step and says who is wrong, ``tw.evaluate.compare_trees`` sets it beside others, and
    ``model.grow_on()`` grows its leaves further. What is not printed (surrogates, significance, options) is not read.

    Parameters
    ----------
    tree : str or mapping
        The tree as it is written down.
    X : table
        The rows, as ``fit`` takes them.
    y : array-like or None, default None
        The target. Without it nothing is known of errors, and leaves have to be written.
    model : estimator or None, default None
        An estimator that is not fitted, whose options the tree is to have. None is a ``TreeClassifier`` or
        ``TreeRegressor`` or, where text begins with the line that prints begin with, the estimator named there (but
        for C5.0, which grows its trees by itself).
    kinds : mapping or None, default None
        Which kind a column is, as in ``fit``.
    sample_weight : array-like or None, default None
        How much each row counts.

    Examples
    --------
    >>> import treewright as tw
    >>> table = tw.datasets.load("six_points")
    >>> first = tw.tree_by_hand({"x1 ≤ 0.5": "+", "else": {"x2 ≤ 1.5": "-", "x2 > 1.5": "+"}}, table.X, table.y)
    >>> print(first)
    TreeClassifier: y — 6 rows, 3 leaves, depth 2, training error 0.0 %
    x1 ≤ 0.5: + [1] (3)
    x1 > 0.5 [2]
    │  x2 ≤ 1.5: - [3] (2)
    │  x2 > 1.5: + [4] (1)
    >>> str(tw.tree_by_hand(str(first), table.X, table.y)) == str(first)
    True
    """
    frame, title = read_frame(X), title_of(tree) if isinstance(tree, str) else Title()
    given = _given(model, title)
    kinds = getattr(given, "kinds", None) if kinds is None else kinds
    reader = ConditionReader(make_schema(frame, Target("y"), kinds).columns)
    outline = _outline(tree, reader, _classes_in(y, given, frame.n_rows))
    made = _default(outline, y) if given is None else given
    made.set_params(kinds=kinds)
    made._check_options()
    told = _target_rows(made, outline, y, frame.n_rows, sample_weight)
    if title.target is not None and target_name(y) == "y":
        told = told._replace(target=replace(told.target, name=title.target))
    schema = Schema(_with_unseen(reader), told.target)
    grown = _tree(made, outline, schema, *told.of(frame), is_known=y is not None)
    made._keep(schema, {"tree_": grown, "_by_hand": True}, named=frame.named)
    made._fitted_to = remember(X, y, sample_weight)
    return made


def _outline(tree: Any, reader: ConditionReader, classes: Sequence[Level]) -> Outline:
    if isinstance(tree, str):
        return read_printed(tree, reader, classes)
    if not isinstance(tree, Mapping):
        raise DataError(f"a tree is nested dicts or indented text, got {shown(tree)}", '{"x ≤ 2.5": …, "x > 2.5": …}')
    return read_nested(tree, reader)


def _tree(made: Any, outline: Outline, schema: Schema, frame: Frame, told: TargetRows, *, is_known: bool) -> Tree:
    weights = np.ones(frame.n_rows) if told.weights is None else told.weights
    matrix = prediction_matrix(frame, schema)
    tree = tree_of(outline, schema, HandRows(matrix, told.y if is_known else None, weights, made._policies(schema)),
                   made._leaf())  # fmt: skip
    if not is_known:
        return tree
    encoded = altered(encode(frame, schema, told.y, told.weights, max_bins=None, n_jobs=made._n_jobs()))
    return with_gains(tree, schema, made._recipe(encoded))


# ---- which estimator -------------------------------------------------------------------------------------------------


def _given(model: Any, title: Title) -> Any:
    """The estimator that was passed, or that the text names; None: neither."""
    if model is not None:
        if not isinstance(model, TreeModel):
            raise OptionError(
                f"model={shown(model)} is not accepted", "model is an estimator such as tw.ID3Classifier()"
            )
        return clone(model)
    public = import_module(__name__.partition(".")[0])
    named = title.estimator or ""
    kind = getattr(public, named) if named in public.__all__ else None
    if not isinstance(kind, type) or not issubclass(kind, TreeModel) or not kind.grown_by_recipe:
        return None
    return kind(criterion="absolute_error") if title.of_medians else kind()


def _default(outline: Outline, y: Any) -> Any:
    """Without a target, answers with decimals are numbers and all others classes."""
    if y is not None:
        return TreeClassifier() if has_classes(y) else TreeRegressor()
    answers = [leaf.answer for leaf in answers_of(outline)]
    of_numbers = all(map(_is_number, answers)) and any("." in str(answer) for answer in answers)
    return TreeRegressor() if of_numbers else TreeClassifier()


def _is_number(answer: Any) -> bool:
    if isinstance(answer, bool):
        return False
    try:
        return bool(np.isfinite(float(answer)))
    except (TypeError, ValueError, OverflowError):
        return False


# ---- columns and target ----------------------------------------------------------------------------------------------


def _classes_in(y: Any, given: Any, n_rows: int) -> Sequence[Level]:
    of_classes = y is not None and (has_classes(y) if given is None else isinstance(given, Classifies))
    return encode_classes(y, n_rows)[0] if of_classes else ()


def _with_unseen(reader: ConditionReader) -> tuple[Column, ...]:
    """The columns, with the levels that the tree names and no row has. A misspelt one would be such a level."""
    columns = list(reader.columns)
    for j, levels in reader.unseen.items():
        for level in levels:
            _warn_unseen(f"no row has {columns[j].name} = {level_text(level)}", level, columns[j].levels)
        columns[j] = replace(columns[j], levels=(*columns[j].levels, *levels))
    return tuple(columns)


def _warn_unseen(what: str, given: Level, known: Sequence[Level]) -> None:
    near = get_close_matches(str(given), [str(level) for level in known], n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {listing([str(level) for level in known])}."
    warn_user(f"{what}, which the tree by hand names. Hint: {hint}")


def _target_rows(made: Any, outline: Outline, y: Any, n_rows: int, sample_weight: Any) -> TargetRows:
    """What is known of the rows; classes that only the tree names come after those of the rows."""
    if not isinstance(made, Classifies):
        for leaf in answers_of(outline):
            if not _is_number(leaf.answer):
                _refuse_equation(leaf.answer)
                raise DataError(f"a leaf predicts {leaf.answer!r}, and the target is a number", "write a number")
        if y is None:
            return TargetRows(Target("y"), np.zeros(n_rows), None, None)
        told: TargetRows = made._read_target(y, n_rows, sample_weight)
        return told
    seen, codes, known = encode_classes(y, n_rows) if y is not None else ((), np.zeros(n_rows, np.int64), None)
    for leaf in answers_of(outline):
        if leaf.answer not in seen:
            _refuse_equation(leaf.answer)
    classes = _with_answers(outline, seen, warn=y is not None)
    if not classes:
        raise DataError("no leaf says what it predicts, and y is None", "pass y, or write classes at the leaves")
    if y is not None and (len(seen) > 1 or len(classes) == 1):  # the tree may name a class that no row has
        check_classes(classes, codes)
    weights = row_weights(sample_weight, made.class_weight, classes, codes if y is not None else None, n_rows, known)
    name, costs, priors = target_name(y), target_costs(made.costs, classes), target_priors(made.priors, classes)
    return TargetRows(Target(name, classes, costs, priors), codes, weights, kept_rows(known, weights))


_EQUATION = re.compile(r"log-odds of .+ = -?\d|-?[\d.]+(?:e[+-]?\d+)? [+-] \S+ \S")


def _refuse_equation(answer: Any) -> None:
    """Printed equations are rounded, and their rows are needed to prune and to grow on."""
    if isinstance(answer, str) and _EQUATION.match(answer):
        raise DataError(
            f"a leaf predicts by an equation, {answer!r}, and leaves written by hand have none",
            "model.save(path) and tw.load(path) keep a model with its equations; or write what the leaf predicts",
        )


def _with_answers(outline: Outline, classes: tuple[Level, ...], *, warn: bool) -> tuple[Level, ...]:
    found = list(classes)
    for leaf in answers_of(outline):
        if class_of(leaf.answer, found, printed=leaf.printed) is None:
            if warn:
                _warn_unseen(f"no row is of class {leaf.answer!r}", leaf.answer, classes)
            found.append(_typed(leaf, classes))
    return tuple(found) if classes else tuple(sorted(found, key=lambda label: (str(type(label)), label)))


def _typed(leaf: HandLeaf, classes: Sequence[Level]) -> Level:
    """A printed class is text unless all others are whole numbers."""
    if leaf.printed and classes and all(type(label) is int for label in classes):
        try:
            return int(leaf.answer)
        except ValueError:
            return str(leaf.answer)
    made: Level = leaf.answer
    return made
