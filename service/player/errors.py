"""What is refused about players and their tokens.

ServiceError
├── BadToken            an invalid token: malformed, revoked, expired     bad-token
├── Forbidden
│   └── ExceedsToken    a token was to last longer than its giver's       exceeds-token
└── WrongState
    ├── LastAdmin       there would be no admin any more                  last-admin
    └── TooManyTokens   a player has as many tokens as one may have       too-many-tokens
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
    """A token was to last longer than its giver's, which ends at `expires` in milliseconds."""

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
    """The player is the only admin, and would no longer be one."""

    code = "last-admin"
    message = (
        "this is the last admin: give another player a token with the scope 'admin' first, "
        "or rotate this token instead"
    )


class TooManyTokens(WrongState):
    """The player has as many valid tokens as a player may have."""

    code = "too-many-tokens"
    message = "there are {limit} valid tokens already: revoke one that is no longer used"
    limit: int
