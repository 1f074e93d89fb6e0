"""Which splits of a column are possible at every open node."""

from __future__ import annotations

from treewright.engines.choices.level_sets import ProposedColumn, levels
from treewright.engines.choices.ordered_cuts import cuts
from treewright.engines.choices.proposals import Proposals, like_code
from treewright.engines.stores.node_cells import Cells, with_commonest
from treewright.recipe_parts.missing import Missing
from treewright.typing import Floats


def propose(column: ProposedColumn, cells: Cells, n_nodes: int, key: Floats | None = None) -> Proposals:
    """Cuts of ordered columns, sets of levels of nominal ones; for the ``key`` see ``levels``."""
    commonest = None
    if column.policy is Missing.COMMON:
        cells, commonest = with_commonest(cells, n_nodes, ordered=column.is_ordered, moments=column.moments)
    if column.is_ordered:
        proposed = cuts(cells, n_nodes, column.n_codes, column.policy, column.promising)
    else:
        proposed = levels(column, cells, n_nodes, key)
    return proposed if commonest is None else like_code(proposed, commonest)
