"""What a tournament refuses, beside the errors of `service.errors` and of its pure parts.

ServiceError
└── TournamentError
    ├── NotTheArbiter     only its own arbiters rule on a tournament
    ├── NameTaken         another tournament of this game has the name
    ├── TournamentOver    the tournament is finished
    ├── EntriesClosed     nobody can enter this kind of tournament any more
    ├── AlreadyEntered    the player is in the tournament
    ├── BothEntered       two players of a tournament are not merged
    ├── RoundPending      the last round is still being made
    ├── RoundBegun        the round cannot be taken back any more
    ├── NothingToRule     the pairing has no ruling to lift, or its round is not ready
    └── CannotJoin        the game cannot count for this tournament
"""

from __future__ import annotations

from service.errors import ServiceError


class TournamentError(ServiceError):
    """Base of the tournaments' errors."""

    code = "tournament-error"


class NotTheArbiter(TournamentError):
    """An arbiter, but of other tournaments."""

    code = "not-the-arbiter"

    def __str__(self) -> str:
        return "only an arbiter of this tournament may do this"


class NameTaken(TournamentError):
    """Games find their tournament by its name, so no two of a game have the same."""

    code = "name-taken"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def __str__(self) -> str:
        return f"there is a tournament {self.name!r} already"


class TournamentOver(TournamentError):
    """The tournament is finished; only results are still corrected."""

    code = "tournament-over"

    def __str__(self) -> str:
        return "the tournament is finished"


class EntriesClosed(TournamentError):
    """The schedule is made for those who are in it."""

    code = "entries-closed"

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind

    def __str__(self) -> str:
        return f"nobody enters a {self.kind} once it has begun"


class AlreadyEntered(TournamentError):
    """The player is in the tournament and has not withdrawn."""

    code = "already-entered"

    def __str__(self) -> str:
        return "the player has entered already"


class BothEntered(TournamentError):
    """Two players are not merged because the tournament `id`, called `name`, has entered both."""

    code = "both-entered"

    def __init__(self, id: str, name: str) -> None:
        super().__init__(id, name)
        self.id = id
        self.name = name

    def __str__(self) -> str:
        return f"both are entered in the tournament {self.name!r} ({self.id})"


class RoundPending(TournamentError):
    """The last round is asked for, but not ready."""

    code = "round-pending"

    def __init__(self, round: int) -> None:
        super().__init__(round)
        self.round = round

    def __str__(self) -> str:
        return f"round {self.round} is still being made"


class RoundBegun(TournamentError):
    """Something was played in the round, or was ruled."""

    code = "round-begun"

    def __init__(self, round: int) -> None:
        super().__init__(round)
        self.round = round

    def __str__(self) -> str:
        return f"round {self.round} has begun"


class NothingToRule(TournamentError):
    """There is no ruling on this board to lift."""

    code = "nothing-to-rule"

    def __init__(self, round: int, board: int) -> None:
        super().__init__(round, board)
        self.round = round
        self.board = board

    def __str__(self) -> str:
        return f"no ruling stands on board {self.board} of round {self.round}"


class CannotJoin(TournamentError):
    """Why a game from elsewhere cannot count."""

    code = "cannot-join"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return self.reason
