"""The parts a tournament's state is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from engine.outcome import Termination
from notation.game import UNFINISHED
from service.tournament.pairing.board import PairedBoard
from service.tournament.pairing.knockout import KnockoutRules
from service.tournament.standings.regulations import Regulations
from service.tournament.table import Bye, Result, TournamentKind

WITHDRAWN: Final = "withdrawn"
"""The reason shown for the forfeits that are part of a round robin's pairings."""


class TournamentStatus(StrEnum):
    """Where a tournament stands."""

    OPEN = "open"
    """No round is paired: players enter."""
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"
    """Cancelled before any round."""


@dataclass(frozen=True, slots=True)
class TournamentRules:
    """The rules agreed for the whole tournament (`events.TournamentAtVenue` explains each)."""

    name: str
    variant: str
    kind: TournamentKind
    regulations: Regulations
    rounds: int | None
    cycles: int
    knockout: KnockoutRules
    first_round_first: bool
    tags: Mapping[str, str]
    secret_choice: str | None
    fen: str | None = None
    time_control: str | None = None
    rated: bool = True
    no_show: int | None = None
    over_the_board: bool = False
    starts_on: str | None = None
    ends_on: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A player who has entered; `number` counts entries, `entered` is their first round.

    `ranked_by` is the rating that determines the pairing numbers: a later correction does not
    change them.
    """

    player: str
    number: int
    entered: int
    rating: int | None
    seed: int | None
    ranked_by: int | None


@dataclass(frozen=True, slots=True)
class Finished:
    """An ended and scored game, as a tournament sees it; `points` are the game points.

    `result` is `*` and `termination` None for a game that was reopened and goes on.
    """

    id: str
    version: int
    variant: str
    creator: str
    seats: tuple[str | None, str | None]
    result: str
    termination: str | None
    points: tuple[int, int] | None
    plies: int


@dataclass(frozen=True, slots=True)
class Tallied:
    """What a game's result was when it was counted at `version`.

    There is no result if it was closed, and no termination either if it was reopened and goes on.
    """

    version: int
    result: Result | None
    termination: str | None
    points: tuple[int, int] | None
    plies: int

    @property
    def over(self) -> bool:
        """Whether the game had ended."""
        return self.result is not None or self.termination is not None


@dataclass(frozen=True, slots=True)
class Ruling:
    """An arbiter's ruling on a board.

    If it is `automatic`, no arbiter made it: it is the forfeit of a player who had withdrawn before
    the round was paired.
    """

    result: Result
    points: tuple[int, int] | None
    reason: str
    automatic: bool = False


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two players on a board of a round; `named` is the game made for it, `game` what counts."""

    round: int
    board: int
    first: str
    second: str
    named: str | None = None
    game: str | None = None
    tallied: Tallied | None = None
    ruling: Ruling | None = None

    @property
    def result(self) -> Result | None:
        """The result that counts: the ruling's, else the game's; None while it is open."""
        if self.ruling is not None:
            return self.ruling.result
        return self.tallied.result if self.tallied is not None else None

    @property
    def begun(self) -> bool:
        """Whether anything counts here except the forfeit of a player who had withdrawn."""
        if self.tallied is not None or self.game != self.named:
            return True
        return self.ruling is not None and not self.ruling.automatic

    @property
    def points(self) -> tuple[int, int] | None:
        """The game points that count."""
        if self.ruling is not None:
            return self.ruling.points
        return self.tallied.points if self.tallied is not None else None


class Stage(StrEnum):
    """The stage that the pairing of a round has reached."""

    ASKED = "asked"
    """Nobody is paired yet."""
    PAIRED = "paired"
    """Its games are being created."""
    READY = "ready"


@dataclass(frozen=True, slots=True)
class Round:
    """A round: its pairings, the byes that pairing gave, and its stage.

    `version` is the tournament's when the round was requested, `wish` its boards in free pairing,
    `ready_at` when its games could begin, in milliseconds since 1970 UTC.
    """

    number: int
    version: int
    stage: Stage
    pairings: tuple[Pairing, ...] = ()
    byes: tuple[Bye, ...] = ()
    wish: tuple[PairedBoard, ...] | None = None
    ready_at: int | None = None

    @property
    def ready(self) -> bool:
        """Whether everybody is notified of it, and plays."""
        return self.stage is Stage.READY


@dataclass(frozen=True, slots=True)
class UndoneRound:
    """A round that was taken back: the versions at which it was `asked` for and `taken_back`.

    `games` are those that were to be made for it.
    """

    asked: int
    taken_back: int
    games: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a requested round could not be made: a problem's code and sentence."""

    round: int
    code: str
    detail: str


FORFEITS = {"1-0": Result.FIRST_FORFEIT, "0-1": Result.SECOND_FORFEIT}


def result_of(result: str, termination: str | None) -> Result | None:
    """Convert a game's result to a pairing's: a game lost by forfeit counts as unplayed."""
    if result == UNFINISHED:
        return None
    if termination == Termination.FORFEIT and result in FORFEITS:
        return FORFEITS[result]
    return Result(result)
