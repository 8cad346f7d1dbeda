"""What a tournament refuses, besides the errors of `service.errors` and of its pure parts.

ServiceError
└── TournamentError
    ├── NotTheArbiter     only its own arbiters may direct a tournament
    ├── NameTaken         another tournament of this game has the name
    ├── TournamentOver    the tournament is finished or cancelled
    ├── EntriesClosed     nobody can enter this kind of tournament any more
    ├── SelfEntryRefused  only arbiters enter and withdraw players at present
    ├── AlreadyEntered    the player is in the tournament
    ├── BothEntered       two players of one tournament cannot be merged
    ├── RoundPending      the last round is still being prepared
    ├── RoundBegun        the round cannot be taken back any more
    ├── RoundsPaired      it cannot be cancelled while it has rounds
    ├── NothingToRule     the pairing has no ruling to lift, or its round is not ready
    └── CannotJoin        the game cannot count for this tournament
"""

from __future__ import annotations

from service.errors import ServiceError


class TournamentError(ServiceError):
    """Base of the tournaments' errors."""


class NotTheArbiter(TournamentError):
    """The player is an arbiter of other tournaments, but not of this one."""

    code = "not-the-arbiter"
    message = "only an arbiter of this tournament may do this"


class NameTaken(TournamentError):
    """Two tournaments of a game cannot share a name, since records name their tournament by it."""

    code = "name-taken"
    message = "there is already a tournament {name!r}; choose another name"
    name: str


class TournamentOver(TournamentError):
    """The tournament is finished, so that only results are still corrected, or cancelled."""

    code = "tournament-over"
    message = "the tournament is {status}"
    status: str


class EntriesClosed(TournamentError):
    """The schedule has been made, so nobody else can enter."""

    code = "entries-closed"
    message = "nobody can enter a {kind} once it has begun"
    kind: str


class SelfEntryRefused(TournamentError):
    """Self-entry is closed, so players can neither enter nor withdraw by themselves."""

    code = "self-entry-closed"
    message = "self-entry is closed; ask an arbiter of the tournament"


class AlreadyEntered(TournamentError):
    """The player is in the tournament and has not withdrawn."""

    code = "already-entered"
    message = "the player has entered already"


class BothEntered(TournamentError):
    """Two players cannot be merged because both are in the tournament `id`, called `name`."""

    code = "both-entered"
    message = "both players have entered the tournament {name!r} ({id}), so they cannot be merged"
    id: str
    name: str


class RoundPending(TournamentError):
    """The last round has been requested but is not ready."""

    code = "round-pending"
    message = "round {round} is still being prepared"
    round: int


class RoundBegun(TournamentError):
    """Play or a ruling in the round keeps it from being taken back."""

    code = "round-begun"
    message = "round {round} has begun"
    round: int


class RoundsPaired(TournamentError):
    """The tournament cannot be cancelled while it has rounds."""

    code = "rounds-paired"
    message = "round {round} is paired: take it back first"
    round: int


class NothingToRule(TournamentError):
    """There is no ruling on this board to lift."""

    code = "nothing-to-rule"
    message = "there is no ruling on board {board} of round {round}"
    round: int
    board: int


class CannotJoin(TournamentError):
    """A game from elsewhere cannot count; `reason` says why."""

    code = "cannot-join"
    message = "{reason}"
    reason: str
