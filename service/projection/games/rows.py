"""A game's state as rows of the tables: its row, its seats, its tags, and what was played."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

from service.game.outline import GameOutline
from service.game.repository import audience
from service.game.state import GameState
from service.game.terms import Visibility
from service.game.values import NOT_ACCEPTED, GameStatus
from service.projection.database.texts import storable
from service.projection.games.keys import digest, tag_key
from service.projection.games.play import Play, play_of
from service.projection.games.terms import (
    find_programs,
    mean_rating,
    read_ratings,
    read_speed,
)
from service.projection.short_heads import shorten_head
from service.projection.summary import (
    OPEN,
    SCORES,
    GameSummary,
    searched_tags,
    summarise,
)

DATE: Final = re.compile(r"[0-9]{4}(\.([0-9]{2}|\?\?)){2}")
SAMPLES: Final = 1024
"""The number of different values in the column `sample`, all equally frequent."""


Seat = tuple[str, int, str | None, str | None]
"""A player, the side, the player's outcome of the game, and the opponent, mergers included."""


@dataclass(frozen=True, slots=True)
class GameRows:
    """The rows of one game, without its number; `play` is None unless the game is finished.

    `held_for` is the strict import that a new game came with: it is shown with all games of that.
    """

    id: str
    version: int
    game: Mapping[str, Any]
    seats: Sequence[Seat]
    open_for: Sequence[str]
    pairs: frozenset[int]
    play: Play | None
    held_for: str | None = None


def is_listed(state: GameOutline) -> bool:
    """Whether the game has rows: not if it is only prepared, or a private challenge."""
    if state.terms.visibility is Visibility.PRIVATE and state.status in NOT_ACCEPTED:
        return False
    return state.status is not GameStatus.PREPARED


def make_rows(state: GameState, merged: Mapping[str, Sequence[str]]) -> GameRows:
    """The rows of a listed game; `merged` gives the players that its players were merged into."""
    return make_rows_with(play_of(state), state, merged)


def make_rows_with(
    play: Play | None, state: GameOutline, merged: Mapping[str, Sequence[str]]
) -> GameRows:
    """The rows of a listed game in which `play` was played; that is None unless it is finished."""
    return GameRows(
        id=state.id,
        version=state.version,
        game=_game_row(state),
        seats=seats_of(state.seats, state.ending.result if state.ending else None, merged),
        open_for=audience(state) if state.status in OPEN else (),
        pairs=frozenset(tag_key(*pair) for pair in searched_tags(state.tags)),
        play=play,
    )


def seats_of(
    seats: Sequence[str | None], result: str | None, merged: Mapping[str, Sequence[str]]
) -> list[Seat]:
    """Who sits on which side, the outcome, and the opponent; survivors of mergers are listed too.

    There is no outcome without a result, or with one player on both sides. The opponent is the last
    of those that mergers made of them.
    """
    first, second = seats
    counts = first is not None and second is not None and first != second
    went = SCORES.get(result or "") if counts else None
    now = [player and (player, *merged.get(player, ()))[-1] for player in seats]
    return [
        (who, side, None if went is None else went[side], now[1 - side])
        for side, player in enumerate(seats)
        if player is not None
        for who in dict.fromkeys((player, *merged.get(player, ())))
    ]


def seat_anew(rows: GameRows, merged: Mapping[str, Sequence[str]]) -> GameRows:
    """The same rows, with the seats that follow from the mergers as they are now."""
    game = rows.game
    return replace(rows, seats=seats_of((game["first"], game["second"]), game["result"], merged))


def day_of(game: GameSummary) -> str:
    """The day of a game as `1999.12.31`, the earliest it can be; empty where it is unknown.

    It also counts as unknown where the tag is not in PGN's form.
    """
    date = game.tags.get("Date")
    if date is None:
        return datetime.fromtimestamp(game.created_at / 1000, UTC).strftime("%Y.%m.%d")
    return date.replace("??", "01") if DATE.fullmatch(date) else ""


def _game_row(state: GameOutline) -> dict[str, Any]:
    summary = summarise(state)
    ratings = read_ratings(state.variant, state.tags)
    first_points, second_points = summary.points or (None, None)
    first, second = find_programs(state.variant, state.tags)
    return {
        "id": state.id,
        "version": state.version,
        "variant": state.variant,
        "mode": state.mode.value,
        "status": state.status.value,
        "first": state.seats[0],
        "second": state.seats[1],
        "result": summary.result,
        "termination": _plain(summary.termination),
        "scored": summary.scored,
        "first_points": first_points,
        "second_points": second_points,
        "plies": summary.plies,
        "created_at": state.created_at,
        "updated_at": state.updated_at,
        "ended_at": state.ended_at,
        "day": day_of(summary),
        "speed": _plain(read_speed(state.tags)),
        "first_rating": ratings[0],
        "second_rating": ratings[1],
        "rating": mean_rating(ratings),
        "computer": first | second << 1,
        "secret_choice": _plain(state.secret_choice),
        "fen": state.fen,
        "rated": state.terms.rated,
        "expires_at": summary.expires_at,
        "sample": digest("sample", state.id) % SAMPLES,
        "head": shorten_head(state.head),
        # Escaped, since no database takes every character in a text.
        "tags": json.dumps(summary.tags, sort_keys=True, separators=(",", ":")),
    }


def _plain(text: str | None) -> str | None:
    """A text as it is stored, not as a member of an enumeration, which drivers write otherwise."""
    return None if text is None else storable(str(text))
