"""A game as a list shows it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import Final

from service.game.repository import audience
from service.game.shown_annotations import listed_tags
from service.game.state import GameState
from service.game.values import GameStatus, Mode

UNLISTED: Final = frozenset({"Date", "Result", "Variant", "Termination", "SetUp", "FEN"})
"""Tags without lists: for these there are others, or nobody looks for their values."""
UNSAID: Final = frozenset({"", "?", "-"})
"""Values that say nothing, and are not listed."""
WON, DRAWN, LOST = "won", "drawn", "lost"
SCORES: Final = {"1-0": (WON, LOST), "1/2-1/2": (DRAWN, DRAWN), "0-1": (LOST, WON)}
"""How a game with this result went for the first and for the second side."""
OPEN: Final = frozenset({GameStatus.OFFERED, GameStatus.CHOOSING, GameStatus.RUNNING})


@dataclass(frozen=True, slots=True)
class GameSummary:
    """One line of a game list, as the game stood at `version`.

    `seats` are player ids in order of play (None for a free seat); names live outside and are
    joined on reading. `result` and `termination` are None until the game has ended; `points`
    are those that a worker has counted for this ending, `scored` says that it has. `plies`
    counts the actions that stand. `infiltrators` and `fen` are what the game was set up with. Times
    are milliseconds since 1970 UTC.
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

    @property
    def member(self) -> str:
        """Its place in a list: code point order is the order of creation."""
        return member_of(self)

    def to_json(self) -> str:
        """The summary as JSON, the same text for equal summaries."""
        return json.dumps(asdict(self), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def member_of(game: GameSummary | GameState) -> str:
    """The place of a game in a list; see `GameSummary.member`."""
    return f"{game.created_at:015d}:{game.id}"


def id_of(member: str) -> str:
    """The id of the game that has this place in a list."""
    return member.partition(":")[2]


def tag_value(name: str, value: str) -> str:
    """What a tag pair is listed under: always short, however long the value is."""
    return blake2b(f"{name}\0{value}".encode(errors="replace"), digest_size=10).hexdigest()


def summarise(state: GameState) -> GameSummary:
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
        plies=len(state.played),
        created_at=state.created_at,
        updated_at=state.updated_at,
        tags=listed_tags(state),
        infiltrators=state.secret_choice,
        fen=state.fen,
    )


def from_json(text: str | bytes) -> GameSummary:
    """The summary that `GameSummary.to_json` wrote."""
    values = json.loads(text)
    first, second = values.pop("seats")
    points = values.pop("points")
    return GameSummary(
        seats=(first, second),
        points=None if points is None else (points[0], points[1]),
        mode=Mode(values.pop("mode")),
        status=GameStatus(values.pop("status")),
        **values,
    )


def searched_tags(tags: Mapping[str, str]) -> list[tuple[str, str]]:
    """The tag pairs of a game by which it is found."""
    return [(k, v) for k, v in tags.items() if k not in UNLISTED and v not in UNSAID]


def places(state: GameState) -> list[tuple[str, str]]:
    """The lists a game stands in, each as what it is a list by and the value.

    A game that is only prepared stands in none.
    """
    if state.status is GameStatus.PREPARED:
        return []
    found: list[tuple[str, str]] = [("all", "")]
    found += [("variant", state.variant), ("status", state.status)]
    found += [("player", player) for player in state.seats if player is not None]
    if state.ending is not None:
        found.append(("result", state.ending.result))
        if state.ending.termination is not None:
            found.append(("termination", state.ending.termination))
    found += [("tag", tag_value(*pair)) for pair in searched_tags(state.tags)]
    if state.status in OPEN:
        found += [("open", player) for player in audience(state)]
    return list(dict.fromkeys(found))


def list_tallied(state: GameState) -> list[tuple[str, str]]:
    """What a game adds to: how it went for whom, as the kind of result and the player.

    Nothing unless it has a result and two different players.
    """
    first, second = state.seats
    went = SCORES.get(state.ending.result) if state.ending is not None else None
    if went is None or first is None or second is None or first == second:
        return []
    return [(went[0], first), (went[1], second)]
