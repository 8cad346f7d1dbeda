"""What follows from events once the read models show them; the projector hands it on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from service.game.outline import GameOutline
from service.log.values import Pointer
from service.projection.reaction_progress import ReactionProgress
from service.projection.updates import Reaction, StreamUpdate

Ended = Callable[[Sequence[GameOutline]], None]
"""Called with games that have ended and are to be scored or counted, and with reopened ones."""

Awaiting = Callable[[Iterable[GameOutline]], Collection[str]]
"""Selects the records that came in with their scores and are to be counted for a tournament."""


class Reactions:
    """What follows from events once the read models show them; done at least once."""

    def __init__(
        self,
        progress: ReactionProgress,
        ended: Ended,
        followers: Sequence[Reaction] = (),
        awaiting: Awaiting = lambda games: (),
    ) -> None:
        self.progress = progress
        self.ended = ended
        self.followers = followers
        self.awaiting = awaiting

    def react_to_games(
        self, updates: Mapping[str, StreamUpdate], states: Sequence[GameOutline]
    ) -> None:
        """Hand on the games that have ended or were reopened with these updates."""
        # A game that has ended since is named again further on in the feed. So is one that was
        # reopened and has gone on, but not with its reopening.
        awaiting = self.awaiting(state for state in states if not to_score(state))
        ended = [
            state
            for state in states
            if updates[state.id].reopens(state)
            or (
                (to_score(state) or state.id in awaiting)
                and state.version == updates[state.id].last
            )
        ]
        if ended:
            self.ended(ended)

    def react_to_others(self, pointers: Sequence[Pointer]) -> None:
        """Let each follower process the pointers to the streams of its kind."""
        for follower in self.followers:
            if named := [one for one in pointers if one.stream.kind == follower.kind]:
                follower.follow(named)


def to_score(state: GameOutline) -> bool:
    """Whether the game has ended and is not scored for this ending."""
    return state.ending is not None and not state.is_scored
