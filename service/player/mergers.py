"""Players who turned out to be one person: whom each of them was merged into."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from service.log.interface import EventLog
from service.player.state import stream_of


def survivors(events: EventLog, ids: Iterable[str]) -> Mapping[str, Sequence[str]]:
    """Whom these players were merged into, and whom those, by id; nothing for the others.

    One round trip for each step of the longest chain of mergers, which go in no circle.
    """
    found: dict[str, list[str]] = {}
    last = {id: id for id in ids}
    while last:
        into = events.attributes([(stream_of(id), "into") for id in last.values()])
        last = {id: next for id, next in zip(last, into, strict=True) if next}
        for id, next in last.items():
            found.setdefault(id, []).append(next)
    return found
