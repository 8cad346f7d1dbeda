"""Helpers for the tests of Kerd: positions and actions as text, and random positions."""

from __future__ import annotations

from collections import Counter
from random import Random

from engine.kerd.kernel import Position
from notation.errors import BadFen
from notation.kerd import KERD_DIALECT, KERD_DRAFT_DIALECT
from notation.kerd.dialect import KerdDialect
from notation.kerd.fen import FIELDS
from tests.engine.coordinates import Coordinates

KERD = KERD_DIALECT
DRAFT = KERD_DRAFT_DIALECT
DIALECTS = {dialect.variant.name: dialect for dialect in (KERD, DRAFT)}
START = (
    "tjshbqkbhsjt/pppppccppppp/5pp5/12/12/12/12/12/12/5PP5/PPPPPCCPPPPP/TJSHBQKBHSJT"
    " w KQkq - - ?/? 0 - 1"
)
_COORDINATES = Coordinates(KERD)
names, action, play = _COORDINATES.names, _COORDINATES.action, _COORDINATES.play
KINGS = "Ka1 kl11"
FILES = "abcdefghijkl"
SET = "QTTJJSSHHBBCC" + "P" * 12


def board(pieces: str) -> str:
    """The placement field for pieces written like `"Ka1 pe4"`."""
    cells = {text[1:]: text[0] for text in pieces.split()}
    assert len(cells) == len(pieces.split())
    rows = []
    for rank in range(12, 0, -1):
        row = "".join(cells.get(f"{file}{rank}", ".") for file in FILES)
        for length in range(12, 0, -1):
            row = row.replace("." * length, str(length))
        rows.append(row)
    return "/".join(rows)


def at(
    pieces: str,
    side: str = "w",
    *,
    castling: str = "-",
    spent: str = "-",
    recapture: str = "-",
    infiltrators: str = "x/x",
    checked: int = 0,
    pool: str = "-",
    number: int = 1,
    dialect: KerdDialect = KERD,
) -> Position:
    """The position with these pieces; Kings that are not given are added."""
    kings = [king for king in KINGS.split() if king[0] not in [text[0] for text in pieces.split()]]
    placement = board(" ".join([*kings, *pieces.split()]))
    fields = (placement, side, castling, spent, recapture, infiltrators, checked, pool, number)
    return dialect.read_fen(" ".join(map(str, fields)))


def of(position: Position, origin: str) -> set[str]:
    """The legal moves of the piece on a square, with joint advances and promotions."""
    return {name for name in names(position) if name.startswith(origin) and name[1] != ":"}


def targets(position: Position, origin: str) -> set[str]:
    """Where the piece on a square may go by itself, without promotion."""
    found = {name.removeprefix(origin) for name in of(position, origin)}
    return {name for name in found if "&" not in name and "=" not in name}


def field(position: Position, name: str, dialect: KerdDialect = KERD) -> str:
    """One field of the position's FEN."""
    return dialect.write_fen(position).split()[FIELDS.index(name)]


def random_position(random: Random, dialect: KerdDialect) -> Position:
    """A random position, often with castling, promotion, recapture, joint advances, reveals."""
    while True:
        try:
            return dialect.read_fen(_random_fen(random, draft=dialect is DRAFT))
        except BadFen:
            continue


def _random_fen(random: Random, *, draft: bool) -> str:
    cells: dict[str, str] = {}
    if random.random() < 0.2:
        return _cornered(random)
    castling = _place_kings(random, cells)
    for letter in random.sample(SET + SET.lower(), random.randint(2, 26)):
        square = _likely_square(random, letter, cells)
        cells.setdefault(square, letter)
    side = random.choice("wb")
    mine = str.isupper if side == "w" else str.islower
    enemies = [square for square, letter in cells.items() if not mine(letter)]
    beside = [square for square in enemies if _touches(square, cells, "C" if side == "w" else "c")]
    recapture = random.choice([*beside, *beside, *enemies[:1], "-", "-"])
    fresh_squares = [
        square
        for square, letter in cells.items()
        if letter in "PCpc" and _first(letter, square) and random.random() < 0.3
    ]
    spent = "".join(sorted(fresh_squares, key=lambda s: (s[0], int(s[1:])))) or "-"
    choices = [_random_choice(random, cells, "pcbhj"), _random_choice(random, cells, "PCBHJ")]
    pool = "-" if draft or random.random() < 0.4 else _random_pool(random, cells)
    checked = random.choice("0111")
    castling = "-" if draft else castling
    return (
        f"{board(' '.join(letter + square for square, letter in cells.items()))} {side} {castling} "
        f"{spent} {recapture} {'/'.join(choices)} {checked} {pool} {random.randint(1, 99)}"
    )


