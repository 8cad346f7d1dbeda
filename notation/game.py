"""A game as a value: tags, actions with their annotations, result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from engine.phrase import phrase
from engine.position import Action
from engine.registry import find_variant
from notation.annotation import check_comment, check_glyph, check_tag
from notation.errors import BadAnnotation

UNFINISHED: Final = "*"
RESULTS: Final = ("1-0", "0-1", "1/2-1/2", UNFINISHED)
UNKNOWN: Final = "?"
UNKNOWN_DATE: Final = "????.??.??"

MAX_NESTING: Final = 100
"""How deep variations may be nested."""

Line: TypeAlias = "tuple[Move, ...]"
"""Actions played one after the other: those of a game, or of a variation."""


@dataclass(frozen=True, slots=True)
class Move:
    """One action of a game and what was written beside it.

    `before` are the comments before the action, `after` those after it; `nags` are the numeric
    annotation glyphs (0 to 255) in their written order. `variations` are lines that could have been
    played instead, each from the position before this action; none is empty. Raises BadAnnotation
    for anything that no record can hold.
    """

    action: Action
    nags: tuple[int, ...] = ()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    variations: tuple[Line, ...] = ()

    def __post_init__(self) -> None:
        for nag in self.nags:
            check_glyph(nag)
        for comments in (self.before, self.after):
            for comment in comments:
                check_comment(comment)
        if not all(self.variations):
            raise BadAnnotation("variation", "has no action")


def roster(name: str) -> tuple[str, ...]:
    """The tags that every game of this variant has, in the order in which they are written.

    >>> roster("katruji")
    ('Event', 'Site', 'Date', 'Round', 'South', 'North', 'Result', 'Variant')
    """
    return ("Event", "Site", "Date", "Round", *find_variant(name).sides, "Result", "Variant")


@dataclass(frozen=True, slots=True)
class Game:
    """One record.

    `tags` holds every tag pair in the order read; those of the roster that are missing are
    added as PGN's export format has them (`?`). `result` is the token that ends the movetext.
    `comments` are those of a game without moves. Raises BadAnnotation for anything that no record
    can hold, such as variations nested more than MAX_NESTING deep, and for tags that contradict
    `variant` or `result`; `engine.errors.UnknownVariant` for an unknown variant.
    """

    variant: str
    tags: Mapping[str, str]
    moves: Line
    result: str = UNFINISHED
    comments: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.result not in RESULTS:
            raise BadAnnotation(
                "Result", phrase("is not one of {choices}", choices=", ".join(RESULTS))
            )
        if self.comments and self.moves:
            raise BadAnnotation("comment", "belongs to a move in a game that has some")
        for comment in self.comments:
            check_comment(comment)
        _check_nesting(self.moves)
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
                raise BadAnnotation(
                    name,
                    phrase(
                        "the tag says {tag}, the game {known}", tag=tags[name], known=known[name]
                    ),
                )
        return tags

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions that were played, in order."""
        return tuple(move.action for move in self.moves)


def _check_nesting(moves: Line) -> None:
    lines = [(moves, 0)]
    while lines:
        line, depth = lines.pop()
        if depth > MAX_NESTING:
            raise BadAnnotation(
                "variation",
                phrase("is nested more than {most} deep", most=MAX_NESTING),
            )
        for move in line:
            if move.variations:
                lines += [(variation, depth + 1) for variation in move.variations]
