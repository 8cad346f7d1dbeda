"""Commands to a tournament. `decide` checks whether the actor may give them at that moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from service.log.declarations import command
from service.tournament.trf import Report
from service.tournament.values import Finished


@command
class TournamentCommand:
    """Base of the commands."""


@command
class CreateTournament(TournamentCommand):
    """Set up a tournament; the fields are those of the event.

    `scoring` may be just the name and version of a known scheme. Without `order`, entrants are
    ranked by match points and then by the usual tie-breaks of the tournament's kind. `ply_limit`
    and `draw_by_points` become tags of the games; they are None if `tags` has them. With
    `self_entry` players may enter themselves from the beginning. `starts_on` and `ends_on` are days
    in ISO 8601.
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
    time_control: str | None = None
    rated: bool = True
    no_show: int | None = None
    ply_limit: int | None = None
    draw_by_points: bool | None = None
    self_entry: bool = False
    over_the_board: bool = False
    starts_on: str | None = None
    ends_on: str | None = None


@command
class ImportReport(TournamentCommand):
    """Set up a tournament from a FIDE report, including everything that the report says happened.

    `players` maps the names in the report to player ids.
    """

    tournament: CreateTournament
    report: Report
    players: Mapping[str, str]


NewTournament = CreateTournament | ImportReport
"""The commands that begin a tournament."""


@command
class AppointArbiter(TournamentCommand):
    """Make a player an arbiter of the tournament; their token needs the arbiter's scope as well."""

    player: str


@command
class DismissArbiter(TournamentCommand):
    """Remove an arbiter of the tournament; the last one stays."""

    player: str


@command
class Enter(TournamentCommand):
    """Enter a player in the tournament, also late or again after a withdrawal."""

    player: str
    rating: int | None = None
    seed: int | None = None


@command
class Withdraw(TournamentCommand):
    """Leave a player out of future pairings; a game in progress goes on."""

    player: str


@command
class OpenSelfEntry(TournamentCommand):
    """Let players enter the tournament, and withdraw from it, by themselves."""


@command
class CloseSelfEntry(TournamentCommand):
    """Leave entries and withdrawals to the arbiters again."""


@command
class GrantBye(TournamentCommand):
    """Give a player a full, half or zero-point bye in a round that is not paired yet.

    A late entrant may also get one for a round that was played before they entered.
    """

    player: str
    round: int
    bye: str


@command
class CancelBye(TournamentCommand):
    """Cancel a granted bye before its round is paired."""

    player: str
    round: int


@command
class PairRound(TournamentCommand):
    """Pair the next round. `boards` are the pairings of free pairing, first side first.

    With its number as `round`, it is paired once, however many arbiters ask for it.
    """

    boards: Sequence[tuple[str, str]] | None = None
    round: int | None = None


@command
class UnpairRound(TournamentCommand):
    """Undo the pairing of the last round, if nobody has begun to play it."""

    round: int
    reason: str


@command
class SettleRound(TournamentCommand):
    """Record the pairings that a worker made for the round requested at version `asked`.

    `boards` and `byes` are as in `events.RoundPaired`.
    """

    asked: int
    boards: Sequence[Mapping[str, Any]]
    byes: Sequence[Mapping[str, str]]


@command
class RefuseRound(TournamentCommand):
    """Record why the round requested at version `asked` cannot be paired, as a problem."""

    asked: int
    code: str
    detail: str


@command
class ConfirmRound(TournamentCommand):
    """Confirm that all games of the round requested at version `asked` have been created."""

    asked: int


@command
class CountGame(TournamentCommand):
    """Record the result that a worker has counted for a finished game."""

    game: Finished


@command
class Join(TournamentCommand):
    """Let a finished game from elsewhere count in `round`; `seats` are the entrants who played it.

    `record` is true if the game's own tags asked for this when it was imported.
    """

    game: Finished
    round: int
    seats: tuple[str, str]
    record: bool = False


@command
class Rule(TournamentCommand):
    """Set a pairing's result: a first one, a forfeit, an award or a correction.

    Only the first result of a pairing needs no reason.
    """

    round: int
    board: int
    result: str
    reason: str = ""
    points: tuple[int, int] | None = None


@command
class EnterResults(TournamentCommand):
    """Set the results of several boards of a round, all of them or none.

    Each of `results` has `board`, `result`, and may have `reason` and `points`, as in `Rule`.
    """

    round: int
    results: Sequence[Mapping[str, Any]]


@command
class LiftRuling(TournamentCommand):
    """Take a ruling back."""

    round: int
    board: int
    reason: str


@command
class Finish(TournamentCommand):
    """End the tournament."""


@command
class Amend(TournamentCommand):
    """Correct the tournament's own data: `changes` has new values by `corrections.AMENDABLE`.

    What is declared beforehand needs a `reason` once a round is paired.
    """

    changes: Mapping[str, Any]
    reason: str = ""


@command
class CorrectEntry(TournamentCommand):
    """Correct an entry: its rating, its seed, or who it is (`replacement`); None leaves it."""

    player: str
    rating: int | None = None
    seed: int | None = None
    replacement: str | None = None


@command
class RemoveEntry(TournamentCommand):
    """Take a player who was never paired out of the tournament."""

    player: str


@command
class Cancel(TournamentCommand):
    """Call the tournament off before any round of it."""
