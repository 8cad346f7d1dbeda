"""Why a round cannot be paired.

ServiceError
└── PairingError
    ├── NotEntered        a board names who does not play in the round       not-entered
    ├── SeatedTwice       one entrant twice in a round                       seated-twice
    ├── TooFewEntrants    fewer than two can be paired                       too-few-entrants
    ├── UnfinishedRound   games of an earlier round still lack a result      unfinished-round
    ├── NoPairing         no pairing keeps the absolute rules                no-pairing
    ├── NothingToPair     all rounds are played, or the bracket is decided   nothing-to-pair
    ├── PairingFailed     the computation itself failed                      pairing-failed
    └── SwissUnavailable  py4swiss has no build for this Python or machine   swiss-unavailable
"""

from __future__ import annotations

from service.errors import ServiceError


class PairingError(ServiceError):
    """Base of the pairing's errors."""

    code = "pairing-error"


class NotEntered(PairingError):
    """`entrant` is not among those who play in `round`."""

    code = "not-entered"

    def __init__(self, entrant: str, round: int) -> None:
        super().__init__(entrant, round)
        self.entrant = entrant
        self.round = round

    def __str__(self) -> str:
        return f"{self.entrant!r} does not play in round {self.round}"


class SeatedTwice(PairingError):
    """`entrant` would sit at two boards, or against itself."""

    code = "seated-twice"

    def __init__(self, entrant: str) -> None:
        super().__init__(entrant)
        self.entrant = entrant

    def __str__(self) -> str:
        return f"{self.entrant!r} is seated twice in the round"


class TooFewEntrants(PairingError):
    """Only `entrants` can be paired; two are needed."""

    code = "too-few-entrants"

    def __init__(self, entrants: int) -> None:
        super().__init__(entrants)
        self.entrants = entrants

    def __str__(self) -> str:
        return f"{self.entrants} can be paired, two are needed"


class UnfinishedRound(PairingError):
    """`games` pairings of `round`, or of one before it, have no result yet."""

    code = "unfinished-round"

    def __init__(self, round: int, games: int) -> None:
        super().__init__(round, games)
        self.round = round
        self.games = games

    def __str__(self) -> str:
        return f"up to round {self.round}, games without a result yet: {self.games}"


class NoPairing(PairingError):
    """Whoever is paired in `round`, some absolute rule would be broken."""

    code = "no-pairing"

    def __init__(self, round: int) -> None:
        super().__init__(round)
        self.round = round

    def __str__(self) -> str:
        return (
            f"round {self.round} cannot be paired: everyone left has met, "
            "has had the bye, or is due the same side"
        )


class NothingToPair(PairingError):
    """No round follows the one that was played."""

    code = "nothing-to-pair"

    def __str__(self) -> str:
        return "there is nothing more to pair"


class PairingFailed(PairingError):
    """Pairing broke off at every try, by no rule; `reason` says how."""

    code = "pairing-failed"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"the round could not be paired: {self.reason}"


class SwissUnavailable(PairingError):
    """The library that pairs Swiss rounds could not be loaded; `reason` says why."""

    code = "swiss-unavailable"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"Swiss rounds need py4swiss, which cannot be loaded here: {self.reason}"
