"""`/api/v1/tournaments`: create, list, read, and the arbiters' commands."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flask import Blueprint, Response, request

from service.api import request_data
from service.api.context import (
    check_same,
    choose_id,
    get_service,
    read_receipt,
    require_bearer,
)
from service.api.expected_version import MISSED
from service.api.log_pages import answer_log_page, answer_whole_log
from service.api.problems import make_problem
from service.api.responses import JSON, NDJSON, choose_media_type, make_page, respond_json
from service.api.schemas.commands import load_kind
from service.api.schemas.queries import LogSchema, TournamentListSchema
from service.api.schemas.tournaments import COMMANDS, NewTournamentSchema
from service.api.tournament_views import (
    answer_public,
    list_view,
    render_tournament,
    render_unready_round,
)
from service.errors import WrongExpectedVersion
from service.log.chain import public_part
from service.log.errors import AlreadyDone
from service.log.values import Receipt
from service.player.actor import Actor
from service.tournament import commands
from service.tournament.commands import CreateTournament, TournamentCommand
from service.tournament.errors import RoundPending
from service.tournament.permissions import (
    require_arbiter,
    require_directing_scope,
    require_unfinished,
)
from service.tournament.repository import KIND, stream_of
from service.tournament.requested_commands import command_of
from service.tournament.state import TournamentState

tournaments = Blueprint("tournaments", __name__, url_prefix="/api/v1/tournaments")

NEW_TOURNAMENT = NewTournamentSchema()
OWN = (commands.Enter, commands.Withdraw)
"""What players may do by themselves, while self-entry is open."""
LIST = TournamentListSchema()
LOG = LogSchema()


@tournaments.post("")
def create() -> Response:
    """Set up a tournament; 201 with it."""
    actor = require_bearer().actor
    command = CreateTournament(**request_data.read_body(NEW_TOURNAMENT))
    require_directing_scope(actor, command.rated)
    asked = read_receipt(actor.player, 201)
    id = choose_id(KIND, asked)
    try:
        get_service().tournaments.check_receipt(id, asked)
        state = get_service().tournaments.create(id, command, actor, asked).state
    except AlreadyDone as error:
        state = repeat_answer(id, error.receipt, asked)
    return answer_created(state)


def answer_created(state: TournamentState) -> Response:
    """The answer to a creation."""
    return respond_json(view(state), 201, {"Location": f"/api/v1/tournaments/{state.id}"})


def repeat_answer(id: str, seen: Receipt, asked: Receipt | None) -> TournamentState:
    """The tournament with which the same request was answered before; raises KeyReused."""
    check_same(seen, asked or seen)
    return get_service().tournaments.at_version(id, seen.last)


def view(state: TournamentState) -> dict[str, Any]:
    """A tournament as everybody sees it."""
    players = [*state.entries, *state.arbiters, state.creator]
    return render_tournament(state, get_service().namesakes.shown(players))


@tournaments.get("")
def index() -> Response:
    """List tournaments, newest first, by filters and cursor."""
    found = request_data.read_query(LIST)
    limit, cursor = found.pop("limit"), found.pop("cursor", None)
    page, cursor = get_service().tournament_list.page(cursor, limit, **found)
    names = get_service().namesakes.shown([one.creator for one in page])
    return respond_json(make_page([list_view(one, names) for one in page], cursor))


@tournaments.get("/<id:id>")
def read(id: str) -> Response:
    """A tournament: what was agreed, who plays, how far it is."""
    request_data.read_query()
    return answer_public(view(get_service().tournaments.load(id)))


@tournaments.get("/<id:id>/events")
def list_events(id: str) -> Response:
    """The tournament's log, by version, from `after` on; a round that is not ready is not told."""
    found = request_data.read_query(LOG)
    after, limit = found["after"], found["limit"]
    state = get_service().tournaments.load(id)
    if choose_media_type(JSON, NDJSON) == NDJSON and not request.args:
        return answer_whole_log(stream_of(id), state.told)
    page = get_service().log.read_page(stream_of(id), after, min(limit, state.told - after))
    more = page.more and after + len(page.events) < state.told
    return answer_log_page(stream_of(id), replace(page, more=more), after)


@tournaments.post("/<id:id>/commands")
def command_tournament(id: str) -> Response:
    """Anything an arbiter may do, and players for themselves; 202 for a round yet to be made."""
    actor = require_bearer().actor
    kind, wish, expected = load_kind(COMMANDS, request_data.read_json())
    asked = read_receipt(actor.player)
    try:
        # Before anything is looked up that may have changed since the first request.
        get_service().tournaments.check_receipt(id, asked)
        state = carry_out(id, kind, wish, actor, expected, asked)
    except AlreadyDone as error:
        state = repeat_answer(id, error.receipt, asked)
    except WrongExpectedVersion as error:
        return answer_conflict(id, error)
    except RoundPending:
        push(get_service().tournaments.load(id), actor.player)
        raise
    if kind is commands.PairRound:
        number = len(state.rounds)
        location = {"Location": f"/api/v1/tournaments/{id}/rounds/{number}"}
        return respond_json(render_unready_round(number), 202, location)
    return respond_json(view(state))


def carry_out(
    id: str,
    kind: type[TournamentCommand],
    wish: dict[str, Any],
    actor: Actor,
    expected: int | None,
    asked: Receipt | None,
) -> TournamentState:
    """Carry out a request; returns the tournament after it, raises what `execute` raises."""
    service = get_service()
    known = service.tournaments.load(id)
    # Somebody who may not rule on the tournament learns nothing about games and creates no players.
    if not (kind in OWN and wish.get("player") == actor.player):
        require_arbiter(known, actor)
    if kind is commands.Enter:
        # No player is created for a tournament that is over.
        require_unfinished(known)
    if kind is commands.Join:
        game = service.games.load(wish["game"])
        return service.tournaments.join(id, game, wish["round"], actor, expected, asked).state
    wished = command_of(kind, wish, actor, service.players)
    return service.tournaments.execute(id, wished, actor, expected, asked).state


def push(state: TournamentState, by: str) -> None:
    """Ensure that a round that is not ready is worked on: its job may have been given up.

    It counts as a turn of the player `by` if it has to be created.
    """
    if state.pending is not None:
        get_service().round_jobs.resubmit(state.id, state.pending.version, by)


def answer_conflict(id: str, error: WrongExpectedVersion) -> Response:
    """A 409 with what the client missed, as far as it may be shown."""
    state = get_service().tournaments.load(id)
    count = min(MISSED, state.told - error.expected)
    missed = get_service().log.read_page(stream_of(id), error.expected, count).events
    members = {
        "expected": error.expected,
        "actual": state.version,
        "missed": [public_part(stream_of(id), entry) for entry in missed],
    }
    return make_problem(409, "The tournament has moved on", error.code, str(error), members)
