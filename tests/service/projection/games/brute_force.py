"""Answers queries by looking at every game: slow, plain, and without the product's tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, lru_cache
from sys import intern
from typing import Any

from engine.registry import find_variant
from notation.registry import find_dialect
from service.boards.registry import find_board
from service.boards.scene import place_letters
from service.game.begin import find_initial_position
from service.game.repository import audience
from service.game.state import GameState
from service.game.values import GameStatus
from service.openings.values import Opening
from service.projection.games.query import Bounds, PlayerName, Query, Sort

OPEN = ("offered", "choosing", "running")
SAID_ELSEWHERE = ("Date", "Result", "Variant", "Termination", "SetUp", "FEN")

People = Mapping[str, str]
"""The players' names; players who were merged into another have none."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that a query can ask of a game; what only finished games have is empty for others.

    `seats` hold the player on each side and those whom the player was merged into. `positions` are
    as `identify` gives them. `boards` have the letter on each cell, in the order of `cells_of`, or
    a blank.
    """

    id: str
    order: tuple[int, str]
    updated_at: int
    variant: str
    mode: str
    status: str
    result: str | None
    termination: str | None
    seats: tuple[tuple[str, ...], tuple[str, ...]]
    concerned: tuple[str, ...]
    tags: Mapping[str, str]
    points: int | None
    plies: int
    day: str
    rating: int
    programs: int
    speed: str | None
    positions: tuple[str, ...]
    material: tuple[str, ...]
    actions: tuple[str, ...]
    boards: tuple[str, ...]
    opening: Opening | None = None


def look_at(state: GameState, merged: Mapping[str, Sequence[str]]) -> Facts:
    """Collect the facts of a game."""
    tags, sides = state.tags, find_variant(state.variant).sides
    elos = [int(tags[f"{side}Elo"]) for side in sides if f"{side}Elo" in tags]
    fens = list(play_again(state)) if state.status is GameStatus.FINISHED else []
    points = state.score.points if state.score is not None and state.is_scored else None
    first, second = (
        () if player is None else (player, *merged.get(player, ())) for player in state.seats
    )
    return Facts(
        id=state.id,
        order=(state.created_at, state.id),
        updated_at=state.updated_at,
        variant=state.variant,
        mode=str(state.mode),
        status=str(state.status),
        result=state.ending.result if state.ending else None,
        termination=state.ending.termination if state.ending else None,
        seats=(first, second),
        concerned=audience(state) if state.status in OPEN else (),
        tags={intern(name): intern(value) for name, value in tags.items()},
        points=max(points) if points else None,
        plies=len(state.played),
        day=day_of(state),
        rating=sum(elos) // len(elos) if elos else 0,
        programs=sum(tags.get(f"{side}Type") == "program" for side in sides),
        speed=speed_of(tags.get("TimeControl", "")),
        positions=tuple(identify(state.variant, fen) for fen in fens),
        material=tuple(sorted({material_of(fen.partition(" ")[0]) for fen in fens})),
        actions=tuple(intern(played.coordinate) for played in state.played) if fens else (),
        boards=tuple(board_of(state.variant, fen.partition(" ")[0]) for fen in fens),
    )


def play_again(state: GameState) -> Iterator[str]:
    """The FENs of a game's positions, first to last."""
    written = find_dialect(state.variant)
    position = find_initial_position(state)
    yield written.write_fen(position)
    for played in state.played:
        position.play(played.action)
        yield written.write_fen(position)


def identify(variant: str, fen: str) -> str:
    """A FEN that equal positions share.

    It ignores the move number, Katruji's clock and Kerd's infiltrators.
    """
    fields = fen.split(" ")
    fields[-1] = "1"
    if variant == "katruji":
        fields[-2] = "0"
    elif variant.startswith("kerd"):
        fields[-4] = "?/?"
    return " ".join(fields)


def day_of(state: GameState) -> str:
    """The earliest day on which a game may have been played; empty if unknown."""
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


