"""Analyses by two worker processes against one.

Each analysis is a separate job: taken from the queue, searched in a forked process, and written to
a Redis that syncs every write.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count

from benchmarks.server import ROOT, Redis
from benchmarks.turns import Measurement, measure_in_turn
from engine.registry import VARIANTS
from notation.registry import find_dialect
from service.analysis.parameters import Parameters
from service.analysis.repository import Analyses
from service.analysis.target import make_position_subject
from service.composition.service import compose
from service.jobs.duties import Lane
from service.settings import read_settings

NODES = 200_000
EACH = 3
"""How many analyses of each variant a measurement has."""
BAR = 1.7


def figures(rounds: int) -> Sequence[Measurement]:
    """Two workers against one, in turn."""
    seeds = count()
    with Redis() as store:
        given = {"MOVELOG_REDIS_URL": store.url, "MOVELOG_DATA_DIR": store.folder}
        analyses = compose(read_settings(given)).analyses

        def rate(workers: int) -> float:
            with running(workers, given):
                return measured(analyses, workers, seeds)

        ours, theirs, ratio = measure_in_turn("analysis", lambda: rate(2), lambda: rate(1), rounds)
    return [
        Measurement(
            f"analyses of {NODES} nodes by two workers, against one",
            f"two workers {ours:.1f} analyses/s",
            f"one worker {theirs:.1f} analyses/s (load {os.getloadavg()[0]:.1f})",
            ratio,
            bar=BAR,
        )
    ]


def measured(analyses: Analyses, workers: int, seeds: Iterator[int]) -> float:
    """Analyses a second, once the workers are running."""
    while analyses.queue.workers(Lane.PERSON) != workers:
        time.sleep(0.05)
    ids = [ask(analyses, variant, next(seeds)) for _ in range(EACH) for variant in VARIANTS]
    begun = time.perf_counter()
    while not all(analyses.queue.jobs.get(id).outcome for id in ids):
        time.sleep(0.005)
    return len(ids) / (time.perf_counter() - begun)


def ask(analyses: Analyses, variant: str, seed: int) -> str:
    """Request an analysis of a game's first position, and return its id."""
    texts = find_dialect(variant)
    fen = texts.write_fen(texts.start({}))
    parameters = Parameters(nodes=NODES, seed=seed)
    subject = make_position_subject(variant, fen, parameters, analyses.build, "bench")
    return analyses.request(subject, "bench", batch=False).id


@contextmanager
def running(workers: int, given: dict[str, str]) -> Iterator[None]:
    """Run `workers` worker processes."""
    command = [sys.executable, "-m", "workers", "analyses"]
    begun = [subprocess.Popen(command, env=os.environ | given, cwd=ROOT) for _ in range(workers)]
    try:
        yield
    finally:
        for process in begun:
            process.terminate()
        for process in begun:
            process.wait()
