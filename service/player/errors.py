"""What is refused of players and their tokens.

ServiceError
├── Forbidden
│   └── ExceedsToken    a token was to live longer than its giver's       exceeds-token
└── WrongState
    └── LastAdmin       nobody would be an admin any more                 last-admin
"""

from __future__ import annotations

from service.errors import Forbidden, WrongState
from service.log.chain import when


class ExceedsToken(Forbidden):
    """A token was asked to live longer than the token that gives it, to `expires` milliseconds."""

    code = "exceeds-token"

    def __init__(self, expires: int) -> None:
        super().__init__(expires)
        self.expires_at = when(expires)

    def __str__(self) -> str:
        return (
            f"this token ends at {self.expires_at} and gives none that lives longer; "
            "leave expires_in out, or use a token that lives as long"
        )


class LastAdmin(WrongState):
    """The player is the only admin, and would be none any more."""

    code = "last-admin"

    def __str__(self) -> str:
        return (
            "this is the last admin: give another player a token with the scope 'admin' first, "
            "or rotate this token instead"
        )
