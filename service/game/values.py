"""The parts that make up a game's state."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from engine.position import Action
from engine.side import Side
from notation.game import Line
from service.game.commands import NO_ANNOTATION, Annotation


class Mode(StrEnum):
    """How a game came about, and who may act in it."""

    CHALLENGE = "challenge"
    SCRIBE = "scribe"
    ARBITER = "arbiter"
    IMPORT = "import"
    TOURNAMENT = "tournament"
    """It was paired in a round of a tournament."""


class GameStatus(StrEnum):
    """Where a game stands."""

    OFFERED = "offered"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"
    """Nobody answered the challenge in time."""
    PREPARED = "prepared"
    """A game of a round that is not ready: nobody can see it or play."""
    CHOOSING = "choosing"
    RUNNING = "running"
    FINISHED = "finished"


NOT_ACCEPTED: Final = frozenset(
    {GameStatus.OFFERED, GameStatus.DECLINED, GameStatus.WITHDRAWN, GameStatus.EXPIRED}
)
"""The statuses of a challenge that nobody has accepted."""

SECRET_CHOICE: Final = "infiltrators"
"""The name of `secret_choice` in requests, responses and stored events."""


class Secrecy(StrEnum):
    """How a game handles secret choices."""

    SEALED = "sealed"
    """Each player chooses before the first move."""
    UNKNOWN = "unknown"
    """Chosen over the board; the service does not know what."""
    NONE = "none"
    """Played without secret choices."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A side's secret choice: its public part, and the choice itself if it is known here."""

    commitment: str
    choice: str | None
    nonce: str | None


@dataclass(frozen=True, slots=True)
class Played:
    """An action that counts: the engine's value, its texts, who played it and when.

    `number` is that of its full move, `side` is the side that played it. `variations` are lines
    that could have been played instead: values if they come from an imported record, movetext if
    they were written with an annotation (`service.game.variations` reads them).
    """

    action: Action
    coordinate: str
    san: str
    number: int
    side: Side
    by: str
    at: int
    annotation: Annotation = NO_ANNOTATION
    variations: tuple[Line | str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ending:
    """How a game ended.

    `result` is `*` for a game that was closed without one; `termination` is None if an imported
    record does not state it.
    """

    result: str
    termination: str | None


@dataclass(frozen=True, slots=True)
class Score:
    """An ending and both sides' points, counted by a worker or read from a record."""

    ending: Ending
    points: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Retraction:
    """A request by `side` to go back to the position after action `to_ply`."""

    side: Side
    to_ply: int


@dataclass(frozen=True, slots=True)
class ClockSetting:
    """The times to which an arbiter has set both clocks after action `ply`, in milliseconds."""

    ply: int
    times: tuple[int, int]
