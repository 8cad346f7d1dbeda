"""Kerd's position strings (rules page `notation.md`, FEN)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Final

from engine.errors import InvalidPosition
from engine.kerd.board import (
    AS_WRITTEN,
    BLACK,
    BROUGHT_BACK,
    PIECE,
    REVEALED,
    UNKNOWN,
    VOID,
    WHITE,
    WITHOUT,
    square,
)
from engine.kerd.kernel import Position
from engine.kerd.rules import Rules
from engine.kerd.setup import FIRST_MOVERS, set_up
from engine.phrase import phrase
from notation.errors import BadFen
from notation.fen import (
    quote_text,
    read_choice,
    read_counts,
    read_number,
    read_rows,
    split_fields,
    write_counts,
    write_rows,
)
from notation.kerd.names import KIND_OF, NAMES, SQUARE, SQUARE_OF

FIELDS: Final = (
    "placement",
    "side",
    "castling",
    "spent",
    "recapture",
    "infiltrators",
    "checked",
    "pool",
    "move",
)
STATES: Final = {"?": UNKNOWN, "x": VOID, "!": REVEALED, "-": WITHOUT}
"""The states that an infiltrator may have instead of a square."""

_STATE_OF: Final = {choice: text for text, choice in STATES.items()}
_ROWS: Final = [[square(file, rank) for file in range(12)] for rank in reversed(range(12))]
_PIECE_OF: Final = {letter: WHITE | kind for letter, kind in KIND_OF.items()} | {
    letter.lower(): BLACK | kind for letter, kind in KIND_OF.items()
}
_LETTER_OF: Final = {piece: letter for letter, piece in _PIECE_OF.items()}
CELLS: Final = len(AS_WRITTEN)
"""The number of bytes of a packed position that are its pieces."""
_CELLS: Final = "".join(_LETTER_OF.get(piece & PIECE, " ") for piece in range(256)).encode()
"""The character of a row for each piece, fresh or not."""
_FIRST_MOVERS: Final = sorted(FIRST_MOVERS, key=lambda at: (at & 15, at >> 4))
_on_first_squares: Final = itemgetter(*map(AS_WRITTEN.index, _FIRST_MOVERS))
_POOL: Final = [colour | kind for colour in (WHITE, BLACK) for kind in BROUGHT_BACK]
_POOL_LETTERS: Final = "QTBSHJCqtbshjc"
_CASTLINGS: Final = "KQkq"
_CASTLING_FIELDS: Final = [
    "".join(_CASTLINGS[n] for n in range(4) if castlings & 1 << n) or "-" for castlings in range(16)
]
_SQUARES: Final = re.compile(f"(?:{SQUARE})+")


def read_fen(rules: Rules, text: str) -> Position:
    """The position that a canonical FEN describes; raises BadFen."""
    placement, side, castling, spent, recapture, choices, checked, pool, number = split_fields(
        text, FIELDS
    )
    rows = read_rows(placement, [12] * 12, "".join(_PIECE_OF))
    counts = read_counts(pool, _POOL_LETTERS, "pool")
    try:
        return set_up(
            rules,
            {
                at: _PIECE_OF[cell]
                for squares, cells in zip(_ROWS, rows, strict=True)
                for at, cell in zip(squares, cells, strict=True)
                if cell
            },
            side=read_choice(side, "side", "wb"),
            castlings=_read_castling(castling),
            spent=_read_spent(spent),
            recapture=None if recapture == "-" else _read_square(recapture, "recapture"),
            choices=_read_choices(choices),
            checked=bool(read_choice(checked, "checked", "01")),
            pool={piece: n for piece, n in zip(_POOL, counts, strict=True) if n},
            number=read_number(number, "move", least=1),
        )
    except InvalidPosition as why:
        raise BadFen(why.field, why.reason) from why


def write_fen(position: Position) -> str:
    """The canonical FEN of a position."""
    packed = position.pack()
    cells = write_cells(packed).decode()
    fields = (
        write_rows([cells[start : start + 12] for start in range(0, CELLS, 12)]),
        "wb"[position.side],
        _CASTLING_FIELDS[position.castlings],
        _write_spent(_on_first_squares(packed)),
        NAMES.get(position.recapture, "-"),
        f"{_write_choice(position.choice_of(0))}/{_write_choice(position.choice_of(1))}",
        "1" if position.checked else "0",
        write_counts(tuple(packed[-len(_POOL) :]), _POOL_LETTERS),
        str(position.number),
    )
    return " ".join(fields)


def write_cells(packed: bytes) -> bytes:
    """See `notation.dialect.Dialect.cells`."""
    return packed[:CELLS].translate(_CELLS)


@lru_cache(maxsize=1 << 12)
def _write_spent(pieces: Sequence[int]) -> str:
    """The squares of Pawns and Commanders that stand at home without a first move."""
    at_home = zip(_FIRST_MOVERS, pieces, strict=True)
    return "".join(NAMES[at] for at, piece in at_home if piece == FIRST_MOVERS[at]) or "-"


def _by_file(at: int) -> tuple[int, int]:
    return at & 15, at >> 4


def _read_castling(text: str) -> int:
    rights = [letter for letter in _CASTLINGS if letter in text]
    if text not in ("-", "".join(rights)):
        raise BadFen(
            "castling",
            phrase(
                "{text} is neither '-' nor letters of KQkq in this order", text=quote_text(text)
            ),
        )
    return sum(1 << _CASTLINGS.index(letter) for letter in rights)


def _read_square(text: str, field: str) -> int:
    if text not in SQUARE_OF:
        raise BadFen(field, phrase("{text} is not a square", text=quote_text(text)))
    return SQUARE_OF[text]


def _read_spent(text: str) -> list[int]:
    if text == "-":
        return []
    if not _SQUARES.fullmatch(text):
        raise BadFen(
            "spent", phrase("{text} is neither '-' nor squares in a row", text=quote_text(text))
        )
    squares = [SQUARE_OF[name] for name in re.findall(SQUARE, text)]
    if squares != sorted(set(squares), key=_by_file):
        raise BadFen("spent", "the squares are not sorted by file, then rank")
    return squares


def _read_choices(text: str) -> tuple[int, int]:
    white, slash, black = text.partition("/")
    if not slash:
        raise BadFen(
            "infiltrators", phrase("{text} is not two choices joined by '/'", text=quote_text(text))
        )
    return _read_choice(white), _read_choice(black)


def _read_choice(text: str) -> int:
    return STATES[text] if text in STATES else _read_square(text, "infiltrators")


def _write_choice(choice: int) -> str:
    return _STATE_OF[choice] if choice in _STATE_OF else NAMES[choice]
