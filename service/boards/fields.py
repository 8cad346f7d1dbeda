"""The fields of a position string behind the pieces, as what sets a position up shows them.

A game's board says which there are (`Board.fields`): each field is made of parts, each part is a
control with a label. Whoever draws the controls needs to know nothing else of the game.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from service.languages.texts import gettext, mark

ANYTHING: Final = "(.*)"
"""The pattern of a field that is one part."""
NUMBER: Final = r"(\d+)"
EMPTY: Final = " "
"""What stands for an empty cell among the letters that a cell may hold."""
NOTHING: Final = "-"
"""What a field says that says nothing."""


@dataclass(frozen=True, slots=True)
class Option:
    """A value that a part may have, and what it is called.

    `on` are the letters that have to stand on cells for it. Without a label it is called by them.
    """

    value: str
    label: str = ""
    on: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Part:
    """A control of one of these kinds, and what it writes:

    - `choice`: one of its options;
    - `number`: a whole number from `least` on;
    - `several`: those of its options that are chosen, one after the other; `none` without any;
    - `counts`: each of its `letters` that there are any of, with their number if above one; `none`;
    - `cell`: one of its options, or the name of a cell on which one of its `letters` stands.
    """

    kind: str
    label: str
    options: Sequence[Option] = ()
    letters: str = ""
    least: int = 0
    none: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the position string, by the name that errors give it.

    `pattern` is a regular expression (as both Python and JavaScript read it) with a group for each
    part. The parts are written with `between` between them; `none` stands for parts that are empty,
    and where one that is a cell is.
    """

    name: str
    label: str
    parts: Sequence[Part]
    pattern: str = ANYTHING
    between: str = ""
    none: str = NOTHING


def make_side(letters: str, sides: Sequence[str]) -> Field:
    """The side to act."""
    options = [Option(letter, name) for letter, name in zip(letters, sides, strict=True)]
    return Field("side", mark("To act"), [Part("choice", mark("Side"), options)])


def make_points(sides: Sequence[str]) -> Field:
    """Both sides' points."""
    parts = [Part("number", side) for side in sides]
    return Field("points", mark("Points"), parts, f"{NUMBER}-{NUMBER}", "-")


def make_counts(name: str, label: str, letters: str) -> Field:
    """Pieces beside the board, by letter."""
    return Field(name, label, [Part("counts", label, letters=letters, none=NOTHING)])


MOVE: Final = Field("move", mark("Move number"), [Part("number", mark("Number"), least=1)])
"""The number of the full move."""


def describe_fields(fields: Iterable[Field]) -> list[dict[str, Any]]:
    """The fields as JSON values, labelled in the reader's language."""
    return [
        {
            "name": one.name,
            "label": gettext(one.label),
            "pattern": one.pattern,
            "between": one.between,
            "none": one.none,
            "parts": [describe_part(part) for part in one.parts],
        }
        for one in fields
    ]


def describe_part(part: Part) -> dict[str, Any]:
    """A part as JSON values."""
    return {
        "kind": part.kind,
        "label": gettext(part.label),
        "options": [
            {"value": o.value, "label": o.label and gettext(o.label), "on": dict(o.on)}
            for o in part.options
        ],
        "letters": part.letters,
        "least": part.least,
        "none": part.none,
    }
