"""What the service refuses, each with a stable `code`.

ServiceError
├── NotFound                 no such game, player, token or job            not-found
├── WrongExpectedVersion     the stream has moved on                       wrong-version
├── KeyReused                a key came with another request                idempotency-key-reused
├── BadValue                 a value that no schema can judge; names it    bad-value
├── StorageFull              memory or disk has no room; nothing was kept  storage-full
├── OtherKeys                the data directory's keys are not the store's  other-keys
├── NonceUsed                a nonce that came with another choice         nonce-used
├── Forbidden                not this actor's to do
│   ├── MissingScope         the token lacks a scope                       missing-scope
│   ├── NotASeat             the actor plays neither side                  not-a-seat
│   └── NotTheOpponent       only the other side may answer                not-the-opponent
└── WrongState               right actor, wrong moment
    ├── NotYourTurn          the other side is to act                      not-your-turn
    ├── NotRunning           the game is over or not begun                 not-running
    ├── NotOffered           the challenge is no longer open               not-offered
    ├── NotChoosing          no secret choice is to be made now                not-choosing
    ├── AlreadyChosen        the side has made its secret choice               already-chosen
    ├── NotFinished          only an ended game is corrected or reopened   not-finished
    ├── CannotReopen         an ended game that stays ended; says why      cannot-reopen
    ├── StillDecided         reopened, and over by the rules as it stands  still-decided
    ├── NothingOffered       no such offer to answer                       nothing-offered
    ├── AlreadyOffered       the same offer stands already                 already-offered
    └── NothingToRetract     fewer actions played than to be retracted     nothing-to-retract
"""

from __future__ import annotations


class ServiceError(Exception):
    """Base of all errors of the service; `code` is what programs may rely on."""

    code = "error"


class NotFound(ServiceError):
    """Nothing of this kind has this id."""

    code = "not-found"

    def __init__(self, kind: str, id: str) -> None:
        super().__init__(kind, id)
        self.kind = kind
        self.id = id

    def __str__(self) -> str:
        return f"no {self.kind} has the id {self.id!r}"


class WrongExpectedVersion(ServiceError):
    """The stream is not at the version the caller expected; nothing was appended."""

    code = "wrong-version"

    def __init__(self, stream: str, expected: int, actual: int) -> None:
        super().__init__(stream, expected, actual)
        self.stream = stream
        self.expected = expected
        self.actual = actual

    def __str__(self) -> str:
        if self.actual == self.expected:
            return f"{self.stream} is at version {self.actual} by another event than expected"
        return f"{self.stream} is at version {self.actual}, not {self.expected}"


class KeyReused(ServiceError):
    """An idempotency key that was used before came with a different request."""

    code = "idempotency-key-reused"

    def __str__(self) -> str:
        return "this idempotency key was used for another request; take a new key"


class StorageFull(ServiceError):
    """The store's memory or a disk has no room for what was to be written; it kept nothing."""

    code = "storage-full"
    retry_after = 5
    """Seconds after which there may be room again."""

    def __str__(self) -> str:
        return (
            "the service has no room to write anything down; nothing of this was kept,"
            " and reading goes on: try again once its operator has made room"
        )


class OtherKeys(ServiceError):
    """The keys in `file` are not the store's: `stored` and `own` are the fingerprints."""

    code = "other-keys"

    def __init__(self, file: str, stored: str, own: str) -> None:
        super().__init__(file, stored, own)
        self.file = file
        self.stored = stored
        self.own = own

    def __str__(self) -> str:
        return (
            f"{self.file} is not the key of this store (fingerprint {self.own}, the store has"
            f" {self.stored}): copy secret.key, choice.key and signing.key from a data"
            " directory of the same service, or name another store in MOVELOG_REDIS_URL"
        )


class NonceUsed(ServiceError):
    """A nonce that came with another choice before: it could tell the two apart."""

    code = "nonce-used"

    def __str__(self) -> str:
        return "this nonce was used before; take a new random one, or none"


class BadValue(ServiceError):
    """A well-formed value that cannot be: `field` is its name in the request."""

    code = "bad-value"

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(field, reason)
        self.field = field
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.field}: {self.reason}"


class Forbidden(ServiceError):
    """The actor may not do this."""

    code = "forbidden"


class MissingScope(Forbidden):
    """The token lacks a scope that the command needs."""

    code = "missing-scope"

    def __init__(self, scope: str) -> None:
        super().__init__(scope)
        self.scope = scope

    def __str__(self) -> str:
        return f"this needs a token with the scope {self.scope!r}"


class NotASeat(Forbidden):
    """The actor plays neither side of this game."""

    code = "not-a-seat"

    def __str__(self) -> str:
        return "only a player of this game may do this"


class NotTheOpponent(Forbidden):
    """An offer is answered by the other side."""

    code = "not-the-opponent"

    def __str__(self) -> str:
        return "only the other side may answer this"


class WrongState(ServiceError):
    """The game is not in a state that allows the command."""

    code = "wrong-state"


class NotYourTurn(WrongState):
    """The other side is to act; `side` is its title."""

    code = "not-your-turn"

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self.side = side

    def __str__(self) -> str:
        return f"it is {self.side}'s turn"


class NotRunning(WrongState):
    """The game has not begun or is over; `status` says which."""

    code = "not-running"

    def __init__(self, status: str) -> None:
        super().__init__(status)
        self.status = status

    def __str__(self) -> str:
        return f"the game is {self.status}"


class NotOffered(WrongState):
    """The challenge was answered or withdrawn already."""

    code = "not-offered"

    def __init__(self, status: str) -> None:
        super().__init__(status)
        self.status = status

    def __str__(self) -> str:
        return f"the game is {self.status}, no challenge is open"


class NotChoosing(WrongState):
    """No secret choice is to be made by this side now."""

    code = "not-choosing"

    def __str__(self) -> str:
        return "no secret choice is to be made now"


class AlreadyChosen(WrongState):
    """The side has made its secret choice; it stands."""

    code = "already-chosen"

    def __str__(self) -> str:
        return "the choice is made, and stands"


class NotFinished(WrongState):
    """A game without a result: there is nothing to correct or to withdraw."""

    code = "not-finished"

    def __str__(self) -> str:
        return "the game is not over, it has no result to correct or to withdraw"


class CannotReopen(WrongState):
    """An ended game whose end stands, whoever rules on it; `reason` says why."""

    code = "cannot-reopen"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"the game cannot be reopened: {self.reason}"


class StillDecided(WrongState):
    """The rules have ended the reopened game as it stands: something has to be retracted first."""

    code = "still-decided"

    def __str__(self) -> str:
        return "the rules have ended the game as it stands: retract the wrong action first"


class NothingOffered(WrongState):
    """No such offer is open."""

    code = "nothing-offered"

    def __init__(self, offer: str) -> None:
        super().__init__(offer)
        self.offer = offer

    def __str__(self) -> str:
        return f"no {self.offer} is offered"


class AlreadyOffered(WrongState):
    """The same offer stands already."""

    code = "already-offered"

    def __init__(self, offer: str) -> None:
        super().__init__(offer)
        self.offer = offer

    def __str__(self) -> str:
        return f"a {self.offer} is offered already"


class NothingToRetract(WrongState):
    """More actions were to be retracted than were played."""

    code = "nothing-to-retract"

    def __init__(self, asked: int, played: int) -> None:
        super().__init__(asked, played)
        self.asked = asked
        self.played = played

    def __str__(self) -> str:
        return f"{self.asked} actions to retract, {self.played} played"
