"""An imported record as its importer hands it over to the projector: outlined and indexed."""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from service.game.events import RecordImported
from service.game.terms import CASUAL
from service.game.values import Ending, GameStatus, Mode, Score
from service.log.values import Recorded
from service.projection.games.play import IndexedPositions, Play, make_play
from service.projection.games.rows import GameRows, make_rows_with

HEAD: Final = 4
"""Bytes that hold the length of the outline after them."""
KEY: Final = 8
"""Bytes of a key."""


@dataclass(frozen=True, slots=True)
class ImportedGame:
    """A record just after its import, its first event: a `service.game.outline.GameOutline`.

    `head` is the digest of that event, `at` is when it was imported and `creator` by whom;
    `actions` are the actions played, in coordinate form. It equals what `fold_for_lists` makes of
    the event, but was made while the record was checked.
    """

    id: str
    head: str
    at: int
    creator: str
    variant: str
    seats: tuple[str | None, str | None]
    tags: Mapping[str, str]
    fen: str | None
    result: str
    actions: Sequence[str]
    positions: IndexedPositions

    version = 1
    mode = Mode.IMPORT
    status = GameStatus.FINISHED
    secret_choice = None
    terms = CASUAL
    expires_at = None
    reopened = 0
    is_scored = True

    @property
    def created_at(self) -> int:
        """When it was imported."""
        return self.at

    @property
    def updated_at(self) -> int:
        """When it was imported."""
        return self.at

    @property
    def ended_at(self) -> int | None:
        """When it was imported."""
        return self.at

    @property
    def ending(self) -> Ending:
        """The end that the record states."""
        return Ending(self.result, self.tags.get("Termination"))

    @property
    def score(self) -> Score:
        """The points of the last position."""
        return Score(self.ending, self.positions.points)

    @property
    def length(self) -> int:
        """The number of actions."""
        return len(self.actions)

    @property
    def plies(self) -> int:
        """The number of actions that passed the turn."""
        return self.positions.plies

    @property
    def play(self) -> Play:
        """What was played."""
        return make_play(self.positions, self.actions, self.result)

    def rows(self, merged: Mapping[str, Sequence[str]]) -> GameRows:
        """Its rows; `merged` gives the players that its players were merged into."""
        return make_rows_with(self.play, self, merged)


def outline_import(id: str, entry: Recorded, positions: IndexedPositions) -> ImportedGame:
    """The outline of the game that an event imports and that has these positions."""
    event = entry.event
    assert isinstance(event, RecordImported)
    return ImportedGame(
        id=id,
        head=entry.hash,
        at=entry.at,
        creator=entry.by,
        variant=event.variant,
        seats=(event.first, event.second),
        tags=event.tags,
        fen=event.fen,
        result=event.result,
        actions=event.actions.split(),
        positions=positions,
    )


def encode_game(game: ImportedGame) -> bytes:
    """A game as bytes, which `decode_game` reads on the same machine."""
    positions = game.positions
    outline = {
        "id": game.id,
        "head": game.head,
        "at": game.at,
        "creator": game.creator,
        "variant": game.variant,
        "seats": game.seats,
        "tags": dict(game.tags),
        "fen": game.fen,
        "result": game.result,
        "actions": " ".join(game.actions),
        "material": len(positions.material),
        "plies": positions.plies,
        "points": positions.points,
    }
    head = json.dumps(outline, separators=(",", ":")).encode()
    material = array("q", sorted(positions.material))
    parts = (head, positions.keys.tobytes(), material.tobytes(), positions.placements)
    return len(head).to_bytes(HEAD, "big") + b"".join(parts)


def decode_game(data: bytes) -> ImportedGame:
    """The game that `encode_game` wrote."""
    begin = HEAD + int.from_bytes(data[:HEAD], "big")
    outline = json.loads(data[HEAD:begin])
    first, second = outline["seats"]
    points = outline["points"]
    actions = outline["actions"].split()
    keys, material = array("q"), array("q")
    behind_keys = begin + KEY * (len(actions) + 1)
    behind_material = behind_keys + KEY * outline["material"]
    keys.frombytes(data[begin:behind_keys])
    material.frombytes(data[behind_keys:behind_material])
    return ImportedGame(
        id=outline["id"],
        head=outline["head"],
        at=outline["at"],
        creator=outline["creator"],
        variant=outline["variant"],
        seats=(first, second),
        tags=outline["tags"],
        fen=outline["fen"],
        result=outline["result"],
        actions=actions,
        positions=IndexedPositions(
            keys=keys,
            material=frozenset(material),
            placements=data[behind_material:],
            plies=outline["plies"],
            points=None if points is None else (points[0], points[1]),
        ),
    )
