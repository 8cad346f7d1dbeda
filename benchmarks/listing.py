"""What a ply costs the projector: many games play at once, with a step after each round.

Rows are written for each step, not for each ply, so the cost falls where more is played at once.
"""

from __future__ import annotations

import time
from pathlib import Path

from benchmarks.memory import ACTOR
from benchmarks.server import Redis
from benchmarks.submitting import VARIANT, long_game
from benchmarks.turns import Measurement
from service.composition.projector import list_projections
from service.composition.service import compose
from service.game.commands import CreateGame, PlayAction
from service.ids import new_id
from service.projection.projector import Projector
from service.settings import read_settings

FEW, MANY = 5, 50
PLIES = 20


def figures() -> list[Measurement]:
    """Processor time for a ply among many games, against among few."""
    many, few = measure(MANY), measure(FEW)
    return [
        Measurement(
            f"a ply listed as {MANY} games are played, a step for a ply of each, against {FEW}",
            f"{1000 * many:.2f} ms of the projector's time",
            f"{1000 * few:.2f} ms",
            many / few,
        )
    ]


def measure(count: int) -> float:
    """Seconds of the projector's processor time for a ply, while `count` games are played."""
    with Redis() as store:
        given = {"MOVELOG_REDIS_URL": store.url, "MOVELOG_DATA_DIR": str(Path(store.folder))}
        service = compose(read_settings(given))
        projector = Projector(service.games, service.database, list_projections(service))
        ids = [new_id() for _ in range(count)]
        for id in ids:
            wish = CreateGame(variant=VARIANT, mode="scribe", first=new_id(), second=new_id())
            service.games.create(id, wish, ACTOR)
        while projector.step(timeout=0.1):
            pass
        spent = 0.0
        for action in long_game(PLIES, seed=1):
            for id in ids:
                service.games.execute(id, PlayAction(token=action), ACTOR)
            begun = time.process_time()
            while projector.step(timeout=0):
                pass
            spent += time.process_time() - begun
        return spent / (count * PLIES)
