"""`/api/v1/players` and `/api/v1/me`: register, tokens, names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from flask import Blueprint, Response

from service.api import request_data
from service.api.context import (
    address,
    check_same,
    choose_id,
    find_bearer,
    get_service,
    read_receipt,
    require,
    require_bearer,
    require_owner_or_admin,
)
from service.api.errors import TooManyRequests
from service.api.ratings import group_by_variant, render_rating
from service.api.responses import make_page, respond_json
from service.api.schemas.players import NewPlayerSchema, NewTokenSchema
from service.api.schemas.queries import PlayerListSchema
from service.api.views import render_person
from service.composition.erasing import erase_player, forget_player
from service.composition.service import now
from service.errors import NotFound
from service.log.chain import when
from service.log.errors import AlreadyDone
from service.player.authentication import Bearer
from service.player.commands import Principal
from service.player.errors import BadToken
from service.player.granting import Grant
from service.player.names.name_policy import chosen_name
from service.player.names.shown import ShownName
from service.player.repository import NewPlayer
from service.player.scopes import ADMIN, PLAY
from service.player.state import PlayerState, Token
from service.player.tokens import NewToken
from service.projection.players import ListedPlayer
from service.projection.rating_periods import Rated
from service.projection.ratings import Pool

players = Blueprint("players", __name__, url_prefix="/api/v1")

NEW_PLAYER = NewPlayerSchema()
LIST = PlayerListSchema()
NEW_TOKEN = NewTokenSchema()
ANYBODY = "anybody"
"""The owner of the idempotency keys of unauthenticated requests."""
GUARDS = 16
"""The least length of such keys: the token is shown again to anybody with the key and the body."""

DAY_S: Final = 86_400
MOST_ISSUED: Final = 200
"""The tokens that a player may issue or rotate in a day; each is an event in the player's log."""
MOST_RENAMED: Final = 50
"""How often a player may change their name in a day."""


@players.post("/players")
def register() -> Response:
    """Register a player; 201 with the only showing of the first token.

    Unless an admin does it, it is counted for the address; raises BadValue and TooManyTries.
    """
    known = find_bearer()
    if get_service().settings.open_registration:
        by = Principal(known.actor.player, None) if known else None
    else:
        # Rights that only an admin can give last no longer than the admin's own.
        by = load_principal(require(ADMIN))
    wish = request_data.read_body(NEW_PLAYER)
    asked = read_receipt(by.player if by else ANYBODY, 201, shortest=1 if by else GUARDS)
    id = choose_id("player", asked)
    # A registration that is only sent again is answered as before; bad names are not counted.
    again = asked is not None and get_service().players.find(id) is not None
    if not again and (known is None or ADMIN not in known.actor.scopes):
        chosen_name(wish["name"])
        get_service().accounts.guesses.begin(address())
    try:
        return answer_registration(
            get_service().players.register(wish["name"], by, id=id, receipt=asked)
        )
    except AlreadyDone as error:
        assert asked is not None
        check_same(error.receipt, asked)
        return answer_registration(get_service().players.registered_with(id, asked))


def answer_registration(player: NewPlayer) -> Response:
    """The answer to a registration."""
    names = get_service().namesakes.shown([player.id])
    shown = {**render_person(player.id, names), "token": render_new_token(player.token)}
    headers = {"Location": f"/api/v1/players/{player.id}", "Cache-Control": "no-store"}
    return respond_json(shown, 201, headers)


@players.get("/players")
def index() -> Response:
    """List players by name, or those of whose names some word begins as asked."""
    found = request_data.read_query(LIST)
    name = found.get("name", "")
    page, cursor = get_service().player_list.page(
        get_service().players.names, name, found.get("cursor"), found["limit"]
    )
    ids = [one.id for one in page]
    names, ratings = get_service().namesakes.shown(ids), get_service().ratings.of(ids, now())
    return respond_json(make_page([list_view(one, names, ratings[one.id]) for one in page], cursor))


@players.get("/players/<id:id>")
def read(id: str) -> Response:
    """A player's public data."""
    request_data.read_query()
    return respond_json(render_player(get_service().players.load(id)))


@players.get("/players/<id:id>/results")
def count_results(id: str) -> Response:
    """In how many games of each variant a player has won, drawn and lost."""
    request_data.read_query()
    get_service().players.load(id)
    found = get_service().game_list.results(id)
    return respond_json({"player": id, "results": {k: v._asdict() for k, v in found.items()}})


@players.patch("/players/<id:id>")
def rename(id: str) -> Response:
    """Give a player another name: their own affair, or an admin's."""
    who = require_owner_or_admin(id)
    name = request_data.read_body(NEW_PLAYER)["name"]
    with counting(who, id, "renamed", MOST_RENAMED):
        get_service().players.rename(id, name, who.actor.player)
    return respond_json(render_player(get_service().players.load(id)))


@players.delete("/players/<id:id>")
def erase(id: str) -> Response:
    """Erase a player's name and tokens; for admins, and for whoever may revoke all tokens."""
    request_data.read_query()
    who = require_proof(require_owner_or_admin(id))
    try:
        erase_player(get_service(), id, load_principal(who))
    except NotFound:
        # The next erasure removes what an interrupted one has left.
        if get_service().players.load(id).erased:
            forget_player(get_service(), id)
        raise
    return Response(status=204)


