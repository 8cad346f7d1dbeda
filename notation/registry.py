"""The dialects by variant name. A new game is one line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from engine.position import Position
from engine.registry import find_variant
from notation.dialect import Dialect
from notation.errors import BadFen
from notation.katruji import KATRUJI_DIALECT
from notation.kerak import KERAK_DIALECT
from notation.kerd import KERD_DIALECT, KERD_DRAFT_DIALECT

DIALECTS: Final[Mapping[str, Dialect]] = MappingProxyType(
    {d.variant.name: d for d in (KATRUJI_DIALECT, KERAK_DIALECT, KERD_DIALECT, KERD_DRAFT_DIALECT)}
)


def find_dialect(name: str) -> Dialect:
    """The dialect of the variant of this name; `engine.errors.UnknownVariant` without one."""
    return DIALECTS[find_variant(name).name]


def find_dialect_titled(title: str) -> Dialect:
    """The dialect of the game with this title in a record (Ruling R38): a name or another title.

    The variants' names and the rule books' titles may be in any case, with blanks or hyphens.
    Raises `engine.errors.UnknownVariant`.

    >>> [find_dialect_titled(title).variant.name for title in ("ZILATRAN CHESS", "Kerd Draft")]
    ['katruji', 'kerd-draft']
    """
    return _BY_TITLE.get(_normalise_title(title)) or find_dialect(title)


def _normalise_title(title: str) -> str:
    return "-".join(title.replace("-", " ").lower().split())


_BY_TITLE: Final = {
    _normalise_title(title): known
    for known in DIALECTS.values()
    for title in (known.variant.name, *known.titles)
}


def recognise_position(fen: str) -> tuple[Dialect, Position]:
    """The dialect of the game whose position string this is, and the position.

    Raises BadFen with the complaint of each game.
    """
    complaints = []
    for written in DIALECTS.values():
        try:
            return written, written.read_fen(fen)
        except BadFen as why:
            complaints.append(f"{written.variant.name}: {why}")
    raise BadFen("fen", f"no game's position ({'; '.join(complaints)})")
