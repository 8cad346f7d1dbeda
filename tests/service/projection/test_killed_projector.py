"""A projector that is killed again and again writes the rows that a rebuild does."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from random import Random

import pytest

from service.composition.projector import list_projections
from service.composition.service import Service
from service.projection.checkpoints import Checkpoints
from service.projection.rebuild import Rebuild
from tests.service.projection.games.synthetic import make_games
from tests.service.projection.support import dump_by_ids, end, play, reopen
from tests.waiting import eventually, patiently


def start(environment: dict[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "service.cli", "projector"],
        env=os.environ | environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@pytest.mark.parametrize(
    ("games", "kills"),
    [pytest.param(150, 3, marks=pytest.mark.slow), pytest.param(400, 6, marks=pytest.mark.soak)],
)
def test_kills_double_nothing_and_lose_nothing(
    environment: dict[str, str], service: Service, games: int, kills: int
) -> None:
    random = Random(6)
    ids = list(make_games(service.games, games))
    # The first games exist before any projector, which therefore begins with a rebuild.
    checkpoints = Checkpoints(service.database)
    for kill in range(kills):
        # The last projector may have projected everything before it was killed.
        ids += make_games(service.games, 1, seed=kill + 2, name=f"left for {kill} ")
        before = checkpoints.count_behind(service.log)
        projector = start(environment)
        eventually(lambda: checkpoints.count_behind(service.log) < before)  # noqa: B023
        # Meanwhile there are new games, and games that are reopened and end again.
        make = make_games(service.games, 60, seed=kill + 2, name=f"k{kill}g")
        for number, id in enumerate(make):
            if number == 40 + random.randrange(20):
                break
            ids.append(id)
        for id in random.sample(ids, 20):
            state = service.games.load(id)
            if state.ending is not None and state.mode != "import":
                reopen(service.games, id)
                play(service.games, id, 1)
                end(service.games, id, "1-0")
        projector.kill()
        projector.wait()
    projector = start(environment)
    for _ in patiently("everything is projected"):
        if checkpoints.count_behind(service.log) == 0:
            break
        time.sleep(0.05)
    projector.terminate()
    assert projector.wait() == 0
    after = dump_by_ids(service.database)
    assert len(after["game"]) == len(service.log.streams("game"))
    projections, puzzles = list_projections(service), service.puzzle_ratings
    Rebuild(service.games, service.database, projections, puzzles=puzzles).run()
    tables = [name for name in after if not name.startswith(("rating", "dead"))]
    rebuilt = dump_by_ids(service.database)
    assert {name: after[name] for name in tables} == {name: rebuilt[name] for name in tables}
