"""What a position of a whole game's analysis costs beside its search: `… analysis-overhead`.

Games are analysed with so few nodes that almost all the cost is taking the job, reporting, and
writing each finding into a log that syncs every write. In turn, the same positions are searched
alone.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import count
from statistics import median
from typing import Final

from benchmarks.importing import program
from benchmarks.scoring import end, played_games
from benchmarks.server import Redis
from benchmarks.turns import Measurement, progress
from benchmarks.whole_service import sum_cpu
from engine.search.helpers import SameMemory
from service.analysis.parameters import Parameters
from service.analysis.search import search_position
from service.analysis.target import iterate_positions, make_game_subject
from service.composition.service import Service, compose
from service.game.redaction import STRANGER
from service.jobs.duties import Lane
from service.settings import read_settings

NODES: Final = 1
PATIENCE: Final = 120.0
MOST: Final = 0.002
"""Seconds beside the search that a position may cost."""


def figures(rounds: int) -> Sequence[Measurement]:
    """The medians, in clock and processor time, of analyses in turn with bare searches."""
    walls, processors, seeds = [], [], count()
    with Redis() as store:
        service = compose(
            read_settings({"MOVELOG_REDIS_URL": store.url, "MOVELOG_DATA_DIR": store.folder})
        )
        (game,) = end(service, played_games(), 1)
        with program(store, "workers", "analyses") as worker:
            while not service.analyses.queue.workers(Lane.PERSON):
                time.sleep(0.05)
            for _ in progress(range(rounds + 1), "analyses"):
                parameters = Parameters(nodes=NODES, seed=next(seeds))
                before = sum_cpu(worker) + store.cpu_seconds()
                taken, positions = analyse(service, game, parameters)
                spent = sum_cpu(worker) + store.cpu_seconds() - before
                alone, alone_cpu = search_alone(service, game, parameters)
                walls.append((taken - alone) / positions)
                processors.append((spent - alone_cpu) / positions)
    return [
        Measurement(
            f"a position of a whole game's analysis, beside its search: {name}",
            f"{1000 * found:.2f} ms, of {positions} positions in one job",
            f"the bar is {1000 * MOST:g} ms",
            found / MOST,
            bar=1,
            most=True,
        )
        # The first round warms up.
        for name, found in (
            ("by the clock", median(walls[1:])),
            ("processor time of worker and Redis", median(processors[1:])),
        )
    ]


def analyse(service: Service, game: str, parameters: Parameters) -> tuple[float, int]:
    """Have a game analysed; return the seconds until that is done, and its number of positions."""
    analyses = service.analyses
    state = service.games.load(game)
    subject = make_game_subject(state, STRANGER, parameters, analyses.build)
    begun = time.perf_counter()
    id = analyses.request(subject, "bench", batch=False).id
    while not analyses.queue.jobs.get(id).outcome:
        if time.perf_counter() > begun + PATIENCE:
            raise RuntimeError(f"analysis {id} does not end")
        time.sleep(0.002)
    taken = time.perf_counter() - begun
    return taken, analyses.load(id).done


def search_alone(service: Service, game: str, parameters: Parameters) -> tuple[float, float]:
    """Search the same positions in this process; return clock and processor seconds.

    The same memory is used for all of them, as in a job.
    """
    analyses = service.analyses
    state, memory = service.games.load(game), SameMemory()
    subject = make_game_subject(state, STRANGER, parameters, analyses.build)
    places = list(iterate_positions(subject.begun, state, 0))
    begun, spent = time.perf_counter(), time.process_time()
    for place in places:
        for _ in search_position(state.variant, place, parameters, lambda: False, memory):
            pass
    return time.perf_counter() - begun, time.process_time() - spent
