"""`/api/v1/analyses`: positions and games analysed in the background."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response

from engine.phrase import phrase
from service.analysis.chart import STYLE, chart
from service.analysis.errors import OwnGameRunning
from service.analysis.estimate import report_waiting
from service.analysis.parameters import Parameters
from service.analysis.refresh import read_progress, refresh
from service.analysis.report import render_finding, report
from service.analysis.repository import Analyses
from service.analysis.state import KIND, AnalysisState, stream_of
from service.analysis.status import name_status
from service.analysis.target import (
    AnalysisView,
    Subject,
    is_secret,
    list_views,
    make_game_subject,
    make_ply_subject,
    make_position_subject,
    may_have,
)
from service.api import request_data
from service.api.analysis_stream import stream_analysis_messages
from service.api.context import (
    address,
    find_bearer,
    get_service,
    get_web,
    name_client,
    require,
    require_owner_or_admin,
)
from service.api.lasting_rights import everlasting, watch_rights
from service.api.responses import (
    answer_cached,
    choose_media_type,
    make_picture_policy,
    respond_json,
)
from service.api.schemas.analyses import STRANGER as AS_A_STRANGER
from service.api.schemas.analyses import NewAnalysisSchema
from service.api.schemas.queries import ChartSchema, StreamSchema
from service.api.search_filters import fen_of
from service.api.server_sent_events import (
    find_start,
    stream_events,
)
from service.errors import BadValue, NotFound
from service.game.permissions import plays_on
from service.game.redaction import STRANGER, viewer
from service.game.state import GameState
from service.player.actor import Actor
from service.player.scopes import ADMIN, PLAY

analyses = Blueprint("analyses", __name__, url_prefix="/api/v1")

NEW_ANALYSIS = NewAnalysisSchema()
CHART = ChartSchema()
STREAM = StreamSchema()
SVG = "image/svg+xml"


@analyses.post("/analyses")
def request_analysis() -> Response:
    """Request an analysis: 202 with it, or 200 if it has ended already."""
    actor = require(PLAY).actor
    wish = request_data.read_body(NEW_ANALYSIS)
    subject = resolve_subject(wish, actor)
    # An existing analysis costs nothing, and admins know what they do.
    id = get_analyses().address(subject)
    counts = ADMIN not in actor.scopes and not get_analyses().is_through(id)
    first = not counts or get_analyses().quota.admit(
        actor.player, id, get_analyses().bound_seconds(subject.begun)
    )
    if counts:
        lines = get_analyses().count_new_lines(id, subject.begun)
        get_analyses().quota.charge(actor.player, lines)
    state = get_analyses().request(subject, actor.player, batch=wish["batch"] or not first)
    if counts:
        get_analyses().quota.note(actor.player, id)
    made = 202 if state.ended is None else 200
    return respond_json(view(state), made, {"Location": f"/api/v1/analyses/{state.id}"})


def get_analyses() -> Analyses:
    """The analyses of the service."""
    return get_service().analyses


def resolve_subject(wish: dict[str, Any], actor: Actor) -> Subject:
    """Return a request's subject.

    Raises BadValue, NotFound, BadFen, UnknownVariant and OwnGameRunning.
    """
    parameters = Parameters(
        **wish["limits"],
        lines=wish["lines"],
        seed=wish["seed"],
        draw_by_points=wish["draw_by_points"],
    )
    if wish["fen"] is not None:
        for field in ("game", "ply"):
            if wish[field] is not None:
                raise BadValue(field, "either a position string or a game")
        if wish["variant"] is None:
            raise BadValue("variant", "is needed with a position string")
        fen = fen_of(wish["variant"], wish["fen"])
        return make_position_subject(
            wish["variant"], fen, parameters, get_analyses().build, actor.player
        )
    if wish["game"] is None:
        raise BadValue("game", "a game, or a position string as fen")
    if parameters.draw_by_points:
        raise BadValue("draw_by_points", "for a position string; a game has its own agreement")
    state = get_service().games.load(wish["game"])
    refuse_players(state, actor)
    if wish["variant"] not in (None, state.variant):
        raise BadValue("variant", phrase("the game is one of {variant}", variant=state.variant))
    seen = STRANGER if wish["view"] == AS_A_STRANGER else viewer(state, actor)
    if wish["ply"] is None:
        return make_game_subject(state, seen, parameters, get_analyses().build)
    return make_ply_subject(state, wish["ply"], seen, parameters, get_analyses().build)


def refuse_players(game: GameState, actor: Actor | None) -> None:
    """Raise OwnGameRunning for a player of a game that is not over."""
    if actor is not None and plays_on(game, actor):
        raise OwnGameRunning


@analyses.get("/analyses/<id:id>")
def read(id: str) -> Response:
    """Answer with an analysis: its progress and its findings."""
    request_data.read_query()
    return respond_json(view(load_analysis(id)), headers={"Vary": "Authorization"})


def load_analysis(id: str) -> AnalysisState:
    """An analysis whose findings the request's principal may see.

    Raises OwnGameRunning for an analysis of a game that they play. Raises NotFound also for one
    that only others may see: its existence would reveal what they have chosen.
    """
    state = get_analyses().load(id)
    begun, who = state.begun, find_bearer()
    if begun.game is None:
        if is_secret(begun) and (who is None or who.actor.player != state.by):
            raise NotFound(KIND, id)
        return state
    game = get_service().games.load(begun.game)
    actor = who.actor if who else None
    if is_secret(begun) and not may_have(AnalysisView(begun.view), game, viewer(game, actor)):
        raise NotFound(KIND, id)
    refuse_players(game, actor)
    return state


def view(state: AnalysisState) -> dict[str, Any]:
    """Return an analysis as JSON values, as its viewer may see it."""
    job = None if state.ended is not None else get_analyses().find_job(state)
    stale = get_analyses().is_stale(state)
    finding = get_analyses().read_partial_finding(state, job)
    return report(state, stale=stale) | {
        "state": name_status(state, job),
        "reason": state.ended.reason if state.ended else (job.reason if job else ""),
        "replaced_by": get_analyses().find_replacement(state) if stale else None,
        "under_way": finding and render_finding(finding),
        "waiting": report_waiting(get_analyses().fair_queue, state, job),
    }


@analyses.delete("/analyses/<id:id>")
def stop(id: str) -> Response:
    """End an analysis before its time; what was found stays, and the answer has it."""
    request_data.read_query()
    require(PLAY)
    state = load_analysis(id)
    require_owner_or_admin(state.by)
    return respond_json(view(get_analyses().stop(state)))


@analyses.get("/analyses/<id:id>/stream")
def follow(id: str) -> Response:
    """Stream the findings, position by position, and those of the unfinished next position."""
    found = request_data.read_query(STREAM)
    state = load_analysis(id)
    after = find_start(found["after"], state.version)
    lasts = watch_rights() if is_secret(state.begun) else everlasting
    subscription = get_web().hub.subscribe(str(stream_of(id)), address(), name_client())
    messages = stream_analysis_messages(
        get_analyses(), id, after, lasts, subscription, "until" in found
    )
    return stream_events(messages, subscription)


@analyses.get("/games/<id:id>/analysis")
def get_game_analysis(id: str) -> Response:
    """The newest analysis of a whole game that shows the request's principal the most."""
    request_data.read_query()
    state = load_newest_analysis(id)
    shown = view(state)
    etag = f"{state.version}-{state.id}-{shown['replaced_by'] or shown['stale']}"
    if shown["waiting"] is not None:
        return respond_json(shown, headers={"Vary": "Authorization"})
    return answer_cached(respond_json(shown), etag)


