"""What the protocol refuses.

ProtocolError
├── BadCommand       a line that is no command of the protocol
└── EngineFailed     an engine that is not there, or says what no engine should
"""

from __future__ import annotations


class ProtocolError(Exception):
    """Base of all errors of the protocol."""


class BadCommand(ProtocolError):
    """A line that is no command: `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return self.reason


class EngineFailed(ProtocolError):
    """An engine that ended or says what it should not; `command` is how it was started."""

    def __init__(self, command: str, reason: str) -> None:
        super().__init__(command, reason)
        self.command = command
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.command}: {self.reason}"
