"""Which analysis of a whole game is shown, in each view."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from service.analysis.state import AnalysisState
from service.analysis.view import is_whole, supersedes
from service.errors import NotFound
from service.log.interface import EventLog
from service.log.values import Append, StreamId

OF_GAME: Final = "analysed"
"""The kind of the streams that hold a game's analyses by view as attributes, without events."""


class ShownAnalyses:
    """The newest analysis of each whole game, and the one that is shown until that is done.

    `clock` gives milliseconds since 1970 UTC; `load` loads an analysis by its id.
    """

    def __init__(
        self, log: EventLog, clock: Callable[[], int], load: Callable[[str], AnalysisState]
    ) -> None:
        self.log = log
        self.clock = clock
        self.load = load

    def find(self, game: str, views: Sequence[str]) -> AnalysisState:
        """The analysis to show of a whole game, in the first of these views that has one.

        A completed analysis is shown until a newer one supersedes it. Raises NotFound.
        """
        stream = StreamId(OF_GAME, game)
        names = [name for view in views for name in (f"newest:{view}", f"done:{view}")]
        found = self.log.attributes([(stream, name) for name in names])
        for newest, done in zip(found[::2], found[1::2], strict=True):
            if newest is not None:
                return self._choose(newest, done)
        raise NotFound("analysed game", game)

    def find_newest(self, games: Sequence[str], view: str) -> dict[str, str]:
        """The newest analysis in a view of each of these whole games that has one."""
        names = [(StreamId(OF_GAME, game), f"newest:{view}") for game in games]
        found = zip(games, self.log.attributes(names), strict=True)
        return {game: id for game, id in found if id is not None}

    def note_requested(self, game: str, state: AnalysisState) -> None:
        """Record a game's newest analysis in its view, and the one shown until that is done."""
        stream, view = StreamId(OF_GAME, game), state.begun.view
        names = (f"newest:{view}", f"done:{view}")
        newest, done = self.log.attributes([(stream, name) for name in names])
        if newest == state.id:
            return
        attributes = {names[0]: state.id}
        if newest is not None and is_whole(shown := self._choose(newest, done)):
            attributes[names[1]] = shown.id
        self._set_attributes(stream, attributes)

    def note_whole(self, game: str, state: AnalysisState) -> None:
        """Record that an analysis of a game is the one to show, unless a better one is.

        Newer ones may have been requested before it was whole.
        """
        stream, name = StreamId(OF_GAME, game), f"done:{state.begun.view}"
        (done,) = self.log.attributes([(stream, name)])
        if done is not None:
            before = self.load(done)
            went_on = (before.begun.version or 0) > (state.begun.version or 0)
            if went_on or not supersedes(state, before):
                return
        self._set_attributes(stream, {name: state.id})

    def _choose(self, newest: str, done: str | None) -> AnalysisState:
        """Choose which analysis of a game to show: its newest, or the one that was shown before."""
        state = self.load(newest)
        if done is None:
            return state
        before = self.load(done)
        return state if supersedes(state, before) else before

    def _set_attributes(self, stream: StreamId, attributes: Mapping[str, str]) -> None:
        self.log.append(
            Append(
                stream=stream, expected=0, events=(), at=self.clock(), by="", attributes=attributes
            )
        )
