"""What a game costs in Redis."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchmarks.server import Redis
from benchmarks.submitting import VARIANT, long_game
from benchmarks.turns import Measurement
from engine.registry import find_variant
from notation.game import Game, Move
from notation.registry import find_dialect
from service.composition import Service, compose
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


def figures() -> list[Measurement]:
    """Bytes of a game of 80 plies played move by move, and of one imported as a record."""
    played = bytes_a_game(play_one)
    imported = bytes_a_game(import_one)
    texts = f"{GAMES} games of {PLIES} plies each, with their receipts and feed entries"
    return [
        Measurement(
            "Redis memory of a stored game",
            f"played move by move {played / 1024:.1f} KiB",
            f"imported as one record {imported / 1024:.1f} KiB ({texts})",
            played / imported,
        )
    ]


def bytes_a_game(store_one: Callable[[Service, int], None]) -> float:
    """Bytes that one more game takes, over many."""
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
        projector = Projector(service.games, service.database)
        while projector.step(timeout=0.1):
            pass
        return (store.memory - before) / GAMES


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
    """Take in the same game as a record."""
    texts = find_dialect(VARIANT)
    position = find_variant(VARIANT).start()
    moves = []
    for token in long_game(PLIES, seed):
        moves.append(Move(texts.resolve(position, token)))
        position.play(moves[-1].action)
    game = Game(VARIANT, {"Termination": "unterminated"}, tuple(moves))
    service.games.create(new_id(), import_command(game, new_id(), new_id()), ACTOR)
