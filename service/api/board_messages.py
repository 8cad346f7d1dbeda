"""The messages of streams for boards: the state of games, sent whenever it has changed."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final

from redis.exceptions import RedisError

from service.api.lasting_rights import Lasts
from service.api.player_stream import RETRY
from service.api.schemas.queries import CAUGHT_UP
from service.api.server_sent_events import KEEP_ALIVE, write_event
from service.api.shared_boards import SharedBoard, WrittenBoard, write_board
from service.api.subscriptions import Dropped, News, Subscription
from service.languages.texts import get_language
from service.player.actor import Actor

logger = logging.getLogger(__name__)

ALIVE: Final = write_event("alive", {})
"""What is sent in silence: a browser does not tell its scripts of comments."""


class BoardMessages:
    """The messages to a client about a game: its state for them, at once and at each change.

    `version` is the last version sent to the client, and `own` whether it was sent more than
    everybody is. Several appends that come together are sent as
    one message. Nothing has to be resumed: the first message is whole, like all others. The stream
    of a viewer who is shown more than everybody ends when their rights do.
    """

    def __init__(
        self,
        board: SharedBoard,
        actor: Actor | None,
        lasts: Lasts,
        subscription: Subscription[News],
    ) -> None:
        self.board = board
        self.actor = actor
        self.lasts = lasts
        self.subscription = subscription
        self.version = 0
        self.own = False
        self.language = get_language()

    def stream_messages(self, ends: bool) -> Iterator[str | bytes]:
        """Yield the state of the game, then each change."""
        self.board.load()
        written = self.board.write_state(self.actor)
        yield self._note(written)
        if ends:
            yield write_event(CAUGHT_UP, {"version": written.version}, str(written.version))
            return
        self.subscription.ahead = self._write_ahead
        try:
            while True:
                news = self.subscription.wait_for_news(KEEP_ALIVE, self._write_shared)
                message: str | bytes = ALIVE
                if news is not None:
                    change = self._wait_for_change(news)
                    if change is None:
                        continue
                    message = self._note(change)
                if self.own and not self.lasts():
                    return
                yield message
        except Dropped:
            return

    def _wait_for_change(self, news: News) -> WrittenBoard | None:
        """The client's message about news; waits while the store is away."""
        while True:
            try:
                return self.board.write_change(self.actor, self.version, news)
            except RedisError:
                time.sleep(RETRY)

    def _write_ahead(self, news: News) -> None:
        """Have the board keep the message about news that everybody like this client gets."""
        self.board.write_news(self.language, self.actor, self.version, news)

    def _write_shared(self, news: News | None) -> bytes | None:
        """The message about news for everybody; None for a viewer whose rights must be checked.

        Raises the errors of reading the game.
        """
        if news is None:
            return None if self.own else ALIVE.encode()
        change = self.board.write_news(self.language, self.actor, self.version, news)
        if change is None:
            return b""
        return None if change.own else self._note(change)

    def _note(self, written: WrittenBoard) -> bytes:
        """A message to the client, which is noted as sent."""
        self.version, self.own = written.version, written.own
        return written.message


class BoardsMessages:
    """The messages to a client about several games, as everybody may know them.

    `known` are the versions that the client has, by the ids of the games in the client's order; 0
    for a game it was sent nothing about.
    """

    def __init__(
        self,
        boards: Sequence[SharedBoard],
        known: Sequence[int],
        subscription: Subscription[News],
    ) -> None:
        self.boards = {board.id: board for board in boards}
        self.known = dict(zip(self.boards, known, strict=True))
        self.subscription = subscription
        self.language = get_language()

    def stream_messages(self, ends: bool) -> Iterator[str | bytes]:
        """Yield the boards that differ from what the client has, then each that changes."""
        for board in self.boards.values():
            yield from self._send(board, None)
        yield write_event(CAUGHT_UP, {"games": len(self.boards)}, self._write_place())
        self.subscription.ahead = self._write_ahead
        try:
            while not ends:
                news = self.subscription.wait_for_news(KEEP_ALIVE, self._write_shared)
                if news is None:
                    yield ALIVE
                else:
                    yield from self._send(self.boards[news.pointer.stream.id], news)
        except Dropped:
            return

    def _write_ahead(self, news: News) -> None:
        """Have the board of these news keep its message about them."""
        board = self.boards[news.pointer.stream.id]
        board.write_news(self.language, None, self.known[board.id], news)

    def _write_shared(self, news: News | None) -> bytes:
        """The message about news for everybody; raises the errors of reading the game."""
        if news is None:
            return ALIVE.encode()
        board = self.boards[news.pointer.stream.id]
        written = board.write_news(self.language, None, self.known[board.id], news)
        if written is None:
            return b""
        self.known[board.id] = written.version
        return write_board(written.data, self._write_place())

    def _send(self, board: SharedBoard, news: News | None) -> Iterator[str | bytes]:
        """Send a game, if the client has another version of it."""
        before = self.known[board.id]
        try:
            while True:
                with suppress(RedisError):
                    written = (
                        board.write_change(None, before, news) if news else board.write_state(None)
                    )
                    break
                time.sleep(RETRY)
        except Exception:
            # One game that cannot be read must not end the stream of the others.
            logger.exception("game %s cannot be watched", board.id)
            yield write_event("unreadable", {"game": board.id})
            return
        if written is not None and written.version != before:
            self.known[board.id] = written.version
            yield write_board(written.data, self._write_place())

    def _write_place(self) -> str:
        """What the client has by now, as the id of a message: a version for each game."""
        return "-".join(map(str, self.known.values()))
