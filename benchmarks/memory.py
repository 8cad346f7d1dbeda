"""What a game costs in Redis, and that its lists cost nothing there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.server import Redis
from benchmarks.submitting import VARIANT, long_game
from benchmarks.turns import Measurement
from engine.registry import find_variant
from notation.game import Game, Move
from notation.registry import find_dialect
from service.composition.projector import list_projections, rebuild
from service.composition.service import Service, compose
from service.game.commands import CloseGame, CreateGame, PlayAction
from service.game.importing import import_command
from service.ids import new_id
from service.player.actor import Actor
from service.player.scopes import PLAY
from service.projection.projector import Projector
from service.settings import read_settings

GAMES = 200
PLIES = 80
ACTOR = Actor("bench", frozenset({PLAY}))


@dataclass(frozen=True, slots=True)
class Bytes:
    """What a game takes in Redis, averaged over many: its memory, and the bytes of its keys alone.

    The bytes are measured before its lists are built, with them, and with rebuilt lists.
    """

    memory: float
    stored: float
    listed: float
    rebuilt: float


def figures() -> list[Measurement]:
    """Bytes of a game of 80 plies played move by move, and of one imported as a record.

    Its lists are not in Redis, and so add nothing.
    """
    played, imported = measure_games(play_one), measure_games(import_one)
    texts = f"{GAMES} games of {PLIES} plies each, with their receipts and feed entries"
    compared = Measurement(
        "Redis memory of a stored game",
        f"played move by move {played.memory / 1024:.1f} KiB",
        f"imported as one record {imported.memory / 1024:.1f} KiB ({texts})",
        played.memory / imported.memory,
    )
    return [compared, *(compare(*one) for one in (("played", played), ("imported", imported)))]


def compare(way: str, found: Bytes) -> Measurement:
    """The keys of games with their lists, against those without."""
    listed, rebuilt, stored = (one / 1024 for one in (found.listed, found.rebuilt, found.stored))
    return Measurement(
        f"Redis keys of a game {way}, with its lists",
        f"{listed:.2f} KiB, after a rebuild {rebuilt:.2f} KiB",
        f"before it was listed {stored:.2f} KiB",
        max(found.listed, found.rebuilt) / found.stored,
        bar=1.001,
        most=True,
    )


def measure_games(store_one: Callable[[Service, int], None]) -> Bytes:
    """Measure what a game takes."""
    with Redis() as store:
        service = compose(
            read_settings(
                {"MOVELOG_REDIS_URL": store.url, "MOVELOG_DATA_DIR": str(Path(store.folder))}
            )
        )
        store_one(service, 0)
        before = store.memory
        for seed in range(1, GAMES + 1):
            store_one(service, seed)
        memory, stored = store.memory - before, store.keys_memory
        projector = Projector(service.games, service.database, list_projections(service))
        while projector.step(timeout=0.1):
            pass
        listed = store.keys_memory
        rebuild(service)
        sizes = (memory, stored, listed, store.keys_memory)
        return Bytes(*(size / GAMES for size in sizes))


def play_one(service: Service, seed: int) -> None:
    """Play a game as a scribe and close it."""
    id = new_id()
    service.games.create(
        id,
        CreateGame(variant=VARIANT, mode="scribe", first=new_id(), second=new_id()),
        ACTOR,
    )
    for action in long_game(PLIES, seed):
        service.games.execute(id, PlayAction(token=action), ACTOR)
    service.games.execute(id, CloseGame(), ACTOR)


def import_one(service: Service, seed: int) -> None:
    """Import the same game as a record."""
    texts = find_dialect(VARIANT)
    position = find_variant(VARIANT).start()
    moves = []
    for token in long_game(PLIES, seed):
        moves.append(Move(texts.resolve(position, token)))
        position.play(moves[-1].action)
    game = Game(VARIANT, {"Termination": "unterminated"}, tuple(moves))
    service.games.create(new_id(), import_command(game, new_id(), new_id()), ACTOR)
