"""What a finished game adds to the indexes of positions.

Only finished games add anything: nothing of a running game's choices is ever indexed. A position
is known by its key (`notation.dialect.Dialect.position_key`), material by its letters; both are
indexed under a digest of 80 bits, by which two of them are never taken for one another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Final

from notation.registry import find_dialect
from service.game.begin import find_initial_position
from service.game.state import GameState
from service.game.values import GameStatus

DIGEST: Final = 10
POSITION: Final = "position"
MATERIAL: Final = "material"
ENDED: Final = ""
"""Stands for the action from a position in which a game ended."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """The parts of one game: what was done in which position, and what was seen in it.

    Each stands once, however often the game came back to it.
    """

    result: str
    continuations: frozenset[tuple[bytes, str]]
    seen: frozenset[bytes]


NOTHING: Final = Contribution("*", frozenset(), frozenset())


def digest(kind: str, variant: str, key: str) -> bytes:
    """The digest under which a POSITION or MATERIAL of a variant is indexed."""
    return blake2b(f"{kind}\0{variant}\0{key}".encode(), digest_size=DIGEST).digest()


def position_digest(variant: str, fen: str) -> bytes:
    """The digest of the position that a canonical FEN describes."""
    return digest(POSITION, variant, find_dialect(variant).position_key(fen))


# From one position to the next it is mostly the same.
@lru_cache(maxsize=1 << 12)
def _material_digest(variant: str, material: str) -> bytes:
    return digest(MATERIAL, variant, material)


def is_indexed(state: GameState) -> bool:
    """Whether the game adds anything."""
    return state.status is GameStatus.FINISHED and state.ending is not None


def fingerprint(state: GameState) -> str:
    """Tells two contributions apart without making them; empty for none."""
    if not is_indexed(state) or state.ending is None:
        return ""
    parts = (state.variant, state.fen or "", state.ending.result)
    told = "\0".join([*parts, *(played.coordinate for played in state.played)])
    return blake2b(told.encode(), digest_size=8).hexdigest()


def contribution(state: GameState) -> Contribution:
    """What the game adds; nothing unless it is finished."""
    if not is_indexed(state) or state.ending is None:
        return NOTHING
    continuations = []
    seen = set()
    for fen, action in _steps(state):
        position = position_digest(state.variant, fen)
        continuations.append((position, action))
        seen.add(position)
        seen.add(_material_digest(state.variant, find_dialect(state.variant).material(fen)))
    return Contribution(state.ending.result, frozenset(continuations), frozenset(seen))


def _steps(state: GameState) -> Iterator[tuple[str, str]]:
    """Each position of the game as FEN, and what was done there."""
    write_fen = find_dialect(state.variant).write_fen
    position = find_initial_position(state)
    for played in state.played:
        yield write_fen(position), played.coordinate
        position.play(played.action)
    yield write_fen(position), ENDED
