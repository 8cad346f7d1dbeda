"""Tournaments as JSON values and tables."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from io import StringIO
from typing import Any, Final

from flask import Response

from engine.phrase import translate
from engine.side import Side
from service.api.responses import JSON, answer_by_content, choose_media_type, respond_json
from service.api.terms_view import render_tournament_terms
from service.api.views import SIDE_NAMES, render_person
from service.languages.texts import gettext
from service.log.chain import when
from service.player.names.shown import ShownName
from service.projection.tournaments import TournamentSummary
from service.tournament.next_round import is_last_round, plan_rounds
from service.tournament.scheme import scheme_to_json, text_of
from service.tournament.standings import Change, CrossTableCell, Explanation, Regulations, Standing
from service.tournament.state import TournamentState, entrants, public
from service.tournament.table import Bye, TournamentKind
from service.tournament.values import Pairing, Refusal, Round

CSV: Final = "text/csv"
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""The characters at which spreadsheets begin a formula."""
Names = Mapping[str, ShownName]
Grid = tuple[Sequence[str], Iterable[Sequence[object]]]
"""A header and rows, for CSV."""


def answer_public(body: dict[str, Any], grid: Grid | None = None) -> Response:
    """Answer in JSON, or in CSV if there is a grid and the client prefers it, with an ETag."""
    kind = choose_media_type(JSON) if grid is None else choose_media_type(JSON, CSV)
    if grid is None or kind == JSON:
        response = respond_json(body)
    else:
        response = Response(write_csv(grid), mimetype=CSV)
    return answer_by_content(response)


def write_csv(grid: Grid) -> str:
    """A grid as CSV (RFC 4180); None is empty."""
    header, rows = grid
    text = StringIO()
    writer = csv.writer(text)
    writer.writerow(header)
    writer.writerows(["" if value is None else value for value in row] for row in rows)
    return text.getvalue()


def escape_cell_name(player: Mapping[str, Any]) -> str | None:
    """A player's name and mark in a table for spreadsheets, where it never becomes a formula.

    People choose their names freely; one that begins like a formula gets an apostrophe in front.
    """
    if player["name"] is None:
        return None
    text = str(ShownName(player["name"], player["mark"]))
    return f"'{text}" if text.startswith(FORMULA) else text


def list_view(summary: TournamentSummary, names: Names) -> dict[str, Any]:
    """A tournament as a list shows it."""
    return {
        "id": summary.id,
        "version": summary.version,
        "name": summary.name,
        "variant": summary.variant,
        "kind": summary.kind,
        "status": summary.status,
        "players": summary.players,
        "rounds_ready": summary.rounds,
        "organiser": render_person(summary.creator, names),
        "created_at": when(summary.created_at),
        "updated_at": when(summary.updated_at),
    }


def render_tournament(state: TournamentState, names: Names) -> dict[str, Any]:
    """Return a tournament as JSON values: its terms, players and progress."""
    rules, seen = state.rules, public(state)
    regulations = rules.regulations
    knockout = rules.knockout
    return {
        "id": state.id,
        "version": state.version,
        "told": state.told,
        "name": rules.name,
        "variant": rules.variant,
        "kind": rules.kind,
        "status": seen.status,
        "scoring": scheme_to_json(regulations.scheme),
        "order": list(regulations.order),
        "edition": regulations.edition,
        "rounds": rules.rounds,
        "planned_rounds": plan_rounds(seen),
        "last_round": is_last_round(seen),
        "cycles": rules.cycles,
        "knockout": {name: getattr(knockout, name) for name in knockout.__slots__}
        if rules.kind is TournamentKind.KNOCKOUT
        else None,
        "first_round_first": rules.first_round_first,
        "tags": dict(rules.tags),
        "infiltrators": rules.secret_choice,
        "fen": rules.fen,
        "over_the_board": rules.over_the_board,
        "starts_on": rules.starts_on,
        "ends_on": rules.ends_on,
        "terms": render_tournament_terms(rules),
        "creator": state.creator,
        "organiser": render_person(state.creator, names),
        "arbiters": [render_person(player, names) for player in state.arbiters],
        "rounds_ready": sum(round.ready for round in state.rounds),
        "pairing": state.pending is not None,
        "refusal": state.refusal and asdict(state.refusal),
        "self_entry": state.self_entry and not state.over,
        "players": [
            {
                **render_person(entrant.id, names),
                "seed": entrant.seed,
                "rating": entrant.rating,
                "entered": entrant.entered,
                "withdrawn": state.withdrawn.get(entrant.id),
            }
            for entrant in entrants(state, {})
        ],
        "byes": [
            {"player": player, "round": round, "bye": bye}
            for (player, round), bye in sorted(state.granted.items())
        ],
        "created_at": when(state.created_at),
        "updated_at": when(state.updated_at),
    }