@players.get("/players/<id:id>/tokens")
def list_tokens(id: str) -> Response:
    """The tokens of a player, without their secrets."""
    request_data.read_query()
    require_owner_or_admin(id)
    state = get_service().players.load(id)
    names = get_service().players.token_names(id, state.tokens)
    tokens = [render_token(token, names.get(token.id)) for token in state.tokens.values()]
    return respond_json({"items": tokens})


@players.post("/players/<id:id>/tokens")
def issue(id: str) -> Response:
    """Issue a further token: with scopes of one's own, or any by an admin."""
    who = require_proof(require_owner_or_admin(id))
    wish = request_data.read_body(NEW_TOKEN)
    scopes = list(dict.fromkeys(wish.get("scopes", [PLAY])))
    seconds = wish["expires_in"]
    asked = None if seconds is None else get_service().players.clock() + 1000 * seconds
    with counting(who, id, "issued", MOST_ISSUED):
        made = get_service().players.issue(id, scopes, load_principal(who), asked, wish["name"])
    return respond_json(render_new_token(made, wish["name"]), 201, {"Cache-Control": "no-store"})


@players.delete("/players/<id:id>/tokens/<token>")
def revoke(id: str, token: str) -> Response:
    """Revoke a token: the request's own, or one whose scopes are no wider."""
    request_data.read_query()
    who = require_owner_or_admin(id)
    get_service().players.revoke(id, token, load_principal(who))
    return Response(status=204)


@players.post("/players/<id:id>/tokens/<token>/rotate")
def rotate(id: str, token: str) -> Response:
    """Replace a token by a new one with the same scopes and expiry, if the bearer's is as long."""
    request_data.read_query()
    who = require_proof(require_owner_or_admin(id))
    with counting(who, id, "issued", MOST_ISSUED):
        made = get_service().players.rotate(id, token, load_principal(who))
    name = get_service().players.token_names(id, [made.token.id]).get(made.token.id)
    return respond_json(render_new_token(made, name), 201, {"Cache-Control": "no-store"})


@players.post("/players/<id:id>/sign-in-link")
def make_sign_in_link(id: str) -> Response:
    """A link by which a player who has lost every other way signs in once; by an admin."""
    request_data.read_query()
    who = require_proof(require(ADMIN))
    written = get_service().accounts.make_recovery_link(id, load_principal(who))
    return respond_json({"token": written}, 201, {"Cache-Control": "no-store"})


@players.get("/me")
def get_me() -> Response:
    """Answer with the bearer's own player and token."""
    request_data.read_query()
    who = require_bearer()
    state = get_service().players.load(who.actor.player)
    shown = render_player(state) | {"scopes": sorted(who.actor.scopes), "token": who.token}
    return respond_json(shown, headers={"Cache-Control": "no-store"})


def require_proof(who: Bearer) -> Bearer:
    """The bearer; raises StaleSession for a session that was proved too long ago."""
    get_service().accounts.proofs.check_fresh(who)
    return who


@contextmanager
def counting(who: Bearer, id: str, what: str, most: int) -> Iterator[None]:
    """Count a change that is made here, if players make it to themselves; admins make any number.

    Raises TooManyRequests after `most` changes in a day. What is refused is not counted, and
    requests that are sent at the same time may exceed the number a little.
    """
    own, guesses = who.actor.player == id, get_service().accounts.guesses
    if own:
        count, wait = guesses.read(what, id)
        if count >= most:
            raise TooManyRequests(f"{most} per 1 day", wait)
    yield
    if own:
        guesses.count(what, id, seconds=DAY_S)


def load_principal(who: Bearer) -> Principal:
    """The bearer with the rights in the log now; raises BadToken for a token just revoked."""
    players = get_service().players
    state = players.load(who.actor.player)
    if who.token is None:
        return get_service().accounts.find_principal(state)
    own = state.tokens.get(who.token)
    if own is None or not own.is_good(players.clock()):
        raise BadToken
    return Principal(who.actor.player, Grant.from_token(own))


def render_player(state: PlayerState) -> dict[str, Any]:
    """Return a player's public fields."""
    return {
        **render_person(state.id, get_service().namesakes.shown([state.id])),
        "claimed": state.claimed,
        "erased": state.erased,
        "merged_into": state.merged_into,
        "registered_at": when(state.registered_at),
    }


def list_view(
    player: ListedPlayer, names: Mapping[str, ShownName], ratings: Mapping[Pool, Rated]
) -> dict[str, Any]:
    """A player as the list shows them."""
    return {
        **render_person(player.id, names),
        "claimed": player.claimed,
        "registered_at": when(player.registered_at),
        "ratings": group_by_variant(
            {pool: render_rating(rated) for pool, rated in ratings.items()}
        ),
    }


def render_token(token: Token, name: str | None) -> dict[str, Any]:
    """A token without its secret, and its player's name for it."""
    return {
        "id": token.id,
        "name": name,
        "scopes": list(token.scopes),
        "issued_at": when(token.issued_at),
        "expires_at": None if token.expires is None else when(token.expires),
    }


def render_new_token(made: NewToken, name: str | None = None) -> dict[str, Any]:
    """A token just issued, with its secret."""
    return render_token(made.token, name) | {"secret": made.secret}
