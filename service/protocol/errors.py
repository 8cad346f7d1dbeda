"""Errors of the engine protocol.

ProtocolError
├── BadCommand       a line that is not a command of the protocol
└── EngineFailed     an engine that is missing, or breaks the protocol
"""

from __future__ import annotations

from engine.described_error import DescribedError


class ProtocolError(DescribedError):
    """Base of all errors of the protocol."""


class BadCommand(ProtocolError):
    """A line that is not a command: `reason` says why."""

    message = "{reason}"
    reason: str


class EngineFailed(ProtocolError):
    """An engine that ended or broke the protocol; `command` is how it was started."""

    message = "{command}: {reason}"
    command: str
    reason: str
