"""Whether one game matches a query, judged by its rows without asking a database.

What a query asks about positions, material, actions and pieces matches only finished games, whose
rows hold these. So a filter reveals no more of a running game than a list does.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from service.openings.values import fold_name
from service.player.names.words import starts
from service.projection.database.texts import storable
from service.projection.games.keys import fen_key, material_key, tag_key
from service.projection.games.placements import came_up, numbering
from service.projection.games.play import Play, write_actions
from service.projection.games.query import (
    ANY,
    Bounds,
    PlayerName,
    Query,
    canonical_material,
)
from service.projection.games.rows import GameRows

EQUAL = ("variant", "mode", "status", "result", "termination", "speed")


@dataclass(frozen=True, slots=True)
class GameFacts:
    """A game's rows, and what is known of the game only together with other tables.

    `names` are the names of its players by id, except those merged into others. `openings` are the
    folded names of its opening.
    """

    rows: GameRows
    names: Mapping[str, str]
    openings: Collection[str] = ()


def matches(query: Query, facts: GameFacts) -> bool:
    """Whether a game matches; raises BadFen, BadValue and UnknownVariant for a bad query."""
    query.check()
    return (
        _fits_row(query, facts.rows.game)
        and _fits_players(query, facts)
        and all(tag_key(*pair) in facts.rows.pairs for pair in query.tags)
        and (query.opening is None or fold_name(query.opening) in facts.openings)
        and _fits_play(query, facts.rows.play)
    )


def _fits_row(query: Query, row: Mapping[str, Any]) -> bool:
    for name in EQUAL:
        wanted = getattr(query, name)
        if wanted is not None and row[name] != storable(str(wanted)):
            return False
    if query.computer is not None and query.computer != (row["computer"] > 0):
        return False
    if (query.since or query.until) is not None and not (
        row["day"] and (query.since or "") <= row["day"] <= (query.until or row["day"])
    ):
        return False
    points = row["first_points"], row["second_points"]
    return (
        _is_within(row["plies"], query.plies)
        and _is_within(row["rating"] or None, query.rating)
        and _is_within(None if None in points else max(points), query.points)
    )


def _fits_players(query: Query, facts: GameFacts) -> bool:
    if query.open_for is not None and query.open_for not in facts.rows.open_for:
        return False
    if query.player is None and query.opponent is None:
        return True
    sides = (0, 1) if query.side is None else (query.side,)
    return any(
        _sits(query.player, facts, side) and _sits(query.opponent, facts, 1 - side)
        for side in sides
    )


def _sits(wanted: str | PlayerName | None, facts: GameFacts, side: int) -> bool:
    """Whether this player sits on a side."""
    return wanted is None or any(
        _is_called(facts.names.get(seat[0], ""), wanted)
        if isinstance(wanted, PlayerName)
        else seat[0] == wanted
        for seat in facts.rows.seats
        if seat[1] == side
    )


def _is_called(name: str, wanted: PlayerName) -> bool:
    sought = "_".join(wanted.words)
    return any(f"{start}_".startswith(f"{sought}_") for start in starts(storable(name)))


def _fits_play(query: Query, play: Play | None) -> bool:
    if query.fen is None and query.material is None and not query.actions and not query.pieces:
        return True
    if play is None:
        return False
    variant = query.variant
    assert variant is not None
    if query.fen is not None:
        key = fen_key(variant, query.fen)
        came = (ply for ply, step in enumerate(play.steps) if step[0] == key)
        if not any(_is_within(ply, query.at_ply) for ply in came):
            return False
    if query.material is not None:
        wanted = material_key(variant, canonical_material(query.material))
        if wanted not in play.material:
            return False
    if query.actions and write_actions(query.actions) not in play.actions:
        return False
    numbers = [numbering(variant).number(placement) for placement in query.pieces]
    return not numbers or came_up(play.placements, numbers)


def _is_within(value: int | None, bounds: Bounds) -> bool:
    if bounds == ANY:
        return True
    least, most = bounds
    return value is not None and (least or 0) <= value and (most is None or value <= most)
