"""Why a round cannot be paired.

ServiceError
└── PairingError
    ├── NotEntered        a board names a player who is not in the round     not-entered
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


class NotEntered(PairingError):
    """`entrant` is not among those who play in `round`."""

    code = "not-entered"
    message = "{entrant!r} does not play in round {round}"
    entrant: str
    round: int


class SeatedTwice(PairingError):
    """`entrant` would sit at two boards, or against itself."""

    code = "seated-twice"
    message = "{entrant!r} is seated twice in the round"
    entrant: str


class TooFewEntrants(PairingError):
    """Only `entrants` can be paired; two are needed."""

    code = "too-few-entrants"
    message = "players who can be paired: {entrants}; at least two are needed"
    entrants: int


class UnfinishedRound(PairingError):
    """`games` pairings of `round`, or of one before it, have no result yet; `boards` says which."""

    code = "unfinished-round"
    message = "up to round {round}, games without a result yet: {games} ({boards})"
    round: int
    games: int
    boards: str


class NoPairing(PairingError):
    """Every possible pairing of `round` would break an absolute rule."""

    code = "no-pairing"
    message = (
        "round {round} cannot be paired: those left have met, "
        "have had the bye, or are due the same side"
    )
    round: int


class NothingToPair(PairingError):
    """No round follows the one that was played."""

    code = "nothing-to-pair"
    message = "there is nothing more to pair"


class PairingFailed(PairingError):
    """Pairing failed at every try, for no reason in the rules; `reason` says how."""

    code = "pairing-failed"
    message = "the round could not be paired: {reason}"
    reason: str


class SwissUnavailable(PairingError):
    """The library that pairs Swiss rounds could not be loaded; `reason` says why."""

    code = "swiss-unavailable"
    message = "Swiss rounds need py4swiss, which cannot be loaded here: {reason}"
    reason: str
