"""A position described in full, as `movelog position` prints it for other programs to compare."""

from __future__ import annotations

from typing import Final, TypeAlias

from engine.errors import UnknownVariant
from engine.position import Position
from notation.errors import BadFen
from notation.registry import find_dialect

START: Final = "start"
"""Stands in place of the FEN of the game's first position."""

Json: TypeAlias = "str | int | list[Json] | dict[str, Json] | None"


def describe(variant: str, fen: str) -> dict[str, Json]:
    """Describe a position given as FEN or START.

    Keys: `fen` (canonical), `legal` (coordinate forms sorted by code point), `san` (from
    coordinate form to SAN, in the same order), `outcome` (null or `result` and `termination`, by
    the position alone) and `points` (of the first and the second side, or null). What cannot be
    described gives `error` with `code`, `field` and `reason` instead.
    """
    try:
        written = find_dialect(variant)
        position = written.start({}) if fen == START else written.read_fen(fen)
    except UnknownVariant as why:
        return _error("unknown-variant", "variant", str(why))
    except BadFen as why:
        return _error(why.code, why.field, why.reason)
    actions = {written.coordinate(action): action for action in position.legal()}
    legal = sorted(actions)
    points = position.points()
    return {
        "fen": written.write_fen(position),
        "legal": [*legal],
        "san": {token: written.san(position, actions[token]) for token in legal},
        "outcome": _outcome(position),
        "points": None if points is None else [*points],
    }


def describe_line(line: str) -> dict[str, Json]:
    """Describe the position of a line `variant<TAB>fen`, with or without its line end."""
    variant, tab, fen = line.rstrip("\r\n").partition("\t")
    if not tab:
        return _error("syntax", "line", "expected a variant, a tab, and a FEN or the word start")
    return describe(variant, fen)


def _outcome(position: Position) -> Json:
    outcome = position.outcome()
    if outcome is None:
        return None
    return {"result": outcome.result, "termination": outcome.termination.value}


def _error(code: str, field: str, reason: str) -> dict[str, Json]:
    return {"error": {"code": code, "field": field, "reason": reason}}
