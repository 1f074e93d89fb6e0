from __future__ import annotations

import threading

import pytest

from treewright.engines.workers import AHEAD, Workers, available_cores, granted_cores, in_turn


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
@pytest.mark.parametrize("n_items", [0, 1, 2, 50])
def test_every_item_is_worked_on_once(n_jobs, n_items):
    done, lock = [], threading.Lock()

    def work(item, worker):
        with lock:
            done.append(item)

    with Workers(n_jobs) as workers:
        workers.each(n_items, work)
        workers.each(n_items, work, cells=0)
    assert sorted(done) == sorted([*range(n_items), *range(n_items)])


def test_no_two_items_share_a_worker_at_a_time():
    busy, clashes, gate = set(), [], threading.Barrier(3, timeout=600)

    def work(item, worker):
        if worker in busy:
            clashes.append(worker)
        busy.add(worker)
        gate.wait()  # three at a time, or the test fails
        busy.discard(worker)

    with Workers(3) as workers:
        workers.each(9, work)
    assert not clashes


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_an_error_stops_the_work_and_is_raised(n_jobs):
    done = []

    def work(item, worker):
        if item == 3:
            raise RuntimeError("no")
        done.append(item)

    with Workers(n_jobs) as workers, pytest.raises(RuntimeError, match="no"):
        workers.each(10_000, work)
    assert len(done) < 10_000


@pytest.mark.parametrize(
    ("files", "cores"),
    [
        ({"cpu.max": "150000 100000\n"}, 2),
        ({"cpu.max": "20000 100000"}, 1),
        ({"cpu.max": "max 100000"}, None),
        ({"cpu.max": "nonsense"}, None),
        ({"cpu/cpu.cfs_quota_us": "300000", "cpu/cpu.cfs_period_us": "100000"}, 3),
        ({"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, None),
        ({}, None),
    ],
)
def test_the_quota_of_a_container_counts(files, cores, tmp_path, monkeypatch):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert granted_cores(tmp_path) == cores
    monkeypatch.setattr("treewright.engines.workers._CGROUP", tmp_path)
    monkeypatch.setattr("os.sched_getaffinity", lambda process: set(range(64)), raising=False)
    assert available_cores() == (cores or 64)


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
@pytest.mark.parametrize("n_items", [0, 1, 2, 50])
def test_what_is_made_comes_in_turn(n_jobs, n_items):
    assert list(in_turn(lambda item: -item, n_items, n_jobs)) == [-item for item in range(n_items)]


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_no_more_is_made_than_is_asked_for_soon(n_jobs):
    begun = []
    made = in_turn(begun.append, 1_000, n_jobs)
    next(made)
    made.close()
    assert len(begun) <= AHEAD * n_jobs + 1


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_an_error_of_one_item_reaches_who_asks(n_jobs):
    begun = []

    def make(item):
        begun.append(item)
        if item == 5:
            raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        list(in_turn(make, 1_000, n_jobs))
    assert len(begun) <= 5 + AHEAD * n_jobs + 1
