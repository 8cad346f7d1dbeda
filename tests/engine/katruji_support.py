"""Helpers for the tests of Katruji: positions and actions as text."""

from __future__ import annotations

from random import Random

from engine.katruji.kernel import Position
from notation.katruji import KatrujiDialect
from tests.engine.coordinates import Coordinates

KATRUJI = KatrujiDialect()
START = "1SOO/1PSO/1PPS/4/4/SPP1/OSP1/OOS1 s 0-0 - 0 1"
_COORDINATES = Coordinates(KATRUJI)
names, action, play = _COORDINATES.names, _COORDINATES.action, _COORDINATES.play


def at(
    placement: str,
    side: str = "s",
    points: str = "0-0",
    undo: str = "-",
    clock: str = "0",
    number: int = 5,
) -> Position:
    """The position with these fields of a position string."""
    return KATRUJI.read_fen(f"{placement} {side} {points} {undo} {clock} {number}")


def fen(position: Position) -> str:
    return KATRUJI.write_fen(position)


def targets(position: Position, origin: str) -> set[str]:
    """Where the piece on a square may go."""
    return {name[2:] for name in names(position) if name.startswith(origin)}


def random_fen(random: Random) -> str:
    """A random position, perhaps not reachable in a game, in which the side to move has a piece."""
    cells = {
        square: random.choice("PPSSO") for square in random.sample(range(32), random.randint(1, 20))
    }
    side = random.choice("sn")
    own = range(16, 32) if side == "s" else range(16)
    if not any(square in cells for square in own):
        cells[random.choice(own)] = random.choice("PSO")
    rows = []
    for row in range(8):
        text = "".join(cells.get(4 * row + file, ".") for file in range(4))
        for length in (4, 3, 2, 1):
            text = text.replace("." * length, str(length))
        rows.append(text)
    points = f"{random.randint(0, 17)}-{random.randint(0, 17)}"
    clock = random.choice(["0", "3", "6", "7", "9", "s0", "n2", "s3", "n11"])
    return f"{'/'.join(rows)} {side} {points} - {clock} {random.randint(1, 99)}"
