"""`/api/v1/games`: create, list, read, play."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, request

from notation.errors import BadSquare
from service.api import request_data
from service.api.annotators import find_annotator, find_player
from service.api.answer_cache import cache_answer
from service.api.context import (
    check_same,
    choose_id,
    find_bearer,
    get_service,
    read_receipt,
    require_bearer,
)
from service.api.errors import BadParameter
from service.api.expected_version import answer_conflict, parse_if_match
from service.api.log_pages import answer_log_page, answer_whole_log
from service.api.outcomes import execute_once
from service.api.responses import (
    JSON,
    NDJSON,
    PGN,
    TEXT,
    answer_by_content,
    answer_cached,
    choose_media_type,
    make_page,
    respond_json,
    write_ndjson_line,
)
from service.api.schemas.actions import ActionSchema, make_play
from service.api.schemas.commands import load_command
from service.api.schemas.game_queries import CombatSchema, GameListSchema, PlySchema
from service.api.schemas.games import NewGameSchema
from service.api.schemas.queries import LogSchema
from service.api.search_filters import query_of
from service.api.views import (
    list_people,
    list_summaries,
    make_etag,
    render_combat,
    render_done,
    render_game,
    render_legal_actions,
)
from service.errors import NotFound, WrongExpectedVersion
from service.game.challenges import check_standing
from service.game.commands import AnnotatorCommand, Command
from service.game.creation_request import make_creation
from service.game.evolve import at_ply
from service.game.record import make_record
from service.game.redaction import Viewer, viewer
from service.game.repository import stream_of
from service.game.state import GameState
from service.game.values import Mode
from service.log.errors import AlreadyDone
from service.log.repository import Done
from service.log.values import Receipt
from service.player.actor import Actor
from service.projection.games.query import Sort
from service.records.export import sign_record

games = Blueprint("games", __name__, url_prefix="/api/v1/games")

NEW_GAME = NewGameSchema()
ACTION = ActionSchema()
LIST = GameListSchema()
PLY = PlySchema()
COMBAT = CombatSchema()
LOG = LogSchema()


@games.post("")
def create() -> Response:
    """Create a game; 201 with the game."""
    actor = require_bearer().actor
    wish = request_data.read_body(NEW_GAME)
    asked = read_receipt(actor.player, 201)
    id = choose_id("game", asked)
    try:
        get_service().games.check_receipt(id, asked)
        wish = name_opponent(wish)
        refuse_more_challenges(wish, actor)
        command = make_creation(get_service().players, wish, actor, id)
        done = get_service().games.create(id, command, actor, asked)
    except AlreadyDone as error:
        check_same(error.receipt, asked or error.receipt)
        return answer_created(get_service().games.at_version(id, error.receipt.last))
    return answer_created(done.state)


def refuse_more_challenges(wish: dict[str, Any], actor: Actor) -> None:
    """Raise TooManyChallenges for a challenge by a player with too many that stand.

    Challenges made at once may exceed the bound by a few, and nobody is refused while the lists'
    database does not answer.
    """
    if wish["mode"] == Mode.CHALLENGE:
        service = get_service()
        check_standing(service.challenges.count_made(actor.player, service.games.clock()) or 0)


def name_opponent(wish: dict[str, Any]) -> dict[str, Any]:
    """A request for a game, with the id of an opponent who is given by name.

    Raises AmbiguousName; raises BadValue if nobody is registered by this name.
    """
    name = wish.pop("opponent_name", None)
    if name is None:
        return wish
    return wish | {"opponent": find_player("opponent", wish.get("opponent"), name)}


def answer_created(state: GameState) -> Response:
    """Answer a creation."""
    names = get_service().namesakes.shown(list_people(state))
    return respond_json(
        render_game(state, names, find_viewer(state)),
        201,
        {"Location": f"/api/v1/games/{state.id}"},
    )


@games.get("")
def index() -> Response:
    """List the matching games, newest first or in another order."""
    found = request_data.read_query(LIST)
    query = query_of(found)
    kind = choose_media_type(JSON, NDJSON, PGN)
    summaries, cursor, partial = get_service().search.page(
        query, found.get("cursor"), found["limit"], Sort(found["sort"])
    )
    headers = {"Vary": "Accept"}
    if cursor:
        headers["X-Next-Cursor"] = cursor
    if kind == PGN:
        states = (get_service().games.load(summary.id) for summary in summaries)
        return Response("\n".join(map(record_of, states)), headers=headers, mimetype=PGN)
    names = get_service().namesakes.shown(id for summary in summaries for id in summary.seats)
    items = list_summaries(summaries, names, get_service().games)
    if kind == NDJSON:
        return Response("".join(map(write_ndjson_line, items)), headers=headers, mimetype=NDJSON)
    response = respond_json(make_page(items, cursor) | {"partial": partial}, headers=headers)
    if not partial:
        cache_answer()
    return answer_by_content(response)


def record_of(state: GameState) -> str:
    """A game as a PGN-like record."""
    names = get_service().players.names(state.seats)
    return sign_record(make_record(state, names, find_viewer(state)), get_service().signer)


def find_viewer(state: GameState) -> Viewer:
    """Return the request's viewer of a game: the sides that its principal acts for."""
    known = find_bearer()
    return viewer(state, known.actor if known else None)


