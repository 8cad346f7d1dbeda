"""`/api/v1/tournaments/…/trf`: tournaments as FIDE reports, exported and imported."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from typing import Final

from flask import Blueprint, Response, request

from service.api import request_data
from service.api.as_of import Snapshot, load_snapshot
from service.api.context import choose_id, get_service, read_receipt, require
from service.api.errors import WrongMediaType
from service.api.rate_limits import count_request
from service.api.responses import TEXT, answer_by_content, choose_media_type
from service.api.schemas.queries import ReportSchema
from service.api.tournaments import answer_created, repeat_answer
from service.log.errors import AlreadyDone
from service.player.scopes import ARBITER
from service.tournament.reporting import make_report
from service.tournament.repository import KIND
from service.tournament.requested_commands import make_import_command
from service.tournament.table import TournamentKind
from service.tournament.trf import read_trf, write_trf

QUERY = ReportSchema()
RESULTS: Final = 2048
"""For each this many results of players in rounds, a report counts as one more request."""
KEPT: Final = 4
"""How many reports are cached; a report of 2,000 players in 100 rounds has 2 MB."""

reports = Blueprint("reports", __name__, url_prefix="/api/v1/tournaments")


@reports.get("/<id:id>/trf")
def show_report(id: str) -> Response:
    """A tournament in the FIDE report format; one with many results counts as several requests."""
    request_data.read_query()
    choose_media_type(TEXT)
    at = load_snapshot(id, None)
    count_request(len(at.state.entries) * at.table.rounds // RESULTS)
    names = get_service().players.names([*at.state.entries, *at.state.arbiters])
    return answer_by_content(Response(write_report(at, tuple(names.items())), mimetype=TEXT))


@lru_cache(KEPT)
def write_report(at: Snapshot, names: tuple[tuple[str, str], ...]) -> str:
    """The report of a tournament whose players and arbiters have these names, by id."""
    return write_trf(make_report(at.state, dict(names)))


@reports.post("/trf")
def import_report() -> Response:
    """Create a tournament from a FIDE report: its players by name, rounds, results and byes."""
    actor = require(ARBITER).actor
    found = request_data.read_query(QUERY)
    variant, kind = found["variant"], TournamentKind(found["kind"])
    if request.mimetype != TEXT:
        raise WrongMediaType((TEXT,))
    content = request_data.read_content()
    asked = read_receipt(
        actor.player, 201, digest=f"{variant} {kind} {sha256(content).hexdigest()}"
    )
    id = choose_id(KIND, asked)
    try:
        get_service().tournaments.check_receipt(id, asked)
        parsed = read_trf(content.decode(errors="replace"))
        command = make_import_command(parsed, variant, kind, actor, get_service().players)
        state = get_service().tournaments.create(id, command, actor, asked).state
    except AlreadyDone as error:
        state = repeat_answer(id, error.receipt, asked)
    return answer_created(state)
