"""What is refused of players and their tokens.

ServiceError
├── BadToken            no good token: malformed, revoked, expired        bad-token
├── Forbidden
│   └── ExceedsToken    a token was to live longer than its giver's       exceeds-token
└── WrongState
    └── LastAdmin       nobody would be an admin any more                 last-admin
"""

from __future__ import annotations

from dataclasses import field

from service.errors import Forbidden, ServiceError, WrongState
from service.log.chain import when


class BadToken(ServiceError):
    """The bearer token is malformed, unknown, revoked or expired."""

    code = "bad-token"
    message = "this bearer token is not valid; ask an admin for a new one"


class ExceedsToken(Forbidden):
    """A token was asked to live longer than the token that gives it, to `expires` milliseconds."""

    code = "exceeds-token"

    message = (
        "this token expires at {expires_at} and cannot give one that expires later; "
        "leave out expires_in, or use a token that is valid for longer"
    )
    expires: int
    expires_at: str = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.expires_at = when(self.expires)


class LastAdmin(WrongState):
    """The player is the only admin, and would be none any more."""

    code = "last-admin"
    message = (
        "this is the last admin: give another player a token with the scope 'admin' first, "
        "or rotate this token instead"
    )
