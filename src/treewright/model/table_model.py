"""What every estimator is: any table in, the schema kept, options checked, the model saved and loaded.

Trees, rule sets and the discretizer stand on it. A new estimator declares its options as fields, what they accept in
``option_limits``, and writes ``fit`` in four steps: check the options, read the table, learn, keep.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from treewright.data.encode import prediction_matrix
from treewright.data.frame import read_frame
from treewright.data.matrix import few_numbers_of
from treewright.data.schema import Schema
from treewright.data.target_column import class_array
from treewright.display import Sheet, code_block, data_frame
from treewright.engines.workers import available_cores
from treewright.errors import OptionError
from treewright.model.model_origin import Origin
from treewright.model.options.familiar_names import unknown_option
from treewright.model.options.limit import Limit
from treewright.model.options.option_limits import LIMITS, check_options
from treewright.model.options.option_texts import parameters_of_model
from treewright.option_text import WithParameters
from treewright.prune.option_checks import check_whole
from treewright.tree.files import replace_file
from treewright.typing import Array

if TYPE_CHECKING:
    from treewright.model.column_reports.importance import ColumnImportances

Self = TypeVar("Self", bound="TableModel")

_MOST_THREADS = 64  # beyond the cores there is nothing to gain, only memory to lose
_OF_THE_ROWS = ("_fitted_to", "_coded")  # what holds rows of the fit: neither copied nor pickled


@dataclass(kw_only=True, eq=False, repr=False)
class TableModel(BaseEstimator):
    """Shared by all estimators. The fields are the options; scikit-learn reads them from the signature they make.

    An option that makes no sense for an estimator is declared there with ``field(default=…, init=False)``: it keeps its
    value and is not offered. Attributes that a fit leaves behind are fields with ``init=False`` too.
    """

    kinds: Any = None
    unseen: str = "missing"
    n_jobs: int | None = None

    schema_: Schema = field(init=False)
    n_features_in_: int = field(init=False)
    feature_names_in_: Array = field(init=False)
    origin_: Origin = field(init=False)

    holds: ClassVar[str] = "a tree"  # what a model of the kind is, in errors

    option_limits: ClassVar[Mapping[str, Limit]] = LIMITS  # what each option accepts
    option_checks: ClassVar[tuple[Callable[[Any], None], ...]] = ()  # refuse options that do not go together

    # ---- options -----------------------------------------------------------------------------------------------

    def __init_subclass__(cls, **given: Any) -> None:
        """Let the docstring of every estimator end with its options."""
        super().__init_subclass__(**given)
        if cls.__dict__.get("__doc__") is not None:
            setattr(cls, "__doc__", WithParameters(cls.__dict__["__doc__"], parameters_of_model))  # noqa: B010 - no str

    def __new__(cls, *given: Any, **options: Any) -> Any:
        cls._check_names(options)
        return super().__new__(cls)

    @classmethod
    def _check_names(cls, options: Mapping[str, Any]) -> None:
        if not options:
            return
        known = {option.name for option in fields(cls) if option.init}
        for name, value in options.items():
            if name not in known:
                raise unknown_option(cls.__name__, name, value, known, cls.option_limits)

    def set_params(self: Self, **options: Any) -> Self:
        """Set options by name, as scikit-learn does."""
        self._check_names({name: value for name, value in options.items() if "__" not in name})
        changed: Self = super().set_params(**options)
        return changed

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The options by name, as scikit-learn reads them."""
        return {**super().get_params(deep), **self._options()}

    def _options(self) -> dict[str, Any]:
        """The same, without asking for the signature: a fit of a small table has no time for that."""
        return {option.name: self.__dict__[option.name] for option in fields(self) if option.init}

    def _check_options(self) -> None:
        check_options(self._options(), self.option_limits)
        for check in self.option_checks:
            check(self)

    def _n_jobs(self) -> int:
        """How many threads: None and -1 are as many as there are cores."""
        cores = available_cores()
        return cores if self.n_jobs is None or self.n_jobs == -1 else min(int(self.n_jobs), max(cores, _MOST_THREADS))

    # ---- fit and predict ---------------------------------------------------------------------------------------

    def _keep(self, schema: Schema, learned: Mapping[str, Any], *, named: bool) -> None:
        """All that fitting leaves behind, in one go: a fit that fails leaves the model as it was.

        ``learned`` are attributes by name; ``named`` says whether the columns came with names.
        """
        kept: dict[str, Any] = {"schema_": schema, "n_features_in_": len(schema.columns), **learned}
        if named:
            kept["feature_names_in_"] = np.array(schema.names, dtype=object)
        if schema.target.classes is not None:
            kept["classes_"] = class_array(schema.target.classes)
        stale = [attribute.name for attribute in fields(self) if not attribute.init and attribute.name not in kept]
        self.__dict__.update(kept)
        for name in stale:
            self.__dict__.pop(name, None)

    def _check_fitted(self) -> None:
        if "schema_" not in self.__dict__:
            check_is_fitted(self, "schema_")

    def _matrix(self, X: Any, used: Any = None) -> Array:
        """The rows to predict as numbers and level codes, columns in the order of the schema; NaN is missing.

        Only the columns in ``used`` (None: all) are sure to be filled.
        """
        self._check_fitted()
        found = few_numbers_of(X, self.schema_, self.unseen)
        if found is not None:
            return found
        name = type(self).__name__
        return prediction_matrix(read_frame(X), self.schema_, used, unseen=self.unseen, estimator=name)

    # ---- importance ----------------------------------------------------------------------------------------------

    def importance(
        self,
        how: str = "permutation",
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        repeats: int = 10,
        cv: Any = 5,
        random_state: int = 0,
    ) -> ColumnImportances:
        """How much the model needs each column, with a standard error.

        how: "permutation", by how much the error on the rows of X and y rises when the values of a column are permuted,
        the mean of ``repeats`` permutations; "drop", by how much the error rises when the model is learned from X and y
        without the column, by cross-validation with ``cv`` folds; "impurity", the share of the column in what the
        splits gain (``feature_importances_``), which needs no rows and favours columns of many values. Errors are
        shares of wrong rows or, of numbers, mean squared errors. Rows that the model was not fitted to tell most.

        groups: ``{"blood": ["iron", "zinc"]}`` are columns that are permuted, or left out, together: one of two columns
        that say the same is not missed.

        >>> import treewright as tw
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> print(tw.CARTClassifier(max_depth=2).fit(X, y).importance("impurity"))
        column             impurity
        petal length (cm)     0.562
        petal width (cm)      0.438
        sepal length (cm)         0
        sepal width (cm)          0
        shares of the gain of all splits
        """
        from treewright.data.labelled import labelled
        from treewright.model.column_reports.importance import column_importances

        self._check_fitted()
        if not hasattr(self, "predict"):
            raise OptionError(
                f"a {type(self).__name__} predicts nothing that columns could be needed for", "fit a tree"
            )
        check_whole("repeats", repeats, least=1, hint="10 is usual")
        is_classifier = self.schema_.target.classes is not None
        rows = None if X is None else labelled(X, y, is_classifier=is_classifier, sample_weight=sample_weight)
        return column_importances(self, how, rows, groups, repeats=int(repeats), cv=cv, random_state=int(random_state))

    # ---- words, copies and files -------------------------------------------------------------------------------

    def to_text(self) -> str:
        """What was learned, in words."""
        return repr(self)

    def __str__(self) -> str:
        return self.to_text() if hasattr(self, "schema_") else repr(self)

    def to_dict(self) -> dict[str, Any]:
        """What was learned as columns by name, as every data frame takes them; of a model that is no tree and no rules,
        its options."""
        self._check_fitted()
        rules = getattr(self, "rule_set_", None)
        if rules is not None:
            return dict(rules.to_dict())
        return {"option": list(self._options()), "value": [str(value) for value in self._options().values()]}

    def to_frame(self) -> Any:
        """The same as a data frame: of a tree a row for every node, of rules one for every rule."""
        return data_frame(self.to_dict())

    def to_markdown(self) -> str:
        """What was learned as it is printed, in a block of code."""
        self._check_fitted()
        return code_block(self.to_text())

    def to_html(self, path: str | PathLike[str] | None = None, *, rows: Any = None) -> str:
        """The model as an interactive page: the text of one file of HTML that needs no other, works offline and holds
        no row of the fit.

        It is also written to ``path`` if that is given. ``rows`` is a table of up to 1,000 rows to choose from, whose
        paths the page shows; they are in the file.
        """
        from treewright.model.shown.page_view import page_document

        self._check_has_page()
        text = page_document(self, rows)
        if path is not None:
            replace_file(path, text.encode("utf-8"))
        return text

    def report(self, path: str | PathLike[str], X: Any, y: Any, sample_weight: Any = None) -> None:
        """Write a report of the model on rows it was not fitted to: one file of HTML, which prints well.

        It has a summary of the rows, metrics, confusion, the interactive page, rules, the errors of smaller trees, a
        ranking of the columns, warnings, and how the model was made.
        """
        from treewright.model.shown.model_report import write_report

        self._check_has_page()
        write_report(self, path, X, y, sample_weight=sample_weight)

    def _has_page(self) -> bool:
        """Whether what is kept of the fit can be shown."""
        return True

    def _check_has_page(self) -> None:
        from treewright.model.shown.page_view import has_page

        self._check_fitted()
        if not has_page(self):
            raise OptionError(
                f"a {type(self).__name__} is no tree and no rules: there is nothing to show",
                "print the model, or explain a row",
            )

    def _repr_html_(self) -> str:
        """What notebooks show: the page in a frame of its own; of a model that has none what it says as a table; before
        the fit scikit-learn's diagram."""
        from sklearn.utils import estimator_html_repr

        from treewright.model.shown.page_view import has_page
        from treewright.page.html_document import framed

        if has_page(self):
            return framed(self.to_html())
        is_fitted = hasattr(self, "schema_")
        return Sheet(self.to_dict(), self.to_text()).html() if is_fitted else str(estimator_html_repr(self))

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """The same: notebooks ask scikit-learn's estimators in this way."""
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def __getstate__(self) -> dict[str, Any]:
        """What is copied and pickled: all but the rows of the fit."""
        return {name: value for name, value in super().__getstate__().items() if name not in _OF_THE_ROWS}

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a JSON file; ``tw.load(path)`` reads it back."""
        from treewright.model.model_files import save

        self._check_fitted()
        save(self, path)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


# ---- which models can be saved -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Form:
    """How what a model has learned stands in a file: the section it has there, and the ways there and back.

    ``section`` is "tree", "rules" or, for all other models, "learned": plain values by name. ``to_json`` makes it of a
    model, ``from_json`` makes attributes by name of the section and the schema. ``facts`` are what else is known of
    models of the kind, and ``from_facts`` makes attributes of the facts of a file, which may lack any.
    """

    section: str
    to_json: Callable[[Any], dict[str, Any]]
    from_json: Callable[[Any, Schema], dict[str, Any]]
    facts: Callable[[Any], dict[str, Any]] = lambda model: {}
    from_facts: Callable[[dict[str, Any]], dict[str, Any]] = lambda facts: {}


SAVED: dict[str, tuple[type[TableModel], Form]] = {}  # by the name in the file


def register(kind: type[TableModel], form: Form) -> None:
    """Let models of a kind be saved, and ``tw.load`` read them."""
    SAVED[kind.__name__] = kind, form
