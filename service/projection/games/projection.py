"""Games as a projector writes them: folded from the log, those that cannot be set aside."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import redis
from sqlalchemy import Connection

from service.game.repository import Games
from service.game.state import GameState
from service.log.values import Recorded
from service.player.mergers import survivors
from service.projection.dead_letters import (
    DeadLetter,
    describe_error,
    remove_letters,
    write_letters,
)
from service.projection.games.rows import GameRows, is_listed, make_rows
from service.projection.games.writer import GameWriter
from service.projection.listed_fold import fold_for_lists, play_at
from service.projection.partial_fold import fold_as_far_as_it_goes
from service.projection.ratings import write_rated
from service.projection.updates import StreamUpdate

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PreparedGames:
    """Games that were read and are to be written; `whole` are those that could be folded."""

    writer: GameWriter
    whole: Sequence[GameState]
    broken: Sequence[GameState]
    letters: Sequence[DeadLetter]
    rows: Sequence[GameRows]

    def write(self, connection: Connection) -> None:
        """Write them, and their dead letters."""
        self.writer.write(connection, self.rows)
        write_rated(connection, [*self.whole, *self.broken])
        write_letters(connection, self.letters)
        remove_letters(connection, (state.id for state in self.whole))


class GameProjection:
    """Reads games from a log for the lists."""

    def __init__(self, games: Games) -> None:
        self.games = games
        self.writer = GameWriter(partial(play_at, games))

    def prepare(self, updates: Mapping[str, StreamUpdate]) -> PreparedGames:
        """Read and fold the updated games."""
        whole: list[GameState] = []
        broken: list[GameState] = []
        letters: list[DeadLetter] = []
        for id, loaded in self._load(updates):
            if isinstance(loaded, GameState):
                whole.append(loaded)
                continue
            # Whatever one game's events do to the fold, the others must not wait for it.
            log.error("game %s cannot be folded: it is a dead letter", id, exc_info=loaded)
            update = updates[id]
            letters.append(DeadLetter(id, describe_error(loaded), update.feed_range, update.last))
            state, _ = fold_as_far_as_it_goes(self.games.log, id)
            broken += [state] if state is not None else []
        rows = self.rows_of([*whole, *broken])
        return PreparedGames(self.writer, whole, broken, letters, rows)

    def rows_of(self, states: Iterable[GameState]) -> list[GameRows]:
        """The rows of those of these games that are listed."""
        listed = [state for state in states if is_listed(state)]
        seats = {player for state in listed for player in state.seats if player is not None}
        merged = survivors(self.games.log, seats)
        return [make_rows(state, merged) for state in listed]

    def _load(
        self, updates: Mapping[str, StreamUpdate]
    ) -> Iterator[tuple[str, GameState | Exception]]:
        """The newest states of games; those that are new are read together.

        Many of these are records, which nobody may ask for again: they are not remembered.
        """
        new = [id for id, one in updates.items() if one.new]
        recorded = self._read_together(new)
        for id in updates:
            try:
                state = fold_for_lists(id, recorded[id]) if id in recorded else None
                yield id, state or self.games.load(id)
            except redis.RedisError:
                raise
            except Exception as error:
                yield id, error

    def _read_together(self, ids: Sequence[str]) -> dict[str, list[Recorded]]:
        """The events of games; nothing where one of them cannot be read."""
        try:
            return dict(zip(ids, self.games.read_each(ids), strict=True))
        except redis.RedisError:
            raise
        except Exception:
            log.debug("the games are read one by one", exc_info=True)
            return {}
