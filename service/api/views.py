"""Games and events as JSON values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from typing import Any

from engine.phrase import translate
from engine.registry import find_variant
from engine.side import Side
from notation.registry import find_dialect
from service.api.readable_games import load_if_readable
from service.api.terms_view import render_game_terms, render_summary_terms
from service.boards.described_actions import describe_actions, split_captures
from service.game.choices import list_choices
from service.game.clock import Clock
from service.game.commands import Annotation
from service.game.record import find_initial_fen
from service.game.redaction import STRANGER, Viewer, hidden, seen_actions, seen_position
from service.game.repository import Games, stream_of
from service.game.state import GameState
from service.game.values import GameStatus, Played
from service.game.variations import write_variations
from service.languages.texts import gettext
from service.log.chain import public_part, when
from service.log.values import Recorded
from service.player.names.shown import ShownName
from service.projection.summary import GameSummary, NamedOpening

SIDE_NAMES = ("first", "second")
GOING_ON = frozenset({GameStatus.CHOOSING, GameStatus.RUNNING})


def name_side(side: Side | None) -> str | None:
    """`first` or `second`."""
    return None if side is None else SIDE_NAMES[side]


def render_standing(
    state: GameState, viewer: Viewer = STRANGER, fen: str | None = None
) -> dict[str, Any]:
    """Return a game's current state for a viewer: what each action changes, without its history.

    `fen` is the position's FEN for this viewer, if it was written already.
    """
    position = seen_position(state, viewer)
    points = position.points()
    retraction = state.retraction
    return {
        "status": state.status,
        "version": state.version,
        "ply": len(state.played),
        "number": position.number,
        "to_act": name_side(state.to_act),
        "fen": fen or find_dialect(state.variant).write_fen(position),
        "points": points and list(points),
        "result": state.ending.result if state.ending else "*",
        "termination": state.ending.termination if state.ending else None,
        "draw_offer": name_side(state.draw_offer),
        "retraction": retraction
        and {"side": name_side(retraction.side), "to_ply": retraction.to_ply},
        **render_clocks(state.clock),
    }


def render_clocks(clock: Clock | None) -> dict[str, Any]:
    """The member `clocks`: what each side has left at `since`, and when the running flag falls.

    A game without clocks has no such member, as in the answers of earlier versions.
    """
    if clock is None:
        return {}
    first, second = clock.sides
    clocks = {
        "time_control": str(clock.control),
        "first_ms": first.left,
        "second_ms": second.left,
        "running": name_side(clock.running),
        "since": None if clock.running is None else when(clock.since + clock.credit),
        "falls_at": None if clock.due is None else when(clock.due),
    }
    return {"clocks": clocks}


def render_game(
    state: GameState, names: Mapping[str, ShownName], viewer: Viewer = STRANGER
) -> dict[str, Any]:
    """A whole game: its terms, its state for a viewer, and every action that counts."""
    score = state.score
    return {
        "id": state.id,
        "variant": state.variant,
        "rules": state.rules,
        "mode": state.mode,
        "creator": state.creator,
        "players": render_players(state.variant, state.seats, names),
        "tags": dict(state.tags),
        "initial_fen": find_initial_fen(state, viewer),
        "created_at": when(state.created_at),
        "updated_at": when(state.updated_at),
        "infiltrators": state.secret_choice,
        "terms": render_game_terms(state),
        "choices": render_choices(state, viewer),
        **render_standing(state, viewer),
        "score": score
        and {
            "result": score.ending.result,
            "termination": score.ending.termination,
            "points": score.points and list(score.points),
        },
        "annotators": [render_person(id, names) for id in state.annotators],
        "actions": render_actions(state),
    }


def list_people(state: GameState) -> list[str | None]:
    """The ids of the players that a game's view names."""
    return [*state.seats, *state.annotators]


def render_choices(state: GameState, viewer: Viewer) -> dict[str, Any]:
    """The secret choices by side: whether each was made, and what the viewer may know about it."""
    unknown = hidden(state, viewer)
    shown: dict[str, Any] = {}
    for side in state.choosers:
        choice = state.choices[side]
        known = choice is not None and side not in unknown
        shown[SIDE_NAMES[side]] = {
            "commitment": choice.commitment if choice else None,
            "choice": choice.choice if choice and known else None,
            "nonce": choice.nonce if choice and known else None,
        }
    return shown


def render_players(
    variant: str, seats: Sequence[str | None], names: Mapping[str, ShownName]
) -> dict[str, Any]:
    """Return the players by side."""
    sides = find_variant(variant).sides
    return {
        SIDE_NAMES[side]: {"side": sides[side], **render_person(id, names)}
        for side, id in zip(Side, seats, strict=True)
    }


def render_person(id: str | None, names: Mapping[str, ShownName]) -> dict[str, Any]:
    """A player as they are named everywhere; everything is None for a free seat."""
    shown = names.get(id) if id else None
    return {"id": id, "name": shown and shown.name, "mark": shown and shown.mark}


