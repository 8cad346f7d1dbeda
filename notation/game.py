"""A game as a value: tags, actions with their annotations, result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from engine.position import Action
from engine.registry import variant
from notation.annotation import check_comment, check_glyph, check_tag
from notation.errors import BadAnnotation

UNFINISHED: Final = "*"
RESULTS: Final = ("1-0", "0-1", "1/2-1/2", UNFINISHED)
UNKNOWN: Final = "?"
UNKNOWN_DATE: Final = "????.??.??"


@dataclass(frozen=True, slots=True)
class Move:
    """One action of a game and what was written beside it.

    `before` are comments that stand before the action, `after` those behind it; `nags` are
    the numeric annotation glyphs (0 to 255) in their written order. Raises BadAnnotation for
    what no record can hold.
    """

    action: Action
    nags: tuple[int, ...] = ()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for nag in self.nags:
            check_glyph(nag)
        for comments in (self.before, self.after):
            for comment in comments:
                check_comment(comment)


def roster(name: str) -> tuple[str, ...]:
    """The tags that every game of this variant has, in the order in which they are written.

    >>> roster("katruji")
    ('Event', 'Site', 'Date', 'Round', 'South', 'North', 'Result', 'Variant')
    """
    return ("Event", "Site", "Date", "Round", *variant(name).sides, "Result", "Variant")


@dataclass(frozen=True, slots=True)
class Game:
    """One record.

    `tags` holds every tag pair in the order read; those of the roster that are missing are
    added as PGN's export format has them (`?`). `result` is the token that ends the movetext.
    `comments` are those of a game without moves. Raises BadAnnotation for what no record can
    hold and for tags that contradict `variant` or `result`, `engine.errors.UnknownVariant` for
    an unknown variant.
    """

    variant: str
    tags: Mapping[str, str]
    moves: tuple[Move, ...]
    result: str = UNFINISHED
    comments: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.result not in RESULTS:
            raise BadAnnotation("Result", f"is not one of {', '.join(RESULTS)}")
        if self.comments and self.moves:
            raise BadAnnotation("comment", "belongs to a move in a game that has some")
        for comment in self.comments:
            check_comment(comment)
        object.__setattr__(self, "tags", self._complete())

    def _complete(self) -> dict[str, str]:
        known = {"Result": self.result, "Variant": self.variant, "Date": UNKNOWN_DATE}
        tags = dict(self.tags)
        for name, value in tags.items():
            check_tag(name, value)
        for name in roster(self.variant):
            tags.setdefault(name, known.get(name, UNKNOWN))
        for name in ("Result", "Variant"):
            if tags[name] != known[name]:
                raise BadAnnotation(name, f"the tag says {tags[name]}, the game {known[name]}")
        return tags

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions alone, in order."""
        return tuple(move.action for move in self.moves)
