"""Replays an archive under the rules of today."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.errors import UnknownVariant
from engine.registry import find_variant
from service.log.chain import link
from service.log.errors import LogError
from service.log.interface import EventLog
from service.log.unreadable import Unreadable
from service.log.values import GENESIS, Recorded, StreamId
from service.verification.errors import Location, Wrong
from service.verification.replaying import replay


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """One game: the rules it was played under, those of today (None for an unknown variant), and
    the first event that is not as today's rules would have it, if any."""

    game: str
    variant: str
    rules: str
    current: str | None
    fault: Wrong | None

    @property
    def repinned(self) -> bool:
        """Whether the rules' version differs from the one that the game was played under."""
        return self.rules != self.current

    def as_json(self) -> dict[str, Any]:
        """The finding for programs; `ply` and `event` are None where nothing diverges."""
        place = self.fault.place if self.fault else Location()
        return {
            "game": self.game,
            "variant": self.variant,
            "rules": self.rules,
            "current_rules": self.current,
            "diverges": self.fault is not None,
            "ply": place.ply,
            "event": place.event,
            "reason": self.fault.reason if self.fault else None,
        }

    def __str__(self) -> str:
        rules = self.rules if not self.repinned else f"{self.rules}, now {self.current or 'none'}"
        verdict = f"diverges at {self.fault}" if self.fault else "agrees"
        return f"{self.game} ({self.variant}, rules {rules}) {verdict}"


def audit_game(log: EventLog, stream: StreamId) -> AuditFinding:
    """Replay one game of a log, and follow its chain."""
    try:
        entries = log.read(stream)
    except (LogError, Unreadable) as error:
        return AuditFinding(stream.id, "?", "?", None, Wrong(str(error)))
    first = entries[0].event if entries else None
    variant, rules = (str(getattr(first, name, "?")) for name in ("variant", "rules"))
    try:
        current = find_variant(variant).rules
    except UnknownVariant:
        current = None
    try:
        check_chain(stream, entries)
        replay(stream.id, entries)
    except Wrong as wrong:
        return AuditFinding(stream.id, variant, rules, current, wrong)
    return AuditFinding(stream.id, variant, rules, current, None)


def check_chain(stream: StreamId, entries: Sequence[Recorded]) -> None:
    """Raise Wrong for the first event that does not match its digest."""
    before = GENESIS
    for entry in entries:
        if entry.previous != before or entry.hash != link(stream, entry):
            raise Wrong(
                "the event is not the one its digest was made of",
                Location(event=entry.version),
            )
        before = entry.hash
