"""Which values make a position of Kerak (rules page `notation.md`, Position strings)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.errors import InvalidPosition
from engine.kerak.board import BOARD, HOME, SPACES
from engine.kerak.pieces import MOST_POINTS, NUMBER, VALUE, PieceKind, kind_of, piece, side_of
from engine.phrase import Phrase, phrase

PIECES: Final = tuple(piece(side, kind) for side in range(2) for kind in PieceKind)
"""All pieces: Red's in the table's order, then Blue's."""

FULL_HAND: Final = {one: NUMBER[kind_of(one)] for one in PIECES}
"""The hand before the first placement: each piece and how many there are of it."""

SIDES: Final = ("Red", "Blue")
LAST_MOVE: Final = 999_999_999


def check_values(
    placement: Mapping[int, int],
    side: int,
    hand: Mapping[int, int],
    points: tuple[int, int],
    number: int,
) -> None:
    """Raise InvalidPosition, with the FEN field at fault, unless the values make a position.

    `placement` maps spaces to pieces, `hand` pieces to how many are still to place; `side` is 0
    or 1, `points` are Red's and Blue's, `number` is the full-move number. Neither points nor
    number have to follow from the pieces (Ruling R50).
    """
    if not all(0 <= space < SPACES and stands in PIECES for space, stands in placement.items()):
        raise InvalidPosition("placement", "a piece or a space that the game does not have")
    if side not in (0, 1):
        raise InvalidPosition("side", phrase("{side} is neither 0 nor 1", side=side))
    if not all(held in PIECES and count >= 0 for held, count in hand.items()):
        raise InvalidPosition("hand", "a piece or a count that the game does not have")
    _check_numbers(placement, hand)
    if any(hand.values()):
        _check_building(placement, side, hand, points)
    else:
        _check_castles(placement, side)
    _check_points(placement, hand, points)
    if not 1 <= number <= LAST_MOVE:
        raise InvalidPosition("move", phrase("the move number is 1 to {most}", most=LAST_MOVE))


def _check_numbers(placement: Mapping[int, int], hand: Mapping[int, int]) -> None:
    standing = list(placement.values())
    for one in PIECES:
        kind = kind_of(one)
        if standing.count(one) > NUMBER[kind]:
            raise InvalidPosition("placement", _describe_excess(one))
        if standing.count(one) + hand.get(one, 0) > NUMBER[kind]:
            raise InvalidPosition(
                "hand", phrase("{what} on the board and in hand", what=_describe_excess(one))
            )


def _describe_excess(one: int) -> Phrase:
    kind = kind_of(one)
    side, name = phrase(SIDES[side_of(one)]), phrase(kind.title)
    return phrase("{side} has more than {most} {piece}", side=side, most=NUMBER[kind], piece=name)


def _check_building(
    placement: Mapping[int, int], side: int, hand: Mapping[int, int], points: tuple[int, int]
) -> None:
    """While pieces are in hand the position must be one that placing reaches."""
    for space, stands in placement.items():
        if not HOME[side_of(stands)] >> space & 1:
            raise InvalidPosition(
                "placement",
                phrase("{space} is not in its side's own three rows", space=BOARD.names[space]),
            )
    standing = list(placement.values())
    for one in PIECES:
        kind = kind_of(one)
        if standing.count(one) + hand.get(one, 0) != NUMBER[kind]:
            raise InvalidPosition(
                "hand",
                phrase(
                    "{side}'s board and hand together are not {most} {piece}",
                    side=phrase(SIDES[side_of(one)]),
                    most=NUMBER[kind],
                    piece=phrase(kind.title),
                ),
            )
    red = sum(side_of(stands) == 0 for stands in standing)
    blue = len(standing) - red
    if not 0 <= red - blue <= 1:
        raise InvalidPosition("hand", "the sides place in turn, Red first")
    if side != red - blue:
        raise InvalidPosition(
            "side", phrase("it is {side}'s turn to place", side=phrase(SIDES[red - blue]))
        )
    if points != (0, 0):
        raise InvalidPosition("points", "nothing is captured while pieces are in hand")


def _check_points(
    placement: Mapping[int, int], hand: Mapping[int, int], points: tuple[int, int]
) -> None:
    """A side may be set up with an army's points; what it captures from there comes on top.

    So every position played from one that can be read can be read too (Ruling R50).
    """
    left = [*placement.values(), *(one for one, count in hand.items() for _ in range(count))]
    for side, name in enumerate(SIDES):
        still = sum(VALUE[kind_of(one)] for one in left if side_of(one) != side)
        most = MOST_POINTS + MOST_POINTS - still
        if not 0 <= points[side] <= most:
            raise InvalidPosition(
                "points",
                phrase("{name}'s points are 0 to {most} here", name=phrase(name), most=most),
            )


def _check_castles(placement: Mapping[int, int], side: int) -> None:
    for owner, name in enumerate(SIDES):
        castle = piece(owner, PieceKind.CASTLE)
        spaces = [space for space, stands in placement.items() if stands == castle]
        if not spaces and owner != side:
            raise InvalidPosition(
                "placement",
                phrase(
                    "{name} has no Castle, and only the side to move may have lost its own",
                    name=phrase(name),
                ),
            )
        if spaces and not HOME[owner] >> spaces[0] & 1:
            raise InvalidPosition(
                "placement",
                phrase(
                    "{name}'s Castle on {space} is not in its own three rows",
                    name=phrase(name),
                    space=BOARD.names[spaces[0]],
                ),
            )
