"""Games for the tests of projections."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any

from sqlalchemy import Connection, select

from notation.registry import find_dialect
from service.composition.projector import list_projections
from service.composition.service import CODEC, Service
from service.game.commands import (
    Adjudicate,
    CloseGame,
    CorrectResult,
    CreateGame,
    PlayAction,
    ReopenGame,
    ScoreGame,
)
from service.game.events import ActionPlayed
from service.game.outline import GameOutline
from service.game.permissions import SCORER
from service.game.repository import Games, stream_of
from service.game.state import GameState
from service.log.codec import Codec
from service.log.interface import FEED_START, EventLog
from service.log.memory import MemoryEventLog
from service.log.values import Append
from service.player.actor import Actor
from service.projection.checkpoints import read_checkpoints
from service.projection.database.database import Database
from service.projection.database.postgresql import PostgresqlStore
from service.projection.database.tables import CHECKPOINT, DATA_VERSION, METADATA
from service.projection.games.query import Query
from service.projection.games.search import Search
from service.projection.projector import Projector
from service.projection.reactions import Ended, Reactions
from service.projection.rebuild import Progress, Rebuild
from service.projection.strict_imports import StrictImports
from service.projection.updates import Projection, Reaction
from tests.service.game.support import NO_TOURNAMENTS

SCRIBE = Actor("scribe", frozenset({"play", "arbiter"}))


def ticking() -> Callable[[], int]:
    """A clock that advances by a second whenever it is read."""
    return count(1_700_000_000_000, 1000).__next__


def memory_games(codec: Codec = CODEC, clock: Callable[[], int] | None = None) -> Games:
    """Games in a log of their own, in memory."""
    return Games(MemoryEventLog(codec), clock or ticking(), NO_TOURNAMENTS)


def create(
    games: Games,
    id: str,
    first: str = "ann",
    second: str = "bob",
    mode: str = "scribe",
    tags: Mapping[str, str] | None = None,
) -> GameState:
    """A game of Katruji that a scribe keeps, or a challenge by `first`."""
    actor = Actor(first, frozenset({"play"})) if mode == "challenge" else SCRIBE
    command = CreateGame(variant="katruji", mode=mode, first=first, second=second, tags=tags or {})
    return games.create(id, command, actor).state


def play(games: Games, id: str, actions: int = 1) -> GameState:
    """Play the first legal action, `actions` times."""
    state = games.load(id)
    for _ in range(actions):
        token = find_dialect(state.variant).coordinate(state.position.legal()[0])
        state = games.execute(id, PlayAction(token=token), SCRIBE).state
    return state


def end(games: Games, id: str, result: str = "*") -> GameState:
    """End a game: closed without result, or adjudicated with one."""
    if result == "*":
        return games.execute(id, CloseGame(), SCRIBE).state
    command = Adjudicate(result=result, termination="adjudication")
    return games.execute(id, command, SCRIBE).state


def rated_game(
    games: Games,
    id: str,
    first: str,
    second: str,
    result: str,
    mode: str = "arbiter",
    **terms: Any,
) -> GameState:
    """An ended game in which both sides have moved; each event takes a second of the clock."""
    wish = CreateGame(variant="katruji", mode=mode, first=first, second=second, **terms)
    games.create(id, wish, SCRIBE)
    for player, token in ((first, "Sd1"), (second, "Sa8")):
        actor = Actor(player, frozenset({"play"})) if mode != "scribe" else SCRIBE
        games.execute(id, PlayAction(token=token), actor)
    return end(games, id, result)


def correct(games: Games, id: str, result: str, termination: str = "adjudication") -> GameState:
    """Correct an ended game's result."""
    command = CorrectResult(result=result, termination=termination, reason="misheard")
    return games.execute(id, command, SCRIBE).state


def reopen(games: Games, id: str) -> GameState:
    """Reopen an ended game."""
    return games.execute(id, ReopenGame(reason="misheard"), SCRIBE).state


def score(games: Games, id: str, points: tuple[int, int] = (3, 4)) -> GameState:
    """Score an ended game as the worker does."""
    state = games.load(id)
    ending = state.ending
    assert ending is not None
    command = ScoreGame(
        version=state.version,
        result=ending.result,
        termination=ending.termination,
        points=points,
    )
    return games.execute(id, command, Actor(SCORER)).state