@lru_cache(maxsize=1 << 16)
def material_of(board: str) -> str:
    """The material on a board: letters in order, each with its count if that is above one."""
    counts = Counter(re.sub(r"[^A-Za-z]", "", board))
    pieces = (f"{letter}{count if count > 1 else ''}" for letter, count in sorted(counts.items()))
    return "".join(pieces) or "-"


@lru_cache(maxsize=1 << 16)
def board_of(variant: str, board: str) -> str:
    """The letter on each cell of a variant's board, in the order of `cells_of`."""
    standing = place_letters(find_board(variant), board)
    return "".join(standing.get(cell, " ") for cell in cells_of(variant))


@cache
def cells_of(variant: str) -> Mapping[str, int]:
    """The cells of a variant's board, numbered."""
    cells = [cell.name for row in find_board(variant).rows for cell in row]
    return {name: number for number, name in enumerate(cells)}


def placements_of(variant: str, board: str) -> list[str]:
    """Every piece with its cell."""
    cells = cells_of(variant)
    return [f"{letter}{cell}" for cell, letter in zip(cells, board, strict=True) if letter != " "]


def find(
    facts: Sequence[Facts], query: Query, sort: Sort = Sort.CREATED, people: People | None = None
) -> list[str]:
    """The ids of the matching games, in the order of `sort`."""
    keys: dict[Sort, Callable[[Facts], Any]] = {
        Sort.CREATED: lambda one: one.order,
        Sort.UPDATED: lambda one: one.updated_at,
        Sort.DAY: lambda one: one.day,
        Sort.PLIES: lambda one: one.plies,
        Sort.RATING: lambda one: one.rating,
    }
    found = select(facts, query, people or {})
    ordered = sorted(found, key=lambda one: (keys[sort](one), one.order), reverse=True)
    return [one.id for one in ordered]


def select(facts: Sequence[Facts], query: Query, people: People) -> Sequence[Facts]:
    """The games that match every part of a query."""
    left = facts
    for fits in tests_of(query, people):
        left = [one for one in left if fits(one)]
    return left


Test = Callable[[Facts], bool]


def tests_of(query: Query, people: People) -> Iterator[Test]:
    """The tests that a game must pass, for each part of a query; the costliest last."""
    if query.variant is not None:
        yield lambda one: one.variant == query.variant
    yield from players_tests(query, people)
    yield from plain_tests(query)
    yield from bounds_tests(query)
    for name, value in query.tags:
        if name in SAID_ELSEWHERE or value in ("", "?", "-"):
            yield lambda one: False
        yield lambda one, name=name, value=value: one.tags.get(name) == value  # type: ignore[misc]
    yield from play_tests(query)


def plain_tests(query: Query) -> Iterator[Test]:
    """Tests of fields that must be equal."""
    if query.mode is not None:
        yield lambda one: one.mode == query.mode
    if query.status is not None:
        yield lambda one: one.status == query.status
    if query.result is not None:
        yield lambda one: one.result == query.result
    if query.termination is not None:
        yield lambda one: one.termination == query.termination
    if query.speed is not None:
        yield lambda one: one.speed == query.speed
    if query.computer is not None:
        yield lambda one: (one.programs > 0) == query.computer


def players_tests(query: Query, people: People) -> Iterator[Test]:
    """Tests that the wanted players sit on opposite sides."""
    if query.open_for is not None:
        yield lambda one: query.open_for in one.concerned
    if query.player is None and query.opponent is None:
        return
    players, opponents = (meant(given, people) for given in (query.player, query.opponent))
    sides = (0, 1) if query.side is None else (query.side,)
    yield lambda one: any(
        sits(one.seats[side], players) and sits(one.seats[1 - side], opponents) for side in sides
    )


def meant(given: str | PlayerName | None, people: People) -> frozenset[str] | None:
    """The players that an id or a name refers to; None for everybody."""
    if given is None:
        return None
    if isinstance(given, str):
        return frozenset({given})
    sought = f" {given} "
    return frozenset(player for player, name in people.items() if sought in f" {plain(name)} ")


