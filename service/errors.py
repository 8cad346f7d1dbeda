"""The errors that any part of the service may raise, and their base class.

DescribedError               says its `message` with its fields filled in
├── BadSetting               an environment variable with an invalid value (`service.environment`)
└── ServiceError             what the service refuses, each with a stable `code`
    ├── NotFound             no such game, player, token or job              not-found
    ├── WrongExpectedVersion the stream has moved on                         wrong-version
    ├── KeyReused            a key came with another request                 idempotency-key-reused
    ├── BadValue             a value that no schema can judge; names it      bad-value
    ├── Forbidden            not this actor's to do
    │   └── MissingScope     the token lacks a scope                         missing-scope
    ├── QuotaUsed            a player has used what a day allows
    └── WrongState           right actor, wrong moment

Errors that only one package raises are in its own `errors.py`.
"""

from __future__ import annotations

from engine.described_error import DescribedError
from engine.phrase import Say


class ServiceError(DescribedError):
    """Base of the service's refusals; `code` is what programs may rely on."""

    code = "error"


class NotFound(ServiceError):
    """Nothing of this kind has this id."""

    code = "not-found"
    message = "no {kind} has the id {id!r}"
    kind: str
    id: str


class WrongExpectedVersion(ServiceError):
    """The stream is not at the version the caller expected; nothing was appended."""

    code = "wrong-version"
    stream: str
    expected: int
    actual: int

    def describe(self, say: Say) -> str:
        known = {"stream": self.stream, "actual": self.actual, "expected": self.expected}
        if self.actual == self.expected:
            return say("{stream} is at version {actual} by another event than expected").format(
                **known
            )
        return say("{stream} is at version {actual}, not {expected}").format(**known)


class KeyReused(ServiceError):
    """An idempotency key was used again with a different request."""

    code = "idempotency-key-reused"
    message = "this idempotency key was used for another request; use a new key"


class BadValue(ServiceError):
    """A well-formed but invalid value; `field` is its name in the request."""

    code = "bad-value"
    message = "{field}: {reason}"
    field: str
    reason: str


class Forbidden(ServiceError):
    """The actor may not do this."""

    code = "forbidden"


class MissingScope(Forbidden):
    """The token lacks a scope that the command needs."""

    code = "missing-scope"
    message = "this needs a token with the scope {scope!r}"
    scope: str


class QuotaUsed(ServiceError):
    """A player would use more than `limit` of something in a day.

    The next day, in UTC, begins in `retry_after` seconds.
    """

    code = "quota-used"
    limit: int
    retry_after: int


class WrongState(ServiceError):
    """The game is not in a state that allows the command."""

    code = "wrong-state"
