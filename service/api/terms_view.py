"""The terms of a game or a tournament as a JSON value."""

from __future__ import annotations

from typing import Any

from notation.time_control import TIME_CONTROL
from service.game.state import GameState
from service.game.terms import DRAW_BY_POINTS, MINUTE, PLY_LIMIT, Visibility
from service.game.values import SECRET_CHOICE, GameStatus
from service.log.chain import when
from service.projection.games.terms import find_speed_class
from service.projection.summary import UNSAID, GameSummary
from service.tournament.values import TournamentRules


def render_terms(
    game: GameState | GameSummary | TournamentRules, rated: bool, set_up: bool
) -> dict[str, Any]:
    """The terms that games and tournaments share, whatever they are read from."""
    tags = game.tags
    control, limit = tags.get(TIME_CONTROL, ""), tags.get(PLY_LIMIT, "")
    return {
        "time_control": None if control in UNSAID else control,
        "speed": find_speed_class(tags),
        "rated": rated,
        "ply_limit": int(limit) if limit.isdecimal() else None,
        "draw_by_points": tags.get(DRAW_BY_POINTS) == "yes",
        "set_up": set_up,
    }


def render_game_terms(state: GameState) -> dict[str, Any]:
    """The terms of a game."""
    private = state.terms.visibility is Visibility.PRIVATE
    terms = render_terms(state, state.terms.rated, state.fen is not None)
    terms[SECRET_CHOICE] = state.secret_choice
    terms["visibility"] = Visibility.PRIVATE if private else Visibility.PUBLIC
    terms["expires_at"] = None if state.expires_at is None else when(state.expires_at)
    terms["no_show_minutes"] = count_minutes(state.terms.no_show)
    return terms


def render_summary_terms(summary: GameSummary) -> dict[str, Any]:
    """The terms of a listed game, as far as lists have them; lists have no private challenges."""
    terms = render_terms(summary, summary.rated, summary.fen is not None)
    terms[SECRET_CHOICE] = summary.infiltrators
    offered = summary.status is GameStatus.OFFERED and summary.expires_at is not None
    terms["expires_at"] = when(summary.expires_at or 0) if offered else None
    return terms


def render_tournament_terms(rules: TournamentRules) -> dict[str, Any]:
    """The terms of a tournament's games."""
    terms = render_terms(rules, rules.rated, rules.fen is not None)
    if rules.time_control is not None:
        terms["time_control"] = rules.time_control
        terms["speed"] = find_speed_class({TIME_CONTROL: rules.time_control})
    terms[SECRET_CHOICE] = rules.secret_choice
    terms["no_show_minutes"] = count_minutes(rules.no_show)
    return terms


def count_minutes(milliseconds: int | None) -> float | None:
    """A time in minutes, or None for no limit."""
    return None if milliseconds is None else milliseconds / MINUTE