def plain(name: str) -> str:
    """A synthetic player's name without accents, case and commas."""
    return name.lower().translate(str.maketrans("éä", "ea", ","))


def sits(seat: tuple[str, ...], players: frozenset[str] | None) -> bool:
    """Whether one of the players has this seat."""
    return players is None or not players.isdisjoint(seat)


def bounds_tests(query: Query) -> Iterator[Test]:
    """Tests that the numbers and the day of a game are within bounds."""
    since, until = query.since or "", query.until or "9"
    if query.since or query.until:
        yield lambda one: one.day != "" and since <= one.day <= until
    if query.points != (None, None):
        yield lambda one: one.points is not None and within(one.points, query.points)
    if query.rating != (None, None):
        yield lambda one: one.rating > 0 and within(one.rating, query.rating)
    if query.plies != (None, None):
        yield lambda one: within(one.plies, query.plies)


def play_tests(query: Query) -> Iterator[Test]:
    """Tests of how a finished game was played."""
    if query.fen is not None:
        assert query.variant is not None
        wanted = identify(query.variant, query.fen)
        yield lambda one: wanted in one.positions
        if query.at_ply != (None, None):
            yield lambda one: any(
                key == wanted and within(ply, query.at_ply) for ply, key in enumerate(one.positions)
            )
    if query.material is not None:
        yield lambda one: query.material in one.material
    if query.opening is not None:
        name = query.opening.lower()
        yield lambda one: one.opening is not None and name in names_of(one.opening)
    if query.actions:
        sought, length = query.actions, len(query.actions)
        yield lambda one: any(
            one.actions[start : start + length] == sought
            for start, action in enumerate(one.actions)
            if action == sought[0]
        )
    if query.pieces:
        assert query.variant is not None
        cells = cells_of(query.variant)
        wanted_on = [(cells[placement.cell], placement.letter) for placement in query.pieces]
        yield lambda one: any(
            all(board[cell] == letter for cell, letter in wanted_on) for board in one.boards
        )


def names_of(opening: Opening) -> list[str]:
    """What an opening is found by: its code, its name, and the name up to each colon or comma."""
    name = opening.name.lower()
    parts = [name[: match.start()] for match in re.finditer("[:,]", name)]
    return [name, *parts, *([opening.code.lower()] if opening.code else [])]


def within(value: int, bounds: Bounds) -> bool:
    """Whether a value is within bounds."""
    least, most = bounds
    return (least is None or value >= least) and (most is None or value <= most)


def explore(
    facts: Sequence[Facts], query: Query, people: People | None = None
) -> dict[str, Counter[str]]:
    """How often each action was played from the query's position, by result."""
    assert query.fen is not None
    assert query.variant is not None
    wanted = identify(query.variant, query.fen)
    found: dict[str, Counter[str]] = {}
    for one in select(facts, query, people or {}):
        assert one.result is not None
        actions = (*one.actions, "")
        played = {actions[ply] for ply, key in enumerate(one.positions) if key == wanted}
        for action in played:
            found.setdefault(action, Counter())[one.result] += 1
    return found


def show(
    facts: Sequence[Facts], query: Query, shown: int, people: People | None = None
) -> tuple[list[str], list[str]]:
    """The ids of the newest matching games, and of those with the highest ratings."""
    fitting = sorted(select(facts, query, people or {}), key=lambda one: one.order, reverse=True)
    rated = sorted(
        (one for one in fitting if one.rating),
        key=lambda one: (one.rating, one.order),
        reverse=True,
    )
    return [one.id for one in fitting[:shown]], [one.id for one in rated[:shown]]


def gather(states: Iterable[GameState], merged: Mapping[str, Sequence[str]]) -> list[Facts]:
    """The facts of the games that lists show."""
    return [look_at(state, merged) for state in states if state.status is not GameStatus.PREPARED]
