"""An opening: a name for a position that some actions lead to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.position import Position
from notation.registry import find_dialect


@dataclass(frozen=True, slots=True)
class Opening:
    """A named opening; `actions` are in coordinate form, `code` is None if it has none."""

    variant: str
    name: str
    actions: tuple[str, ...]
    code: str | None = None

    def position(self) -> Position:
        """The position that it names; raises TokenError if an action is not legal."""
        texts = find_dialect(self.variant)
        position = texts.start({})
        for action in self.actions:
            position.play(texts.resolve(position, action))
        return position


@dataclass(frozen=True, slots=True)
class OpeningTable:
    """The openings as of a `version` of the table's stream; none if no table is loaded."""

    version: int
    openings: Sequence[Opening]


def list_names(name: str, code: str | None = None) -> Iterator[str]:
    """The names by which an opening's games are found: its own, those it is part of, its code.

    >>> list(list_names("Fort: North Gate, Early", "F2"))
    ['Fort: North Gate, Early', 'Fort: North Gate', 'Fort', 'F2']
    """
    yield name
    for at in range(len(name) - 1, 0, -1):
        if name[at] in ":,":
            yield name[:at].rstrip()
    if code is not None:
        yield code


def fold_name(name: str) -> str:
    """A name in the form for comparison: without regard to case and the number of blanks.

    >>> fold_name("  North  GATE ")
    'north gate'
    """
    return " ".join(name.casefold().split())
