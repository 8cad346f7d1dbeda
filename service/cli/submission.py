"""A record as the requests that play it move by move (the API's scribe mode)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.outcome import Termination
from engine.side import Side
from notation.commands import (
    CLOCK,
    ELAPSED,
    Command,
    join_comment,
    read_time,
    split_comment,
    write_time,
)
from notation.dialect import Dialect
from notation.errors import BadAnnotation, BadChoice
from notation.game import UNFINISHED, Game, Move
from notation.registry import dialect
from notation.sealing import DisclosedChoice
from service.cli.client import Client
from service.game.importing import SERVICE_TAGS
from service.game.values import Secrecy

Body = dict[str, Any]

SIDES: Final = ("first", "second")

CLOCKS: Final = {CLOCK: "clock_ms", ELAPSED: "elapsed_ms"}
"""Commands in comments that the API has fields for, in the order in which it writes them."""

LOSER: Final = {"1-0": "second", "0-1": "first"}

RULED: Final = frozenset({Termination.FORFEIT, Termination.RULES_INFRACTION, Termination.ABANDONED})
"""Terminations that only an arbiter gives, besides `adjudication`."""


class NotPlayable(Exception):
    """A record that is good, yet cannot be played move by move and come back as it is."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.reason}: import it instead of playing it"


def submit(client: Client, game: Game, key: str, progress: Callable[[float], None]) -> Body:
    """Play a record's game on a service; returns its `id` and `result` there.

    `key` begins the idempotency keys. `progress` is called with the part that is done, 0 to 1.
    Raises Refused, and NotPlayable for a game that would not come back as it is.
    """
    written = dialect(game.variant)
    choices = told(game)
    created = client.post("/games", creation(game) | secrecy(game, choices), f"{key}-new")
    path = f"/games/{created['id']}"
    # An earlier attempt may have come some way; what it has played is not sent again.
    standing = client.get(path)
    played = len(standing["actions"])
    if standing["status"] == "choosing":
        for side, choice in choices.items():
            body = choosing(side, choice)
            standing = client.post(f"{path}/commands", body, f"{key}-choose-{int(side)}")["game"]
    for ply, move in enumerate(game.moves[played:], played + 1):
        body = {**action(written, move), "expected_version": standing["version"]}
        standing = client.post(f"{path}/actions", body, f"{key}-{ply}")["game"]
        progress(ply / len(game.moves))
    if standing["status"] == "running":
        for step, body in enumerate(ending(game), 1):
            standing = client.post(f"{path}/commands", body, f"{key}-end-{step}")["game"]
    return {"id": created["id"], "result": standing["result"]}


def creation(game: Game) -> Body:
    """The request that sets a record's game up."""
    first, second = dialect(game.variant).variant.sides
    closing = {first, second, f"{first}Points", f"{second}Points", *SERVICE_TAGS}
    own = closing | {"Result", "Variant", "Termination", "SetUp", "FEN"}
    if (sealing := dialect(game.variant).sealing) is not None:
        own |= {tag for side in Side for tag in sealing.tags(side, "", "", "")}
    return {
        "variant": game.variant,
        "mode": "scribe",
        "players": {"first": {"name": game.tags[first]}, "second": {"name": game.tags[second]}},
        "tags": {name: value for name, value in game.tags.items() if name not in own},
        "fen": game.tags.get("FEN"),
    }


def told(game: Game) -> Mapping[Side, DisclosedChoice]:
    """The secret choices that a record tells; raises NotPlayable."""
    written = dialect(game.variant)
    if written.sealing is None:
        return {}
    try:
        return written.sealing.read_choices(written.start(game.tags), game.tags)
    except BadChoice as error:
        raise NotPlayable(str(error)) from error


def secrecy(game: Game, choices: Mapping[Side, DisclosedChoice]) -> Body:
    """What a creation says of the record's secret choices; raises NotPlayable.

    What is told is chosen anew, so that a FEN must not name it. Without a FEN that could say so,
    both sides' choices are told, or neither's.
    """
    written = dialect(game.variant)
    sealing = written.sealing
    if sealing is None:
        return {}
    position = written.start(game.tags)
    unknown = sealing.open_sides(position)
    if choices and unknown:
        raise NotPlayable("it tells the choice of one side alone")
    mode = Secrecy.UNKNOWN if unknown else Secrecy.SEALED
    if "FEN" in game.tags:
        return {"infiltrators": mode, "fen": written.write_fen(sealing.view(position, choices))}
    if not choices and not unknown:
        return {"infiltrators": Secrecy.NONE}
    if len(choices or unknown) < len(Side):
        raise NotPlayable("it was played with a secret choice of one side alone")
    return {"infiltrators": mode}


def choosing(side: Side, told: DisclosedChoice) -> Body:
    """The request that makes a choice; without a nonce the service makes one."""
    nonce = {} if told.nonce is None else {"nonce": told.nonce}
    return {"type": "choose", "side": SIDES[side], "square": told.choice, **nonce}


def action(written: Dialect, move: Move) -> Body:
    """The request that plays one action with what stands beside it."""
    return {"action": written.coordinate(move.action), "annotation": annotation(move)}


def annotation(move: Move) -> Body:
    """What stands beside an action.

    A comment that is a clock and nothing else is sent as one, where it comes back the same.
    """
    clocks, comments = _clocks(move.after)
    return {
        "comments_before": list(move.before),
        "comments": list(comments),
        "nags": list(move.nags),
        **clocks,
    }


def _clocks(comments: tuple[str, ...]) -> tuple[Body, tuple[str, ...]]:
    """The clocks of the first comment, and the comments that are left without it."""
    commands, text = split_comment(comments[0]) if comments else ((), "")
    values = {command.name: command.value for command in commands}
    names = [name for name in CLOCKS if name in values]
    try:
        times = {name: read_time(values[name]) for name in names}
    except BadAnnotation:
        return {}, comments
    exact = [Command(name, write_time(times[name])) for name in names]
    if text or not exact or join_comment(exact) != comments[0]:
        return {}, comments
    return {CLOCKS[name]: times[name] for name in names}, comments[1:]


def ending(game: Game) -> list[Body]:
    """The requests that end a game as its record says, where the rules have not ended it.

    What no game ends by (a draw by resignation, PGN's `death`) is entered as adjudicated.
    """
    stated = game.tags.get("Termination")
    loser = LOSER.get(game.result)
    if game.result == UNFINISHED:
        return [{"type": "close"}]
    if stated == Termination.RESIGNATION and loser is not None:
        return [{"type": "resign", "side": loser}]
    if stated == Termination.TIME_FORFEIT and loser is not None:
        return [{"type": "lose-on-time", "side": loser}]
    if stated == Termination.POINTS or (stated == Termination.AGREEMENT and loser is None):
        return [{"type": "offer-draw", "side": "first"}, {"type": "accept-draw", "side": "second"}]
    ruled = stated if stated in RULED else Termination.ADJUDICATION
    return [{"type": "adjudicate", "result": game.result, "termination": str(ruled)}]
