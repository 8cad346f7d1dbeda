"""The list of games and the indexes of positions built anew from the log, while everything runs."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final, TypeVar

import redis

from service.game.evolve import fold
from service.game.repository import KIND
from service.game.state import GameState
from service.imports import repository as import_streams
from service.imports.state import fold as fold_import
from service.log.feed_range import FeedRange
from service.log.interface import FEED_START, EventLog
from service.log.values import Recorded, StreamId
from service.player import state as player_state
from service.player.mergers import survivors
from service.projection.dead_letters import DeadLetter, DeadLetters, describe_error
from service.projection.game_index import GameIndex
from service.projection.imports import ImportList
from service.projection.partial_fold import fold_as_far_as_it_goes
from service.projection.players import PlayerList, with_names
from service.projection.position_index import PositionIndex
from service.projection.ratings import Ratings
from service.projection.tournaments import TournamentList
from service.tournament import repository as tournament_streams
from service.tournament.evolve import fold as fold_tournament

log = logging.getLogger(__name__)

BATCH: Final = 100

T = TypeVar("T")

Progress = Callable[[int, int], None]
"""Called with the games done and the games there are."""


def rebuild(
    events: EventLog,
    store: redis.Redis,
    progress: Progress | None = None,
    ratings: Ratings | None = None,
    now: int = 0,
) -> int:
    """Build the list anew from nothing and let it replace the old one; returns its games.

    Readers see the old list until the new one is whole. A projector may run meanwhile: it
    writes both. `ratings` are computed of all periods over at `now`.

    Raises RebuildSuperseded when another rebuild is begun.
    """
    index = GameIndex(store, partial(survivors, events))
    played = PositionIndex(store, events)
    dead_letters = DeadLetters(store)
    # From here on the projector writes this generation too, so that a game too new for the
    # scan of the streams is not missed.
    generation = index.begin()
    streams = events.streams(KIND)
    written = 0
    for start in range(0, len(streams), BATCH):
        states = list(_folded(events, dead_letters, streams[start : start + BATCH]))
        index.write(states, generation)
        played.write(states, generation)
        if ratings is not None:
            ratings.write(states, generation)
        written += len(states)
        if progress is not None:
            progress(min(start + BATCH, len(streams)), len(streams))
    tournaments = _readable(events, tournament_streams.KIND, fold_tournament)
    TournamentList(store).write(tournaments, generation)
    imports = _readable(events, import_streams.KIND, fold_import)
    ImportList(store).write(imports, generation)
    _list_players(events, store, generation)
    if ratings is not None:
        ratings.close(now, generation)
    index.swap(generation)
    return written


def _readable(
    events: EventLog, kind: str, fold: Callable[[str, Iterable[Recorded]], T | None]
) -> Iterator[T]:
    """The states of all streams of a kind that can be read."""
    for stream in events.streams(kind):
        try:
            state = fold(stream.id, events.read(stream))
        except redis.RedisError:
            raise
        except Exception:
            log.exception("%s %s cannot be read", kind, stream.id)
            continue
        if state is not None:
            yield state


def _list_players(events: EventLog, store: redis.Redis, generation: int) -> None:
    players = PlayerList(store)
    ids = [stream.id for stream in events.streams(player_state.KIND)]
    for start in range(0, len(ids), BATCH):
        players.write(with_names(events, ids[start : start + BATCH]), generation)


def _folded(
    events: EventLog, dead_letters: DeadLetters, streams: Sequence[StreamId]
) -> Iterator[GameState]:
    for stream in streams:
        try:
            state = fold(stream.id, events.read(stream))
        except redis.RedisError:
            raise
        except Exception as error:
            log.exception("game %s goes into the list as far as it can be folded", stream.id)
            nowhere = FeedRange(events.partition(stream), FEED_START, FEED_START)
            dead_letters.add(
                DeadLetter(stream.id, describe_error(error), nowhere, last=0), replace=False
            )
            state, _ = fold_as_far_as_it_goes(events, stream.id)
        if state is not None:
            yield state
