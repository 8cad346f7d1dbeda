"""The fields of a position string after the pieces, as the position editor shows them.

A game's board lists its fields (`Board.fields`). Each field is made of parts, and each part is a
control with a label. Code that draws the controls needs to know nothing else about the game.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from service.languages.texts import gettext, mark

ANYTHING: Final = "(.*)"
"""The pattern of a field with a single part."""
NUMBER: Final = r"(\d+)"
EMPTY: Final = " "
"""The sign for an empty cell among the letters that a cell may hold."""
NOTHING: Final = "-"
"""The text of a field without a value."""


@dataclass(frozen=True, slots=True)
class Option:
    """A value that a part may have, and its label.

    `on` maps cells to the letters that must stand on them for it. Without a label, it is named
    after them.
    """

    value: str
    label: str = ""
    on: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Part:
    """A control of one of these kinds, and what it writes:

    - `choice`: one of its options;
    - `number`: a whole number from `least` on;
    - `several`: the chosen ones of its options, one after the other; `none` without any;
    - `counts`: each of its `letters` that occurs, with its number if above one; or else `none`;
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
    """A field of the position string, with the name that errors give it.

    `pattern` is a regular expression (valid in both Python and JavaScript) with a group for each
    part. The parts are written with `between` between them. `none` stands for empty parts, and in
    place of a cell if there is none.
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
