"""Examples in the rules of a game: positions to play on, with facts that the engine can check.

A page of the rules (`docs/rules/`) holds them as blocks of YAML between the fences that
`find_examples` looks for. `tests/every_game/test_rules.py` has the engine check each fact.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from notation.registry import find_dialect

INFO: Final = "example"
"""The info string after the fence of a block."""
BLOCK: Final = re.compile(rf"^```{INFO}\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Line:
    """Actions that can be played in sequence, what is `said` about them, and where they lead.

    `makes` are letters of the position string by cell (empty for an empty cell), `points` both
    sides' as in `3-0`, `ends` the end in words; whatever is not given is not claimed.
    """

    play: tuple[str, ...]
    said: str
    makes: Mapping[str, str] = field(default_factory=dict)
    points: str | None = None
    ends: str | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """An action that is not legal, and why, as a part of a sentence.

    `unless` is a position that differs only in that reason: there the action is legal, or
    `instead`, if it is written in another way. It is empty if no position can show it.
    """

    play: str
    because: str
    unless: str = ""
    instead: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """A position of a game (`fen`) and what it `shows`.

    `reach` gives, for some cells, everything that the piece there can move to. `legal` are some of
    the legal actions. `all` is all of them, None if not given. `below` is the side shown at the
    bottom.
    """

    variant: str
    fen: str
    shows: str
    below: str = "first"
    reach: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    legal: tuple[str, ...] = ()
    all: tuple[str, ...] | None = None
    lines: tuple[Line, ...] = ()
    refused: tuple[Refusal, ...] = ()

    @property
    def targets(self) -> tuple[str, ...]:
        """The cells that `reach` names, to be highlighted in a picture."""
        return tuple(dict.fromkeys(cell for cells in self.reach.values() for cell in cells))


def find_examples(page: str) -> list[Example]:
    """The examples in the Markdown of a page, in their order there."""
    return [read_example(block["text"]) for block in BLOCK.finditer(page)]


def read_example(text: str) -> Example:
    """The example that a block of YAML describes.

    Raises `yaml.YAMLError` if it is not YAML, and TypeError for a member that examples do not have.
    """
    given: dict[str, Any] = yaml.safe_load(text)
    given["reach"] = {cell: tuple(to.split()) for cell, to in given.get("reach", {}).items()}
    given["lines"] = tuple(_read_line(**one) for one in given.get("lines", ()))
    given["refused"] = tuple(Refusal(**one) for one in given.get("refused", ()))
    for name in ("legal", "all"):
        if name in given:
            given[name] = tuple(given[name].split())
    return Example(**given)


def _read_line(play: str, **rest: Any) -> Line:
    return Line(tuple(play.split()), **rest)


def find_reasons(example: Example) -> dict[str, str]:
    """The reasons why actions are refused, by their coordinate form, as far as they are known."""
    written = find_dialect(example.variant)
    found = {}
    for refusal in example.refused:
        if refusal.unless:
            position = written.read_fen(refusal.unless)
            action = written.resolve(position, refusal.instead or refusal.play)
            found[written.coordinate(action)] = refusal.because
    return found


def play_line(example: Example, line: Line) -> str:
    """The position string after a line; raises TokenError if it cannot be played."""
    written = find_dialect(example.variant)
    position = written.read_fen(example.fen)
    for token in line.play:
        position.play(written.resolve(position, token))
    return written.write_fen(position)
