"""A section of a file made ready to be taken in: all the work that needs no store. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from notation.errors import BadAnnotation, RecordError
from notation.game import Game
from notation.judge import judge
from notation.movetext import Movetext
from notation.record import Record, read_records
from notation.section import Section
from service.errors import BadValue
from service.game.commands import ImportRecord
from service.game.fingerprint import essence, identity
from service.game.importing import GAME_TAG, import_command, players_in
from service.ids import ID
from service.player.names.recorded import check_recorded_name

UNREADABLE: Final = frozenset({"syntax", "too-large"})
"""Codes of what is no record at all, and so nothing that was played."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a game stands: the section's byte range in the unpacked file, and its first line."""

    start: int
    end: int
    line: int


@dataclass(frozen=True, slots=True)
class Good:
    """A legal record: the command that takes it in, its players still as names.

    `claimed` is the id of the game that the record says it was exported from.
    """

    place: Place
    command: ImportRecord
    names: tuple[str | None, str | None]
    identity: tuple[str, ...]
    essence: str
    claimed: str | None


@dataclass(frozen=True, slots=True)
class Bad:
    """What is wrong with a record, as its verdict tells it; `text` is the record's section."""

    place: Place
    error: dict[str, Any]
    text: str

    @property
    def was_played(self) -> bool:
        """Whether it can be read, though it is not legal."""
        return self.error["code"] not in UNREADABLE


Prepared = Good | Bad


def prepare(sections: Sequence[Section]) -> list[Prepared]:
    """What the records in some sections are, in order; raises nothing that a file could cause."""
    return [_prepared(record, section) for section in sections for record in read_records(section)]


def _prepared(record: Record | RecordError, section: Section) -> Prepared:
    place = Place(section.start, section.end, section.line)
    try:
        if isinstance(record, RecordError):
            raise record
        text = Movetext()
        game = judge(record, text)
        return _good(game, text.text(game.result), place)
    except RecordError as error:
        told = {
            "code": error.code,
            "detail": error.reason,
            "line": error.line,
            "column": error.column,
            "ply": error.ply,
            "token": error.token,
            "nearest": list(error.nearest),
        }
        return Bad(place, told, section.text)
    except (BadValue, BadAnnotation) as error:
        return Bad(place, {"code": error.code, "detail": str(error)}, section.text)


def _good(game: Game, movetext: str, place: Place) -> Good:
    """A judged record; raises BadValue or BadAnnotation for what the service does not hold."""
    names = players_in(game)
    for name in names:
        if name is not None:
            check_recorded_name(name)
    command = import_command(game, None, None, movetext)
    claimed = game.tags.get(GAME_TAG, "")
    return Good(
        place,
        command,
        names,
        identity(game, command.actions),
        essence(command.text, command.tags),
        claimed if ID.fullmatch(claimed) else None,
    )
