"""Which games are wanted: the one query behind lists, searches and exports."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from engine.registry import find_variant
from notation.fen import write_counts
from notation.registry import find_dialect
from service.errors import BadValue
from service.ids import ID
from service.player.names.words import words
from service.projection.games.placements import Placement, parse_placements

Bounds = tuple[int | None, int | None]
"""The minimum and the maximum, both inclusive; None where there is no bound."""

ANY: Final[Bounds] = (None, None)
MOST_ACTIONS: Final = 100
"""The most actions in one sequence."""
LONGEST_NAME: Final = 200
"""The most characters of a name that is searched for."""
_MATERIAL: Final = re.compile(r"(?:[A-Za-z][0-9]{0,3})+")
_PIECES: Final = re.compile(r"([A-Za-z])([0-9]*)")
_ACTION: Final = re.compile(r"[A-Za-z0-9@&=:-]{1,32}")


class Sort(StrEnum):
    """What the games of an answer are sorted by, highest first; equal ones newest first."""

    CREATED = "created"
    UPDATED = "updated"
    DAY = "day"
    PLIES = "plies"
    RATING = "rating"


@dataclass(frozen=True, slots=True)
class PlayerName:
    """Players by name: all those in whose names these words follow one another."""

    words: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join(self.words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """The games that are searched for; None takes all, and all given conditions must hold.

    `player` and `opponent` are ids or names; `side`, 0 or 1, is the player's and needs one.
    `open_for` is a player whom an offered or running game concerns. `tags` are pairs that a game
    must have exactly. `since` and `until` are dates as records have them, `1999.12.31`. A record's
    partly unknown date counts as its earliest day, a wholly unknown one never matches, and a game
    without a date has the day it was created. Bounds are a minimum and a maximum: `points` is
    matched by the side that has more, `rating` by the mean of the players' ratings in the record.
    `computer` asks whether a program played a side. `opening` is the name or the code of a finished
    game's opening, or the part of the name before a colon or comma.

    The rest needs `variant` and is known only of finished games. `fen` is a position that came up
    after a number of actions within `at_ply`, `material` is what stood on the board at some time
    (`Q2r`). `actions` were played one after the other, in coordinate form. `pieces` all stood on
    the board at the same time.
    """

    variant: str | None = None
    player: str | PlayerName | None = None
    side: int | None = None
    opponent: str | PlayerName | None = None
    open_for: str | None = None
    mode: str | None = None
    status: str | None = None
    result: str | None = None
    termination: str | None = None
    tags: tuple[tuple[str, str], ...] = ()
    since: str | None = None
    until: str | None = None
    plies: Bounds = ANY
    points: Bounds = ANY
    rating: Bounds = ANY
    speed: str | None = None
    computer: bool | None = None
    opening: str | None = None
    fen: str | None = None
    at_ply: Bounds = ANY
    material: str | None = None
    actions: tuple[str, ...] = ()
    pieces: tuple[Placement, ...] = ()

    def check(self) -> None:
        """Raise BadFen, BadValue and UnknownVariant for what cannot be searched for."""
        if self.variant is not None:
            find_variant(self.variant)
        if self.side is not None and self.player is None:
            raise BadValue("side", "needs the player whose side it is")
        if self.at_ply != ANY and self.fen is None:
            raise BadValue("min_ply", "needs the position that came up then: fen")
        for name in ("fen", "material", "actions", "pieces"):
            if getattr(self, name) and self.variant is None:
                raise BadValue("variant", f"is needed to look for {name}")
        if self.variant is None:
            return
        if self.fen is not None:
            canonical_fen(self.variant, self.fen)
        if self.material is not None:
            canonical_material(self.material)
        parse_placements(self.variant, [str(placement) for placement in self.pieces])


def parse_player(field: str, text: str) -> str | PlayerName:
    """The player whose id `text` is, or all players whose name it is or is part of.

    Raises BadValue for a text without a word.

    >>> parse_player("player", "a5x7rqmpf2h3kc6d"), str(parse_player("player", " Émile  Lee"))
    ('a5x7rqmpf2h3kc6d', 'emile lee')
    """
    if ID.match(text):
        return text
    found = tuple(words(text))
    if not found:
        raise BadValue(field, "the id of a player, or a name with letters or digits")
    return PlayerName(found)


# A position that is explored is parsed again for its key, and popular ones are requested often.
@lru_cache(maxsize=1 << 12)
def canonical_fen(variant: str, fen: str) -> str:
    """The FEN as the service writes it; raises BadFen and UnknownVariant."""
    written = find_dialect(variant)
    return written.write_fen(written.read_fen(fen))


def canonical_material(text: str) -> str:
    """Pieces in any order, in the form of `Dialect.material`; raises BadValue.

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


def parse_actions(text: str) -> tuple[str, ...]:
    """The actions in coordinate form in a text, with blanks or commas between them.

    Raises BadValue.

    >>> parse_actions("d1e3, Kyan")
    ('d1e3', 'Kyan')
    """
    actions = tuple(text.replace(",", " ").split())
    if not 0 < len(actions) <= MOST_ACTIONS or not all(map(_ACTION.fullmatch, actions)):
        said = f"1 to {MOST_ACTIONS} actions in coordinate form with blanks between: d1e3 a10b11"
        raise BadValue("actions", said)
    return actions