@analyses.get("/games/<id:id>/analysis.svg")
def draw_game_chart(id: str) -> Response:
    """The winning chance over a game as a chart."""
    # A picture in a page is requested again only if its address has changed.
    request_data.read_query(CHART)
    choose_media_type(SVG)
    state = load_newest_analysis(id)
    response = Response(chart(state), mimetype=SVG)
    response.headers["Content-Security-Policy"] = make_picture_policy(STYLE)
    return answer_cached(response, f"{state.version}-{state.id}-svg")


def load_newest_analysis(game: str) -> AnalysisState:
    """The analysis of a whole game to show to the request's principal.

    Raises NotFound, and OwnGameRunning for its players until it is over.
    """
    state, who = get_service().games.load(game), find_bearer()
    refuse_players(state, who.actor if who else None)
    return find_newest_analysis(state)


def find_newest_analysis(state: GameState) -> AnalysisState:
    """The analysis of a game in this state to show to the request's principal; raises NotFound."""
    who = find_bearer()
    seen = viewer(state, who.actor) if who else STRANGER
    return get_analyses().shown.find(state.id, list_views(state, seen))


@analyses.post("/analyses/stale")
def request_again() -> Response:
    """Analyse again whatever another engine analysed; answers 202 with the progress."""
    require(ADMIN)
    request_data.read_body(request_data.NO_FIELDS)
    return respond_json(refresh(get_analyses()), 202, {"Location": "/api/v1/analyses/stale"})


@analyses.get("/analyses/stale")
def get_refresh_progress() -> Response:
    """Answer with the progress of the refresh of stale analyses."""
    require(ADMIN)
    request_data.read_query()
    return respond_json(read_progress(get_analyses()))
