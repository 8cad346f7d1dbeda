"""Synthetic games: random play of the engine, with random names, dates and ratings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

from sqlalchemy import Connection

from engine.random_play import random_play
from engine.registry import VARIANTS, find_variant
from notation.game import Game, Move
from notation.registry import find_dialect
from service.game.evolve import fold
from service.game.importing import import_command
from service.game.repository import Games, stream_of
from service.game.state import GameState
from service.ids import derived_id
from service.player.actor import Actor
from service.player.state import PlayerState
from service.projection.players import write_players
from tests.service.projection.support import create, end, memory_games, play, score, ticking

IMPORTER = Actor("importer", frozenset({"play", "import"}))
EVENTS = ("Club evening", "Open", "Cup", "Märchen 2", "?")
CONTROLS = ("60+1", "180+2", "600", "40/5400+30:1800+30", "1/259200", "-", "?", "nonsense")
TERMINATIONS = ("resignation", "agreement", "time forfeit", "abandoned", "adjudication")
BATCH = 500
"""How many games a log holds."""
LONGEST = 60
"""The most plies of a game."""


def make_states(number: int, seed: int = 1) -> Iterator[GameState]:
    """Make games, fold their logs and discard the logs; equal seeds give equal games.

    Each log holds only some of the games, so that there may be many.
    """
    random, clock = Random(seed), ticking()
    for start in range(0, number, BATCH):
        games = memory_games(clock=clock)
        for index in range(start, min(start + BATCH, number)):
            id = id_of("g", index)
            make_game(games, id, random)
            yield from read_states(games, [id])


def make_games(games: Games, number: int, seed: int = 1, name: str = "g") -> Iterator[str]:
    """Put games into a log and yield their ids; equal seeds give equal games."""
    random = Random(seed)
    for index in range(number):
        id = id_of(name, index)
        make_game(games, id, random)
        yield id


def id_of(name: str, index: int) -> str:
    """The id of a game."""
    return derived_id(b"synthetic", name, str(index))


def make_game(games: Games, id: str, random: Random) -> None:
    """Put a game into a log: mostly an imported record, else one that is played here."""
    if random.random() < 0.85:
        import_game(games, id, random)
    else:
        play_game(games, id, random)


def import_game(games: Games, id: str, random: Random) -> None:
    """Import a record of random play."""
    first, second = random.sample(PLAYERS, 2) if random.random() < 0.98 else ("p0", "p0")
    record = make_record(random)
    seats = (first if random.random() < 0.97 else None, second)
    games.create(id, import_command(record, *seats), IMPORTER)


def make_record(random: Random) -> Game:
    """A record of random play; its first plies follow one of a few lines."""
    variant = random.choice(sorted(VARIANTS))
    position = find_dialect(variant).start({})
    moves = []
    # A few seeds for the first plies let games share positions.
    opening = Random(random.randrange(4))
    plies = random.choice((0, 3, 9, random.randrange(1, LONGEST)))
    for chooser, length in ((opening, min(plies, 6)), (random, plies - min(plies, 6))):
        moves += [Move(action) for action, _ in random_play(position, chooser, length)]
    over = position.outcome()
    result = over.result if over is not None else random.choice(("1-0", "0-1", "1/2-1/2", "*"))
    return Game(variant, make_tags(random, variant, result, over is not None), tuple(moves), result)


def make_tags(random: Random, variant: str, result: str, over: bool) -> dict[str, str]:
    """The tags of a record: some are missing or say nothing, some dates are known only in part."""
    month = f"{random.randrange(1990, 2027)}.{random.randrange(1, 13):02d}"
    day = f"{month}.{random.randrange(1, 29):02d}"
    dates = (day, day, day, f"{month}.??", f"{day[:4]}.??.??", "????.??.??")
    tags = {"Event": random.choice(EVENTS), "Date": random.choice(dates)}
    tags |= {"Round": str(random.randrange(1, 10))} if random.random() < 0.7 else {}
    if random.random() < 0.6:
        tags["TimeControl"] = random.choice(CONTROLS)
    for side in find_variant(variant).sides:
        if random.random() < 0.5:
            tags[f"{side}Elo"] = str(random.randrange(800, 2600))
        if random.random() < 0.2:
            tags[f"{side}Type"] = random.choice(("human", "program"))
    if not over and result in ("1-0", "0-1") and random.random() < 0.6:
        tags["Termination"] = random.choice(TERMINATIONS[:1] + TERMINATIONS[2:])
    return tags


def play_game(games: Games, id: str, random: Random) -> None:
    """Create a game here: a challenge, or a game of a few actions that mostly ends."""
    first, second = random.sample(PLAYERS, 2)
    mode = random.choice(("scribe", "challenge"))
    create(games, id, first, second, mode, {"Event": random.choice(EVENTS)})
    if mode == "challenge":
        return
    play(games, id, random.randrange(5))
    if random.random() < 0.7:
        end(games, id, random.choice(("1-0", "0-1", "1/2-1/2", "*")))
        if random.random() < 0.5:
            score(games, id, (random.randrange(19), random.randrange(19)))


PLAYERS = [f"p{number}" for number in range(25)]
"""The players, all of whom play about equally often."""
MERGED = {"p24": ("p3",), "p23": ("p22", "p3"), "p22": ("p3",)}
"""Whom each merged player was merged into, directly or by way of another."""
FAMILIES = ("King", "Loveläce", "van der Berg", "Émile", "Kingsley")
GIVEN = ("Ada", "Émile", "Grace, von", "King", "Ann")
PEOPLE = {
    player: f"{GIVEN[number // 5]} {FAMILIES[number % 5]}" for number, player in enumerate(PLAYERS)
}
"""The names of all players, some of which share words."""
NAMED = {player: name for player, name in PEOPLE.items() if player not in MERGED}
"""The names of players who were not merged into another."""


def write_people(connection: Connection) -> None:
    """Write the rows of the players, as for registered ones."""
    into = {player: found[0] for player, found in MERGED.items()}
    states = (PlayerState(player, 1, merged_into=into.get(player)) for player in PLAYERS)
    write_players(connection, [(state, PEOPLE[state.id]) for state in states])


def read_states(games: Games, ids: Iterable[str]) -> Iterator[GameState]:
    """Fold the logs of these games."""
    for id in ids:
        state = fold(id, games.log.read(stream_of(id)))
        assert state is not None
        yield state
