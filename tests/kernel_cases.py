"""Random nodes in the form the kernels take, and slow, obvious twins of what they compute."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from treewright.kernels import switch
from treewright.kernels.search.mass import GINI_BREAKS_TIES, NO_TABLE, Criterion, counts_table
from treewright.kernels.store_kernels.nodes import Finds, OpenNodes, RowData, Rules

PLAIN = not switch.is_on  # kernels as plain Python: smaller sizes, the same code
LARGE = 700 if PLAIN else 4000  # beyond 512 entries quick.py goes by blocks
CLASS_CRITERIA = (Criterion.GINI, Criterion.ENTROPY, Criterion.MISCLASSIFICATION)
NUMBER_CRITERIA = (Criterion.SQUARED_ERROR, Criterion.POISSON)
NONE = np.empty(0, np.int64)
TIE = 1e-12
LAST_COLUMN = 99


@dataclass
class Case:
    """Rows in nodes. ``entries`` lists them node by node, by code within a node; ``in_row_order`` by row."""

    criterion: Criterion
    codes: np.ndarray
    node: np.ndarray
    stats_of_row: np.ndarray  # (rows, n_stats): what each row adds
    bits: int
    weights: np.ndarray | None
    n_nodes: int
    dtype: type
    labels: np.ndarray
    nodes: OpenNodes = field(init=False)

    def __post_init__(self):
        sizes = np.bincount(self.node, minlength=self.n_nodes)
        stop = np.cumsum(sizes)
        totals = np.array([self.stats_of_row[self.node == f].sum(0) for f in range(self.n_nodes)], np.int64)
        totals = totals.reshape(self.n_nodes, self.stats_of_row.shape[1])
        self.nodes = OpenNodes(
            id=np.arange(self.n_nodes) + 5,
            start=stop - sizes,
            stop=stop,
            totals=totals,
            slack=np.array([TIE * scale(row, self.criterion) for row in totals]),
            ceiling=np.full(self.n_nodes, np.inf),
            settled=np.full(self.n_nodes, LAST_COLUMN),
        )

    @property
    def n_stats(self):
        return self.stats_of_row.shape[1]

    @property
    def data(self):
        weight = NONE if self.weights is None else self.weights
        if self.criterion in CLASS_CRITERIA:
            return RowData(self.bits, weight, NONE, NONE)
        moment, square = np.ascontiguousarray(self.stats_of_row[:, 1:].T)
        return RowData(0, weight, moment, square)

    @property
    def has_missing(self):
        return bool((self.codes == 0).any())

    @property
    def is_tied(self):
        return self.has_missing or len(np.unique(self.codes)) < len(self.codes)

    @property
    def entries(self):
        return self._entries(np.lexsort((np.arange(len(self.codes)), self.codes, self.node)))

    @property
    def in_row_order(self):
        return self._entries(np.argsort(self.node, kind="stable"))

    def _entries(self, rows):
        return ((rows.astype(np.int64) << self.bits) | self.labels[rows]).astype(self.dtype)

    def rules(self, *, min_rows=1, min_weight=0, seed=-1):
        table = NO_TABLE if self.weights is not None else counts_table(int(self.criterion), len(self.codes))
        return Rules(int(self.criterion), min_rows, min_weight, seed, table, self.weights is None)

    def rows(self, f):
        """Rows of node f in the order of its entries."""
        start, stop = self.nodes.start[f], self.nodes.stop[f]
        return (self.entries[start:stop] >> self.bits).astype(np.int64)

    def tables(self, f):
        """Statistics and rows of every code of node f, by code."""
        rows = self.rows(f)
        n_codes = int(self.codes.max(initial=0)) + 1
        stats = np.zeros((n_codes, self.n_stats), np.int64)
        np.add.at(stats, self.codes[rows], self.stats_of_row[rows])
        return stats, np.bincount(self.codes[rows], minlength=n_codes)

    def weight(self, stats):
        return int(stats.sum() if self.criterion in CLASS_CRITERIA else stats[0])

    def is_admissible(self, stats, n_rows, rules):
        return n_rows >= rules.min_rows and self.weight(stats) >= rules.min_weight

    def score(self, branches, rules):
        """Sum of the masses of (statistics, rows) pairs; -inf where a branch is not admissible."""
        if not all(self.is_admissible(stats, n_rows, rules) for stats, n_rows in branches):
            return -np.inf
        return sum(slow_mass(stats, self.criterion) for stats, _ in branches)


def class_case(
    seed,
    n_rows,
    criterion=Criterion.GINI,
    *,
    n_classes=3,
    n_codes=None,
    missing=0.0,
    weighted=False,
    n_nodes=1,
    dtype=np.uint32,
    signal=0.0,
    code_type=np.uint32,
):
    """``n_codes`` None: every row has a code of its own. ``signal``: how much the class depends on the code."""
    random = np.random.default_rng(seed)
    codes = _codes(random, n_rows, n_codes, missing, code_type)
    noise = random.integers(0, n_classes, n_rows)
    by_code = (codes.astype(np.int64) * n_classes // (int(codes.max(initial=0)) + 1)) % n_classes
    labels = np.where(random.random(n_rows) < signal, by_code, noise)
    weights = random.integers(1, 1 << 20, n_rows) if weighted else None
    stats = np.zeros((n_rows, n_classes), np.int64)
    stats[np.arange(n_rows), labels] = 1 if weights is None else weights
    bits = max(n_classes - 1, 1).bit_length()
    return Case(criterion, codes, _nodes(random, n_rows, n_nodes), stats, bits, weights, n_nodes, dtype, labels)


def number_case(
    seed,
    n_rows,
    criterion=Criterion.SQUARED_ERROR,
    *,
    n_codes=None,
    missing=0.0,
    weighted=False,
    n_nodes=1,
    dtype=np.uint32,
    signal=0.0,
    code_type=np.uint32,
):
    random = np.random.default_rng(seed)
    codes = _codes(random, n_rows, n_codes, missing, code_type)
    y = random.integers(0, 5, n_rows) + (signal * codes).astype(np.int64)
    if criterion is Criterion.SQUARED_ERROR:
        y -= 2
    weights = random.integers(1, 1 << 10, n_rows) if weighted else None
    w = np.ones(n_rows, np.int64) if weights is None else weights
    stats = np.column_stack([w, w * y, w * y * y]).astype(np.int64)
    node = _nodes(random, n_rows, n_nodes)
    return Case(criterion, codes, node, stats, 0, weights, n_nodes, dtype, np.zeros(n_rows, np.int64))


def make_case(criterion, *arguments, **options):
    if criterion in CLASS_CRITERIA:
        return class_case(*arguments, criterion=criterion, **options)
    options.pop("n_classes", None)
    return number_case(*arguments, criterion=criterion, **options)


def _codes(random, n_rows, n_codes, missing, code_type):
    codes = random.permutation(n_rows) + 1 if n_codes is None else random.integers(1, n_codes + 1, n_rows)
    codes[random.random(n_rows) < missing] = 0
    return codes.astype(code_type)


def _nodes(random, n_rows, n_nodes):
    return random.integers(0, n_nodes, n_rows)


def scale(stats, criterion):
    """The size of the scores of a node."""
    if criterion in CLASS_CRITERIA:
        return float(stats.sum())
    return float(abs(stats[1]) if criterion is Criterion.POISSON else stats[2])


def slow_mass(stats, criterion):
    """What a criterion makes of statistics, written as in a book."""
    stats = np.asarray(stats, np.float64)
    if criterion is Criterion.SQUARED_ERROR:
        return stats[1] ** 2 / stats[0] if stats[0] else 0.0
    if criterion is Criterion.POISSON:
        if stats[1] <= 0:
            return -np.inf if stats[0] else 0.0
        return stats[1] * np.log(stats[1] / stats[0])
    total = stats.sum()
    if total == 0:
        return 0.0
    if criterion is Criterion.ENTROPY:
        some = stats[stats > 0]
        return (some * np.log(some / total)).sum()
    gini = (stats**2).sum() / total
    return gini if criterion is Criterion.GINI else stats.max() + GINI_BREAKS_TIES * gini


def empty_finds(n):
    return Finds(np.full(n, 7.0), np.full(n, 7), np.full(n, 7, np.uint8), np.full(n, 7))


def listed_splits(case, f, rules):
    """Every admissible cut of a listed column at node f, in the order in which equals are preferred.

    As (score, last entry on the left, whether missing rows go left, mask of the rows on the left).
    """
    rows, start = case.rows(f), int(case.nodes.start[f])
    codes = case.codes[rows]
    known = np.flatnonzero(codes > 0)
    splits = []
    for missing_left in (0, 1) if (codes == 0).any() else (0,):
        for i in known:
            is_last = i + 1 == len(codes)
            if is_last and (missing_left or known[0] == 0):
                continue  # nothing would be on the right
            if not is_last and codes[i] == codes[i + 1]:
                continue
            left = np.where(codes == 0, bool(missing_left), np.arange(len(codes)) <= i)
            splits.append((_two_masses(case, rows, left, rules), start + int(i), missing_left, left))
    return [split for split in splits if split[0] > -np.inf]


def counted_splits(case, f, rules):
    """The same for a counted column: ``cut`` is the last code on the left."""
    rows = case.rows(f)
    codes = case.codes[rows]
    return [
        (score, int(codes[cut - case.nodes.start[f]]), missing_left, left)
        for score, cut, missing_left, left in listed_splits(case, f, rules)
    ]


def _two_masses(case, rows, left, rules):
    stats = case.stats_of_row[rows]
    return case.score([(stats[left].sum(0), left.sum()), (stats[~left].sum(0), (~left).sum())], rules)


def first_best(splits, slack):
    """The split a search has to find: a later one must be better by more than the slack. None if there is none."""
    best = None
    for split in splits:
        if best is None or split[0] > best[0] + slack:
            best = split
    return best


def check_finds(case, finds, splits_of, rules):
    """Score, cut and the way of missing rows at every node are those of the twin."""
    for f in range(case.n_nodes):
        best = first_best(splits_of(case, f, rules), case.nodes.slack[f])
        if best is None:
            assert (finds.score[f], finds.cut[f]) == (-np.inf, -1)
            continue
        np.testing.assert_allclose(finds.score[f], best[0], rtol=1e-9, atol=10 * case.nodes.slack[f])
        assert (finds.cut[f], finds.missing_left[f]) == best[1:3]


def shared_parts(weights: np.ndarray, known: np.ndarray) -> np.ndarray:
    """The part of each missing case in each branch; the heaviest branch takes what rounding leaves over."""
    parts = np.rint(weights[:, None] * (known / known.sum())).astype(np.int64)
    most = int(known.argmax())
    parts[:, most] += weights - parts.sum(1)
    return parts