@games.get("/<id:id>")
def read(id: str) -> Response:
    """A game as JSON, as a record or as its whole log.

    With `ply`, the first two as it stood after that many actions.
    """
    ply = request_data.read_query(PLY).get("ply")
    kind = choose_media_type(JSON, PGN, TEXT, NDJSON)
    if kind == NDJSON:
        if ply is not None:
            raise BadParameter("ply", "a log is exported whole; parts are at /events")
        return log_of(id)
    state = get_service().games.load(id)
    seen = find_viewer(state)
    view = f"{kind.rpartition('-')[2]}-{'' if ply is None else ply}"
    if kind == JSON:
        shown = get_service().namesakes.shown(list_people(state))
        body = respond_json(render_game(replay_to_ply(state, ply), shown, seen))
        cache_answer()
        return answer_cached(body, make_etag(state, view, shown, seen))
    names = get_service().players.names(state.seats)
    view += f"-{get_service().signer.key[:12]}"
    text = sign_record(make_record(replay_to_ply(state, ply), names, seen), get_service().signer)
    return answer_cached(Response(text, mimetype=kind), make_etag(state, view, names, seen))


def log_of(id: str) -> Response:
    """All events of a game and their signed head; raises NotFound."""
    if not get_service().games.exists(id):
        raise NotFound("game", id)
    return answer_whole_log(stream_of(id))


def replay_to_ply(state: GameState, ply: int | None) -> GameState:
    """A game after `ply` actions, or as it is; raises BadParameter."""
    if ply is None:
        return state
    try:
        return at_ply(state, ply)
    except ValueError as error:
        raise BadParameter("ply", str(error)) from error


@games.get("/<id:id>/legal")
def list_legal_actions(id: str) -> Response:
    """The legal actions of the side to act."""
    request_data.read_query()
    state = get_service().games.load(id)
    seen = find_viewer(state)
    cache_answer()
    return answer_cached(
        respond_json(render_legal_actions(state, seen)), make_etag(state, "legal", {}, seen)
    )


@games.get("/<id:id>/combat")
def explain_combat(id: str) -> Response:
    """A capture broken down, legal or not; with `ply`, as it stood after that many actions."""
    found = request_data.read_query(COMBAT)
    origin, target, ply = found["origin"], found["target"], found.get("ply")
    state = get_service().games.load(id)
    try:
        view = render_combat(replay_to_ply(state, ply), origin, target)
    except BadSquare as error:
        raise BadParameter(error.role, error.reason) from error
    etag = make_etag(state, f"combat-{origin}-{target}-{'' if ply is None else ply}", {})
    return answer_cached(respond_json(view), etag)


@games.get("/<id:id>/events")
def list_events(id: str) -> Response:
    """The game's log, by version, from `after` on."""
    found = request_data.read_query(LOG)
    after, limit = found["after"], found["limit"]
    if choose_media_type(JSON, NDJSON) == NDJSON and not request.args:
        return log_of(id)
    page = get_service().log.read_page(stream_of(id), after, limit)
    if not page and not get_service().games.exists(id):
        raise NotFound("game", id)
    return answer_log_page(stream_of(id), page, after)


@games.post("/<id:id>/actions")
def act(id: str) -> Response:
    """Play an action."""
    actor = require_bearer().actor
    wish = request_data.read_body(ACTION)
    # Only now: who sends the body after the head has thought in between.
    received = get_service().games.clock()
    return carry_out(id, make_play(wish, received), actor, wish["expected_version"])


@games.post("/<id:id>/commands")
def command_game(id: str) -> Response:
    """Anything else a player, a scribe or an arbiter may do to a game."""
    actor = require_bearer().actor
    wish, expected = load_command(request_data.read_json())
    return carry_out(id, wish, actor, expected)


def carry_out(id: str, command: Command, actor: Actor, expected: int | None) -> Response:
    """Carry out a command once, whatever the retries, and answer with its result."""
    asked = read_receipt(actor.player)
    match = parse_if_match()
    try:
        if isinstance(command, AnnotatorCommand):
            # Only for a new request: another player may have the name since the first one.
            get_service().games.check_receipt(id, asked)
            command = find_annotator(command)
        done = execute_once(id, command, actor, expected if match is None else match, asked)
    except AlreadyDone as error:
        return answer_changed(repeat_answer(id, error.receipt, asked))
    except WrongExpectedVersion as error:
        return answer_conflict(id, error, match is not None)
    return answer_changed(done)


def repeat_answer(id: str, seen: Receipt, asked: Receipt | None) -> Done[GameState]:
    """Return what the first request with this receipt did, to repeat its answer."""
    if asked is not None:
        check_same(seen, asked)
    count = seen.last - seen.first + 1
    recorded = get_service().log.read(stream_of(id), seen.first - 1, count) if count else []
    return Done(get_service().games.at_version(id, seen.last), recorded)


def answer_changed(done: Done[GameState]) -> Response:
    """The answer to a command."""
    return respond_json(render_done(done.state, done.recorded, find_viewer(done.state)))
