"""The context of a request: the service's parts, the bearer, the idempotency key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from flask import current_app, g, request

from engine.phrase import phrase
from service.api.draining import Drain
from service.api.errors import MalformedHeader, MissingToken
from service.api.event_hub import Hub
from service.api.metrics import Metrics
from service.api.trusted_proxies import parse_address, write_network
from service.composition.service import Service
from service.errors import KeyReused, MissingScope
from service.game_feed.position import PositionCipher
from service.game_feed.reader import GameFeed
from service.ids import derived_id, keyed_digest, new_id
from service.log.values import Receipt
from service.player.authentication import Bearer
from service.player.errors import BadToken
from service.player.scopes import ADMIN

if TYPE_CHECKING:
    from service.api.rate_limits import RateLimit
    from service.api.shared_boards import SharedBoards

EXTENSION = "movelog"
BEARER: Final = "movelog.bearer"
"""The environment key for the bearer of a request's token.

It is set if the bearer was found before a view was called; no client's header can set it.
"""
UNASKED: Final = object()
"""Stands for a bearer that has not been looked for yet."""


@dataclass(frozen=True, slots=True)
class WebParts:
    """The parts of a web process; `service` has those that every process has.

    `rate_limit` is None if there is none; `release` stands for the sources of its answers.
    """

    service: Service
    hub: Hub
    boards: SharedBoards
    metrics: Metrics
    feed: GameFeed
    positions: PositionCipher
    rate_limit: RateLimit | None
    drain: Drain
    release: str


def get_web() -> WebParts:
    """The parts of this web process."""
    return cast(WebParts, current_app.extensions[EXTENSION])


def get_service() -> Service:
    """The parts every process has."""
    return get_web().service


def find_bearer() -> Bearer | None:
    """Return the bearer of the request's token, or None without a token; raises BadToken."""
    found = g.get("bearer", UNASKED)
    if found is UNASKED:
        known = "HTTP_AUTHORIZATION" in request.environ
        found = request.environ.get(BEARER)
        if found is None and known:
            found = get_service().bearers.authenticate(read_bearer())
        g.bearer = found
    return cast("Bearer | None", found)


def address() -> str:
    """Return the address, or IPv6 network, under which a rate limit counts the request.

    For IPv6 it is the network, since any host may choose the other half at will.
    """
    return name_address(request.remote_addr)


def name_address(address: str | None) -> str:
    """The same for an address in text, or None if none is known."""
    given = address or "?"
    known = parse_address(given)
    return given if known is None else write_network(known)


def name_client() -> str:
    """Return the key that a rate limit counts: the token's player, else the address.

    A page has no token, but may have a `visitor`, a player who is signed in.
    """
    who = find_bearer()
    return who.actor.player if who else g.get("visitor") or address()


def read_bearer() -> str:
    """The token or session of the request; raises BadToken without one."""
    return parse_bearer(request.environ.get("HTTP_AUTHORIZATION", ""))


def parse_bearer(header: str) -> str:
    """The token of an `Authorization` header; raises BadToken without one."""
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer":
        raise BadToken
    return str(token).strip()


def require_bearer() -> Bearer:
    """Return the bearer of the request's token; raises MissingToken or BadToken."""
    known = find_bearer()
    if known is None:
        raise MissingToken
    return known


def require(scope: str) -> Bearer:
    """Return the request's actor if the token has this scope; raises MissingScope."""
    known = require_bearer()
    if scope not in known.actor.scopes:
        raise MissingScope(scope)
    return known


def require_owner_or_admin(owner: str) -> Bearer:
    """The request's bearer, if it is the player `owner` or an admin.

    Raises the errors of `require_bearer`, and MissingScope for anybody else.
    """
    who = require_bearer()
    if who.actor.player != owner and ADMIN not in who.actor.scopes:
        raise MissingScope(ADMIN)
    return who


def read_receipt(
    principal: str, status: int = 200, shortest: int = 1, digest: str | None = None
) -> Receipt | None:
    """Make the receipt to store for the request; None without an Idempotency-Key.

    The key is scoped to principal, method and path; `digest` stands for a body that is too large to
    be held. Raises MalformedHeader for a key with fewer than `shortest` characters.
    """
    key = parse_key(request.environ.get("HTTP_IDEMPOTENCY_KEY"), shortest)
    if key is None:
        return None
    body = request.get_data() if digest is None else digest
    secret, method, path = get_service().secret, request.method, request.path
    return make_receipt(secret, principal, method, path, key, body, status)


def parse_key(key: str | None, shortest: int = 1) -> str | None:
    """The `Idempotency-Key` of a request, None without one; raises MalformedHeader."""
    if key is None:
        return None
    if not (shortest <= len(key) <= 255 and key.isascii() and key.isprintable()):
        raise MalformedHeader(
            "Idempotency-Key",
            phrase("{shortest} to 255 printable ASCII characters", shortest=shortest),
        )
    return key


def make_receipt(
    secret: bytes,
    principal: str,
    method: str,
    path: str,
    key: str,
    body: str | bytes,
    status: int = 200,
) -> Receipt:
    """The receipt of a request by a principal with an idempotency key."""
    own = keyed_digest(secret, "key", principal, method, path, key)
    return Receipt(own, keyed_digest(secret, "body", body), status, 0, 0)


def check_same(seen: Receipt, asked: Receipt) -> None:
    """Raise KeyReused unless both stand for the same request."""
    # The archive keeps only the beginning of it.
    if not seen.fingerprint or not asked.fingerprint.startswith(seen.fingerprint):
        raise KeyReused


def choose_id(kind: str, asked: Receipt | None) -> str:
    """The id of a new thing: derived from the key, so that a retry finds it, or fresh."""
    return new_id() if asked is None else derived_id(get_service().secret, kind, asked.key)
