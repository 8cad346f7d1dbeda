"""Submits a record as requests that play it move by move (the API's scribe mode)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.described_error import DescribedError
from engine.outcome import Termination
from engine.side import Side
from notation.dialect import Dialect
from notation.embedded_commands import (
    CLOCK,
    ELAPSED,
    EmbeddedCommand,
    join_comment,
    read_time,
    split_comment,
    write_time,
)
from notation.errors import BadAnnotation, BadChoice
from notation.game import UNFINISHED, Game, Move
from notation.registry import find_dialect
from notation.sealing import DisclosedChoice
from notation.writer import write_variation
from service.cli.client import Client
from service.game.annotating import find_reserved, list_comments
from service.game.importing import SERVICE_TAGS
from service.game.values import Secrecy

Body = dict[str, Any]

SIDES: Final = ("first", "second")

CLOCKS: Final = {CLOCK: "clock_ms", ELAPSED: "elapsed_ms"}
"""Commands in comments that have their own fields in the API, in the order it writes them."""

LOSER: Final = {"1-0": "second", "0-1": "first"}

RULED: Final = frozenset({Termination.FORFEIT, Termination.RULES_INFRACTION, Termination.ABANDONED})
"""Terminations that, besides `adjudication`, only an arbiter can decide."""


class NotPlayable(DescribedError):
    """A valid record that would not come back unchanged if it were played move by move."""

    message = "{reason}: import it instead of playing it"
    reason: str


def submit_game(service: Client, game: Game, key: str, progress: Callable[[float], None]) -> Body:
    """Play a record's game on a service; returns its `id` and `result` there.

    `key` begins every idempotency key. `progress` is called with the share done, 0 to 1.
    Raises Refused; NotPlayable for a game that would not come back unchanged.
    """
    written = find_dialect(game.variant)
    choices = read_choices(game)
    notes = make_variation_bodies(game)
    created = service.post(
        "/games", make_creation_body(game) | make_secrecy_body(game, choices), f"{key}-new"
    )
    path = f"/games/{created['id']}"
    # An earlier attempt may have played some actions already.
    view = service.get(path)
    played = len(view["actions"])
    if view["status"] == "choosing":
        for side, choice in choices.items():
            body = make_choice_body(side, choice)
            view = service.post(f"{path}/commands", body, f"{key}-choose-{int(side)}")["game"]
    for ply, move in enumerate(game.moves[played:], played + 1):
        body = {**make_action_body(written, move), "expected_version": view["version"]}
        view = service.post(f"{path}/actions", body, f"{key}-{ply}")["game"]
        progress(ply / len(game.moves))
    if view["status"] == "running":
        for step, body in enumerate(make_ending_bodies(game), 1):
            view = service.post(f"{path}/commands", body, f"{key}-end-{step}")["game"]
    for ply, body in notes.items():
        service.post(f"{path}/commands", body, f"{key}-note-{ply}")
    return {"id": created["id"], "result": view["result"]}


def make_creation_body(game: Game) -> Body:
    """The body of the request that creates a record's game."""
    first, second = find_dialect(game.variant).variant.sides
    closing = {first, second, f"{first}Points", f"{second}Points", *SERVICE_TAGS}
    own = closing | {"Result", "Variant", "Termination", "SetUp", "FEN"}
    if (sealing := find_dialect(game.variant).sealing) is not None:
        own |= {tag for side in Side for tag in sealing.tags(side, "", "", "")}
    return {
        "variant": game.variant,
        "mode": "scribe",
        "players": {"first": {"name": game.tags[first]}, "second": {"name": game.tags[second]}},
        "tags": {name: value for name, value in game.tags.items() if name not in own},
        "fen": game.tags.get("FEN"),
    }


