"""`/api/v1/players` and `/api/v1/me`: register, tokens, names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response

from service.api import request_data
from service.api.context import authenticated, bearer, check_same, id_for, receipt, require, service
from service.api.player_schemas import MergeSchema, NewPlayerSchema, NewTokenSchema, RenameSchema
from service.api.query_schemas import PlayerListSchema
from service.api.ratings import rated_view
from service.api.responses import json_response, make_page
from service.api.views import person
from service.composition import now
from service.errors import MissingScope
from service.log.chain import when
from service.log.errors import AlreadyDone
from service.player.authentication import Bearer
from service.player.errors import BadToken
from service.player.names.shown import ShownName
from service.player.repository import NewPlayer
from service.player.scopes import ADMIN, PLAY
from service.player.state import PlayerState, Token
from service.player.tokens import NewToken
from service.projection.players import ListedPlayer
from service.projection.ratings import Rated
from service.tournament import merging

players = Blueprint("players", __name__, url_prefix="/api/v1")

NEW_PLAYER = NewPlayerSchema()
RENAME = RenameSchema()
MERGE = MergeSchema()
LIST = PlayerListSchema()
NEW_TOKEN = NewTokenSchema()
ANYBODY = "anybody"
"""Whose idempotency keys those of unauthenticated requests are."""
GUARDS = 16
"""How long their keys are at least: who has the key and the body is shown the token again."""


@players.post("/players")
def register() -> Response:
    """Register a player; 201 with the only showing of the first token."""
    own = None
    if service().settings.open_registration:
        known = bearer()
    else:
        known = require(ADMIN)
        # What only this token can give lives no longer than it.
        own = own_token(known)
    by = known.actor.player if known else None
    wish = request_data.read_body(NEW_PLAYER)
    asked = receipt(by or ANYBODY, 201, shortest=1 if by else GUARDS)
    id = id_for("player", asked)
    try:
        return registered(
            service().players.register(wish["name"], by, id=id, own=own, receipt=asked)
        )
    except AlreadyDone as error:
        assert asked is not None
        check_same(error.receipt, asked)
        return registered(service().players.registered_with(id, asked))


def registered(player: NewPlayer) -> Response:
    """The answer to a registration."""
    names = service().namesakes.shown([player.id])
    shown = {**person(player.id, names), "token": token_view(player.token)}
    headers = {"Location": f"/api/v1/players/{player.id}", "Cache-Control": "no-store"}
    return json_response(shown, 201, headers)


@players.get("/players")
def index() -> Response:
    """List players by name, or those of whose names some word begins as asked."""
    found = request_data.read_query(LIST)
    name = found.get("name", "")
    page, cursor = service().player_list.page(
        service().players.names, name, found.get("cursor"), found["limit"]
    )
    ids = [one.id for one in page]
    names, ratings = service().namesakes.shown(ids), service().ratings.of(ids, now())
    return json_response(
        make_page([list_view(one, names, ratings[one.id]) for one in page], cursor)
    )


@players.get("/players/<id:id>")
def read(id: str) -> Response:
    """A player's public data."""
    request_data.read_query()
    return json_response(player_view(service().players.load(id)))


@players.get("/players/<id:id>/results")
def results(id: str) -> Response:
    """In how many games of each variant a player has won, drawn and lost."""
    request_data.read_query()
    service().players.load(id)
    found = service().game_list.results(id)
    return json_response({"player": id, "results": {k: v._asdict() for k, v in found.items()}})


@players.patch("/players/<id:id>")
def rename(id: str) -> Response:
    """Give a player another name: their own affair, or an admin's."""
    who = own_or_admin(id)
    service().players.rename(id, request_data.read_body(RENAME)["name"], who.actor.player)
    return json_response(player_view(service().players.load(id)))


@players.delete("/players/<id:id>")
def erase(id: str) -> Response:
    """Erase a player's name and tokens: an admin's affair, or of who may revoke all of them."""
    who = own_or_admin(id)
    service().players.erase(id, who.actor.player, own_token(who))
    service().webhooks.remove_of(id)
    return Response(status=204)


