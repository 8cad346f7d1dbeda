"""Games for the tests of what is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

import redis

from notation.registry import find_dialect
from service.composition import CODEC
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
from service.game.permissions import SCORER
from service.game.repository import Games, stream_of
from service.game.state import GameState
from service.log.codec import Codec
from service.log.interface import EventLog
from service.log.memory import MemoryEventLog
from service.log.values import Append
from service.player.actor import Actor
from tests.service.game.support import NO_TOURNAMENTS

SCRIBE = Actor("scribe", frozenset({"play", "arbiter"}))


def ticking() -> Callable[[], int]:
    """A clock that goes on by a second whenever it is looked at."""
    return count(1_700_000_000_000, 1000).__next__


def memory_games(codec: Codec = CODEC) -> Games:
    """Games in a log of their own."""
    return Games(MemoryEventLog(codec), ticking(), NO_TOURNAMENTS)


def create(
    games: Games,
    id: str,
    first: str = "ann",
    second: str = "bob",
    mode: str = "scribe",
    tags: Mapping[str, str] | None = None,
) -> GameState:
    """A game of Katruji kept by a scribe, or one that `first` offers."""
    actor = Actor(first, frozenset({"play"})) if mode == "challenge" else SCRIBE
    command = CreateGame(variant="katruji", mode=mode, first=first, second=second, tags=tags or {})
    return games.create(id, command, actor).state


def play(games: Games, id: str, actions: int = 1) -> GameState:
    """Play the first legal action so many times."""
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
    games: Games, id: str, first: str, second: str, result: str, mode: str = "arbiter"
) -> GameState:
    """An ended game in which both have moved; everything takes a second of the games' clock."""
    games.create(id, CreateGame(variant="katruji", mode=mode, first=first, second=second), SCRIBE)
    for player, token in ((first, "Sd1"), (second, "Sa8")):
        actor = Actor(player, frozenset({"play"})) if mode != "scribe" else SCRIBE
        games.execute(id, PlayAction(token=token), actor)
    return end(games, id, result)


def correct(games: Games, id: str, result: str, termination: str = "adjudication") -> GameState:
    """Correct an ended game's result."""
    command = CorrectResult(result=result, termination=termination, reason="misheard")
    return games.execute(id, command, SCRIBE).state


def reopen(games: Games, id: str) -> GameState:
    """Withdraw an ended game's end."""
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
    """Put an event into a game's log that no state allows."""
    impossible = ActionPlayed(ply=1, action="a1-a1", san="?")
    version = log.version(stream_of(id))
    log.append(Append(stream=stream_of(id), expected=version, events=[impossible], at=0, by="x"))


def dump(store: redis.Redis, pattern: str = "movelog:{index}:g*:*") -> dict[str, Any]:
    """Everything that is read, without the number of its generation."""
    found: dict[str, Any] = {}
    keys: Any = store.keys(pattern)
    for key in keys:
        name = key.decode().split(":", 3)[3]
        kind = store.type(key)
        if kind == b"hash":
            found[name] = store.hgetall(key)
        elif kind == b"set":
            found[name] = store.smembers(key)
        else:
            found[name] = store.zrange(key, 0, -1, withscores=True)
    return found
