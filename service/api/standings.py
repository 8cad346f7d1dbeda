"""`/api/v1/tournaments/{id}/…`: standings, cross table, rounds, player cards, the bracket."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response

from service.api import request_data
from service.api.as_of import Snapshot, build_cross_table, load_snapshot, rank_players
from service.api.context import get_service
from service.api.schemas.queries import AsOfSchema, DifferenceSchema, ExplanationSchema
from service.api.tournament_views import (
    Grid,
    answer_public,
    escape_cell_name,
    make_round_grid,
    make_standings_grid,
    render_cell,
    render_change,
    render_explanation,
    render_pairing,
    render_refused_round,
    render_round,
    render_standing,
    render_unready_round,
    write_cell,
)
from service.api.views import render_person
from service.errors import NotFound
from service.tournament.pairing.bracket import Bracket
from service.tournament.pairing.errors import TooFewEntrants
from service.tournament.pairing.knockout import bracket
from service.tournament.scheme import text_of
from service.tournament.standings import (
    RankTerm,
    Row,
    difference,
    explain,
)
from service.tournament.table import Bye, EntrantId, TournamentKind

AS_OF = AsOfSchema()
DIFFERENCE = DifferenceSchema()
EXPLANATION = ExplanationSchema()

results = Blueprint("results", __name__, url_prefix="/api/v1/tournaments/<id:id>")


@results.get("/standings")
def get_standings(id: str) -> Response:
    """Answer with the standings."""
    found = request_data.read_query(AS_OF)
    at = load_snapshot(id, found.get("as_of"))
    places = rank_players(at)
    lines = [render_standing(one, at.regulations, at.names) for one in places]
    return answer_public(
        {**at.render_common_fields(), "standings": lines},
        make_standings_grid(places, at.regulations, at.names),
    )


@results.get("/standings/diff")
def compare_standings(id: str) -> Response:
    """Answer with the players whose standing differs between two moments."""
    found = request_data.read_query(DIFFERENCE)
    before = load_snapshot(id, found["before"], "from")
    after = load_snapshot(id, found.get("after"), "to")
    changes = difference(rank_players(before), rank_players(after))
    views = [render_change(change, after.regulations, after.names) for change in changes]
    ends = {"from": before.render_common_fields(), "to": after.render_common_fields()}
    return answer_public({"id": id, **ends, "changes": views})


@results.get("/standings/explain")
def explain_number(id: str) -> Response:
    """Explain a player's number: the rule, and what each game adds."""
    found = request_data.read_query(EXPLANATION)
    at = load_snapshot(id, found.get("as_of"))
    player, term = EntrantId(found["player"]), RankTerm(found["term"])
    explanation = explain(at.table, at.regulations, player, term)
    return answer_public({**at.render_common_fields(), **render_explanation(explanation, at.names)})


@results.get("/cross-table")
def get_cross_table(id: str) -> Response:
    """Answer with the cross table: every player's result in every round."""
    found = request_data.read_query(AS_OF)
    at = load_snapshot(id, found.get("as_of"))
    rows = build_cross_table(at)
    views = [
        render_standing(row.standing, at.regulations, at.names)
        | {"cells": [render_cell(cell, at.names) for cell in row.cells]}
        for row in rows
    ]
    return answer_public(
        {**at.render_common_fields(), "rows": views}, make_cross_table_grid(rows, at)
    )


def make_cross_table_grid(rows: tuple[Row, ...], at: Snapshot) -> Grid:
    """The cross table as a header and lines of cells, for CSV."""
    rounds = range(1, at.table.rounds + 1)
    lines = [
        (
            *(
                number,
                escape_cell_name(render_person(row.standing.entrant, at.names)),
                *map(text_of, row.standing.values),
            ),
            *(" ".join(write_cell(c) for c in row.cells if c.round == round) for round in rounds),
        )
        for number, row in enumerate(rows, 1)
    ]
    return ("row", "name", *at.regulations.order, *(f"round {n}" for n in rounds)), lines


@results.get("/rounds")
def list_rounds(id: str) -> Response:
    """All rounds that are ready."""
    request_data.read_query()
    at = load_snapshot(id, None)
    views = [
        render_round(round, list_byes(at, round.number), at.names) for round in at.state.rounds
    ]
    return answer_public({**at.render_common_fields(), "rounds": views})


@results.get("/rounds/<int:round>")
def get_round(id: str, round: int) -> Response:
    """One round; if it is being paired, or cannot be, only its status."""
    request_data.read_query()
    state = get_service().tournaments.load(id)
    if state.pending is not None and state.pending.number == round:
        return answer_public(
            render_unready_round(round), make_round_grid(render_unready_round(round))
        )
    if state.refusal is not None and state.refusal.round == round:
        return answer_public(
            render_refused_round(state.refusal), make_round_grid(render_unready_round(round))
        )
    at = load_snapshot(id, None)
    if not 1 <= round <= len(at.state.rounds):
        raise NotFound("round", str(round))
    view = render_round(at.state.rounds[round - 1], list_byes(at, round), at.names)
    return answer_public(view, make_round_grid(view))


def list_byes(at: Snapshot, round: int) -> list[Bye]:
    """Return the byes of a round."""
    return [bye for bye in at.table.byes if bye.round == round]


@results.get("/players/<id:player>")
def get_player_card(id: str, player: str) -> Response:
    """A player's card: every round, and where they stand."""
    found = request_data.read_query(AS_OF)
    at = load_snapshot(id, found.get("as_of"))
    if player not in at.state.entries:
        raise NotFound("entrant", player)
    rows = build_cross_table(at)
    row = next(row for row in rows if row.standing.entrant == player)
    entry = at.state.entries[player]
    view = {
        **at.render_common_fields(),
        **render_standing(row.standing, at.regulations, at.names),
        "rating": entry.rating,
        "entered": entry.entered,
        "withdrawn": at.state.withdrawn.get(player),
        "cells": [render_cell(cell, at.names) for cell in row.cells],
    }
    header = ("round", "opponent", "side", "mark", "match_points", "game_points", "game")
    lines = [
        (
            *(c["round"], c["opponent"] and escape_cell_name(c["opponent"])),
            *(c[name] for name in header[2:]),
        )
        for c in view["cells"]
    ]
    return answer_public(view, (header, lines))


@results.get("/bracket")
def get_bracket(id: str) -> Response:
    """A knockout's ties by stage, and the final places; no ties before two players have entered."""
    request_data.read_query()
    at = load_snapshot(id, None)
    rules = at.state.rules
    if rules.kind is not TournamentKind.KNOCKOUT:
        raise NotFound("bracket", id)
    try:
        drawn = bracket(at.table, rules.regulations.scheme, rules.knockout)
    except TooFewEntrants:
        drawn = Bracket(())
    pairings = {(p.round, p.board): p for round in at.state.rounds for p in round.pairings}

    def render_tie(one: Any) -> dict[str, Any]:
        return {
            "high": one.high and render_person(one.high, at.names),
            "low": one.low and render_person(one.low, at.names),
            "score": list(map(text_of, one.score)),
            "winner": one.winner and render_person(one.winner, at.names),
            "decision": one.decision,
            "pairings": [
                render_pairing(pairings[m.round, m.board], at.names) for m in one.meetings
            ],
        }

    return answer_public(
        {
            **at.render_common_fields(),
            "stages": [[render_tie(one) for one in stage] for stage in drawn.stages],
            "third_place": drawn.third and render_tie(drawn.third),
            "places": [
                {"place": place, "player": render_person(player, at.names)}
                for player, place in sorted(drawn.places.items(), key=lambda p: (p[1], p[0]))
            ],
        }
    )
