"""Send rows down a tree."""

from typing import NamedTuple

import numpy as np

import treewright.kernels.row_routing.route_in_numpy as route_in_numpy
from treewright.kernels.jit import inlined, kernel
from treewright.kernels.row_routing.route_in_numpy import AS_MISSING, EVERY_BRANCH, NO_ANSWER, STOP


class BinaryTree(NamedTuple):
    """A tree all of whose tests are ``x <= edge``."""

    column: np.ndarray
    edge: np.ndarray
    branches: np.ndarray  # (n, 3): of missing, left and right
    first_child: np.ndarray


@kernel
def apply_binary(matrix, first_row, last_row, tree, out):
    """Leaf of each row when every test is ``x <= edge``.

    Rows go down eight at a time: their look-ups do not depend on each other, so the processor overlaps them.
    """
    column, edge, branches, first_child = tree.column, tree.edge, tree.branches, tree.first_child
    i = first_row
    at = np.zeros(8, np.int64)
    while i + 8 <= last_row:
        at[:] = 0
        moving = True
        while moving:
            moving = False
            for j in range(8):
                v = at[j]
                first = first_child[v]
                if first >= 0:
                    x = matrix[i + j, column[v]]
                    code = np.int64(x <= edge[v]) + 2 * np.int64(x > edge[v])  # neither: missing
                    at[j] = first + branches[v, code]
                    moving = True
        for j in range(8):
            out[i + j] = at[j]
        i += 8
    while i < last_row:
        v = 0
        while first_child[v] >= 0:
            x = matrix[i, column[v]]
            code = np.int64(x <= edge[v]) + 2 * np.int64(x > edge[v])
            v = first_child[v] + branches[v, code]
        out[i] = v
        i += 1


apply_binary.in_numpy(route_in_numpy.apply_binary)


@kernel
def apply_any(matrix, first_row, last_row, tree, out):
    """Where each row ends in any tree that sends it one way: at a leaf, or where a missing value stops it."""
    for i in range(first_row, last_row):
        v, branch = 0, 0
        while tree.n_branches[v] > 0 and branch >= 0:
            branch = np.int64(branch_at(tree, v, matrix, i))
            if branch >= 0:
                v = tree.first_child[v] + branch
        out[i] = v


apply_any.in_numpy(route_in_numpy.apply_any)


@kernel
def stand_in(surrogates, v, matrix, i):
    """The branch that the first surrogate names which has something to say; NO_ANSWER if none has."""
    for k in range(surrogates.start[v], surrogates.start[v + 1]):
        x, edge = matrix[i, surrogates.column[k]], surrogates.edge[k]
        if np.isnan(x):
            continue
        code = np.int64(x) if np.isnan(edge) else np.int64(1 if x <= edge else 2)
        branch = surrogates.branch_of[surrogates.branch_start[k] + code]
        if branch >= 0:
            return np.int64(branch)
    return np.int64(NO_ANSWER)


@inlined
def branch_at(tree, v, matrix, i):
    """The branch a row takes, or one of the marks of a missing value: EVERY_BRANCH, STOP."""
    branch = own_branch(tree, v, matrix[i, tree.column[v]])
    if branch == AS_MISSING or np.isnan(matrix[i, tree.column[v]]):
        other = stand_in(tree.surrogates, v, matrix, i) if tree.surrogates.start.shape[0] else NO_ANSWER
        return other if other != NO_ANSWER else np.int64(tree.branch_of[tree.branch_start[v]])
    return np.int64(branch)


@inlined
def own_branch(tree, v, x):
    first, last = tree.edge_start[v], tree.edge_start[v + 1]
    if np.isnan(x):
        code = 0
    elif first == last:
        code = np.int64(x)
    else:
        code = 1
        while first < last and x > tree.edges[first]:
            code += 1
            first += 1
    return tree.branch_of[tree.branch_start[v] + code]


@inlined
def part_on_left(tree, v, x):
    """The part of a row that goes left at a soft threshold, 0 where it is not parted. It is a half at the edge."""
    at = tree.edge_start[v]
    if tree.bounds.shape[0] == 0 or tree.edge_start[v + 1] == at:
        return 0.0
    lower, edge, upper = tree.bounds[at, 0], tree.edges[at], tree.bounds[at, 1]
    if lower < x <= edge:
        return 1 - (x - lower) / (edge - lower) / 2
    return (upper - x) / (upper - edge) / 2 if edge < x < upper else 0.0


