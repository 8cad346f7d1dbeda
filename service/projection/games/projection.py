"""Games as a projector writes them: folded from the log; those that cannot be are set aside."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import redis
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from service.game.outline import GameOutline
from service.game.repository import Games
from service.game.state import GameState
from service.game.values import Mode
from service.log.unreadable import Unreadable
from service.log.values import Recorded
from service.player.mergers import survivors
from service.projection.challenges import write_challenges
from service.projection.database.database import Database
from service.projection.database.refusals import is_refused_row
from service.projection.dead_letters import (
    DeadLetter,
    describe_error,
    remove_letters,
    write_letters,
)
from service.projection.games.imported import ImportedGame
from service.projection.games.rows import GameRows, is_listed, make_rows, seat_anew
from service.projection.games.seats import Survivors
from service.projection.games.writer import GameWriter
from service.projection.handover import Handover
from service.projection.listed_fold import outline_game, play_at
from service.projection.partial_fold import fold_as_far_as_it_goes
from service.projection.ratings import write_rated
from service.projection.strict_imports import StrictImports
from service.projection.updates import StreamUpdate

log = logging.getLogger(__name__)


class ShorterThanListed(Exception):
    """The log has fewer events of these `games` than the lists: it has lost its last ones."""

    def __init__(self, games: Sequence[str]) -> None:
        super().__init__(f"the log has less of the games {', '.join(games)} than the lists")
        self.games = games


@dataclass(frozen=True, slots=True)
class PreparedGames:
    """Games that were read and are to be written; `whole` are those that could be folded.

    `merged` is what `survivors` returned for their players; `handed` are the digests of the games
    that an importer has handed over.
    """

    writer: GameWriter
    survivors: Survivors
    merged: Mapping[str, Sequence[str]]
    whole: Sequence[GameOutline]
    broken: Sequence[GameState]
    letters: Sequence[DeadLetter]
    rows: Sequence[GameRows]
    handed: Sequence[str]

    @property
    def holders(self) -> set[str]:
        """The strict imports for which some of the games are held back."""
        return {rows.held_for for rows in self.rows if rows.held_for is not None}

    def write(self, connection: Connection) -> None:
        """Write the games and their dead letters; raises ShorterThanListed."""
        older = {*self.write_rows(connection, self.rows)}
        if shorter := [state.id for state in self.whole if state.id in older]:
            raise ShorterThanListed(shorter)
        write_rated(connection, [*self.whole, *self.broken])
        write_challenges(connection, [*self.whole, *self.broken])
        write_letters(connection, self.letters)
        remove_letters(connection, (state.id for state in self.whole))

    def write_rows(self, connection: Connection, rows: Sequence[GameRows]) -> list[str]:
        """Write some of the rows, with seats for whoever the players are now.

        A merger that another process has projected since the games were read did not find these
        games. Returns the games of which newer versions are known.
        """
        players = {id for one in rows for id in (one.game["first"], one.game["second"]) if id}
        merged = self.survivors(players)
        if any(merged.get(id) != self.merged.get(id) for id in players):
            rows = [seat_anew(one, merged) for one in rows]
        return self.writer.write(connection, rows)


def set_aside(id: str, error: Exception, updates: Mapping[str, StreamUpdate]) -> DeadLetter:
    """The dead letter of a game that cannot be listed, so that the others need not wait for it.

    It is logged, unless it was tried again and the reason is the same as before.
    """
    update, reason = updates[id], describe_error(error)
    if reason != update.reason:
        log.error("game %s cannot be listed: it is a dead letter", id, exc_info=error)
    return DeadLetter(id, reason, update.feed_range, update.last)


class GameProjection:
    """Reads games for the lists, from the log or from what importers have handed over."""

    def __init__(
        self,
        games: Games,
        handover: Handover | None = None,
        strict: StrictImports | None = None,
    ) -> None:
        """The games of `strict` imports are held back until they are shown."""
        self.games = games
        self.handover = handover
        self.strict = strict
        self.writer = GameWriter(partial(play_at, games))
        self.survivors: Survivors = partial(survivors, games.log)

    def prepare(self, updates: Mapping[str, StreamUpdate]) -> PreparedGames:
        """Read and fold the updated games."""
        handed = self._take_handed_over(updates)
        whole: list[GameOutline] = list(handed.values())
        broken: list[GameState] = []
        letters: list[DeadLetter] = []
        for id, loaded in self._load({id: updates[id] for id in updates if id not in handed}):
            if not isinstance(loaded, Exception):
                whole.append(loaded)
                continue
            letters.append(set_aside(id, loaded, updates))
            state, _ = fold_as_far_as_it_goes(self.games.log, id)
            broken += [state] if state is not None else []
        rows: list[GameRows] = []
        listed = [state for state in (*whole, *broken) if is_listed(state)]
        seats = {player for state in listed for player in state.seats if player is not None}
        merged = self.survivors(seats)
        for id, made in self._make_rows(listed, merged):
            if isinstance(made, GameRows):
                rows.append(made)
            else:
                letters.append(set_aside(id, made, updates))
        aside = {letter.game for letter in letters}
        whole = [state for state in whole if state.id not in aside]
        heads = [game.head for game in handed.values()]
        return PreparedGames(
            self.writer, self.survivors, merged, whole, broken, letters, rows, heads
        )

    def show(
        self, imports: Iterable[str], connection: Connection, note_progress: Callable[[], None]
    ) -> None:
        """Make the games of these imports visible from now on.

        `note_progress` is called between the games of one import, of which there may be many.
        """
        for one in imports:
            self.writer.show(connection, one, self.survivors, note_progress)

    def finish(self, prepared: PreparedGames) -> None:
        """Drop what was handed over of games that are written."""
        if self.handover is not None:
            self.handover.remove(prepared.handed)

    def look_after_handover(self) -> None:
        """Drop what was handed over long ago, and start again if the file is gone."""
        if self.handover is not None:
            self.handover.prepare()

    def _take_handed_over(self, updates: Mapping[str, StreamUpdate]) -> dict[str, ImportedGame]:
        """Those of the games that an importer has handed over in their current state, by id."""
        if self.handover is None:
            return {}
        new = [id for id, update in updates.items() if update.new]
        return self.handover.take(self.games.log, new)

    def isolate(
        self, prepared: PreparedGames, database: Database, updates: Mapping[str, StreamUpdate]
    ) -> PreparedGames:
        """Write games one by one, and set those aside that the database cannot take.

        Returns the remaining ones, which may be written again. Raises DatabaseError, and errors
        that are not about a single game.
        """
        refused: dict[str, DeadLetter] = {}
        for rows in prepared.rows:
            try:
                database.write(partial(prepared.write_rows, rows=[rows]))
            except DBAPIError as error:
                if not is_refused_row(error):
                    raise
                refused[rows.id] = set_aside(rows.id, error, updates)
        return replace(
            prepared,
            whole=[state for state in prepared.whole if state.id not in refused],
            broken=[state for state in prepared.broken if state.id not in refused],
            letters=[one for one in prepared.letters if one.game not in refused]
            + list(refused.values()),
            rows=[rows for rows in prepared.rows if rows.id not in refused],
        )

    def _make_rows(
        self, listed: Sequence[GameOutline], merged: Mapping[str, Sequence[str]]
    ) -> Iterator[tuple[str, GameRows | Exception]]:
        """The rows of listed games, or why they cannot be made."""
        records = [state.id for state in listed if state.mode is Mode.IMPORT]
        holders = self.strict.find_holders(records) if self.strict is not None else {}
        for state in listed:
            try:
                rows = _rows_of(state, merged)
                yield state.id, replace(rows, held_for=holders.get(state.id))
            except Exception as error:
                yield state.id, error

    def _load(
        self, updates: Mapping[str, StreamUpdate]
    ) -> Iterator[tuple[str, GameOutline | Exception]]:
        """The newest states of games; those of new games are read together.

        Many of these are records that may never be asked for again, so they are not cached.
        """
        new = [id for id, one in updates.items() if one.new]
        recorded = self._read_together(new)
        for id in updates:
            try:
                outline = outline_game(id, recorded[id]) if id in recorded else None
                yield id, outline or self.games.load(id)
            except Unreadable as error:
                # Unlike an unreachable store, this does not mend itself.
                yield id, error
            except redis.RedisError:
                raise
            except Exception as error:
                yield id, error

    def _read_together(self, ids: Sequence[str]) -> dict[str, list[Recorded]]:
        """The events of games; empty if one of them cannot be read."""
        try:
            return dict(zip(ids, self.games.read_each(ids), strict=True))
        except Unreadable:
            return {}
        except redis.RedisError:
            raise
        except Exception:
            log.debug("the games are read one by one", exc_info=True)
            return {}


def _rows_of(game: GameOutline, merged: Mapping[str, Sequence[str]]) -> GameRows:
    if isinstance(game, ImportedGame):
        return game.rows(merged)
    assert isinstance(game, GameState)
    return make_rows(game, merged)
