"""Random queries about synthetic games, most of which match some game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from service.projection.games.placements import Placement
from service.projection.games.query import Bounds, PlayerName, Query, Sort
from tests.service.projection.games.brute_force import Facts, placements_of, plain
from tests.service.projection.games.synthetic import PEOPLE, PLAYERS

Part = Callable[[Facts, Random], dict[str, Any]]


def ask(facts: Sequence[Facts], random: Random) -> tuple[Query, Sort]:
    """A query of up to five parts, each of which matches a game, mostly the same one."""
    model = random.choice(facts)
    parts: dict[str, Any] = {}
    for part in random.sample(PARTS, random.choice((1, 1, 2, 2, 3, 5))):
        # Parts about what was played need one variant, so they are taken from one game.
        other = part not in PLAYED and random.random() < 0.1
        parts |= part(random.choice(facts) if other else model, random)
    if any(parts.get(name) for name in ("fen", "material", "actions", "pieces")):
        parts["variant"] = model.variant
    sort = random.choice(list(Sort)) if random.random() < 0.4 else Sort.CREATED
    return Query(**parts), sort


def around(value: int, random: Random) -> Bounds:
    """Bounds around a value, sometimes open at one end."""
    least, most = value - random.randrange(5), value + random.randrange(5)
    return random.choice(((least, most), (least, None), (None, most)))


def players(model: Facts, random: Random) -> dict[str, Any]:
    """Who played, on which side and against whom."""
    side = random.randrange(2)
    parts: dict[str, Any] = {"player": somebody(model, side, random)}
    if random.random() < 0.4:
        parts["side"] = side
    if random.random() < 0.4:
        parts["opponent"] = somebody(model, 1 - side, random)
    return parts


def somebody(model: Facts, side: int, random: Random) -> str | PlayerName:
    """A side's player, or one whom the player was merged into: the id, or a part of the name."""
    player = random.choice(model.seats[side] or PLAYERS)
    if random.random() < 0.5:
        return player
    words = plain(PEOPLE[player]).split()
    start = random.randrange(len(words))
    return PlayerName(tuple(words[start : start + random.randrange(1, 4)]))


def opponent(model: Facts, random: Random) -> dict[str, Any]:
    """A player, queried only as an opponent."""
    return {"opponent": somebody(model, 1, random) if model.seats[1] else "nobody"}


def open_for(model: Facts, random: Random) -> dict[str, Any]:
    """A player whom open games concern."""
    return {"open_for": random.choice(PLAYERS)}


def kind(model: Facts, random: Random) -> dict[str, Any]:
    """Fields of a game's row."""
    parts: dict[str, Any] = {
        "variant": model.variant,
        "mode": model.mode,
        "status": model.status,
        "speed": model.speed,
        "computer": model.programs > 0,
        "result": model.result,
        "termination": model.termination,
    }
    names = random.sample(sorted(parts), random.randrange(1, 4))
    return {name: parts[name] for name in names}


def tags(model: Facts, random: Random) -> dict[str, Any]:
    """One or two of a game's tags."""
    known = sorted(model.tags.items())
    return {"tags": tuple(random.sample(known, min(len(known), random.randrange(1, 3))))}


def days(model: Facts, random: Random) -> dict[str, Any]:
    """A range of days around a game's."""
    day = model.day or "2000.01.01"
    year = int(day[:4])
    since, until = f"{year - random.randrange(3)}.01.01", f"{year + random.randrange(3)}.12.31"
    return random.choice(({"since": since, "until": until}, {"since": since}, {"until": until}))


def numbers(model: Facts, random: Random) -> dict[str, Any]:
    """A range of lengths, points or ratings."""
    return random.choice(
        (
            {"plies": around(model.plies, random)},
            {"points": around(model.points or 7, random)},
            {"rating": around(model.rating or 1500, random)},
        )
    )


def position(model: Facts, random: Random) -> dict[str, Any]:
    """A position of a game, sometimes with the number of actions before it."""
    if not model.positions:
        return {}
    ply = min(random.randrange(len(model.positions)), random.choice((3, 100)))
    fen = model.positions[ply]
    if model.variant == "katruji":
        # The clock makes no difference to the position.
        fen = f"{fen.removesuffix(' 0 1')} {random.randrange(9)} 1"
    parts: dict[str, Any] = {"fen": fen}
    return parts | ({"at_ply": around(ply, random)} if random.random() < 0.3 else {})


def material(model: Facts, random: Random) -> dict[str, Any]:
    """Material that a game had on the board."""
    return {"material": random.choice(model.material)} if model.material else {}


def actions(model: Facts, random: Random) -> dict[str, Any]:
    """Some consecutive actions of a game."""
    if not model.actions:
        return {}
    start = random.randrange(len(model.actions))
    return {"actions": model.actions[start : start + random.randrange(1, 4)]}


def pieces(model: Facts, random: Random) -> dict[str, Any]:
    """Some pieces and their cells in one position of a game."""
    if not model.boards:
        return {}
    standing = placements_of(model.variant, random.choice(model.boards))
    chosen = random.sample(standing, min(len(standing), random.randrange(1, 4)))
    return {"pieces": tuple(sorted(Placement(text[0], text[1:]) for text in chosen))}


def opening(model: Facts, random: Random) -> dict[str, Any]:
    """A game's opening by name, by the beginning of the name or by code; rarely an unknown name."""
    if model.opening is None:
        return {"opening": "Nameless"} if random.random() < 0.1 else {}
    name, code = model.opening.name, model.opening.code
    names = [name, name.upper(), name.partition(":")[0], name.partition(",")[0], code or "none"]
    return {"opening": random.choice(names)}


PLAYED: list[Part] = [position, material, actions, pieces]
PARTS: list[Part] = [players, opponent, open_for, kind, tags, days, numbers, opening, *PLAYED]
