"""The private parts of events: sealed beside their stream, opened where events are folded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from service.log.interface import EventLog
from service.log.values import Recorded, StreamId
from service.secrets.vault import Vault

PREFIX: Final = "private:"


def name_private_field(version: int) -> str:
    """The name under which the private part of an event is kept beside the stream."""
    return f"{PREFIX}{version}"


def parse_private_version(field: str) -> int | None:
    """The version of the event whose private part is kept under this name, None for other names."""
    return int(field.removeprefix(PREFIX)) if field.startswith(PREFIX) else None


class PrivateFields:
    """Seals and opens the private fields of events.

    Without a vault none is opened, and states lack them.
    """

    def __init__(self, vault: Vault | None) -> None:
        self.vault = vault

    def seal(self, stream: StreamId, recorded: Sequence[Recorded]) -> dict[str, str]:
        """Seal the events' private fields; returns the values to store, by their names."""
        attributes = {}
        for entry in recorded:
            private = {name: getattr(entry.event, name) for name in entry.event.private}
            if not private or all(value is None for value in private.values()):
                continue
            if self.vault is None:
                raise RuntimeError("a private part needs a vault")
            attributes[name_private_field(entry.version)] = self.vault.seal(
                stream, entry.version, private
            )
        return attributes

    def open(self, log: EventLog, stream: StreamId, recorded: list[Recorded]) -> list[Recorded]:
        """The events with those of their private fields that are kept; raises CannotUnseal."""
        private = [entry for entry in recorded if entry.event.private]
        if not private or self.vault is None:
            return recorded
        kept = log.attributes([(stream, name_private_field(entry.version)) for entry in private])
        parts = {
            entry.version: self.vault.open(stream, entry.version, part)
            for entry, part in zip(private, kept, strict=True)
            if part is not None
        }
        return [
            replace(entry, event=replace(entry.event, **parts.get(entry.version, {})))
            for entry in recorded
        ]
