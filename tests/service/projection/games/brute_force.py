"""Answers queries by looking at every game: slow, plain, and without the product's tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from engine.registry import find_variant
from notation.registry import find_dialect
from service.boards.registry import find_board
from service.boards.scene import place_letters
from service.game.begin import find_initial_position
from service.game.evolve import fold
from service.game.repository import Games, audience, stream_of
from service.game.state import GameState
from service.game.values import GameStatus
from service.projection.games.query import Bounds, Query, Sort

OPEN = ("offered", "choosing", "running")
SAID_ELSEWHERE = ("Date", "Result", "Variant", "Termination", "SetUp", "FEN")


@dataclass(frozen=True, slots=True)
class Facts:
    """All that is asked of a game; what only finished games tell is empty for others."""

    state: GameState
    day: str
    rating: int
    programs: int
    speed: str | None
    positions: tuple[str, ...]
    material: frozenset[str]
    actions: tuple[str, ...]
    placements: tuple[frozenset[str], ...]

    @property
    def order(self) -> tuple[int, str]:
        """Sorts games by creation."""
        return self.state.created_at, self.state.id


def gather(games: Games, ids: Iterable[str]) -> list[Facts]:
    """The facts of games, as their logs have them; nothing of a prepared game."""
    states = [fold(id, games.log.read(stream_of(id))) for id in ids]
    return [look_at(state) for state in states if state and state.status is not GameStatus.PREPARED]


def look_at(state: GameState) -> Facts:
    """The facts of a game."""
    tags, sides = state.tags, find_variant(state.variant).sides
    elos = [int(tags[f"{side}Elo"]) for side in sides if f"{side}Elo" in tags]
    fens: list[str] = []
    if state.status is GameStatus.FINISHED:
        written = find_dialect(state.variant)
        position = find_initial_position(state)
        fens.append(written.write_fen(position))
        for played in state.played:
            position.play(played.action)
            fens.append(written.write_fen(position))
    return Facts(
        state=state,
        day=day_of(state),
        rating=sum(elos) // len(elos) if elos else 0,
        programs=sum(tags.get(f"{side}Type") == "program" for side in sides),
        speed=speed_of(tags.get("TimeControl", "")),
        positions=tuple(fen.rpartition(" ")[0] for fen in fens),
        material=frozenset(material_of(fen) for fen in fens),
        actions=tuple(played.coordinate for played in state.played) if fens else (),
        placements=tuple(placements_of(state.variant, fen) for fen in fens),
    )


def day_of(state: GameState) -> str:
    """The earliest day a game can be of; empty where it is unknown."""
    date = state.tags.get("Date")
    if date is None:
        return datetime.fromtimestamp(state.created_at / 1000, UTC).strftime("%Y.%m.%d")
    return "" if date.startswith("????") else date.replace("??", "01")


def speed_of(control: str) -> str | None:
    """The speed of the synthetic games' time controls."""
    return {
        "60+1": "bullet",
        "180+2": "blitz",
        "600": "rapid",
        "40/5400+30:1800+30": "classical",
        "1/259200": "correspondence",
    }.get(control)


def material_of(fen: str) -> str:
    """The pieces on a board: letters in order, each with its count above one."""
    counts = Counter(re.sub(r"[^A-Za-z]", "", fen.partition(" ")[0]))
    pieces = (f"{letter}{count if count > 1 else ''}" for letter, count in sorted(counts.items()))
    return "".join(pieces) or "-"


def placements_of(variant: str, fen: str) -> frozenset[str]:
    """Every piece with its cell."""
    standing = place_letters(find_board(variant), fen)
    return frozenset(f"{letter}{cell}" for cell, letter in standing.items())