def read_choices(game: Game) -> Mapping[Side, DisclosedChoice]:
    """The secret choices that a record reveals; raises NotPlayable."""
    written = find_dialect(game.variant)
    if written.sealing is None:
        return {}
    try:
        return written.sealing.read_choices(written.start(game.tags), game.tags)
    except BadChoice as error:
        raise NotPlayable(str(error)) from error


def make_secrecy_body(game: Game, choices: Mapping[Side, DisclosedChoice]) -> Body:
    """The fields of the creation that concern secret choices; raises NotPlayable.

    Revealed choices are made again, so the FEN must not name them. Without a FEN, a record must
    reveal the choices of both sides or of neither.
    """
    written = find_dialect(game.variant)
    sealing = written.sealing
    if sealing is None:
        return {}
    position = written.start(game.tags)
    unknown = sealing.open_sides(position)
    if choices and unknown:
        raise NotPlayable("it contains the secret choice of only one side")
    mode = Secrecy.UNKNOWN if unknown else Secrecy.SEALED
    if "FEN" in game.tags:
        return {"infiltrators": mode, "fen": written.write_fen(sealing.view(position, choices))}
    if not choices and not unknown:
        return {"infiltrators": Secrecy.NONE}
    if len(choices or unknown) < len(Side):
        raise NotPlayable("only one side made a secret choice")
    return {"infiltrators": mode}


def make_choice_body(side: Side, told: DisclosedChoice) -> Body:
    """The body of a choice; without a nonce the service makes one."""
    nonce = {} if told.nonce is None else {"nonce": told.nonce}
    return {"type": "choose", "side": SIDES[side], "square": told.choice, **nonce}


def make_action_body(written: Dialect, move: Move) -> Body:
    """The body that plays one action with its annotation."""
    return {"action": written.coordinate(move.action), "annotation": make_annotation_body(move)}


def make_annotation_body(move: Move) -> Body:
    """An action's annotation; a comment that holds only clock times is sent as clock fields."""
    clocks, comments = _split_clocks(move.after)
    return {
        "comments_before": list(move.before),
        "comments": list(comments),
        "nags": list(move.nags),
        **clocks,
    }


def make_variation_bodies(game: Game) -> dict[int, Body]:
    """The bodies of the commands that add a record's variations, by the action's number.

    They are sent when the game is over: before that, its secret choices are not known to all.
    Raises NotPlayable for variations that state clocks or evaluations, which annotations cannot.
    """
    written = find_dialect(game.variant)
    position = written.start(game.tags)
    bodies: dict[int, Body] = {}
    for ply, move in enumerate(game.moves, 1):
        if move.variations:
            texts = [write_variation(line, written, position.copy()) for line in move.variations]
            if find_reserved(list_comments(texts)):
                raise NotPlayable("its variations state clock times or evaluations")
            _, comments = _split_clocks(move.after)
            annotation = {
                "comments_before": list(move.before),
                "comments": list(comments),
                "nags": list(move.nags),
            }
            note = {"type": "annotate", "ply": ply, "annotation": annotation}
            bodies[ply] = note | {"variations": texts}
        position.play(move.action)
    return bodies


def _split_clocks(comments: tuple[str, ...]) -> tuple[Body, tuple[str, ...]]:
    """The clock fields of the first comment, if they can reproduce it, and the other comments."""
    commands, text = split_comment(comments[0]) if comments else ((), "")
    values = {command.name: command.value for command in commands}
    names = [name for name in CLOCKS if name in values]
    try:
        times = {name: read_time(values[name]) for name in names}
    except BadAnnotation:
        return {}, comments
    exact = [EmbeddedCommand(name, write_time(times[name])) for name in names]
    if text or not exact or join_comment(exact) != comments[0]:
        return {}, comments
    return {CLOCKS[name]: times[name] for name in names}, comments[1:]


def make_ending_bodies(game: Game) -> list[Body]:
    """The bodies of the commands that end a game as its record says, if the rules have not.

    A termination that no game can end by (a draw by resignation, PGN's `death`) becomes an
    adjudication.
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
