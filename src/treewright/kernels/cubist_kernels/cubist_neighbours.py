"""Nearest training cases as Cubist finds them: distances in sixteenths, and a tree over the cases to search by."""

from typing import Any, NamedTuple

import numpy as np

from treewright.kernels.cubist_kernels.cubist_kinds import IGNORED, NUMERIC, ORDERED
from treewright.kernels.jit import inlined, kernel

PLACES = 20  # of the list of nearest cases; what falls off its end is lost
_STEP = 1.0 / 32.0


class CaseIndex(NamedTuple):
    """A tree over the cases; the cases of a node are order[start:stop]."""

    order: Any  # int32
    start: Any  # int32
    stop: Any
    attribute: Any  # -1 at a leaf
    middle: Any  # float64
    first_child: Any
    n_children: Any


@inlined
def _difference(a, b, kind, n_levels, width):
    if kind == NUMERIC:
        return min(1.0, abs(np.float64(a) - np.float64(b)) / width)
    if kind == IGNORED or kind == ORDERED or a == b:
        return 0.0
    return 2.0 / n_levels


@inlined
def _distance(x, case, row, kind, n_levels, width):
    total = 0.0
    for j in range(len(kind)):
        total += _difference(x[j, case], row[j], kind[j], n_levels[j], width[j])
    return total


@kernel
def build_index(x, kind, n_levels, width, index):
    """Divide the cases by the attribute of greatest expected difference until none differs; returns how many nodes.

    -1: there is not enough room for them.
    """
    n_attributes, n = x.shape[0], x.shape[1]
    order = index.order
    for i in range(n):
        order[i] = i
    used = np.zeros(n_attributes, np.bool_)
    count = np.zeros(max(1, n_levels.max()))
    parent = np.full(len(index.start), -1, np.int64)
    index.start[0], index.stop[0] = 0, n
    n_nodes, v = 1, 0
    while v < n_nodes:
        start, stop = index.start[v], index.stop[v]
        size = stop - start
        used[:] = False
        u = parent[v]
        while u >= 0:
            used[index.attribute[u]] = True
            u = parent[u]
        best, taken, middle = 0.0, -1, 0.0
        for j in range(n_attributes):
            if size < 2 or kind[j] == IGNORED or (used[j] and kind[j] != NUMERIC):
                continue
            expected, mean = 0.0, 0.0
            if kind[j] == NUMERIC:
                for i in range(start, stop):
                    mean += np.float64(x[j, order[i]])
                mean /= size
                for i in range(start, stop):
                    expected += abs(np.float64(x[j, order[i]]) - mean) / width[j]
                expected /= size
            else:
                k = n_levels[j]
                count[:k] = 0.0
                for i in range(start, stop):
                    count[np.int64(x[j, order[i]])] += 1.0
                for a in range(k):
                    if kind[j] == ORDERED:
                        for b in range(k):
                            expected += count[a] * count[b] * abs(a - b)
                    else:
                        expected += count[a] * (size - count[a]) * 2.0
                expected /= k * np.float64(size) * np.float64(size)
            if expected > best:
                best, taken, middle = expected, j, mean
        index.attribute[v], index.middle[v], index.first_child[v], index.n_children[v] = -1, middle, -1, 0
        if taken >= 0:
            n_parts = 2 if kind[taken] == NUMERIC else n_levels[taken]
            place, first = start, n_nodes
            if n_nodes + n_parts > len(index.start):
                return -1
            for part in range(n_parts):
                index.start[n_nodes] = place
                for i in range(place, stop):
                    value = x[taken, order[i]]
                    if kind[taken] == NUMERIC:
                        hit = part == 1 or np.float64(value) <= middle
                    else:
                        hit = np.int64(value) == part
                    if hit:
                        order[i], order[place] = order[place], order[i]
                        place += 1
                index.stop[n_nodes], parent[n_nodes] = place, v
                n_nodes += 1
            if kind[taken] == NUMERIC and (index.stop[first] == start or index.stop[first] == stop):
                n_nodes = first
            else:
                index.attribute[v], index.first_child[v], index.n_children[v] = taken, first, n_parts
        v += 1
    return n_nodes


@kernel
def most_waiting(index):
    """How many nodes may wait to be searched at a time: all children along a path."""
    n = len(index.start)
    waiting, most = np.zeros(n, np.int64), 1
    for v in range(n):
        for child in range(index.first_child[v], index.first_child[v] + index.n_children[v]):
            waiting[child] = waiting[v] + index.n_children[v]
            most = max(most, waiting[child])
    return most + 1


@kernel
def next_uniform(numbers, places):
    """The next number of a subtractive generator."""
    places[0] = (places[0] + 1) % 55
    places[1] = (places[1] + 1) % 55
    value = numbers[places[0]] - numbers[places[1]]
    if value < 0.0:
        value += 1.0
    numbers[places[0]] = value
    return value


