"""A game as a list shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from service.game.outline import GameOutline
from service.game.shown_annotations import listed_tags
from service.game.values import GameStatus, Mode

UNLISTED: Final = frozenset({"Date", "Result", "Variant", "Termination", "SetUp", "FEN"})
"""Tags that are not listed: there are other lists for these, or nobody searches their values."""
UNSAID: Final = frozenset({"", "?", "-"})
"""Values that say nothing, and are not listed."""
WON, DRAWN, LOST = "won", "drawn", "lost"
SCORES: Final = {"1-0": (WON, LOST), "1/2-1/2": (DRAWN, DRAWN), "0-1": (LOST, WON)}
"""How a game with this result went for the first and for the second side."""
OPEN: Final = frozenset({GameStatus.OFFERED, GameStatus.CHOOSING, GameStatus.RUNNING})


@dataclass(frozen=True, slots=True)
class NamedOpening:
    """An opening as lists show it; `code` is None where it has none."""

    name: str
    code: str | None


@dataclass(frozen=True, slots=True)
class GameSummary:
    """One line of a game list, as the game stood at `version`.

    `seats` are player ids in order of play (None for a free seat); names live outside and are
    joined on reading. `result` and `termination` are None until the game has ended. `points` are
    those that a worker has counted for this ending, and `scored` says that it has. `plies` counts
    the actions that stand. `infiltrators` and `fen` are what the game was set up with. `rated` is
    whether it counts for ratings; `expires_at` is when an open challenge expires. `opening` is the
    name of a finished game in the loaded table of openings. Times are milliseconds since 1970 UTC.
    """

    id: str
    version: int
    variant: str
    mode: Mode
    status: GameStatus
    seats: tuple[str | None, str | None]
    result: str | None
    termination: str | None
    points: tuple[int, int] | None
    scored: bool
    plies: int
    created_at: int
    updated_at: int
    tags: Mapping[str, str]
    infiltrators: str | None = None
    fen: str | None = None
    rated: bool = False
    expires_at: int | None = None
    opening: NamedOpening | None = None


def summarise(state: GameOutline) -> GameSummary:
    """The summary of a game in this state."""
    ending = state.ending
    scored = state.is_scored
    return GameSummary(
        id=state.id,
        version=state.version,
        variant=state.variant,
        mode=state.mode,
        status=state.status,
        seats=state.seats,
        result=ending.result if ending else None,
        termination=ending.termination if ending else None,
        points=state.score.points if state.score is not None and scored else None,
        scored=scored,
        plies=state.length,
        created_at=state.created_at,
        updated_at=state.updated_at,
        tags=listed_tags(state),
        infiltrators=state.secret_choice,
        fen=state.fen,
        rated=state.terms.rated,
        expires_at=state.expires_at,
    )


def searched_tags(tags: Mapping[str, str]) -> list[tuple[str, str]]:
    """The tag pairs by which a game is found."""
    return [(k, v) for k, v in tags.items() if k not in UNLISTED and v not in UNSAID]
