"""A tournament as pairing and scoring see it: who plays, who met whom, how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, NewType

from engine.side import Side

EntrantId = NewType("EntrantId", str)
"""A player of a tournament, by the id that the player has everywhere."""


MOST_ROUNDS: Final = 100
"""The most rounds of a tournament."""


class TournamentKind(StrEnum):
    """How a tournament's rounds are paired."""

    ROUND_ROBIN = "round-robin"
    SWISS = "swiss"
    KNOCKOUT = "knockout"
    FREE = "free"


class Mark(StrEnum):
    """The kind of a round for one entrant."""

    WIN = "win"
    DRAW = "draw"
    LOSS = "loss"
    FORFEIT_WIN = "forfeit-win"
    FORFEIT_LOSS = "forfeit-loss"
    PAIRING_BYE = "pairing-bye"
    FULL_BYE = "full-bye"
    HALF_BYE = "half-bye"
    ZERO_BYE = "zero-bye"


PLAYED: Final = frozenset({Mark.WIN, Mark.DRAW, Mark.LOSS})
BYES: Final = frozenset({Mark.PAIRING_BYE, Mark.FULL_BYE, Mark.HALF_BYE, Mark.ZERO_BYE})


class Result(StrEnum):
    """How a pairing ended: over the board, or by the absence of a player."""

    FIRST = "1-0"
    DRAW = "1/2-1/2"
    SECOND = "0-1"
    FIRST_FORFEIT = "+/-"
    SECOND_FORFEIT = "-/+"
    BOTH_FORFEIT = "-/-"

    @property
    def played(self) -> bool:
        """Whether there was a game; not if the pairing was forfeited."""
        return self in (Result.FIRST, Result.DRAW, Result.SECOND)

    def mark(self, side: Side) -> Mark:
        """The mark of this result for the player of `side`.

        >>> Result.SECOND_FORFEIT.mark(Side.FIRST)
        <Mark.FORFEIT_LOSS: 'forfeit-loss'>
        """
        return _MARKS[self][side]


_MARKS: Final[Mapping[Result, tuple[Mark, Mark]]] = {
    Result.FIRST: (Mark.WIN, Mark.LOSS),
    Result.DRAW: (Mark.DRAW, Mark.DRAW),
    Result.SECOND: (Mark.LOSS, Mark.WIN),
    Result.FIRST_FORFEIT: (Mark.FORFEIT_WIN, Mark.FORFEIT_LOSS),
    Result.SECOND_FORFEIT: (Mark.FORFEIT_LOSS, Mark.FORFEIT_WIN),
    Result.BOTH_FORFEIT: (Mark.FORFEIT_LOSS, Mark.FORFEIT_LOSS),
}


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player: `seed` is the starting rank from 1, the strongest; no two are the same.

    `entered` is the first round that a late entrant can play.
    """

    id: EntrantId
    seed: int
    name: str = ""
    rating: int | None = None
    entered: int = 1


@dataclass(frozen=True, slots=True)
class Meeting:
    """One pairing of a round: `result` is None until it has ended.

    `points` are the game points of the first and the second side, if the game counts any; `game` is
    the game's id; an unrated meeting is one that ended before both had moved.
    """

    round: int
    first: EntrantId
    second: EntrantId
    result: Result | None = None
    points: tuple[int, int] | None = None
    game: str | None = None
    rated: bool = True
    board: int = 0


@dataclass(frozen=True, slots=True)
class Bye:
    """A round that an entrant sits out; `kind` is one of the four byes."""

    round: int
    entrant: EntrantId
    kind: Mark


@dataclass(frozen=True, slots=True)
class Table:
    """A tournament so far: `rounds` is the number of rounds begun.

    `withdrawn` gives the first round that an entrant no longer plays. An entrant with neither
    meeting nor bye in a round that has begun has a zero-point bye there. In a knockout and in free
    pairing a round may hold several meetings of one entrant.
    """

    kind: TournamentKind
    rounds: int
    entrants: tuple[Entrant, ...]
    meetings: tuple[Meeting, ...] = ()
    byes: tuple[Bye, ...] = ()
    withdrawn: Mapping[EntrantId, int] = field(default_factory=dict)

    def until(self, round: int) -> Table:
        """The tournament as it was when `round` was the last one."""
        return replace(
            self,
            rounds=min(round, self.rounds),
            meetings=tuple(each for each in self.meetings if each.round <= round),
            byes=tuple(each for each in self.byes if each.round <= round),
        )
