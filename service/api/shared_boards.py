"""The state of games for those who watch them: read and written once, however many watch."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from weakref import WeakValueDictionary

from service.api.position_views import Replay
from service.api.schemas.queries import BOARD
from service.api.subscriptions import News
from service.api.views import render_choices, render_legal_actions, render_standing
from service.bounded_cache import BoundedCache
from service.game.redaction import Viewer, viewer
from service.game.repository import Games, stream_of
from service.game.state import GameState
from service.game.values import GameStatus
from service.languages.texts import get_language, use_language
from service.log.chain import when
from service.log.values import Recorded
from service.player.actor import Actor

KEPT: Final = 256
"""Boards that are kept while nobody watches, for the next page that shows them."""
FRESH: Final = 1000
"""Milliseconds for which the time in a message is accurate enough."""

_encode: Final = json.JSONEncoder(separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class WrittenBoard:
    """A game's state at a version, as JSON, written at a time in milliseconds since 1970 UTC.

    `message` is the message of a stream of this game alone. `own` is whether it contains what only
    its viewer may know.
    """

    version: int
    data: bytes
    at: int
    own: bool
    message: bytes


class SharedBoard:
    """A game as this web process sends it to its watchers.

    They share it. What is rendered and written for one of them is sent to all others who may know
    the same and read the same language.
    """

    def __init__(self, games: Games, id: str) -> None:
        self.id = id
        self._games = games
        self._lock = threading.RLock()
        self._state: GameState | None = None
        self._replay: Replay | None = None
        self._written: dict[tuple[Viewer, str], str] = {}
        self._changes: dict[tuple[int, Viewer, str], WrittenBoard] = {}
        self._last_message: tuple[News, int, str, WrittenBoard] | None = None

    def load(self) -> None:
        """Read the current game; raises the errors of reading it, such as NotFound."""
        with self._lock:
            self._take(self._games.load(self.id))

    def _take(self, state: GameState) -> None:
        """Send a game's newest state from now on, and forget what was written of another one."""
        if self._state is None or state.head != self._state.head:
            self._written.clear()
            self._changes.clear()
            self._last_message = None
        self._state = state

    def write_state(self, actor: Actor | None) -> WrittenBoard:
        """The state when the game was last read, as the first message of a stream."""
        with self._lock:
            state = self._known()
            return self._complete(state, viewer(state, actor), ())

    def write_news(
        self, language: str, actor: Actor | None, before: int, news: News
    ) -> WrittenBoard | None:
        """What `write_change` returns in a language.

        Everybody who is passed the same news in a row gets the same result: after the first one,
        each costs a comparison.
        """
        if actor is None and (written := self._find_last_message(language, before, news)):
            return written
        with use_language(language):
            return self.write_change(actor, before, news)

    def _find_last_message(self, language: str, before: int, news: News) -> WrittenBoard | None:
        """The message last sent to somebody who may know no secret, if it is the same again."""
        if self._last_message is None:
            return None
        known, version, written_in, written = self._last_message
        if known is not news or version != before or written_in != language:
            return None
        return written if self._games.clock() - written.at <= FRESH else None

    def write_change(self, actor: Actor | None, before: int, news: News) -> WrittenBoard | None:
        """The current state, for a viewer who was sent the version `before`.

        None if it is no news to them. Raises the errors of reading the game.
        """
        with self._lock:
            if not news.recorded or news.recorded[-1].version <= before:
                return None
            if news.recorded[-1].version > self._known().version:
                self._take(self._games.follow(self.id, news.recorded))
            state = self._known()
            seen = viewer(state, actor)
            key = (before, seen, get_language())
            written = self._changes.get(key)
            if written is None or self._games.clock() - written.at > FRESH:
                recorded = self._read_since(before, state.version, news)
                names = [entry.event.stored_name for entry in recorded]
                written = self._complete(state, seen, names)
                self._changes[key] = written
            if actor is None:
                self._last_message = (news, before, get_language(), written)
            return written

    def _known(self) -> GameState:
        if self._state is None:
            self.load()
        assert self._state is not None
        return self._state

    def _read_since(self, before: int, version: int, news: News) -> Sequence[Recorded]:
        """The events after one version, up to another; they are read if `news` has only some."""
        recent = [entry for entry in news.recorded if before < entry.version <= version]
        if len(recent) == version - before:
            return recent
        return self._games.log.read(stream_of(self.id), before, version - before)

    def _complete(self, state: GameState, seen: Viewer, news: Sequence[str]) -> WrittenBoard:
        """A message: the part that equal viewers share, the types of events, and the time."""
        at = self._games.clock()
        rest = _encode({"news": list(news), "now": when(at)})
        data = f"{self._write(state, seen)[:-1]},{rest[1:]}".encode()
        message = write_board(data, str(state.version))
        return WrittenBoard(state.version, data, at, bool(seen), message)

    def _write(self, state: GameState, seen: Viewer) -> str:
        key = (seen, get_language())
        if key not in self._written:
            board = render_board(state, seen, self._advance(state))
            self._written[key] = _encode(board)
        return self._written[key]

    def _advance(self, state: GameState) -> Replay:
        """The game replayed to its end, from the last replay if it continues that."""
        if self._replay is None or not self._replay.leads_to(state):
            self._replay = Replay(state)
        self._replay.advance(state, len(state.played))
        return self._replay


def write_board(data: bytes, id: str) -> bytes:
    """The message of a stream with the state of a game."""
    return b"id: %b\nevent: %b\ndata: %b\n\n" % (id.encode(), BOARD.encode(), data)


def render_board(state: GameState, seen: Viewer, replay: Replay) -> dict[str, Any]:
    """The state of a game, replayed to its end, for a viewer, with what a board needs beside it."""
    position = replay.render(seen)
    return {
        "id": state.id,
        **render_standing(state, seen, position["fen"]),
        "choices": render_choices(state, seen),
        "position": position,
        "legal": render_legal_actions(state, seen) if may_act(state, seen) else None,
    }


def may_act(state: GameState, seen: Viewer) -> bool:
    """Whether a viewer who acts for these sides is to act, or may have a secret choice to make."""
    return state.to_act in seen or (state.status is GameStatus.CHOOSING and bool(seen))


class SharedBoards:
    """The boards of a web process: those being watched, and some that were shown last."""

    def __init__(self, games: Games) -> None:
        self._games = games
        self._lock = threading.Lock()
        self._watched: WeakValueDictionary[str, SharedBoard] = WeakValueDictionary()
        self._shown = BoundedCache[str, SharedBoard](KEPT)

    def share(self, id: str) -> SharedBoard:
        """The board of a game, the same for all who hold it; the game may not exist."""
        with self._lock:
            board = self._watched.get(id)
            if board is None:
                board = self._watched[id] = SharedBoard(self._games, id)
            self._shown.put(id, board)
            return board