def render_unready_round(number: int) -> dict[str, Any]:
    """A round that is not ready, without its contents."""
    return {"number": number, "status": "pairing", "pairings": [], "byes": []}


def render_refused_round(refusal: Refusal) -> dict[str, Any]:
    """A round that could not be paired, with the reason."""
    told = {"status": "refused", "refusal": asdict(refusal)}
    return {**render_unready_round(refusal.round), **told}


def render_round(round: Round, byes: Iterable[Bye], names: Names) -> dict[str, Any]:
    """A round that is ready."""
    over = all(pairing.result is not None for pairing in round.pairings)
    return {
        "number": round.number,
        "status": "finished" if over else "running",
        "pairings": [render_pairing(pairing, names) for pairing in round.pairings],
        "byes": [{"player": render_person(bye.entrant, names), "bye": bye.kind} for bye in byes],
    }


def render_pairing(pairing: Pairing, names: Names) -> dict[str, Any]:
    """One pairing, and how it ended."""
    ruling, tallied = pairing.ruling, pairing.tallied
    return {
        "round": pairing.round,
        "board": pairing.board,
        "first": render_person(pairing.first, names),
        "second": render_person(pairing.second, names),
        "game": pairing.game,
        "result": pairing.result or "*",
        "termination": tallied.termination if tallied and ruling is None else None,
        "points": pairing.points and list(pairing.points),
        "ruling": ruling and {"result": ruling.result, "reason": ruling.reason},
    }


def make_round_grid(view: dict[str, Any]) -> Grid:
    """A round as rows."""
    header = (
        "round",
        "board",
        "first",
        "second",
        "result",
        "first_points",
        "second_points",
        "game",
    )
    boards = [
        (
            *(view["number"], one["board"]),
            *(escape_cell_name(one[side]) for side in SIDE_NAMES),
            *(one["result"], *(one["points"] or (None, None)), one["game"]),
        )
        for one in view["pairings"]
    ]
    byes = [
        (view["number"], None, escape_cell_name(one["player"]), None, one["bye"], None, None, None)
        for one in view["byes"]
    ]
    return header, [*boards, *byes]


def render_values(standing: Standing, regulations: Regulations) -> dict[str, str]:
    """The numbers of a standing by term, in the order in which they rank."""
    return dict(zip(regulations.order, map(text_of, standing.values), strict=True))


def render_standing(standing: Standing, regulations: Regulations, names: Names) -> dict[str, Any]:
    """One line of the standings."""
    return {
        "place": standing.place,
        "player": render_person(standing.entrant, names),
        "values": render_values(standing, regulations),
    }


def make_standings_grid(ranked: Sequence[Standing], regulations: Regulations, names: Names) -> Grid:
    """The standings as rows."""
    rows = [
        (
            one.place,
            one.entrant,
            escape_cell_name(render_person(one.entrant, names)),
            *map(text_of, one.values),
        )
        for one in ranked
    ]
    return ("place", "id", "name", *regulations.order), rows


def render_change(change: Change, regulations: Regulations, names: Names) -> dict[str, Any]:
    """Return a player's standing before and after."""

    def render_side(standing: Standing | None) -> dict[str, Any] | None:
        if standing is None:
            return None
        return {"place": standing.place, "values": render_values(standing, regulations)}

    return {
        "player": render_person(change.entrant, names),
        "before": render_side(change.before),
        "after": render_side(change.after),
    }


def render_explanation(explanation: Explanation, names: Names) -> dict[str, Any]:
    """Return the explanation of a number: the rule, and what each game adds."""
    return {
        "player": render_person(explanation.entrant, names),
        "term": explanation.term,
        "value": text_of(explanation.value),
        "rule": translate(explanation.rule, gettext),
        "parts": [
            {
                "round": part.round,
                "opponent": part.opponent and render_person(part.opponent, names),
                "game": part.game,
                "value": text_of(part.value),
                "counted": part.counted,
                "note": translate(part.note, gettext),
            }
            for part in explanation.parts
        ],
    }


def render_cell(cell: CrossTableCell, names: Names) -> dict[str, Any]:
    """Return a cell of the cross table as JSON values."""
    return {
        "round": cell.round,
        "opponent": cell.opponent and render_person(cell.opponent, names),
        "row": cell.row,
        "side": None if cell.side is None else SIDE_NAMES[cell.side],
        "mark": cell.mark,
        "match_points": None if cell.match is None else text_of(cell.match),
        "game_points": cell.points,
        "game": cell.game,
    }


def write_cell(cell: CrossTableCell) -> str:
    """A cell of the cross table: the opponent's row, the side, the match points.

    For example `3f1`, or `-` and the points for a bye, and `*` for a game still being played.
    """
    points = "*" if cell.match is None else text_of(cell.match)
    if cell.row is None:
        return f"-{points}"
    side = "" if cell.side is None else "f" if cell.side is Side.FIRST else "s"
    return f"{cell.row}{side}{points}"
