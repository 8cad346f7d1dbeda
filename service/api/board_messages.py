"""The messages of streams for boards: games as they stand, whenever they have changed."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

from service.api.lasting_rights import Lasts
from service.api.schemas.queries import BOARD, CAUGHT_UP
from service.api.server_sent_events import KEEP_ALIVE, KEEP_ALIVE_COMMENT, write_event
from service.api.shared_boards import SharedBoard, ToldBoard
from service.api.subscriptions import Dropped, News, Subscription
from service.player.actor import Actor

logger = logging.getLogger(__name__)


def stream_board_messages(
    board: SharedBoard,
    actor: Actor | None,
    lasts: Lasts,
    subscription: Subscription[News],
    ends: bool,
) -> Iterator[str | bytes]:
    """How a game stands for a viewer, at once and after each append that changes it.

    Several appends that come together are told as one. Nothing has to be resumed: the first message
    is whole, like all others. A player's stream ends once their rights do.
    """
    board.load()
    told = board.tell(actor)
    yield write_board(told, str(told.version))
    if ends:
        yield write_event(CAUGHT_UP, {"version": told.version}, str(told.version))
        return
    version = told.version
    try:
        while True:
            news = subscription.wait_for_news(KEEP_ALIVE)
            if news is None:
                yield KEEP_ALIVE_COMMENT
            elif change := board.tell_change(actor, version, news):
                if board.is_own(actor) and not lasts():
                    return
                version = change.version
                yield write_board(change, str(version))
    except Dropped:
        return


def write_board(told: ToldBoard, id: str) -> bytes:
    """The message that tells how a game stands."""
    return b"id: %b\nevent: %b\ndata: %b\n\n" % (id.encode(), BOARD.encode(), told.data)


class BoardsMessages:
    """What a client is sent of several games, as everybody may know them.

    `known` are the versions that the client has, by the ids of the games in the client's order;
    0 for a game it has not been told of.
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

    def stream_messages(self, ends: bool) -> Iterator[str | bytes]:
        """Yield the boards that are others than the client knows, then each that changes."""
        for board in self.boards.values():
            yield from self._tell(board, None)
        yield write_event(CAUGHT_UP, {"games": len(self.boards)}, self._write_place())
        try:
            while not ends:
                news = self.subscription.wait_for_news(KEEP_ALIVE)
                if news is None:
                    yield KEEP_ALIVE_COMMENT
                else:
                    yield from self._tell(self.boards[news.pointer.stream.id], news)
        except Dropped:
            return

    def _tell(self, board: SharedBoard, news: News | None) -> Iterator[str | bytes]:
        """Tell of a game, if the client knows another version of it."""
        before = self.known[board.id]
        try:
            told = board.tell_change(None, before, news) if news else board.tell(None)
        except Exception:
            # One game that cannot be read must not end the stream of the others.
            logger.exception("game %s cannot be watched", board.id)
            yield write_event("unreadable", {"game": board.id})
            return
        if told is not None and told.version != before:
            self.known[board.id] = told.version
            yield write_board(told, self._write_place())

    def _write_place(self) -> str:
        """What the client knows by now, as the id of a message: a version for each game."""
        return "-".join(map(str, self.known.values()))