@players.post("/players/<id:id>/merge")
def merge(id: str) -> Response:
    """Let a player known from records alone be another one: an admin's affair.

    Refused where a tournament has entered both.
    """
    who = require(ADMIN)
    into = request_data.read_body(MERGE)["into"]
    among = service().tournament_list.ids()
    merging.merge(service().players, service().tournaments, among, id, into, who.actor.player)
    return json_response(player_view(service().players.load(id)))


@players.delete("/players/<id:id>/merge")
def part(id: str) -> Response:
    """Take a merger back."""
    who = require(ADMIN)
    service().players.part(id, who.actor.player)
    return json_response(player_view(service().players.load(id)))


@players.get("/players/<id:id>/tokens")
def tokens(id: str) -> Response:
    """The tokens of a player, without their secrets."""
    own_or_admin(id)
    state = service().players.load(id)
    return json_response({"items": [token_facts(token) for token in state.tokens.values()]})


@players.post("/players/<id:id>/tokens")
def issue(id: str) -> Response:
    """Issue a further token: with scopes of one's own, or any by an admin."""
    who = own_or_admin(id)
    wish = request_data.read_body(NEW_TOKEN)
    scopes = list(dict.fromkeys(wish.get("scopes", [PLAY])))
    seconds = wish["expires_in"]
    asked = None if seconds is None else service().players.clock() + 1000 * seconds
    made = service().players.issue(id, scopes, who.actor.player, asked, own_token(who))
    return json_response(token_view(made), 201, {"Cache-Control": "no-store"})


@players.delete("/players/<id:id>/tokens/<token>")
def revoke(id: str, token: str) -> Response:
    """Make a token good for nothing: itself, or one with no wider scopes."""
    who = own_or_admin(id)
    service().players.revoke(id, token, who.actor.player, own_token(who))
    return Response(status=204)


@players.post("/players/<id:id>/tokens/<token>/rotate")
def rotate(id: str, token: str) -> Response:
    """Replace a token by a new one with the same scopes and expiry, if the bearer's is as long."""
    who = own_or_admin(id)
    made = service().players.rotate(id, token, who.actor.player, own_token(who))
    return json_response(token_view(made), 201, {"Cache-Control": "no-store"})


@players.get("/me")
def me() -> Response:
    """Who the token is."""
    request_data.read_query()
    who = authenticated()
    state = service().players.load(who.actor.player)
    shown = player_view(state) | {"scopes": sorted(who.actor.scopes), "token": who.token}
    return json_response(shown, headers={"Cache-Control": "no-store"})


def own_token(who: Bearer) -> Token:
    """The bearer's token as the log has it now; raises BadToken for one revoked just before."""
    players = service().players
    own = players.load(who.actor.player).tokens.get(who.token)
    if own is None or not own.is_good(players.clock()):
        raise BadToken
    return own


def own_or_admin(id: str) -> Bearer:
    """Who asks, if it is this player or an admin; raises MissingScope."""
    who = authenticated()
    if who.actor.player != id and ADMIN not in who.actor.scopes:
        raise MissingScope(ADMIN)
    return who


def player_view(state: PlayerState) -> dict[str, Any]:
    """What everybody may know of a player."""
    return {
        **person(state.id, service().namesakes.shown([state.id])),
        "claimed": state.claimed,
        "erased": state.erased,
        "merged_into": state.merged_into,
        "registered_at": when(state.registered_at),
    }


def list_view(
    player: ListedPlayer, names: Mapping[str, ShownName], ratings: Mapping[str, Rated]
) -> dict[str, Any]:
    """A player as the list shows them."""
    return {
        **person(player.id, names),
        "claimed": player.claimed,
        "registered_at": when(player.registered_at),
        "ratings": {variant: rated_view(rated) for variant, rated in ratings.items()},
    }


def token_facts(token: Token) -> dict[str, Any]:
    """A token without its secret."""
    return {
        "id": token.id,
        "scopes": list(token.scopes),
        "issued_at": when(token.issued_at),
        "expires_at": None if token.expires is None else when(token.expires),
    }


def token_view(made: NewToken) -> dict[str, Any]:
    """A token just issued, with its secret."""
    return token_facts(made.token) | {"secret": made.secret}
