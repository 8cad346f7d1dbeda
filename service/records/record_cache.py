"""Games as records for exports, each made as cheaply as its game allows.

An imported record goes out as it came in. The record of a game that was played here is kept when
the game has been scored: without its players' names, and for as long as its log has the same head.
Any other game is folded, as the viewer may know it. An export keeps nothing here, since it would
fill the store with the games that were moved out of it; `service.records.export_cache` keeps what
it made.

movelog:{records}:<game id>   string: the release and the record's parts as JSON

A record that another release kept is not used, since it may have been written differently.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Final

import redis

from engine.registry import find_variant
from service.analysis.annotation import annotate_game
from service.analysis.repository import Analyses
from service.analysis.target import list_views
from service.errors import NotFound
from service.game.events import GameScored, RecordImported
from service.game.evolve import fold
from service.game.importing import GAME_TAG
from service.game.record import add_game_tags, format_date, make_record
from service.game.redaction import STRANGER, Viewer, hidden, viewer
from service.game.repository import Games
from service.game.shown_annotations import WHOLE, Presentation, presented
from service.game.state import GameState
from service.game.values import Mode
from service.log.values import Recorded
from service.player.actor import Actor
from service.records.export import Unsigned, prepare_from_movetext, prepare_record
from service.storage.cache_writes import cache_writes
from service.storage.release import digest_release

PREFIX: Final = "movelog:{records}:"
KEPT: Final = 30 * 24 * 3600
"""Seconds for which a record is kept."""


@dataclass(frozen=True, slots=True)
class Settled:
    """The whole record of a game that has ended and has no secrets: it is the same for everybody.

    `head` is the digest of the newest event, `tags` are without the players' names, `movetext` is
    what follows the tags.
    """

    id: str
    head: str
    variant: str
    rules: str
    seats: Sequence[str | None]
    result: str
    tags: Mapping[str, str]
    movetext: str

    settled: ClassVar[bool] = True

    def written(self, names: Mapping[str, str]) -> Unsigned:
        """Return the game as a record to be signed."""
        all_tags = add_game_tags(
            self.variant, self.id, self.rules, self.seats, names, self.result, self.tags
        )
        return prepare_from_movetext(self.variant, all_tags, self.movetext)


@dataclass(frozen=True, slots=True)
class Folded:
    """A game as a viewer may know it; `settled` if everybody else sees the same."""

    state: GameState
    viewer: Viewer
    settled: bool

    @property
    def id(self) -> str:
        """The game's id."""
        return self.state.id

    @property
    def head(self) -> str:
        """The digest of the newest event."""
        return self.state.head

    @property
    def variant(self) -> str:
        """The game's variant."""
        return self.state.variant

    @property
    def seats(self) -> Sequence[str | None]:
        """The players' ids."""
        return self.state.seats

    def written(self, names: Mapping[str, str]) -> Unsigned:
        """Return the game as a record to be signed."""
        return prepare_record(make_record(self.state, names, self.viewer))


class Records:
    """The records of games, read without the cache of games, which is for those being played."""

    def __init__(self, games: Games, analyses: Analyses, store: redis.Redis) -> None:
        self.games = games
        self.analyses = analyses
        self.store = store
        self._release = digest_release()

    def of(
        self, ids: Sequence[str], shown: Presentation, actor: Actor | None
    ) -> list[Settled | Folded]:
        """Return what the records of these games are made of; unknown ids are left out."""
        made = self._kept(ids) if shown == WHOLE else {}
        left = [id for id in ids if id not in made]
        for id, recorded in zip(left, self.games.read_each(left), strict=True):
            if recorded:
                made[id] = self._source(id, recorded, shown, actor)
        return [made[id] for id in ids if id in made]

    def presented(self, state: GameState, shown: Presentation, seen: Viewer) -> GameState:
        """The game with what is to be shown with its actions, as the viewer may know it."""
        if shown.analysis:
            with suppress(NotFound):
                state = annotate_game(
                    state, self.analyses.shown.find(state.id, list_views(state, seen))
                )
        return presented(state, shown)

    def _source(
        self, id: str, recorded: Sequence[Recorded], shown: Presentation, actor: Actor | None
    ) -> Settled | Folded:
        """The parts of a game's record, from its events, of which there is at least one."""
        first, *later = recorded
        event = first.event
        if isinstance(event, RecordImported) and shown == WHOLE and not any(map(changes, later)):
            return make_imported(event, recorded, id)
        state = fold(id, recorded)
        assert state is not None
        return self._folded(state, shown, actor)

    def _folded(self, state: GameState, shown: Presentation, actor: Actor | None) -> Folded:
        settled = shown == WHOLE and state.ending is not None and not hidden(state, STRANGER)
        seen = viewer(state, actor)
        return Folded(self.presented(state, shown, seen), seen, settled)

    def _kept(self, ids: Sequence[str]) -> dict[str, Settled | Folded]:
        """Return the cached games that still match the log."""
        texts: Any = self.store.mget([f"{PREFIX}{id}" for id in ids])
        stored = {id: json.loads(text) for id, text in zip(ids, texts, strict=True) if text}
        heads = self.games.digests(list(stored))
        return {
            id: Settled(**values["record"])
            for (id, values), head in zip(stored.items(), heads, strict=True)
            if values.get("release") == self._release and values["record"]["head"] == head
        }

    def keep_played(self, state: GameState) -> None:
        """Keep the record of a game if it was played here and is settled."""
        if state.mode is not Mode.IMPORT and (one := self._folded(state, WHOLE, None)).settled:
            kept = asdict(make_settled(one.state, one.written({})))
            values = {"release": self._release, "record": kept}
            text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
            with cache_writes(self.store) as pipeline:
                pipeline.set(f"{PREFIX}{state.id}", text, ex=KEPT)


def changes(entry: Recorded) -> bool:
    """Whether an event changes the game's record."""
    return not isinstance(entry.event, GameScored)


def make_imported(event: RecordImported, recorded: Sequence[Recorded], id: str) -> Settled:
    """Make the cached form of an unchanged imported record, without replaying it.

    `event` is the first of the events `recorded`.
    """
    head, at = recorded[-1].hash, recorded[0].at
    # A record that was parsed has a date, even if it is unknown.
    given = event.tags if "Date" in event.tags else {"Date": format_date(at), **event.tags}
    seats = (event.first, event.second)
    movetext = event.text.partition("\n\n")[2]
    return Settled(id, head, event.variant, event.rules, seats, event.result, given, movetext)


def make_settled(state: GameState, unsigned: Unsigned) -> Settled:
    """Make the cached form of a game that has ended; `unsigned` is its record."""
    assert state.ending is not None
    result = state.ending.result
    # Names may change or go, so they are not kept.
    own = {GAME_TAG, *find_variant(state.variant).sides}
    kept = {k: v for k, v in make_record(state, {}).tags.items() if k not in own}
    movetext = unsigned.text.partition("\n\n")[2]
    return Settled(
        state.id, state.head, state.variant, state.rules, state.seats, result, kept, movetext
    )