def list_summaries(
    summaries: Sequence[GameSummary], names: Mapping[str, ShownName], games: Games
) -> list[dict[str, Any]]:
    """Games as a list shows them; for running ones, with the clocks and whom they wait for now.

    A game that cannot be read is shown as it is listed, without either.
    """
    shown = []
    for summary in summaries:
        state = load_if_readable(games, summary.id) if summary.status in GOING_ON else None
        live = {} if state is None else render_waiting(state) | render_clocks(state.clock)
        shown.append(render_summary(summary, names) | live)
    return shown


def render_waiting(state: GameState) -> dict[str, Any]:
    """The member `waits_for`: the sides whose action or secret choice the game waits for."""
    waits = [side for side in state.choosers if state.choices[side] is None]
    if state.status is not GameStatus.CHOOSING:
        waits = [] if state.to_act is None else [state.to_act]
    return {"waits_for": [SIDE_NAMES[side] for side in waits]}


def render_summary(summary: GameSummary, names: Mapping[str, ShownName]) -> dict[str, Any]:
    """A game as a list shows it, without what is added for running games."""
    return {
        "id": summary.id,
        "variant": summary.variant,
        "mode": summary.mode,
        "status": summary.status,
        "players": render_players(summary.variant, summary.seats, names),
        "result": summary.result or "*",
        "termination": summary.termination,
        "points": summary.points and list(summary.points),
        "waits_for": [],
        "scored": summary.scored,
        "ply": summary.plies,
        "version": summary.version,
        "created_at": when(summary.created_at),
        "updated_at": when(summary.updated_at),
        "tags": dict(summary.tags),
        "infiltrators": summary.infiltrators,
        "initial_fen": summary.fen,
        "terms": render_summary_terms(summary),
        "opening": render_opening(summary.opening),
    }


def render_opening(opening: NamedOpening | None) -> dict[str, Any] | None:
    """An opening's name and code, or None if there is none."""
    return None if opening is None else asdict(opening)


def render_actions(state: GameState) -> list[dict[str, Any]]:
    """The actions of a game with their annotations."""
    variations = write_variations(state)
    return [
        render_action(ply, played)
        | ({"variations": list(variations[ply])} if ply in variations else {})
        for ply, played in enumerate(state.played, 1)
    ]


def render_action(ply: int, played: Played) -> dict[str, Any]:
    """One action of a game with its annotation, without variations."""
    return {
        "ply": ply,
        "number": played.number,
        "side": name_side(played.side),
        "action": played.coordinate,
        "san": played.san,
        **render_annotation(played.annotation),
    }


def render_annotation(note: Annotation) -> dict[str, Any]:
    """The parts that an annotation has."""
    parts = {
        "comments_before": list(note.before),
        "comments": list(note.after),
        "nags": list(note.nags),
        "clock_ms": note.clock,
        "elapsed_ms": note.elapsed,
    }
    return {name: value for name, value in parts.items() if value not in ([], None)}


def render_done(
    state: GameState, recorded: Sequence[Recorded], viewer: Viewer = STRANGER
) -> dict[str, Any]:
    """Return a command's events, and the game's state after them for a viewer."""
    return {
        "id": state.id,
        "version": state.version,
        "events": [public_part(stream_of(state.id), entry) for entry in recorded],
        "game": render_standing(state, viewer),
    }


def render_legal_actions(state: GameState, viewer: Viewer = STRANGER) -> dict[str, Any]:
    """The legal actions a viewer may know of, as a board needs them, sorted by coordinate form.

    None unless the game is running; before that, the squares that each side can choose in secret,
    which follow from the first position. SAN marks only a mate that the viewer can see, and effects
    of actions are likewise those the viewer can see.
    """
    position = seen_position(state, viewer)
    legal = seen_actions(state, viewer) if state.to_act is not None else []
    captures = find_dialect(state.variant).list_captures(position) if legal else []
    return {
        "id": state.id,
        "version": state.version,
        "to_act": name_side(state.to_act),
        "actions": describe_actions(state.variant, position, legal),
        **split_captures(captures),
        "choosable": {
            SIDE_NAMES[side]: list(squares) for side, squares in list_choices(state).items()
        },
    }


def render_combat(state: GameState, origin: str, target: str) -> dict[str, Any]:
    """A capture broken down, by the position alone; raises BadSquare or NoCombat."""
    told = find_dialect(state.variant).combat(state.position.copy(), origin, target)
    ply = len(state.played)
    return {"id": state.id, "version": state.version, "ply": ply} | {
        name: translate(value, gettext) for name, value in told.items()
    }


def make_etag(
    state: GameState, view: str, names: Mapping[str, object], viewer: Viewer = STRANGER
) -> str:
    """The tag of one view of a game: its version, the view, the names shown, and whose choices."""
    shown = sha256("\0".join(f"{k}={v}" for k, v in sorted(names.items())).encode()).hexdigest()
    own = "".join(SIDE_NAMES[side][0] for side in state.choosers if side in viewer)
    return f"{state.version}-{view}-{shown[:12]}{own}"
