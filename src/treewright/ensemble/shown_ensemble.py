"""What the page shows of an ensemble: its members, how they are combined, and the columns they use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from treewright.ensemble.ensemble_text import error_text, range_text
from treewright.ensemble.members import TreeMembers
from treewright.explain.number_text import format_number, plural
from treewright.model.shown.page_view import page_view
from treewright.model.shown.shown_members import member_of, shares_by_name
from treewright.page.members_view import ShownMember, Together, members_view
from treewright.typing import Floats


def shown_ensemble(model: Any, rows: Floats | None) -> dict[str, Any]:
    """The view of an ensemble whose members can be shown."""
    combining = {"sum": float(np.asarray(model.weights_).sum()), **model._combining()}
    of_trees = isinstance(model.members_, TreeMembers)
    shares = model.feature_importances_ if of_trees else np.zeros(len(model.schema_.columns))
    found = model.__dict__.get("oob_")
    together = Together(
        len(model), "tree" if of_trees else "member", combining, _HOW[combining["by"]],
        np.asarray(model.training_stats).tolist(), shares_by_name(model.schema_.names, shares), "Share of the gain",
        None if found is None else ("Out-of-bag error", np.asarray(found.curve, np.float64)),
    )  # fmt: skip
    facts = [plural(model.n_rows_, "row"), plural(len(model), together.name), *_size(model), *_out_of_bag(found, model)]
    return members_view(_members(model), model.schema_, together, title=type(model).__name__, facts=facts, rows=rows)


_HOW = {
    "mean": "the mean of what all say",
    "votes": "the share of the votes",
    "softmax": "of the weighted votes, as scikit-learn makes probabilities of them",
    "median": "the weighted median",
}


def _members(model: Any) -> Iterator[ShownMember]:
    weights = np.asarray(model.weights_, np.float64)
    is_weighted = bool((weights != weights[0]).any())
    for k, weight in enumerate(weights.tolist()):
        more = f"counts {format_number(weight, 3)}" if is_weighted else ""
        if isinstance(model.members_, TreeMembers):
            yield member_of(model.trees_[k], model.schema_, weight=weight, more=more)
        else:
            view = page_view(model.members_[k])
            size = len(view["rules"]) if view["kind"] == "rules" else model.members_[k].tree_.n_nodes
            yield ShownMember(view, ", ".join([*view["facts"][:2], *([more] if more else [])]), weight, size)


def _size(model: Any) -> list[str]:
    if not isinstance(model.members_, TreeMembers):
        return []
    leaves, depths = (np.array([getattr(tree, name) for tree in model.trees_]) for name in ("n_leaves", "depth"))
    return [f"leaves {range_text(leaves)}", f"depth {range_text(depths)}"]


def _out_of_bag(found: Any, model: Any) -> list[str]:
    return [] if found is None or np.isnan(found.error) else [f"out-of-bag error {error_text(model, found.error)}"]
