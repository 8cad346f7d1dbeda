"""A slow Kerd and Kerd Draft, from position strings to position strings.

A literal reading of the rules page `kerd.md` on a dictionary, sharing no line with the engine.
Squares are (file, rank) pairs from 1; actions are named by their coordinate form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

Square = tuple[int, int]

EIGHT = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]
DIAGONALS = [(x, y) for x, y in EIGHT if x and y]
STRAIGHTS = [(x, y) for x, y in EIGHT if not (x and y)]
POOL = "QTBSHJC"
START = [
    "tjshbqkbhsjt",
    "pppppccppppp",
    ".....pp.....",
    *["............"] * 6,
    ".....PP.....",
    "PPPPPCCPPPPP",
    "TJSHBQKBHSJT",
]


def name(square: Square) -> str:
    return "abcdefghijkl"[square[0] - 1] + str(square[1])


def named(text: str) -> Square:
    return "abcdefghijkl".index(text[0]) + 1, int(text[1:])


def inside(square: Square) -> bool:
    return 1 <= square[0] <= 12 and 1 <= square[1] <= 12


def region(square: Square) -> str:
    file, rank = square
    if file in (6, 7) or rank in (6, 7):
        return "air"
    return "land" if file in (4, 5, 8, 9) else "water"


def first_placed(square: Square) -> str:
    return START[12 - square[1]][square[0] - 1]


def crosses(way: list[Square]) -> bool:
    """Whether a path that starts outside the air enters the air and leaves it again."""
    airy = [region(square) == "air" for square in way]
    return not airy[0] and any(airy[i] and not airy[i + 1] for i in range(len(way) - 1))


@dataclass(frozen=True)
class State:
    """A position: pieces are letters, White's in uppercase; `fresh` ones have a first move."""

    draft: bool
    board: dict[Square, str]
    white: bool
    castling: str
    fresh: frozenset[Square]
    recapture: Square | None
    choices: tuple[str, str]
    checked: bool
    pool: str
    number: int

    @property
    def forward(self) -> int:
        return 1 if self.white else -1

    def own(self, square: Square) -> bool:
        return square in self.board and self.board[square].isupper() == self.white

    def enemy(self, square: Square) -> bool:
        return square in self.board and self.board[square].isupper() != self.white

    def empty(self, square: Square) -> bool:
        return inside(square) and square not in self.board

    def other(self) -> State:
        return replace(self, white=not self.white)


def read(text: str, *, draft: bool) -> State:
    placement, side, castling, spent, recapture, choices, checked, pool, number = text.split(" ")
    board: dict[Square, str] = {}
    for index, row in enumerate(placement.split("/")):
        file = 1
        for token in re.findall(r"\d+|[a-zA-Z]", row):
            if token.isdigit():
                file += int(token)
            else:
                board[file, 12 - index] = token
                file += 1
    unspent = [] if spent == "-" else [named(each) for each in re.findall(r"[a-l]\d+", spent)]
    fresh = {
        square
        for square, piece in board.items()
        if piece in "PCpc" and first_placed(square) == piece and square not in unspent
    }
    white, black = choices.split("/")
    counted = re.findall(r"([A-Za-z])(\d*)", pool)
    return State(
        draft=draft,
        board=board,
        white=side == "w",
        castling=castling.strip("-"),
        fresh=frozenset(fresh),
        recapture=None if recapture == "-" else named(recapture),
        choices=(white, black),
        checked=checked == "1",
        pool="".join(letter * int(count or 1) for letter, count in counted),
        number=int(number),
    )


def write(state: State) -> str:
    rows = []
    for rank in range(12, 0, -1):
        row = "".join(state.board.get((file, rank), ".") for file in range(1, 13))
        rows.append(re.sub(r"\.+", lambda run: str(len(run.group())), row))
    spent = sorted(
        square
        for square, piece in state.board.items()
        if piece in "PCpc" and first_placed(square) == piece and square not in state.fresh
    )
    pool = "".join(
        letter + (str(count) if count > 1 else "")
        for letter in POOL + POOL.lower()
        if (count := state.pool.count(letter))
    )
    fields = [
        "/".join(rows),
        "w" if state.white else "b",
        state.castling or "-",
        "".join(map(name, spent)) or "-",
        name(state.recapture) if state.recapture else "-",
        "/".join(state.choices),
        "1" if state.checked else "0",
        pool or "-",
        str(state.number),
    ]
    return " ".join(fields)


# What pieces can do.


def captures(state: State, origin: Square) -> Iterator[tuple[Square, list[Square]]]:
    """Yield the squares on which the piece could capture an enemy, each with the path to it."""
    kind = state.board[origin].upper()
    file, rank = origin
    if kind in "PCJ":
        for x in (-1, 0, 1) if kind == "J" else (-1, 1):
            target = file + x, rank + state.forward
            yield target, [origin, target]
    if kind == "C" and state.recapture in [(file + x, rank + y) for x, y in EIGHT]:
        assert state.recapture is not None
        yield state.recapture, [origin, state.recapture]
    if kind == "K":
        for x, y in EIGHT:
            yield (file + x, rank + y), [origin, (file + x, rank + y)]
    if kind == "H":
        yield from hussar(state, origin)
    lines = {"B": DIAGONALS, "S": DIAGONALS, "T": STRAIGHTS, "Q": EIGHT}.get(kind, [])
    for x, y in lines:
        way = [origin]
        while inside((way[-1][0] + x, way[-1][1] + y)):
            way.append((way[-1][0] + x, way[-1][1] + y))
            yield way[-1], list(way)
            if way[-1] in state.board:
                break


def hussar(state: State, origin: Square) -> Iterator[tuple[Square, list[Square]]]:
    file, rank = origin
    for x in (-2, -1, 1, 2):
        for y in (-2, -1, 1, 2):
            if abs(x) != abs(y):
                yield (file + x, rank + y), [origin, (file + x, rank + y)]
    for x, y in STRAIGHTS:
        way = [(file + n * x, rank + n * y) for n in range(4)]
        if not any(state.enemy(square) for square in way[1:3]):
            yield way[3], way


def bound(state: State, way: list[Square], *, capturing: bool) -> bool:
    """Whether the region rule forbids the piece this path."""
    kind = state.board[way[0]].upper()
    if kind in "STQ" or (kind == "H" and len(way) == 2):
        return False
    if not state.draft:
        return crosses(way)
    outside = region(way[0]) != "air" and region(way[-1]) != "air"
    return capturing and outside and any(region(square) == "air" for square in way[1:-1])


def attacked(state: State, square: Square) -> bool:
    """Whether the side that is `state.white` could capture an enemy piece on the square."""
    board = {**state.board, square: "p" if state.white else "P"}
    trial = replace(state, board=board)
    return any(
        target == square and not bound(trial, way, capturing=True)
        for origin in board
        if trial.own(origin)
        for target, way in captures(trial, origin)
    )


def king_attacked(state: State, *, white: bool) -> bool:
    """Whether this side's King is attacked; only the side to move attacks by a recapture."""
    king = [square for square, piece in state.board.items() if piece == ("K" if white else "k")]
    recapture = state.recapture if state.white != white else None
    return bool(king) and attacked(replace(state, white=not white, recapture=recapture), king[0])