@kernel
def start_generator(numbers, places):
    a, b = 1.0, 0.314159285
    for i in range(1, 56):
        place = 21 * i % 55
        numbers[place] = a
        a, b = b - a, a
        if a < 0.0:
            a += 1.0
    for _ in range(6):
        for i in range(55):
            numbers[i] -= numbers[(i + 30) % 55]
            if numbers[i] < 0.0:
                numbers[i] += 1.0
    places[0], places[1] = 0, 31


@kernel
def mean_distance(x, kind, n_levels, width, order, numbers, places):
    """The mean distance of random pairs, in sixteenths; each of them is added up as it is."""
    n = x.shape[1]
    n_pairs = min(n, 1000)
    total, row = 0.0, np.empty(x.shape[0], x.dtype)
    for t in range(n_pairs):
        first = t if n <= 1000 else np.int64(np.floor(n * (2.0 * t + 1.0) / (2.0 * n_pairs)))
        second = first
        while second == first:
            second = np.int64(np.floor(next_uniform(numbers, places) * n))
        for j in range(x.shape[0]):
            row[j] = x[j, order[second]]
        total += _distance(x, order[first], row, kind, n_levels, width)
    return np.rint(16.0 * total / n_pairs) / 16.0


@kernel
def nearest(x, kind, n_levels, width, index, row, wanted, farthest, found, distance, bounds, waiting):
    """The nearest cases of a row, up to 20 of them, nearest first; returns how many."""
    count, n_attributes = 0, len(kind)
    depth = 1
    waiting[0] = 0
    bounds[0, :] = 0.0
    while depth:
        depth -= 1
        v = waiting[depth]
        worst = distance[wanted - 1] if count >= wanted else farthest
        low = 0.0
        for j in range(n_attributes):
            low += bounds[depth, j]
        if low > worst + _STEP:
            continue
        if index.attribute[v] < 0:
            for i in range(index.start[v], index.stop[v]):
                case = index.order[i]
                away = np.rint(16.0 * _distance(x, case, row, kind, n_levels, width)) / 16.0
                worst = distance[wanted - 1] if count >= wanted else farthest
                if away > worst:
                    continue
                place = 0
                while place < count and distance[place] < away:
                    place += 1
                if place >= PLACES:
                    continue
                count = min(count + 1, PLACES)
                for k in range(count - 1, place, -1):
                    distance[k], found[k] = distance[k - 1], found[k - 1]
                distance[place], found[place] = away, case
            continue
        j, first = index.attribute[v], index.first_child[v]
        if kind[j] == NUMERIC:
            own = 0 if row[j] <= np.float32(index.middle[v]) else 1
            crossed = abs(np.float64(row[j]) - index.middle[v]) / width[j]
        else:
            own = np.int64(row[j])
            crossed = 2.0 / n_levels[j] if kind[j] != ORDERED else 0.0
        here = bounds[depth].copy()
        for child in range(index.n_children[v] - 1, -1, -1):  # the last one that is put there is looked at first
            if child != own and index.stop[first + child] > index.start[first + child]:
                waiting[depth] = first + child
                bounds[depth, :] = here
                bounds[depth, j] = crossed
                depth += 1
        if index.stop[first + own] > index.start[first + own]:
            waiting[depth] = first + own
            bounds[depth, :] = here
            depth += 1
    return count


@kernel
def correct_by_neighbours(
    x, y, said, kind, n_levels, width, index, rows, said_of_rows, wanted, farthest, low, high, depth, values
):
    """Correct what rules say of rows by their nearest training cases: y of the case + rules of row − rules of case.

    No more than all cases but one are counted, yet half as many as are ``wanted`` have to be near.
    """
    most = min(wanted, len(y) - 1)
    found, distance = np.empty(PLACES, np.int64), np.empty(PLACES)
    bounds, waiting = np.empty((depth, x.shape[0])), np.empty(depth, np.int64)
    row = np.empty(x.shape[0], x.dtype)
    for i in range(rows.shape[1]):
        for j in range(x.shape[0]):
            row[j] = rows[j, i]
        count = nearest(x, kind, n_levels, width, index, row, wanted, farthest, found, distance, bounds, waiting)
        values[i] = said_of_rows[i]
        if count < (wanted + 1) // 2:
            continue
        total, weight, taken, k = 0.0, 0.0, 0, 0
        while k < count and taken < most:
            size = 1
            while k + size < count and distance[k + size] == distance[k]:
                size += 1
            scale = 1.0
            if size > most - taken:
                scale = np.float64(np.float32(most - taken) / np.float32(size))
            for m in range(k, k + size):
                case = found[m]
                value = np.float64(y[case]) + np.float64(said_of_rows[i]) - np.float64(said[case])
                value = min(max(value, low), high)
                share = scale / (distance[m] + 0.5)
                total += share * value
                weight += share
            taken += size
            k += size
        values[i] = min(max(total / weight, low), high)
