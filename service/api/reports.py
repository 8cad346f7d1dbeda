"""`/api/v1/tournaments/…/trf`: tournaments as FIDE reports, out and in."""

from __future__ import annotations

from hashlib import sha256

from flask import Blueprint, Response, request

from service.api import bodies
from service.api.answers import TEXT, cached, wanted
from service.api.context import id_for, receipt, require, service
from service.api.query_schemas import ReportSchema
from service.api.refusals import WrongMediaType
from service.api.tournaments import as_answered, created
from service.errors import BadValue
from service.log.errors import AlreadyDone
from service.player.changes import check_recorded_name
from service.player.scopes import ARBITER
from service.tournament.merging import check_distinct
from service.tournament.reporting import creation, history, names_in, reported
from service.tournament.repository import KIND, stream_of
from service.tournament.setup import most_entries, rules_event
from service.tournament.table import Kind
from service.tournament.trf import read_trf, write_trf

TAKEN_AS = ReportSchema()

reports = Blueprint("reports", __name__, url_prefix="/api/v1/tournaments")


@reports.get("/<id:id>/trf")
def report(id: str) -> Response:
    """A tournament in the FIDE report format."""
    bodies.parameters()
    wanted(TEXT)
    state = service().tournaments.load(id)
    names = service().players.names([*state.entries, *state.arbiters])
    response = Response(write_trf(reported(state, names)), mimetype=TEXT)
    return cached(response, sha256(response.get_data()).hexdigest()[:20])


@reports.post("/trf")
def take_in() -> Response:
    """Make a tournament of a FIDE report: its players by name, rounds, results and byes."""
    actor = require(ARBITER).actor
    found = bodies.parameters(TAKEN_AS)
    variant, kind = found["variant"], Kind(found["kind"])
    if request.mimetype != TEXT:
        raise WrongMediaType([TEXT])
    asked = receipt(actor.player, 201)
    id = id_for(KIND, asked)
    try:
        if asked and (seen := service().log.receipt(stream_of(id), asked.key)):
            raise AlreadyDone(seen)
        told = read_trf(bodies.content().decode(errors="replace"))
        command = creation(told, variant, kind)
        # Players are made for good: only for a tournament that can be.
        rules_event(command)
        names = names_in(told)
        if len(names) > (most := most_entries(kind, command.cycles)):
            raise BadValue("players", f"at most {most}")
        for name in names:
            check_recorded_name(name)
        history(told, kind, {name: name for name in names})
        players = service().players.all_unclaimed(names, actor.player)
        check_distinct(service().log, players)
        more = history(told, kind, players)
        state = service().tournaments.create(id, command, actor, asked, more).state
    except AlreadyDone as error:
        state = as_answered(id, error.receipt, asked)
    return created(state)
