"""Which games are looked for."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from notation.fen import write_counts
from notation.registry import find_dialect
from service.errors import BadValue
from service.projection.contribution import MATERIAL, digest, position_digest
from service.projection.keys import list_name
from service.projection.position_index import bucket
from service.projection.summary import GameSummary, tag_value

UNKNOWN_DAY: Final = "????"
_MATERIAL: Final = re.compile(r"(?:[A-Za-z][0-9]{0,3})+")
_PIECES: Final = re.compile(r"([A-Za-z])([0-9]*)")


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """Where games stand in the index: a sorted set, and what their members begin with there."""

    key: str
    prefix: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Games looked for; None takes all, and all that is given must hold.

    `tags` are pairs that a game must have exactly. `since` and `until` are dates as records have
    them, `1999.12.31`; a record's partly unknown date counts as its earliest day, a wholly unknown
    one never fits, a game without one has the day it was created. `plies` and `points` are the
    least and the most; points are fit by the side that has more. `fen` is a position that came up,
    `material` what stood on the board at some time (`Q2r`); both need `variant`.
    """

    variant: str | None = None
    player: str | None = None
    status: str | None = None
    result: str | None = None
    termination: str | None = None
    tags: tuple[tuple[str, str], ...] = ()
    since: str | None = None
    until: str | None = None
    plies: tuple[int | None, int | None] = (None, None)
    points: tuple[int | None, int | None] = (None, None)
    fen: str | None = None
    material: str | None = None

    def places(self) -> list[IndexEntry]:
        """Where a game must stand; raises BadFen, BadValue and UnknownVariant."""
        wanted = (
            ("variant", self.variant),
            ("player", self.player),
            ("status", self.status),
            ("result", self.result),
            ("termination", self.termination),
            *(("tag", tag_value(*pair)) for pair in self.tags),
        )
        found = [
            IndexEntry(f"list:{list_name(by, value)}") for by, value in wanted if value is not None
        ]
        for kind in self._digests():
            number, rest = bucket(kind)
            found.append(IndexEntry(f"seen:{number}", rest))
        return found or [IndexEntry(f"list:{list_name('all', '')}")]

    def _digests(self) -> list[bytes]:
        if self.fen is None and self.material is None:
            return []
        if self.variant is None:
            raise BadValue("variant", "is needed to look for positions")
        found = []
        if self.fen is not None:
            found.append(position_digest(self.variant, canonical_fen(self.variant, self.fen)))
        if self.material is not None:
            found.append(digest(MATERIAL, self.variant, canonical_material(self.material)))
        return found

    @property
    def is_placed(self) -> bool:
        """Whether its places tell all that is asked, so that every game there fits."""
        return (self.since, self.until, self.plies, self.points) == (
            None,
            None,
            (None, None),
            (None, None),
        )

    def fits(self, game: GameSummary) -> bool:
        """Whether what no list tells of a game is as wanted."""
        if self.since is not None or self.until is not None:
            day = day_of(game)
            if day is None or not (self.since or "") <= day <= (self.until or "9999"):
                return False
        if not _within(game.plies, self.plies):
            return False
        if self.points == (None, None):
            return True
        return game.points is not None and _within(max(game.points), self.points)


def day_of(game: GameSummary) -> str | None:
    """The day of a game as `1999.12.31`, the earliest it can be; None where it is unknown."""
    date = game.tags.get("Date")
    if date is None:
        return datetime.fromtimestamp(game.created_at / 1000, UTC).strftime("%Y.%m.%d")
    return None if date.startswith(UNKNOWN_DAY) else date.replace("??", "01")


def canonical_fen(variant: str, fen: str) -> str:
    """The FEN as the service writes it; raises BadFen and UnknownVariant."""
    written = find_dialect(variant)
    return written.write_fen(written.read_fen(fen))


def canonical_material(text: str) -> str:
    """Pieces in any order as `Dialect.material` has them; raises BadValue.

    >>> canonical_material("rQQk")
    'Q2kr'
    """
    if text == "-":
        return text
    if len(text) > 1000 or not _MATERIAL.fullmatch(text):
        raise BadValue("material", "letters of pieces, each with its count if above one: Q2r")
    pieces: Counter[str] = Counter()
    for letter, count in _PIECES.findall(text):
        pieces[letter] += int(count or 1)
    letters = "".join(sorted(pieces))
    return write_counts(tuple(pieces[letter] for letter in letters), letters)


def _within(value: int, bounds: tuple[int | None, int | None]) -> bool:
    least, most = bounds
    return (least is None or value >= least) and (most is None or value <= most)
