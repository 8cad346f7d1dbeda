"""Which analysis of a whole game is shown, in each view."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from service.analysis.state import AnalysisState
from service.analysis.view import is_whole, supersedes
from service.errors import NotFound
from service.log.errors import Barred, Overtaken
from service.log.interface import EventLog
from service.log.values import Append, StreamId

OF_GAME: Final = "analysed"
"""The kind of the streams that hold a game's analyses by view as attributes, without events."""
TRIES: Final = 50
"""How often a choice is made anew while others change what it depends on."""

Values: TypeAlias = Mapping[str, str | None]
"""Attributes by name; None for one that is missing."""


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
        """Record a game's newest analysis in its view, and the one shown until that is done.

        Raises Overtaken.
        """
        newest, done = f"newest:{state.begun.view}", f"done:{state.begun.view}"

        def replace_newest(values: Values) -> dict[str, str]:
            before = values[newest]
            if before == state.id:
                return {}
            if before is None or not is_whole(shown := self._choose(before, values[done])):
                return {newest: state.id}
            return {newest: state.id, done: shown.id}

        self._change(StreamId(OF_GAME, game), (newest, done), replace_newest)

    def note_whole(self, game: str, state: AnalysisState) -> None:
        """Record that an analysis of a game is the one to show, unless a better one is.

        Newer ones may have been requested before it was whole. Raises Overtaken.
        """
        name = f"done:{state.begun.view}"

        def replace_done(values: Values) -> dict[str, str]:
            done = values[name]
            is_better = done is None or _is_better(state, self.load(done))
            return {name: state.id} if is_better else {}

        self._change(StreamId(OF_GAME, game), (name,), replace_done)

    def _choose(self, newest: str, done: str | None) -> AnalysisState:
        """Choose which analysis of a game to show: its newest, or the one that was shown before."""
        state = self.load(newest)
        if done is None:
            return state
        before = self.load(done)
        return state if supersedes(state, before) else before

    def _change(
        self, stream: StreamId, names: Sequence[str], choose: Callable[[Values], Mapping[str, str]]
    ) -> None:
        """Set the attributes that `choose` returns, from the current values of those with `names`.

        It is called again if they change before the new ones are set. Raises Overtaken.
        """
        for _ in range(TRIES):
            found = self.log.attributes([(stream, name) for name in names])
            values = dict(zip(names, found, strict=True))
            changes = choose(values)
            if not changes:
                return
            request = Append(
                stream=stream,
                expected=0,
                events=(),
                at=self.clock(),
                by="",
                attributes=changes,
                required=values,
            )
            try:
                self.log.append(request)
            except Barred:
                continue
            return
        raise Overtaken(str(stream), TRIES)


def _is_better(state: AnalysisState, before: AnalysisState) -> bool:
    """Whether an analysis that is whole is shown instead of another, whichever ended first."""
    went_on = (before.begun.version or 0) > (state.begun.version or 0)
    return not went_on and supersedes(state, before)
