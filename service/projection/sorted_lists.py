"""Sorted sets of lines, one for each entity that has something to show there, as they are written.

As with the lists of games there are generations: one is read, a rebuild fills another, the
projector writes both, and an older version never replaces a newer one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

import redis

from service.projection.errors import RebuildSuperseded
from service.projection.keys import BUILDING, CURRENT, GENERATION

PLACE: Final = files("service.projection").joinpath("place.lua").read_text()
PLACE_BY_AGE: Final = re.compile(r"\d{15}:[a-z0-9]{1,100}")
"""What `place_by_age` gives."""


def place_by_age(created_at: int, id: str) -> str:
    """An entity's place in a list: code point order is the order of creation.

    `created_at` is milliseconds since 1970 UTC.

    >>> place_by_age(1_700_000_000_000, "a5x7")
    '001700000000000:a5x7'
    """
    return f"{created_at:015d}:{id}"


@dataclass(frozen=True, slots=True)
class Line:
    """What stands of an entity at `version` in the sorted set `name`; in none where it is empty.

    The version of one in no set is remembered if it was in one before, or has a `text`.
    """

    entity: str
    version: int
    name: str = ""
    score: int = 0
    text: str = ""


class Lines:
    """The lines that one kind of entity has, remembered in the hash `kind`."""

    def __init__(self, store: redis.Redis, kind: str) -> None:
        self.store = store
        self.kind = kind
        self._place = store.register_script(PLACE)

    def write(self, lines: Iterable[Line], generation: int | None = None) -> None:
        """Write these lines to every live generation, or to the one being built.

        Raises RebuildSuperseded when `generation` is no longer being built.
        """
        pipeline = self.store.pipeline(transaction=False)
        for line in lines:
            target = "" if generation is None else generation
            place = (line.entity, line.version, line.name, line.score, line.text)
            self._place(
                keys=[CURRENT, BUILDING],
                args=[GENERATION, target, self.kind, *place],
                client=pipeline,
            )
        written = pipeline.execute()
        if generation is not None and not all(written):
            raise RebuildSuperseded(generation)

    def base(self, generation: int | None = None) -> str:
        """What the keys of the generation that is read, or of another, begin with."""
        if generation is None:
            current: Any = self.store.get(CURRENT)
            return f"{GENERATION}{int(current or 0)}:"
        return f"{GENERATION}{generation}:"
