"""Lines of records with their variations, as the analysis board keeps them in its tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.position import Position
from notation.agreement import Agreement
from notation.dialect import Dialect
from notation.errors import NotationError
from notation.game import Move
from notation.record import read_variation
from notation.replay import Replay


def describe_line(
    written: Dialect, position: Position, line: Sequence[Move]
) -> list[dict[str, Any]]:
    """The actions of a line with their annotations; they are played on the position.

    `variations` are lines of the same form that replace the action.
    """
    found = []
    for move in line:
        one: dict[str, Any] = {
            "action": written.coordinate(move.action),
            "san": written.san(position, move.action),
            "number": position.number,
            "side": ("first", "second")[position.side],
            "nags": list(move.nags),
            "comments": [*move.before, *move.after],
            "variations": [
                describe_line(written, position.copy(), other) for other in move.variations
            ],
        }
        found.append(one)
        position.play(move.action)
    return found


def describe_game(
    written: Dialect, position: Position, actions: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """The actions of a game from the API, with `variations` in the form of `describe_line`.

    These are kept with the game: `kept` has their movetexts, and the first action of each has its
    index there. The position is the game's first; the actions are played on it.
    """
    found: list[dict[str, Any]] = []
    noted = max((at for at, one in enumerate(actions, 1) if one.get("variations")), default=0)
    for at, action in enumerate(actions, 1):
        texts = action.get("variations", [])
        lines = [_read_kept(written, position, text, index) for index, text in enumerate(texts)]
        found.append({**action, "kept": texts, "variations": [line for line in lines if line]})
        if at < noted:
            position.play(written.resolve(position, action["action"]))
    return found


def _read_kept(written: Dialect, position: Position, text: str, index: int) -> list[dict[str, Any]]:
    """A variation kept as movetext; empty for one that only an earlier version could read."""
    record = read_variation(text)
    try:
        moves, _ = Replay(record, written, Agreement()).play(record.line, position.copy())
    except NotationError:
        return []
    line = describe_line(written, position.copy(), moves)
    return [line[0] | {"kept": index}, *line[1:]]
