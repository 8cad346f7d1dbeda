"""Archives of random games, as the projector would have written them, to measure questions on.

The games' first plies come from a few openings, so that many games share some positions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from sqlalchemy import Connection, Table, exists, func, select, text

from benchmarks.turns import progress
from engine.random_play import random_play
from engine.side import Side
from notation.registry import find_dialect
from service.game.state import GameState
from service.game.values import Ending, GameStatus, Mode, Played
from service.projection.database.database import Database
from service.projection.database.opening import open_database
from service.projection.database.tables import GAME, GAME_PLAY, GAME_POSITION, METADATA
from service.projection.games.keys import fen_key
from service.projection.games.rows import make_rows
from service.projection.games.writer import GameWriter

VARIANT = "kerd"
PLIES = 80
OPENING = 8
OPENINGS = 200
PLAYED_BY_ONE = 40
"""How many games each player has in every archive: a larger archive has more players."""
EVENT_GAMES = 50
BATCH = 4000
"""Games written in one transaction: with more, fewer pages are written twice."""
RESULTS = ("1-0", "0-1", "1/2-1/2")
TERMINATIONS = ("resignation", "agreement", "time forfeit", "adjudication")
CONTROLS = ("60+1", "180+2", "600+5", "5400+30", "1/259200")
TOGETHER = 10_000
"""How many rows are read at a time for copying."""
SAMPLED = 400
"""How many games the questions take positions from."""


@dataclass(frozen=True, slots=True)
class Archive:
    """A database of `games` games, and what can be asked about them.

    `positions` are those of some games, by game and ply.
    """

    games: int
    database: Database
    positions: list[list[str]] = field(default_factory=list)

    @property
    def players(self) -> int:
        """How many players there are."""
        return self.games // PLAYED_BY_ONE

    @property
    def events(self) -> int:
        """How many events there are."""
        return self.games // EVENT_GAMES

    @property
    def name(self) -> str:
        """What the database is called in a report."""
        return "SQLite" if self.database.store.folder is not None else "PostgreSQL"


def open_archive(folder: Path, games: int) -> Archive:
    """The archive of `games` games in a folder; missing games are added."""
    database = open_database(folder, None)
    known = database.read(count_games)
    writer = GameWriter(lambda id, version: None)
    seeds = iter(progress(range(known, games), f"{games:,} games"))
    while some := list(islice(seeds, BATCH)):
        rows = [make_rows(random_game(seed, games), {}) for seed in some]
        database.write(partial(_write, writer, rows))
    positions = list(_sample(database))
    at = GAME_POSITION.c.key == fen_key(VARIANT, positions[0][-1])
    if not database.read(
        lambda connection: connection.execute(select(exists().where(at))).scalar()
    ):
        raise RuntimeError(f"{folder} is of a version that knew positions by other keys: delete it")
    return Archive(games, database, positions)


def copy_archive(source: Archive, url: str) -> Archive:
    """Copy an archive to PostgreSQL, replacing what is there.

    Rows are copied in the order of their keys, so its indexes are denser than ones that grew.
    """
    target = open_database(Path(), url)

    def copy_all(reading: Connection) -> None:
        for table in METADATA.sorted_tables:
            target.write(partial(_copy, table, reading))

    source.database.read(copy_all)
    target.write(lambda connection: connection.execute(text("ANALYZE")))
    return Archive(source.games, target, source.positions)


def _copy(table: Table, reading: Connection, connection: Connection) -> None:
    quote = connection.dialect.identifier_preparer.quote
    name, columns = quote(table.name), ", ".join(quote(one.name) for one in table.columns)
    connection.execute(text(f"TRUNCATE {name}"))
    driven: Any = connection.connection.driver_connection
    # Frozen, as the server's own cleaning leaves long untouched rows.
    into = f"COPY {name} ({columns}) FROM STDIN WITH (FREEZE)"
    chosen = select(table).order_by(*table.primary_key.columns)
    rows = reading.execution_options(yield_per=TOGETHER).execute(chosen)
    with driven.cursor() as cursor, cursor.copy(into) as copying:
        for row in progress(rows, f"copying {table.name}"):
            copying.write_row(row)


def _write(writer: GameWriter, rows: list, connection: Connection) -> None:  # type: ignore[type-arg]
    writer.write(connection, rows)


def count_games(connection: Connection) -> int:
    """How many games there are."""
    return connection.execute(select(func.count()).select_from(GAME)).scalar_one()


def random_game(seed: int, games: int) -> GameState:
    """A finished game of random actions, in the form that a projector folds it to."""
    texts = find_dialect(VARIANT)
    position = texts.start({})
    random = Random(seed)
    chosen = ((Random(seed % OPENINGS), OPENING), (random, PLIES - OPENING))
    actions = [
        action for chooser, plies in chosen for action, _ in random_play(position, chooser, plies)
    ]
    played = tuple(
        Played(action, texts.coordinate(action), "", 1, Side.FIRST, "bench", 0)
        for action in actions
    )
    begun = 1_700_000_000_000 + 1000 * seed
    return GameState(
        id=f"game{seed}",
        version=1,
        variant=VARIANT,
        rules="1",
        mode=Mode.IMPORT,
        status=GameStatus.FINISHED,
        creator="bench",
        seats=seats_of(seed, games),
        tags={
            "Event": f"Event {seed % (games // EVENT_GAMES)}",
            "Date": f"{random.randrange(1990, 2026)}.{random.randrange(1, 13):02d}.01",
            "Round": str(seed % 9),
            "TimeControl": random.choice(CONTROLS),
            "WhiteElo": str(random.randrange(1200, 2600)),
            "BlackElo": str(random.randrange(1200, 2600)),
        },
        fen=None,
        position=position,
        created_at=begun,
        updated_at=begun,
        plies=len(played),
        played=played,
        ending=Ending(random.choice(RESULTS), random.choice(TERMINATIONS)),
    )


def seats_of(seed: int, games: int) -> tuple[str, str]:
    """Who played a game: two of the players."""
    players = games // PLAYED_BY_ONE
    random = Random(-seed)
    first = random.randrange(players)
    return f"player{first}", f"player{(first + 1 + random.randrange(players - 1)) % players}"


def _sample(database: Database) -> Iterator[list[str]]:
    """The positions of some games spread over the archive."""
    chosen = select(GAME.c.number).where(GAME.c.sample < 50).limit(100 * SAMPLED)
    numbers = database.read(lambda connection: list(connection.execute(chosen).scalars()))
    some = Random(1).sample(numbers, min(SAMPLED, len(numbers)))
    played = select(GAME_PLAY.c.actions).where(GAME_PLAY.c.number.in_(some))
    for actions in database.read(lambda connection: list(connection.execute(played).scalars())):
        yield list(positions_of(actions.split()))


def positions_of(actions: list[str]) -> Iterator[str]:
    """The positions that actions in coordinate form lead to, as FENs, with the first position."""
    texts = find_dialect(VARIANT)
    position = texts.start({})
    yield texts.write_fen(position)
    for action in actions:
        position.play(texts.resolve(position, action))
        yield texts.write_fen(position)