def _cornered(random: Random) -> str:
    """A FEN with White shut in a corner and enemies around: often the game is over."""
    cells = {"a12": "K", f"l{random.randint(1, 12)}": "k"}
    near = [f"{file}{rank}" for file in "abcdef" for rank in range(7, 13)]
    for square in ("b12", "a11", "b11"):
        if random.random() < 0.8:
            cells[square] = random.choice("PPPCJ" if square != "a11" else "PPP")
    for letter in random.sample("qttsshhbb", random.randint(1, 4)):
        cells.setdefault(random.choice(near), letter)
    choice = _random_choice(random, cells, "pcbhj")
    return f"{board(' '.join(k + v for v, k in cells.items()))} w - - - {choice}/- 1 - 40"


def _place_kings(random: Random, cells: dict[str, str]) -> str:
    """Place the Kings, sometimes ready to castle; returns the castling field."""
    rights = ""
    for king, rank in (("K", 1), ("k", 12)):
        if random.random() < 0.5:
            while (square := f"{random.choice(FILES)}{random.randint(1, 12)}") in cells:
                continue
            cells[square] = king
            continue
        cells[f"g{rank}"] = king
        for right, tower, jumper in (("K", "l", "k"), ("Q", "a", "b")):
            if random.random() < 0.7:
                case = str.upper if king == "K" else str.lower
                cells[f"{tower}{rank}"] = case("T")
                rights += case(right)
                if random.random() < 0.8:
                    cells[f"{jumper}{rank}"] = case("J")
    return rights or "-"


def _likely_square(random: Random, letter: str, cells: dict[str, str]) -> str:
    """A random square; for Pawns and Commanders, often where they start, promote or meet."""
    file, rank = random.choice(FILES), random.randint(1, 12)
    if letter in "PCpc":
        pawns = [square for square, each in cells.items() if each in "PCpc"]
        if pawns and random.random() < 0.4:
            near = random.choice(pawns)
            file = FILES[min(11, max(0, FILES.index(near[0]) + random.choice([-1, 0, 1])))]
            rank = min(12, max(1, int(near[1:]) + random.choice([-1, 0, 1])))
        elif random.random() < 0.7:
            rank = random.choice([2, 2, 3, 6, 7, 7] if letter.isupper() else [11, 11, 10, 7, 6, 6])
    return f"{file}{rank}"


def _touches(square: str, cells: dict[str, str], letter: str) -> bool:
    return any(
        each == letter
        and abs(FILES.index(other[0]) - FILES.index(square[0])) <= 1
        and abs(int(other[1:]) - int(square[1:])) <= 1
        for other, each in cells.items()
    )


def _first(letter: str, square: str) -> bool:
    """Whether a Pawn or Commander stands on one of its own starting squares."""
    file, rank = square[0], int(square[1:])
    rank = rank if letter.isupper() else 13 - rank
    middle = file in "fg"
    return (rank == 2 and middle == (letter in "Cc")) or (rank == 3 and middle and letter in "Pp")


def _random_choice(random: Random, cells: dict[str, str], letters: str) -> str:
    squares = [square for square, letter in cells.items() if letter in letters]
    candidates: list[str] = [*squares[:4], *squares[-4:], *"??x!-"]
    return random.choice(candidates)


def _random_pool(random: Random, cells: dict[str, str]) -> str:
    """Some or all of the set's pieces that are not on the board."""
    left = Counter(SET + SET.lower()) - Counter(cells.values())
    pool = ""
    for letter in "QTBSHJCqtbshjc":
        count = random.randint(0, left[letter])
        pool += letter + str(count) if count > 1 else letter * count
    return pool or "-"
