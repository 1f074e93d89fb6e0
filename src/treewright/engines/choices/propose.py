"""Which splits of a column are possible at every open node."""

from __future__ import annotations

from treewright.data.schema import Kind
from treewright.engines.choices.level_sets import levels
from treewright.engines.choices.ordered_cuts import cuts
from treewright.engines.choices.proposals import Proposals, like_code
from treewright.engines.stores.node_cells import Cells, with_commonest
from treewright.recipe.missing import Missing
from treewright.recipe.recipe import Splits
from treewright.typing import Floats


def propose(
    kind: Kind,
    cells: Cells,
    n_nodes: int,
    n_codes: int,
    policy: Missing,
    style: Splits,
    *,
    moments: bool,
    one_order: bool,
    key: Floats | None = None,
    each_of_two: bool = False,
) -> Proposals:
    """Cuts of ordered columns, sets of levels of nominal ones in the given style; see ``levels`` for the rest."""
    ordered, commonest = kind is not Kind.NOMINAL, None
    if policy is Missing.COMMON:
        cells, commonest = with_commonest(cells, n_nodes, ordered=ordered, moments=moments)
    if ordered:
        proposed = cuts(cells, n_nodes, n_codes, policy)
    else:
        proposed = levels(
            cells, n_nodes, n_codes, policy, style, moments=moments, one_order=one_order, key=key,
            each_of_two=each_of_two,
        )  # fmt: skip
    return proposed if commonest is None else like_code(proposed, commonest)
