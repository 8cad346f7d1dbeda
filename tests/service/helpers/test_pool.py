"""Searches with helpers find what a search alone finds, and leave nothing behind."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from benchmarks.problems import FOLDER, read_problems
from engine.position import MAX_DEPTH
from engine.registry import VARIANTS, find_variant
from engine.search import WIN, Iteration, Limits, Search, iterate_worlds
from engine.search.helpers import Finding
from engine.source import is_compiled
from notation.registry import find_dialect
from service.helpers.memory import FINDINGS, SharedMemory, create_file
from service.helpers.pool import MOST_STARTS, HelperPool
from tests.stopping import stopped
from tests.waiting import PATIENCE, eventually

KATRUJI = find_variant("katruji")
SHORT = 3
"""The longest problems, in plies, that plain Python solves in time."""


@pytest.fixture
def pool() -> Iterator[HelperPool]:
    with HelperPool(2) as made:
        yield made


def help_with(pool: HelperPool, until: Callable[[], bool] | None = None) -> Iteration:
    """Search the first position until a helper has counted nodes, or until `until` holds."""
    search = Search(KATRUJI, table_mebibytes=1, helpers=pool)
    limits = Limits(depth=MAX_DEPTH, seconds=PATIENCE)
    helped = until or (lambda: pool.count_nodes(0) > 0)
    *_, last = search.iterate(KATRUJI.start(), limits, stop=helped)
    assert last.seconds < PATIENCE, "never helped"
    return last


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").split()[2] != "Z"
    except OSError:
        return False


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    eventually(lambda: not is_running(pid), "it is dead")


@pytest.mark.parametrize("name", VARIANTS)
def test_wins_are_found_with_helpers_too(name: str, pool: HelperPool) -> None:
    variant, texts = VARIANTS[name], find_dialect(name)
    problems = read_problems((FOLDER / f"{name}.txt").read_text("ascii").splitlines())
    if not is_compiled(type(variant.start())):
        problems = [problem for problem in problems if problem.plies <= SHORT]
    for problem in problems[::8][:4]:
        position = texts.read_fen(problem.fen)
        search = Search(variant, table_mebibytes=4, helpers=pool)
        for found in search.iterate(position, Limits(nodes=2_000_000)):
            best = found.lines[0]
            if best.score >= WIN - problem.plies:
                break
        assert best.score == WIN - problem.plies, problem
        assert texts.coordinate(best.actions[0]) in problem.actions, problem


@pytest.mark.parametrize("name", VARIANTS)
def test_helpers_search_the_same_position(name: str, pool: HelperPool) -> None:
    variant, written = VARIANTS[name], find_dialect(name)
    for seed in range(8):
        random = Random(seed)
        position = variant.worlds(variant.start(), 1, random)[0].position.copy()
        for _ in range(5 * seed):
            if position.outcome() is None:
                position.play(random.choice(position.legal()))
        Search(variant, table_mebibytes=1, helpers=pool)
        adopted = pool.adopt(variant, position)
        told = written.read_fen(written.write_fen(adopted))
        assert variant.tree(told).key == variant.tree(adopted).key
        assert sorted(told.legal()) == sorted(position.legal())


@pytest.mark.parametrize("name", VARIANTS)
def test_lines_are_legal_and_nodes_those_of_all(name: str, pool: HelperPool) -> None:
    variant = VARIANTS[name]
    search = Search(variant, table_mebibytes=1, helpers=pool)
    pool.wait()
    position = variant.start()
    before = find_dialect(name).write_fen(position)
    *_, last = iterate_worlds(search, position, Limits(nodes=6_000), lines=2, worlds=2)
    assert find_dialect(name).write_fen(position) == before
    assert last.nodes >= 6_000
    for line in last.lines:
        assert position.is_legal(line.actions[0])


@pytest.mark.slow
def test_what_a_helper_found_deeper_is_taken_over(pool: HelperPool) -> None:
    search = Search(KATRUJI, table_mebibytes=1, helpers=pool)
    position = KATRUJI.start()

    def is_ahead() -> bool:
        found = pool.find_deepest()
        return found is not None and found.depth > 3

    # This search stays at its first depths while the helper goes on.
    depths = itertools.repeat(2)
    *_, last = search.iterate(
        position, Limits(seconds=PATIENCE), depths=depths, stop=is_ahead, lines=1
    )
    assert last.complete
    assert last.depth > 3
    assert len(last.lines[0].actions) >= last.depth
    for action in last.lines[0].actions:
        position.play(action)


def test_what_is_not_asked_for_is_not_taken_over(pool: HelperPool) -> None:
    search = Search(KATRUJI, table_mebibytes=1, helpers=pool)

    def has_found() -> bool:
        return pool.find_deepest() is not None

    for lines, limits in ((2, Limits(seconds=PATIENCE)), (1, Limits(depth=1, seconds=PATIENCE))):
        found = list(
            search.iterate(
                KATRUJI.start(), limits, depths=itertools.repeat(1), stop=has_found, lines=lines
            )
        )
        assert {iteration.depth for iteration in found} == {1}
        assert len(found[-1].lines) == lines


def test_no_finding_is_of_another_job_or_half_written() -> None:
    descriptor = create_file(1)
    memory = SharedMemory(descriptor, 1)
    os.close(descriptor)
    finding = Finding(17, -WIN + 4, KATRUJI.start().legal()[-1])
    memory.report_finding(1, 5, finding)
    assert memory.list_findings(2) == []
    memory.job = 5
    assert memory.list_findings(2) == [finding]
    memory.report_finding(2, 4, finding)
    assert memory.list_findings(2) == [finding]
    memory.report_finding(2, 5, replace(finding, depth=16))
    assert [found.depth for found in memory.list_findings(2)] == [17, 16]
    # A half-written finding: only the first of its two integers is the new one's.
    memory._numbers[FINDINGS + 4] ^= 1
    assert memory.list_findings(2) == [finding]
    memory.job = 0
    assert memory.list_findings(2) == []


def test_one_thread_has_no_helper_and_repeats_itself() -> None:
    with HelperPool(1) as pool:
        found = [
            [(one.nodes, one.lines) for one in search.iterate(KATRUJI.start(), Limits(nodes=3_000))]
            for search in (Search(KATRUJI), Search(KATRUJI, helpers=pool))
        ]
        assert found[0] == found[1]
        assert pool.process_ids == []


@pytest.mark.parametrize("threads", [0, -1, 65])
def test_there_are_so_many_threads_at_most(threads: int) -> None:
    with pytest.raises(ValueError, match=str(threads)):
        HelperPool(threads)


def test_a_killed_helper_stops_no_search_and_is_started_again(pool: HelperPool) -> None:
    help_with(pool)
    [killed] = pool.process_ids
    kill(killed)
    last = help_with(pool)
    assert last.nodes > 0
    assert killed not in pool.process_ids
    assert len(pool.process_ids) == 1


def test_a_helper_that_dies_every_time_is_given_up(pool: HelperPool) -> None:
    for _ in range(MOST_STARTS):
        help_with(pool, until=lambda: True)
        [started] = pool.process_ids
        kill(started)
    assert help_with(pool, until=lambda: True).lines
    assert pool.process_ids == []


def test_a_helper_that_stands_still_is_not_waited_for(pool: HelperPool) -> None:
    help_with(pool)
    search = Search(KATRUJI, table_mebibytes=1, helpers=pool)
    with stopped(pool.process_ids):
        for _ in range(200):  # more than a pipe holds
            *_, last = search.iterate(KATRUJI.start(), Limits(nodes=20))
            assert last.lines
    assert help_with(pool).nodes > 0


def test_helpers_end_with_the_pool(pool: HelperPool) -> None:
    help_with(pool)
    pids = pool.process_ids
    assert pids
    pool.close()
    assert not any(map(is_running, pids))


SEARCHING = """
import sys
from engine.registry import find_variant
from engine.search import Limits, Search
from service.helpers.pool import HelperPool

if __name__ == "__main__":
    pool = HelperPool(3)
    search = Search(find_variant("katruji"), helpers=pool)
    pool.wait()
    print(*pool.process_ids, flush=True)
    if sys.argv[1] == "idle":
        sys.stdin.read()
    start = find_variant("katruji").start()
    for _ in search.iterate(start, Limits(depth=64)):
        print("searching", flush=True)
"""


@pytest.mark.parametrize("doing", ["idle", "searching"])
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_is_left_of_a_search_that_is_killed(doing: str, end: signal.Signals) -> None:
    memory = Path("/dev/shm")
    names = {path.name for path in memory.iterdir()} if memory.exists() else set()
    with subprocess.Popen(
        [sys.executable, "-c", SEARCHING, doing],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout is not None
        pids = [int(word) for word in running.stdout.readline().split()]
        assert len(pids) == 2
        if doing == "searching":
            assert running.stdout.readline() == "searching\n"
        assert all(map(is_running, pids))
        running.send_signal(end)
    eventually(lambda: not any(map(is_running, pids)), "helpers end")
    if names:
        assert not [p.name for p in memory.iterdir() if "movelog" in p.name and p.name not in names]
