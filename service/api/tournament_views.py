"""What clients are shown of tournaments."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from io import StringIO
from typing import Any, Final

from flask import Response

from engine.side import Side
from service.api.responses import JSON, answer_cached, choose_media_type, json_response
from service.api.views import SIDE_NAMES, person
from service.log.chain import when
from service.player.names.shown import ShownName
from service.projection.tournaments import TournamentSummary
from service.tournament.scheme import scheme_to_json, text_of
from service.tournament.standings import Cell, Change, Explanation, Regulations, Standing
from service.tournament.state import TournamentState, entrants, public
from service.tournament.table import Bye, Kind
from service.tournament.values import Pairing, Refusal, Round

CSV: Final = "text/csv"
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""What spreadsheets take for the beginning of a formula."""
Names = Mapping[str, ShownName]
Grid = tuple[Sequence[str], Iterable[Sequence[object]]]
"""A header and rows, as CSV has them."""


def answer_public(body: dict[str, Any], grid: Grid | None = None) -> Response:
    """Answer in JSON, or in CSV if there is a grid and the client prefers it, with an ETag."""
    kind = choose_media_type(JSON) if grid is None else choose_media_type(JSON, CSV)
    if grid is None or kind == JSON:
        response = json_response(body)
    else:
        response = Response(csv_text(grid), mimetype=CSV)
    return answer_cached(response, sha256(response.get_data()).hexdigest()[:20])


def csv_text(grid: Grid) -> str:
    """A grid as CSV (RFC 4180); None is empty."""
    header, rows = grid
    text = StringIO()
    writer = csv.writer(text)
    writer.writerow(header)
    writer.writerows(["" if value is None else value for value in row] for row in rows)
    return text.getvalue()


def cell_name(player: Mapping[str, Any]) -> str | None:
    """A player's name and mark in a table that people open in a spreadsheet: never a formula there.

    Names are anybody's choice; one that begins as formulas do has an apostrophe before it.
    """
    if player["name"] is None:
        return None
    text = str(ShownName(player["name"], player["mark"]))
    return f"'{text}" if text.startswith(FORMULA) else text


def list_view(summary: TournamentSummary) -> dict[str, Any]:
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
        "created_at": when(summary.created_at),
        "updated_at": when(summary.updated_at),
    }