def spoil(log: EventLog, id: str) -> None:
    """Append an event to a game that no state allows."""
    impossible = ActionPlayed(ply=1, action="a1-a1", san="?")
    version = log.version(stream_of(id))
    log.append(Append(stream=stream_of(id), expected=version, events=[impossible], at=0, by="x"))


class MemoryReactionProgress:
    """Remembers how far reactions have come, as Redis does for the service."""

    def __init__(self) -> None:
        self.reached: dict[int, str] = {}

    def load(self, partitions: int) -> dict[int, str]:
        return {p: self.reached.get(p, FEED_START) for p in range(partitions)}

    def advance(self, reached: Mapping[int, str]) -> None:
        self.reached.update(reached)


def nobody(games: Sequence[GameOutline]) -> None:
    """Score nothing."""


def projector_of(
    games: Games,
    database: Database,
    ended: Ended = nobody,
    stopping: Callable[[], bool] = lambda: False,
    *,
    progress: MemoryReactionProgress | None = None,
    projections: Sequence[Projection] = (),
    followers: Sequence[Reaction] = (),
) -> Projector:
    """A projector of games; unless `progress` is given, its reactions begin where the rows end."""
    if progress is None:
        progress = MemoryReactionProgress()
        progress.advance(database.read(read_checkpoints))
    reactions = Reactions(progress, ended, followers)
    return Projector(games, database, projections, reactions, stopping)


def project(projector: Projector) -> int:
    """Let the projector process all that there is; returns the number of pointers."""
    done = 0
    while came := projector.step(0.001):
        done += came
    return done


def project_service(service: Service) -> None:
    """Project everything of a service, without reactions.

    The puzzles that come with the service are left out: writing them takes longer than most tests.
    """
    strict = StrictImports(service.imports)
    projections = list_projections(service)
    project(Projector(service.games, service.database, projections, strict=strict))
    service.puzzle_ratings.rate()


def rebuild(
    games: Games, database: Database, progress: Progress | None = None, **given: Any
) -> int:
    """Rebuild the tables of games."""
    now = given.pop("now", 0)
    return Rebuild(games, database, progress=progress, **given).run(now)


def dump(database: Database, *names: str) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of these tables, or of all except the checkpoints and the data version."""
    tables = [
        table
        for table in METADATA.sorted_tables
        if (table.name in names if names else table not in (CHECKPOINT, DATA_VERSION))
    ]

    def read(connection: Connection) -> dict[str, list[tuple[Any, ...]]]:
        return {
            table.name: sorted(map(tuple, connection.execute(select(table))), key=repr)
            for table in tables
        }

    return database.read(read)


def dump_by_ids(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of all tables, with games' ids for their numbers.

    Where two games of one millisecond begin with the same 22 bits, which one has the first number
    depends on which was written first: a hundred imported games have one millisecond.
    """
    tables = dump(database)
    ids = {number: id for number, id, *_ in (*tables["game"], *tables["held_game"])}
    numbered = {
        table.name: [*table.c.keys()].index("number")
        for table in METADATA.sorted_tables
        if "number" in table.c
    }

    def tell(name: str, row: tuple[Any, ...]) -> tuple[Any, ...]:
        at = numbered.get(name)
        return row if at is None else (*row[:at], ids[row[at]], *row[at + 1 :])

    return {
        name: sorted((tell(name, row) for row in rows), key=repr) for name, rows in tables.items()
    }


def count_generations(database: Database) -> int:
    """How many generations of the tables there are, read or not."""
    store = database.store
    if isinstance(store, PostgresqlStore):
        with store._maker().connect() as connection:
            return len(store._schemas(connection))
    assert store.folder is not None
    return len(list(store.folder.glob("*.sqlite")))


def listed(database: Database, limit: int = 10_000, **wanted: Any) -> list[str]:
    """The ids of the matching games, newest first."""
    return [
        game.id for game in Search(database, budget=60).page(Query(**wanted), limit=limit).games
    ]
