"""The dialects by variant name. A new game is one line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from engine.position import Position
from engine.registry import variant
from notation.dialect import Dialect
from notation.errors import BadFen
from notation.katruji import KatrujiDialect
from notation.kerak import KERAK_DIALECT
from notation.kerd import KERD_DIALECT, KERD_DRAFT_DIALECT

DIALECTS: Final[Mapping[str, Dialect]] = MappingProxyType(
    {d.variant.name: d for d in (KatrujiDialect(), KERAK_DIALECT, KERD_DIALECT, KERD_DRAFT_DIALECT)}
)


def dialect(name: str) -> Dialect:
    """The dialect of the variant of this name; `engine.errors.UnknownVariant` without one."""
    return DIALECTS[variant(name).name]


def recognised(fen: str) -> tuple[Dialect, Position]:
    """The game whose position string this is, by its dialect, and the position.

    Raises BadFen with what every game finds wrong with it.
    """
    complaints = []
    for written in DIALECTS.values():
        try:
            return written, written.read_fen(fen)
        except BadFen as why:
            complaints.append(f"{written.variant.name}: {why}")
    raise BadFen("fen", f"no game's position ({'; '.join(complaints)})")
