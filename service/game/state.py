"""The state of a game: values only. How events change it is in `evolve.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.position import Position
from engine.side import Side
from service.game.clock import Clock
from service.game.terms import CASUAL, Terms
from service.game.values import (
    Choice,
    ClockSetting,
    Ending,
    GameStatus,
    Mode,
    Played,
    Retraction,
    Score,
    Secrecy,
)
from service.log.values import GENESIS


@dataclass(frozen=True, slots=True)
class GameState:
    """A game after `version` events. Values only, shared by threads.

    A position belongs to one thread, so only `side`, `number` and `copy()` of `position` are used.

    Times are milliseconds since 1970 UTC; `seats` are player ids in order of play; `plies` counts
    the actions that passed the turn (Ruling R0: `Kyan` does not).

    `choosers` are the sides that choose in secret before the first move, `choices` what is known
    about their choices, by side; `position` includes them. `disclosed` are the sides whose choices
    are public. `head` is the digest of the newest event (`service.log.chain`).

    `ending_version` is the version of the event that gave the game its present ending, `reopened`
    that of its last reopening (Ruling R35); each is 0 if there is none. `earlier_endings` are those
    that were corrected since then. `decided` says that the rules or the agreed limit have ended the
    reopened game as it stands: play cannot go on until something is retracted.

    `clock` is None in a game without clocks; `clock_settings` is what an arbiter has set them to.
    `waiting_since` is when the players were last to begin, in a game with a rule for no-shows.
    `annotators` are the ids of the players who were admitted to annotate it. `annotation_bytes` is
    how many bytes of annotations the game's log has, those that were replaced included.
    """

    id: str
    version: int
    variant: str
    rules: str
    mode: Mode
    status: GameStatus
    creator: str
    seats: tuple[str | None, str | None]
    tags: Mapping[str, str]
    fen: str | None
    position: Position
    created_at: int
    updated_at: int
    plies: int = 0
    played: tuple[Played, ...] = ()
    draw_offer: Side | None = None
    retraction: Retraction | None = None
    ending: Ending | None = None
    ended_at: int | None = None
    ending_version: int = 0
    earlier_endings: frozenset[Ending] = frozenset()
    reopened: int = 0
    decided: bool = False
    score: Score | None = None
    comments: tuple[str, ...] = ()
    secret_choice: Secrecy | None = None
    choosers: tuple[Side, ...] = ()
    choices: tuple[Choice | None, Choice | None] = (None, None)
    disclosed: frozenset[Side] = frozenset()
    head: str = GENESIS
    clock: Clock | None = None
    clock_settings: tuple[ClockSetting, ...] = ()
    terms: Terms = CASUAL
    waiting_since: int = 0
    annotators: tuple[str, ...] = ()
    annotation_bytes: int = 0

    @property
    def to_act(self) -> Side | None:
        """The side to act, None unless the game is running and the rules let it go on."""
        going_on = self.status is GameStatus.RUNNING and not self.decided
        return Side(self.position.side) if going_on else None

    @property
    def expires_at(self) -> int | None:
        """When the challenge expires; None if it does not or has been answered."""
        after = self.terms.expires_after
        if after is None or self.status is not GameStatus.OFFERED:
            return None
        return self.created_at + after

    @property
    def length(self) -> int:
        """How many actions stand."""
        return len(self.played)

    @property
    def is_scored(self) -> bool:
        """Whether a worker has counted the points for the ending that the game has."""
        return self.score is not None and self.score.ending == self.ending

    def side_of(self, player: str) -> Side | None:
        """The only side that `player` plays; None for others and for a player of both sides."""
        sides = [side for side in Side if self.seats[side] == player]
        return sides[0] if len(sides) == 1 else None