@inlined
def push_sides(tree, v, left, part, nodes, parts, n):
    """Both children of a soft threshold, the left to be visited first."""
    at = tree.branch_start[v]
    nodes[n], parts[n] = tree.first_child[v] + tree.branch_of[at + 2], part * (1 - left)
    nodes[n + 1], parts[n + 1] = tree.first_child[v] + tree.branch_of[at + 1], part * left
    return n + 2


@kernel
def spread(matrix, first_row, last_row, tree, root, share, leaves, values):
    """For trees that part rows, at missing values or soft thresholds: the values of all leaves a row reaches, by share.

    Rows start at node ``root``. ``share[v]`` is the part of a missing row that goes from the parent of v to v.
    ``leaves`` gets the leaf of the largest share, the first of equals.
    """
    nodes, parts = np.empty(tree.column.shape[0], np.int64), np.empty(tree.column.shape[0])
    for i in range(first_row, last_row):
        nodes[0], parts[0] = root, 1.0
        n, most = 1, 0.0
        while n:
            n -= 1
            v, part = nodes[n], parts[n]
            branch, left = np.int64(0), 0.0
            while tree.n_branches[v] > 0 and branch >= 0:
                left = part_on_left(tree, v, matrix[i, tree.column[v]])
                branch = branch_at(tree, v, matrix, i) if left == 0 else np.int64(EVERY_BRANCH)
                if branch >= 0:
                    v = tree.first_child[v] + branch
            if left > 0:
                n = push_sides(tree, v, left, part, nodes, parts, n)
                continue
            if branch == EVERY_BRANCH:
                n = push_children(tree.first_child[v], tree.n_branches[v], part, share, nodes, parts, n)
                continue
            if part > most:
                most, leaves[i] = part, v
            for k in range(values.shape[1]):
                values[i, k] += part * tree.value[v, k]


spread.in_numpy(route_in_numpy.spread)


@kernel
def push_children(first, count, part, share, nodes, parts, n):
    """The first branch is pushed last, so that it is visited first."""
    for child in range(first + count - 1, first - 1, -1):
        if share[child] > 0:
            nodes[n], parts[n] = child, part * share[child]
            n += 1
    return n


@kernel
def visit(matrix, tree, share, start, visited):
    """Every node each row comes by. With no room in ``visited``, ``start[i + 1]`` is how many row i comes by."""
    nodes, parts = np.empty(tree.column.shape[0], np.int64), np.empty(tree.column.shape[0])
    counting = visited.shape[0] == 0
    for i in range(matrix.shape[0]):
        nodes[0], parts[0] = 0, 1.0
        n, seen = 1, 0
        while n:
            n -= 1
            v = nodes[n]
            if not counting:
                visited[start[i] + seen] = v
            seen += 1
            if tree.n_branches[v] == 0:
                continue
            branch, left = branch_at(tree, v, matrix, i), part_on_left(tree, v, matrix[i, tree.column[v]])
            if left > 0:
                n = push_sides(tree, v, left, 1.0, nodes, parts, n)
            elif branch == EVERY_BRANCH:
                n = push_children(tree.first_child[v], tree.n_branches[v], 1.0, share, nodes, parts, n)
            elif branch >= 0:
                nodes[n], n = tree.first_child[v] + branch, n + 1
        if counting:
            start[i + 1] = seen


visit.in_numpy(route_in_numpy.visit)


@kernel
def reach(matrix, tree, share, start, leaves, parts):
    """Where each row ends, at leaves or where a missing value stops it, and its part there.

    With no room in ``leaves``, ``start[i + 1]`` is how many.
    """
    nodes, of_row = np.empty(tree.column.shape[0], np.int64), np.empty(tree.column.shape[0])
    counting = leaves.shape[0] == 0
    for i in range(matrix.shape[0]):
        nodes[0], of_row[0] = 0, 1.0
        n, seen = 1, 0
        while n:
            n -= 1
            v, part = nodes[n], of_row[n]
            branch, left = np.int64(STOP), 0.0
            if tree.n_branches[v] > 0:
                branch, left = branch_at(tree, v, matrix, i), part_on_left(tree, v, matrix[i, tree.column[v]])
            if left > 0:
                n = push_sides(tree, v, left, part, nodes, of_row, n)
            elif branch == EVERY_BRANCH:
                n = push_children(tree.first_child[v], tree.n_branches[v], part, share, nodes, of_row, n)
            elif branch >= 0:
                nodes[n], of_row[n] = tree.first_child[v] + branch, part
                n += 1
            else:
                if not counting:
                    leaves[start[i] + seen], parts[start[i] + seen] = v, part
                seen += 1
        if counting:
            start[i + 1] = seen


reach.in_numpy(route_in_numpy.reach)