def find(facts: Iterable[Facts], query: Query, sort: Sort = Sort.CREATED) -> list[str]:
    """The ids of the games that fit, in the order of the sort."""
    found = [one for one in facts if fits(one, query)]
    keys: dict[Sort, Callable[[Facts], Any]] = {
        Sort.CREATED: lambda one: one.order,
        Sort.UPDATED: lambda one: one.state.updated_at,
        Sort.DAY: lambda one: one.day,
        Sort.PLIES: lambda one: len(one.state.played),
        Sort.RATING: lambda one: one.rating,
    }
    ordered = sorted(found, key=lambda one: (keys[sort](one), one.order), reverse=True)
    return [one.state.id for one in ordered]


def fits(facts: Facts, query: Query) -> bool:
    """Whether a game is among those that are looked for."""
    state = facts.state
    result = state.ending.result if state.ending else None
    termination = state.ending.termination if state.ending else None
    for wanted, value in (
        (query.variant, state.variant),
        (query.mode, state.mode),
        (query.status, state.status),
        (query.result, result),
        (query.termination, termination),
        (query.speed, facts.speed),
        (query.computer, facts.programs > 0),
    ):
        if wanted is not None and wanted != value:
            return False
    return (
        fits_players(state, query)
        and fits_tags(state, query)
        and fits_bounds(facts, query)
        and fits_play(facts, query)
    )


def fits_players(state: GameState, query: Query) -> bool:
    """Whether those who are asked for sit there, on different sides."""
    if query.open_for is not None and (
        state.status not in OPEN or query.open_for not in audience(state)
    ):
        return False
    seats = [(side, state.seats[side], state.seats[1 - side]) for side in (0, 1)]
    return any(
        (query.player is None or player == query.player)
        and (query.side is None or side == query.side)
        and (query.opponent is None or opponent == query.opponent)
        for side, player, opponent in seats
    )


def fits_tags(state: GameState, query: Query) -> bool:
    """Whether a game has all the tag pairs."""
    return all(
        name not in SAID_ELSEWHERE and value not in ("", "?", "-") and state.tags.get(name) == value
        for name, value in query.tags
    )


def fits_bounds(facts: Facts, query: Query) -> bool:
    """Whether the numbers and the day of a game are within what is asked."""
    state = facts.state
    if (query.since or query.until) and not (
        facts.day and (query.since or "") <= facts.day <= (query.until or "9")
    ):
        return False
    if query.points != (None, None):
        points = state.score.points if state.score is not None and state.is_scored else None
        if points is None or not within(max(points), query.points):
            return False
    if query.rating != (None, None) and (
        not facts.rating or not within(facts.rating, query.rating)
    ):
        return False
    return within(len(state.played), query.plies)


def fits_play(facts: Facts, query: Query) -> bool:
    """Whether a finished game went as is asked."""
    if query.fen is not None:
        wanted = query.fen.rpartition(" ")[0]
        plies = [ply for ply, key in enumerate(facts.positions) if key == wanted]
        if not any(within(ply, query.at_ply) for ply in plies):
            return False
    if query.material is not None and query.material not in facts.material:
        return False
    if query.actions:
        sought, length = query.actions, len(query.actions)
        starts = range(len(facts.actions) - length + 1)
        if not any(facts.actions[start : start + length] == sought for start in starts):
            return False
    if query.pieces:
        pieces = {str(placement) for placement in query.pieces}
        return any(pieces <= standing for standing in facts.placements)
    return True


def within(value: int, bounds: Bounds) -> bool:
    """Whether a value is within bounds."""
    least, most = bounds
    return (least is None or value >= least) and (most is None or value <= most)


def explore(facts: Iterable[Facts], query: Query) -> dict[str, Counter[str]]:
    """How often each action was played from the position that the query names, by result."""
    assert query.fen is not None
    wanted = query.fen.rpartition(" ")[0]
    found: dict[str, Counter[str]] = {}
    for one in facts:
        if fits(one, query):
            assert one.state.ending is not None
            actions = (*one.actions, "")
            played = {actions[ply] for ply, key in enumerate(one.positions) if key == wanted}
            for action in played:
                found.setdefault(action, Counter())[one.state.ending.result] += 1
    return found
