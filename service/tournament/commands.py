"""What can be asked of a tournament. Who asks, and when, is judged by `decide`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from service.tournament.trf import Report
from service.tournament.values import Finished


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentCommand:
    """Base of the commands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateTournament(TournamentCommand):
    """Set up a tournament; the fields are those of the event.

    `scoring` may be but the name and version of a known scheme.
    Without `order` the match points rank, then what the kind is usually ranked by.
    """

    name: str
    variant: str
    kind: str
    scoring: Mapping[str, Any]
    order: Sequence[str] = ()
    rounds: int | None = None
    cycles: int = 1
    knockout: Mapping[str, Any] = field(default_factory=dict)
    first_round_first: bool = True
    tags: Mapping[str, str] = field(default_factory=dict)
    secret_choice: str | None = None
    fen: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeInReport(TournamentCommand):
    """Set up the tournament of a FIDE report, with all that happened by it.

    `players` are the ids of the players by their names in the report.
    """

    tournament: CreateTournament
    report: Report
    players: Mapping[str, str]


NewTournament = CreateTournament | TakeInReport
"""The commands that begin a tournament."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppointArbiter(TournamentCommand):
    """Let a player rule on the tournament too; they need a token with the scope for it."""

    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DismissArbiter(TournamentCommand):
    """Take that back; the last arbiter stays."""

    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Enter(TournamentCommand):
    """Enter a player, also late or again."""

    player: str
    rating: int | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdraw(TournamentCommand):
    """Pair a player no longer; a game that is on goes on."""

    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantBye(TournamentCommand):
    """Let a player sit a round out that is not paired yet, for a full, half or zero-point bye.

    For a late entrant also a round that was played before they came.
    """

    player: str
    round: int
    bye: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelBye(TournamentCommand):
    """Take a granted bye back before its round is paired."""

    player: str
    round: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRound(TournamentCommand):
    """Pair the next round. `boards` are the pairings of free pairing, first side first."""

    boards: Sequence[tuple[str, str]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnpairRound(TournamentCommand):
    """Take the last round back, which nobody has begun to play."""

    round: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SettleRound(TournamentCommand):
    """A worker has paired the round that was asked for at version `asked`.

    `boards` and `byes` are as in `events.RoundPaired`.
    """

    asked: int
    boards: Sequence[Mapping[str, Any]]
    byes: Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RefuseRound(TournamentCommand):
    """The round that was asked for at version `asked` cannot be paired; why, as a problem says."""

    asked: int
    code: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmRound(TournamentCommand):
    """All games have been made of the round that was asked for at version `asked`."""

    asked: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally(TournamentCommand):
    """A worker has counted a finished game."""

    game: Finished


@dataclass(frozen=True, slots=True, kw_only=True)
class Join(TournamentCommand):
    """Let a finished game from elsewhere count, in `round`; `seats` are the entrants who played.

    `record` says that it asks to join by itself, by the tags it was imported with.
    """

    game: Finished
    round: int
    seats: tuple[str, str]
    record: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(TournamentCommand):
    """Decide what a pairing's result is: forfeits, awards, corrections."""

    round: int
    board: int
    result: str
    reason: str
    points: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LiftRuling(TournamentCommand):
    """Take a ruling back."""

    round: int
    board: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish(TournamentCommand):
    """End the tournament."""
