"""A counter whose rows are in other processes: all that a store over a cluster has to do.

Every worker reads its part of the rows from a file and counts them with a ``PlainStore``. The driver knows what codes
stand for and adds up what workers answer; it never has a row. A worker that died is started anew and told all again.
"""

import multiprocessing
import pickle
import traceback
import weakref
from contextlib import suppress
from dataclasses import fields, replace
from itertools import count

import numpy as np

from treewright.engines.stores.node_cells import Cells
from treewright.engines.stores.plain_store import PlainStore
from treewright.engines.stores.store import Sent

TIMEOUT = 120  # seconds after which a worker that does not answer is given up


class Part(PlainStore):
    """The rows of one worker. Several sends may wait for their children to be kept: each has a number."""

    def __init__(self, path):
        super().__init__(*pickle.loads(path.read_bytes()))
        self.sent = {}

    def cells_of_all(self, nodes):
        self.open(nodes)
        return [self.cells(column) for column in range(len(self.encoded.columns))]

    def send_known(self, tests):
        self.tests, self.by_value = tests, self.sides(tests)
        return self.by_value.stats

    def send_missing(self, number, known, dropped):
        for other in dropped:
            del self.sent[other]
        self.sent[number] = self.settle(self.tests, self.by_value, known)
        return replace(self.sent[number], place=None)

    def keep_sent(self, number, nodes, *which):
        self.keep(nodes, self.sent[number], *which)


def serve(connection):
    """Answer requests until the driver is gone."""
    part = None
    with suppress(EOFError, OSError):
        while True:
            name, arguments = connection.recv()
            try:
                part = Part(*arguments) if name == "read" else part
                answer = None if name == "read" else getattr(part, name)(*arguments), None
            except Exception:
                answer = None, traceback.format_exc()
            connection.send(answer)


class Worker:
    """A process, and all that it was told since it read its rows."""

    def __init__(self):
        self.told = []
        self.start()

    def start(self):
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()

    def tell(self, name, *arguments):
        self.told = [*(self.told if name != "read" else []), (name, arguments)]
        with suppress(OSError):  # where it is dead, whoever waits for the answer starts another
            self.connection.send(self.told[-1])

    def answer(self):
        try:
            return self.receive()
        except (EOFError, OSError):
            self.start()
        for request in self.told:
            self.connection.send(request)
            answer = self.receive()
        return answer

    def receive(self):
        assert self.connection.poll(TIMEOUT), f"no answer to {self.told[-1][0]!r}"
        return self.connection.recv()

    def stop(self):
        self.process.kill()
        self.process.join()
        self.connection.close()


class Place:
    """Where rows went: the number of a send, which workers forget when the driver has no use for it any more."""


class PartitionedStore:
    """See ``Store``. Workers are asked once for the cells of a round, twice to send rows, and once to keep them."""

    def __init__(self, workers, paths):
        self.workers, self.numbers, self.dropped = workers[: len(paths)], count(), []
        for worker, path in zip(self.workers, paths, strict=True):
            worker.tell("read", path)
        self.answers()

    def ask(self, name, *arguments):
        for worker in self.workers:
            worker.tell(name, *arguments)
        return self.answers()

    def answers(self):
        answers, errors = zip(*[worker.answer() for worker in self.workers], strict=True)
        assert not any(errors), errors
        return answers

    def totals(self):
        return sum(self.ask("totals"))

    def open(self, nodes):
        self.histogram_columns = self.ask("cells_of_all", nodes)

    def cells(self, column, worker=0):
        parts = [cells[column] for cells in self.histogram_columns]
        node, code, rows, stats = (np.concatenate([vars(part)[one.name] for part in parts]) for one in fields(Cells))
        n_codes = code.max(initial=0) + 1
        occurring, cell = np.unique(node * n_codes + code, return_inverse=True)
        sums = np.zeros((len(occurring), 1 + stats.shape[1]), np.int64)
        np.add.at(sums, cell, np.column_stack([rows, stats]))
        return Cells(occurring // n_codes, occurring % n_codes, sums[:, 0], sums[:, 1:])

    def send(self, tests):
        place = Place()
        place.number = next(self.numbers)
        weakref.finalize(place, self.dropped.append, place.number)
        dropped = [self.dropped.pop() for _ in self.dropped[:]]
        parts = self.ask("send_missing", place.number, sum(self.ask("send_known", tests)), dropped)
        rows, stats, n_missing = (sum(vars(part)[name] for part in parts) for name in ("rows", "stats", "n_missing"))
        return Sent(rows, stats, n_missing, parts[0].of_missing, place)

    def keep(self, nodes, sent, *which):
        self.ask("keep_sent", sent.place.number, nodes, *which)
