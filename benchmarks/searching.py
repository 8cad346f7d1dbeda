"""Searching positions among many games, against one bare Redis read of the same size.

Both are asked from Python over the same connection, one after the other, position by position.
The games are random ones, each with positions of its own, written through the indexes as the
projector writes them.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from random import Random

from benchmarks.server import Redis
from benchmarks.turns import Measurement, progress
from engine.random_play import random_play
from engine.side import Side
from notation.registry import find_dialect
from service.composition import Service, compose
from service.game.state import GameState
from service.game.values import Ending, GameStatus, Mode, Played
from service.ids import new_id
from service.projection.explorer import Explorer
from service.projection.game_index import GameIndex
from service.projection.position_index import PositionIndex
from service.projection.query import Query
from service.projection.search import Search
from service.settings import read_settings

GAMES = 50_000
PLIES = 60
BATCH = 100
VARIANT = "katruji"
ASKED = 2000
LIMIT = 20
RESULTS = ("1-0", "0-1", "1/2-1/2")


def random_game(seed: int) -> GameState:
    """A finished game of random actions, as a projector would have folded it."""
    texts = find_dialect(VARIANT)
    position = texts.start({})
    actions = [action for action, _ in random_play(position, Random(seed), PLIES)]
    played = tuple(
        Played(action, texts.coordinate(action), "", 1, Side.FIRST, "bench", 0)
        for action in actions
    )
    return GameState(
        id=new_id(),
        version=1,
        variant=VARIANT,
        rules="1",
        mode=Mode.IMPORT,
        status=GameStatus.FINISHED,
        creator="bench",
        seats=(new_id(), new_id()),
        tags={"Event": f"Event {seed % 100}", "Date": "1999.12.31"},
        fen=None,
        position=position,
        created_at=1_700_000_000_000 + seed,
        updated_at=1_700_000_000_000 + seed,
        plies=len(played),
        played=played,
        ending=Ending(RESULTS[seed % 3], "resignation"),
    )


def positions_of(games: list[GameState], random: Random) -> list[str]:
    """A position of each of these games, as FEN."""
    texts = find_dialect(VARIANT)
    found = []
    for game in games:
        position = texts.start({})
        for move in game.played[: random.randrange(len(game.played) + 1)]:
            position.play(move.action)
        found.append(texts.write_fen(position))
    return found


def figures() -> list[Measurement]:
    """The 99th percentiles of a search and of the explorer, and what a game costs in memory."""
    with Redis() as store:
        # What is measured is reading; nobody waits for a disk here.
        store.client.config_set("appendonly", "no")
        settings = {"MOVELOG_REDIS_URL": store.url, "MOVELOG_DATA_DIR": store.folder}
        service = compose(read_settings(settings))
        fens, listed, indexed = fill(service, store)
        memory = Measurement(
            f"Redis memory of an indexed game of {PLIES} plies, among {GAMES:,}",
            f"positions and material {indexed / 1024:.1f} KiB",
            f"lists {listed / 1024:.1f} KiB",
            indexed / listed,
        )
        search, explorer = Search(service.store), Explorer(service.store)

        def look_for(fen: str) -> int:
            found = search.page(Query(variant=VARIANT, fen=fen), limit=LIMIT).games
            return sum(len(game.to_json()) for game in found)

        def explore(fen: str) -> int:
            return sum(len(c.action) + 8 for c in explorer.at(VARIANT, fen).continuations)

        return [
            against_bare(service, "position search", look_for, fens),
            against_bare(service, "opening explorer", explore, fens),
            memory,
        ]


def fill(service: Service, store: Redis) -> tuple[list[str], float, float]:
    """Index all games; positions to ask for, and bytes a game of the lists and of the positions."""
    lists, positions = GameIndex(service.store), PositionIndex(service.store, service.log)
    random = Random(1)
    fens: list[str] = []
    listed = indexed = 0
    every = GAMES // ASKED
    for start in progress(range(0, GAMES, BATCH), "indexing"):
        games = [random_game(seed) for seed in range(start, start + BATCH)]
        before = store.memory
        lists.write(games)
        between = store.memory
        positions.write(games)
        listed += between - before
        indexed += store.memory - between
        fens += positions_of(games[::every], random)
    return fens, listed / GAMES, indexed / GAMES


def against_bare(
    service: Service, name: str, ask: Callable[[str], int], fens: list[str]
) -> Measurement:
    """The comparison for one kind of question."""
    ours: list[float] = []
    bare: list[float] = []
    for fen in fens:
        size = ask(fen)
        service.store.set("bare", b"x" * size)
        begun = time.perf_counter()
        ask(fen)
        between = time.perf_counter()
        service.store.get("bare")
        ours.append(between - begun)
        bare.append(time.perf_counter() - between)
    candidate, baseline = p99(ours), p99(bare)
    return Measurement(
        f"{name} among {GAMES:,} games, 99th percentile, against one bare read of the same size",
        f"movelog {candidate:.2f} ms (median {1000 * statistics.median(ours):.2f})",
        f"GET {baseline:.2f} ms (median {1000 * statistics.median(bare):.2f})",
        candidate / baseline,
    )


def p99(seconds: list[float]) -> float:
    """The 99th percentile in milliseconds."""
    return 1000 * statistics.quantiles(seconds, n=100)[98]
