"""`decide(state, command, actor)`: the events of a command to an import, or an error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from service.imports.commands import (
    BeginImport,
    CancelImport,
    CommitImport,
    EndImport,
    ImportCommand,
)
from service.imports.errors import CannotCancel
from service.imports.events import ImportBegun, ImportCommitted, ImportEnded
from service.imports.state import ImportEnding, ImportState
from service.log.values import Event
from service.player.actor import Actor

PASSED: Final = "passed"
"""The attribute beside an import that ended early: how many bytes of its file were read."""
WHOLE: Final = frozenset({ImportEnding.DONE, ImportEnding.REFUSED})
"""The endings of imports that have a verdict on every game."""


def create(command: BeginImport, actor: Actor) -> Sequence[Event]:
    """The events of a new import."""
    return (
        ImportBegun(
            mode=command.mode,
            size=command.size,
            sha256=command.sha256,
            packing=command.packing,
        ),
    )


def decide(command: ImportCommand, state: ImportState, actor: Actor) -> Sequence[Event]:
    """The events of a command to an import; raises CannotCancel.

    An import that has ended stays as it ended.
    """
    match command:
        case CommitImport():
            return () if state.ended is not None or state.committed else (ImportCommitted(),)
        case EndImport(ending=ending, counts=counts, reason=reason):
            if state.ended is not None:
                return ()
            return (ImportEnded(state=ending, counts=dict(counts), reason=reason),)
        case CancelImport():
            if state.ended is not None:
                raise CannotCancel(state.ended.state)
            if state.committed:
                raise CannotCancel("committed")
            reason = "cancelled; games imported before that stay"
            return (ImportEnded(state=ImportEnding.CANCELLED, counts={}, reason=reason),)


def attributes(
    command: BeginImport | ImportCommand, state: ImportState | None, made: Sequence[Event]
) -> Mapping[str, str]:
    """The attributes to set beside the import: how far it got, if not to its file's end."""
    if isinstance(command, EndImport) and command.ending in WHOLE:
        return {}
    if isinstance(command, EndImport | CancelImport) and made:
        return {PASSED: str(command.passed)}
    return {}
