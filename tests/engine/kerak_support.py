"""Helpers for the tests of Kerak: positions and actions as text, and random positions."""

from __future__ import annotations

from random import Random

from engine.kerak.board import BOARD, HOME, SPACES
from engine.kerak.combat import Combat, combat
from engine.kerak.kernel import Position
from engine.kerak.pieces import NUMBER, PieceKind, piece
from notation.kerak.dialect import KerakDialect
from notation.kerak.token import LETTERS
from tests.engine.coordinates import Coordinates

KERAK = KerakDialect()
START = "5/6/7/8/9/8/7/6/5 r I9A3V2N2HCi9a3v2n2hc 0-0 1"
_COORDINATES = Coordinates(KERAK)
names, action, play = _COORDINATES.names, _COORDINATES.action, _COORDINATES.play


def at(men: str, side: str = "r", points: tuple[int, int] = (0, 0), number: int = 40) -> Position:
    """The position with these pieces, each a letter and a space, Blue's in lowercase.

    The Castles are in far corners, on e1 and e9, unless they are given.
    """
    placed = {BOARD.names.index(man[1:]): man[0] for man in men.split()}
    for letter, corner in (("C", "e1"), ("c", "e9")):
        if letter not in placed.values():
            placed[BOARD.names.index(corner)] = letter
    pieces = {space: piece(one.islower(), kind(one)) for space, one in placed.items()}
    return Position(pieces, "rb".index(side), points=points, number=number)


def kind(letter: str) -> PieceKind:
    return PieceKind(LETTERS.index(letter.upper()) + 1)


def space(name: str) -> int:
    return BOARD.names.index(name)


def fen(position: Position) -> str:
    return KERAK.write_fen(position)


def goes(position: Position, origin: str) -> set[str]:
    """Where the piece on a space may go."""
    return {name[2:] for name in names(position) if name.startswith(origin)}


def fight(position: Position, origin: str, target: str) -> Combat:
    return combat(position, space(origin), space(target))


def sums(position: Position, origin: str, target: str) -> dict[str, tuple[int, int]]:
    """Attack and defence of a capture, by approach."""
    assaults = fight(position, origin, target).assaults
    return {assault.approach: (assault.attack, assault.defence) for assault in assaults}


def random_set_up(random: Random) -> Position:
    """A position, perhaps unreachable in play, with few or many pieces, crowded or scattered."""
    side = random.randrange(2)
    placed: dict[int, int] = {}
    for owner in range(2):
        if owner != side or random.random() < 0.95:
            home = [at for at in range(SPACES) if HOME[owner] >> at & 1 and at not in placed]
            placed[random.choice(home)] = piece(owner, PieceKind.CASTLE)
    centre = random.randrange(SPACES)
    spread = random.choice((2, 3, 8))
    free = [at for at in range(SPACES) if at not in placed and BOARD.distance(centre, at) <= spread]
    army = [piece(o, k) for o in range(2) for k in PieceKind if k < 6 for _ in range(NUMBER[k])]
    few = random.choice((2, 4, 8, 16, 34))
    drawn = random.sample(army, few)
    random.shuffle(free)
    placed.update(zip(free, drawn, strict=False))
    points = (random.randrange(29), random.randrange(29))
    return Position(placed, side, points=points, number=random.randrange(19, 200))