def tournament_view(state: TournamentState, names: Names) -> dict[str, Any]:
    """What was agreed, who plays, how far it is."""
    rules = state.rules
    regulations = rules.regulations
    knockout = rules.knockout
    return {
        "id": state.id,
        "version": state.version,
        "told": state.told,
        "name": rules.name,
        "variant": rules.variant,
        "kind": rules.kind,
        "status": public(state).status,
        "scoring": scheme_to_json(regulations.scheme),
        "order": list(regulations.order),
        "edition": regulations.edition,
        "rounds": rules.rounds,
        "cycles": rules.cycles,
        "knockout": {name: getattr(knockout, name) for name in knockout.__slots__}
        if rules.kind is Kind.KNOCKOUT
        else None,
        "first_round_first": rules.first_round_first,
        "tags": dict(rules.tags),
        "infiltrators": rules.secret_choice,
        "fen": rules.fen,
        "creator": state.creator,
        "arbiters": [person(player, names) for player in state.arbiters],
        "rounds_ready": sum(round.ready for round in state.rounds),
        "pairing": state.pending is not None,
        "refusal": state.refusal and asdict(state.refusal),
        "players": [
            {
                **person(entrant.id, names),
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


def pairing_status(number: int) -> dict[str, Any]:
    """A round that is not ready: nothing of it is told."""
    return {"number": number, "status": "pairing", "pairings": [], "byes": []}


def refused_round(refusal: Refusal) -> dict[str, Any]:
    """A round that could not be paired: why not."""
    told = {"status": "refused", "refusal": asdict(refusal)}
    return {**pairing_status(refusal.round), **told}


def round_view(round: Round, byes: Iterable[Bye], names: Names) -> dict[str, Any]:
    """A round that is ready."""
    over = all(pairing.result is not None for pairing in round.pairings)
    return {
        "number": round.number,
        "status": "finished" if over else "running",
        "pairings": [pairing_view(pairing, names) for pairing in round.pairings],
        "byes": [{"player": person(bye.entrant, names), "bye": bye.kind} for bye in byes],
    }


def pairing_view(pairing: Pairing, names: Names) -> dict[str, Any]:
    """One pairing, and how it ended."""
    ruling, tallied = pairing.ruling, pairing.tallied
    return {
        "round": pairing.round,
        "board": pairing.board,
        "first": person(pairing.first, names),
        "second": person(pairing.second, names),
        "game": pairing.game,
        "result": pairing.result or "*",
        "termination": tallied.termination if tallied and ruling is None else None,
        "points": pairing.points and list(pairing.points),
        "ruling": ruling and {"result": ruling.result, "reason": ruling.reason},
    }


def round_grid(view: dict[str, Any]) -> Grid:
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
            *(cell_name(one[side]) for side in SIDE_NAMES),
            *(one["result"], *(one["points"] or (None, None)), one["game"]),
        )
        for one in view["pairings"]
    ]
    byes = [
        (view["number"], None, cell_name(one["player"]), None, one["bye"], None, None, None)
        for one in view["byes"]
    ]
    return header, [*boards, *byes]


def values_view(standing: Standing, regulations: Regulations) -> dict[str, str]:
    """The numbers of a standing by term, in the order in which they rank."""
    return dict(zip(regulations.order, map(text_of, standing.values), strict=True))


def standing_view(standing: Standing, regulations: Regulations, names: Names) -> dict[str, Any]:
    """One line of the standings."""
    return {
        "place": standing.place,
        "player": person(standing.entrant, names),
        "values": values_view(standing, regulations),
    }


def standings_grid(ranked: Sequence[Standing], regulations: Regulations, names: Names) -> Grid:
    """The standings as rows."""
    rows = [
        (one.place, one.entrant, cell_name(person(one.entrant, names)), *map(text_of, one.values))
        for one in ranked
    ]
    return ("place", "id", "name", *regulations.order), rows


def change_view(change: Change, regulations: Regulations, names: Names) -> dict[str, Any]:
    """How a player stood and stands."""

    def side(standing: Standing | None) -> dict[str, Any] | None:
        if standing is None:
            return None
        return {"place": standing.place, "values": values_view(standing, regulations)}

    return {
        "player": person(change.entrant, names),
        "before": side(change.before),
        "after": side(change.after),
    }


def explanation_view(explanation: Explanation, names: Names) -> dict[str, Any]:
    """Where a number comes from: which games, which rule, which number each."""
    return {
        "player": person(explanation.entrant, names),
        "term": explanation.term,
        "value": text_of(explanation.value),
        "rule": explanation.rule,
        "parts": [
            {
                "round": part.round,
                "opponent": part.opponent and person(part.opponent, names),
                "game": part.game,
                "value": text_of(part.value),
                "counted": part.counted,
                "note": part.note,
            }
            for part in explanation.parts
        ],
    }


def cell_view(cell: Cell, names: Names) -> dict[str, Any]:
    """What a round was to a player."""
    return {
        "round": cell.round,
        "opponent": cell.opponent and person(cell.opponent, names),
        "row": cell.row,
        "side": None if cell.side is None else SIDE_NAMES[cell.side],
        "mark": cell.mark,
        "match_points": None if cell.match is None else text_of(cell.match),
        "game_points": cell.points,
        "game": cell.game,
    }


def cell_text(cell: Cell) -> str:
    """A cell of the cross table: the opponent's row, the side, the match points.

    For example `3f1`, or `-` and the points for a bye, and `*` for a game that is on.
    """
    points = "*" if cell.match is None else text_of(cell.match)
    if cell.row is None:
        return f"-{points}"
    side = "" if cell.side is None else "f" if cell.side is Side.FIRST else "s"
    return f"{cell.row}{side}{points}"
