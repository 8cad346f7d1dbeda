"""Actions as a board needs them: their cells, their effects on the board, and words for them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.position import Action, Position
from notation.combat import SUCCEEDS, CaptureFields
from notation.dialect import Dialect
from notation.registry import find_dialect
from service.boards.registry import find_board
from service.boards.scene import EMPTY, find_cells, map_cells
from service.languages.texts import gettext

MOVE: Final = "move"
DROP: Final = "drop"
DEED: Final = "deed"
"""Kinds of actions: from a cell to a cell, from the hand to a cell, and without a destination."""

TOGETHER: Final = "&"
ALONE: Final = "&-"
PLAIN: Final = "="
"""Keys in a game's words (`Board.words`) for actions that differ only in what else they do."""

_DROP: Final = re.compile("([A-Z])@")
_DEED: Final = re.compile("([A-Z]):")
_BACK: Final = re.compile("=[A-Z]")

Changes = Mapping[str, str | None]
"""The letters on the cells that an action changes, as they are after it; None for no piece."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of an action's coordinate form.

    `beside` is the origin of the other piece of a joint action. `back` is the part about a piece
    that is brought back, such as `=T`. `word` is the key of a deed's name.
    """

    text: str
    kind: str
    origin: str | None
    target: str | None
    beside: str | None = None
    back: str | None = None
    word: str | None = None


def take_apart(text: str) -> Parts:
    """The parts of an action in coordinate form.

    >>> joint = take_apart("f2f4&e2e4=T")
    >>> joint.origin, joint.target, joint.beside, joint.back
    ('f2', 'f4', 'e2', '=T')
    >>> [take_apart(text).kind for text in ("I@c3", "X:e2", "Kyan")]
    ['drop', 'deed', 'deed']
    """
    cells = find_cells(text)
    if held := _DROP.match(text):
        return Parts(text, DROP, held[1], cells[0])
    if deed := _DEED.match(text):
        return Parts(text, DEED, cells[0], None, word=deed[1])
    if len(cells) < 2:
        return Parts(text, DEED, None, None, word=text)
    back = _BACK.search(text)
    beside = cells[2] if "&" in text else None
    return Parts(text, MOVE, cells[0], cells[1], beside, back and back[0])


def describe_actions(
    variant: str, position: Position, actions: Iterable[Action]
) -> list[dict[str, Any]]:
    """The legal actions of a position, sorted by coordinate form; raises UnknownVariant.

    Their effects are those in this position. Somebody who may not know a choice must be given a
    position without it.
    """
    written, drawn = find_dialect(variant), find_board(variant)
    names = list(map_cells(drawn))
    spoken = {name: gettext(said) for name, said in drawn.words.items()}
    position = position.copy()
    taken = [(take_apart(written.coordinate(action)), action) for action in actions]
    taken.sort(key=lambda one: one[0].text)
    alike: dict[tuple[str | None, str | None], list[Parts]] = defaultdict(list)
    for parts, _ in taken:
        alike[parts.origin, parts.target].append(parts)
    described = []
    for parts, action in taken:
        before, changes = find_changes(written, names, position, action)
        label = name_action(parts, alike[parts.origin, parts.target], spoken)
        described.append(
            {
                "action": parts.text,
                "san": written.san(position, action),
                "from": find_origin(parts, changes),
                "to": parts.target,
                "kind": parts.kind,
            }
            | ({} if label is None else {"label": label})
            | ({} if is_plain(parts, before, changes) else {"changes": changes})
            | ({"lasting": True} if parts.kind == DEED else {})
        )
    return described


def split_captures(found: Sequence[CaptureFields]) -> dict[str, list[CaptureFields]]:
    """Captures that a path leads to: `captures` are those that succeed, `refused` the others."""
    return {
        "captures": [one for one in found if one["verdict"] == SUCCEEDS],
        "refused": [one for one in found if one["verdict"] != SUCCEEDS],
    }


def find_changes(
    written: Dialect, cells: Sequence[str], position: Position, action: Action
) -> tuple[Mapping[str, str], Changes]:
    """The letters by cell before an action that is legal there, and the changes it makes.

    The changes are found by playing the action. `cells` are named in the order of the position
    string.
    """
    before = written.cells(written.identify(position)).decode()
    position.make(action)
    after = written.cells(written.identify(position)).decode()
    position.unmake()
    pairs = zip(cells, before, after, strict=True)
    changes = {name: None if new == EMPTY else new for name, old, new in pairs if new != old}
    return dict(zip(cells, before, strict=True)), changes


def find_origin(parts: Parts, changes: Changes) -> str | None:
    """The cell where an action begins, or the letter in the hand that is placed; else None."""
    if parts.kind == DROP:
        assert parts.target is not None
        return changes[parts.target]
    return parts.origin


def is_plain(parts: Parts, before: Mapping[str, str], changes: Changes) -> bool:
    """Whether an action only moves the piece it begins with to the cell where it leads."""
    if parts.kind == DROP:
        return len(changes) == 1
    if parts.kind == DEED or parts.origin is None or parts.target is None:
        return False
    moved = {parts.origin: None, parts.target: before[parts.origin]}
    return changes == {name: new for name, new in moved.items() if new != before.get(name)}


def name_deed(variant: str, text: str) -> str | None:
    """The words for a deed that was played, or None for other actions. Raises UnknownVariant.

    >>> name_deed("kerd", "X:e2"), name_deed("katruji", "a2a3")
    ('Piece executed on e2', None)
    """
    parts = take_apart(text)
    if parts.word is None:
        return None
    said = gettext(find_board(variant).done[parts.word])
    return said if parts.origin is None else f"{said} {parts.origin}"


def name_action(parts: Parts, alike: list[Parts], words: Mapping[str, str]) -> str | None:
    """An action in words: a deed, or one of several that begin and lead alike; else None."""
    if parts.word is not None:
        said = words.get(parts.word, parts.text)
        return said if parts.origin is None else f"{said} {parts.origin}"
    if len(alike) < 2:
        return None
    told = []
    if parts.beside is not None:
        told.append(f"{words[TOGETHER]} {parts.beside}")
    elif any(one.beside for one in alike):
        told.append(words[ALONE])
    if parts.back is not None:
        told.append(words[parts.back])
    elif any(one.back and (one.beside == parts.beside) for one in alike):
        told.append(words[PLAIN])
    if not told:
        return None
    return ", ".join([told[0], *(each[0].lower() + each[1:] for each in told[1:])])
