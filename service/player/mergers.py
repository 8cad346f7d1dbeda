"""Players who turned out to be one person, and whom each of them was merged into."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from service.log.interface import EventLog
from service.player.state import stream_of


@dataclass(frozen=True, slots=True)
class Known:
    """What is kept beside a player's stream: the name, and whom they were merged into.

    An erased player has no name, nor has one who does not exist.
    """

    name: str | None
    into: str | None


def survivors(events: EventLog, ids: Iterable[str]) -> Mapping[str, Sequence[str]]:
    """Whom these players were merged into, step by step, by id; nothing for the others."""
    ids = list(ids)
    known = read_known(events, ids)
    lines = {id: follow_line(known, id) for id in ids}
    return {id: line[1:] for id, line in lines.items() if len(line) > 1}


def read_known(events: EventLog, ids: Iterable[str]) -> Mapping[str, Known]:
    """Read what is known about these players, and about everybody they were merged into.

    It costs one round trip for each step of the longest chain of mergers.
    """
    found: dict[str, Known] = {}
    wanted = list(dict.fromkeys(ids))
    while wanted:
        fields = [(stream_of(id), field) for id in wanted for field in ("name", "into")]
        values = events.attributes(fields)
        found |= zip(wanted, map(Known, values[::2], values[1::2]), strict=True)
        wanted = [id for id in dict.fromkeys(values[1::2]) if id and id not in found]
    return found


def follow_line(known: Mapping[str, Known], id: str) -> list[str]:
    """Return a player and those they were merged into, in order: the last is who they are now.

    Two mergers at the same moment can form a circle (`service.reactions.mergers` undoes one of
    them); then the line ends before a player is repeated.
    """
    line = [id]
    while (into := known[line[-1]].into) and into not in line:
        line.append(into)
    return line
