"""A slow Katruji, written from the rules page only, to compare the kernel with.

Squares are names, boards are dictionaries, and every piece is tried on every square. Positions
enter and leave as position strings.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

NAMES = [file + rank for rank in "12345678" for file in "abcd"]
WORTH = {"P": 1, "S": 2, "O": 3}


def belongs(name: str) -> str:
    return "s" if int(name[1]) <= 4 else "n"


def between(origin: str, target: str) -> list[str] | None:
    """The squares strictly between two on a line; None unless they are on a line."""
    across = ord(target[0]) - ord(origin[0])
    along = int(target[1]) - int(origin[1])
    length = max(abs(across), abs(along))
    if length == 0 or {abs(across), abs(along)} - {0, length}:
        return None
    return [
        chr(ord(origin[0]) + across // length * n) + str(int(origin[1]) + along // length * n)
        for n in range(1, length)
    ]


@dataclass(frozen=True)
class Reference:
    board: dict[str, str]
    side: str
    points: dict[str, int]
    undo: str
    clock: int
    declarer: str
    claimed: bool
    number: int

    @classmethod
    def read(cls, fen: str) -> Reference:
        placement, side, points, undo, clock, number = fen.split()
        for digit in "1234":
            placement = placement.replace(digit, "." * int(digit))
        rows = reversed(placement.split("/"))
        cells = dict(zip(NAMES, "".join(rows), strict=True))
        south, north = points.split("-")
        return cls(
            {name: piece for name, piece in cells.items() if piece != "."},
            side,
            {"s": int(south), "n": int(north)},
            undo,
            int(clock.strip("sn!")),
            clock[0] if clock[0] in "sn" else "",
            clock.endswith("!"),
            int(number),
        )

    def write(self) -> str:
        rows = []
        for rank in "87654321":
            row = "".join(self.board.get(file + rank, ".") for file in "abcd")
            for length in (4, 3, 2, 1):
                row = row.replace("." * length, str(length))
            rows.append(row)
        clock = f"{self.declarer}{self.clock}{'!' if self.claimed else ''}"
        points = f"{self.points['s']}-{self.points['n']}"
        return f"{'/'.join(rows)} {self.side} {points} {self.undo} {clock} {self.number}"

    @property
    def other(self) -> str:
        return "n" if self.side == "s" else "s"

    def hajat(self, side: str) -> list[str]:
        return [piece for name, piece in self.board.items() if belongs(name) == side]

    def outcome(self) -> tuple[str, str] | None:
        """The winner and the termination; None while the game goes on."""
        ahead = max("sn", key=lambda side: self.points[side])
        level = self.points["s"] == self.points["n"]
        if self.points[self.other] >= 18:
            return self.other, "yara"
        if not self.hajat(self.other):
            return self.other if level else ahead, "yemubus"
        if self.claimed:
            return self.declarer if level else ahead, "alka"
        return None

    def reaches(self, origin: str, target: str) -> bool:
        way = between(origin, target)
        if way is None or any(name in self.board for name in way):
            return False
        straight = origin[0] == target[0] or origin[1] == target[1]
        match self.board[origin]:
            case "P":
                return not way and not straight
            case "S":
                return len(way) <= 1 and straight
            case _:
                return True

    def may_stop(self, origin: str, target: str) -> bool:
        if target not in self.board or belongs(target) != self.side:
            return True
        pair = self.board[origin] + self.board[target]
        return pair == "SP" or (pair == "PP" and "S" not in self.hajat(self.side))

    def legal(self) -> Iterator[str]:
        if self.outcome():
            return
        if not self.declarer and self.clock >= 7:
            yield "Kyan"
        if self.declarer and self.clock >= 3:
            yield "Alka"
        for origin in self.board:
            for target in NAMES:
                if (
                    belongs(origin) == self.side
                    and self.reaches(origin, target)
                    and self.may_stop(origin, target)
                    and self.undo != target + origin
                ):
                    yield origin + target

    def after(self, action: str) -> Reference:
        if action == "Kyan":
            return replace(self, declarer=self.side, clock=0)
        if action == "Alka":
            return replace(self, claimed=True)
        origin, target = action[:2], action[2:]
        board = dict(self.board)
        piece = board.pop(origin)
        met = board.pop(target, "")
        crosses = belongs(target) == self.other
        board[target] = piece if crosses or not met else {"P": "S", "S": "O"}[piece]
        captured = WORTH[met] if crosses and met else 0
        return Reference(
            board,
            self.other,
            self.points | {self.side: self.points[self.side] + captured},
            action if crosses else "-",
            0 if captured else self.clock + 1,
            self.declarer,
            False,
            self.number + (self.side == "n"),
        )
