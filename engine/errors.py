"""What can go wrong in the engine.

    EngineError
    ├── IllegalAction      the position does not allow this action
    ├── InvalidPosition    these values make no position of the game
    └── UnknownVariant     no game of this name
"""

from __future__ import annotations

from collections.abc import Iterable


class EngineError(Exception):
    """Base of all errors of the engine."""


class IllegalAction(EngineError):
    """An action that is not among the legal ones; `action` is its packed integer."""

    def __init__(self, action: int) -> None:
        super().__init__(action)
        self.action = action

    def __str__(self) -> str:
        return f"action {self.action} is not legal here"


class InvalidPosition(EngineError):
    """Values that make no position: `field` names the FEN field at fault, `reason` says why."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(field, reason)
        self.field = field
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.field}: {self.reason}"


class UnknownVariant(EngineError):
    """No variant is registered under `name`; `known` lists those that are."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        super().__init__(name)
        self.name = name
        self.known = tuple(known)

    def __str__(self) -> str:
        return f"unknown variant {self.name!r}, expected one of {', '.join(self.known)}"
