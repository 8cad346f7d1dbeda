"""`/api/v1/me/mail` and `/api/v1/mail`: what a player is notified of by e-mail."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response

from service.api import request_data
from service.api.context import address, get_service, require
from service.api.responses import respond_json
from service.api.schemas.mail import LinkSchema, SubscriptionSchema
from service.languages.texts import get_language
from service.log.chain import when
from service.mail.address import parse_address
from service.mail.subscription import EVENTS, Pace, Subscription
from service.player.scopes import PLAY

mail = Blueprint("mail", __name__, url_prefix="/api/v1")

SUBSCRIPTION = SubscriptionSchema()
LINK = LinkSchema()
NO_STORE = {"Cache-Control": "no-store"}
BY_PLAYER = "you have stopped it"


@mail.get("/me/mail")
def read() -> Response:
    """Whether the service sends mail, the player's address, and what is sent there."""
    request_data.read_query()
    player = require(PLAY).actor.player
    return answer(get_service().subscriptions.find(player))


@mail.put("/me/mail")
def subscribe() -> Response:
    """Set the player's address and choices; a new address is sent a link that confirms it."""
    player = require(PLAY).actor.player
    wish = request_data.read_body(SUBSCRIPTION)
    service = get_service()
    known = service.subscriptions.subscribe(
        player,
        parse_address(wish["address"]),
        wish["events"],
        Pace(wish["pace"]),
        address(),
        wish["language"] or get_language(),
    )
    if known.confirmed_at is None:
        service.mail_announcer.ask_for_confirmation(known)
    return answer(known, 200 if known.confirmed_at is not None else 202)


@mail.delete("/me/mail")
def unsubscribe() -> Response:
    """Forget one's address."""
    request_data.read_query()
    player = require(PLAY).actor.player
    service = get_service()
    service.subscriptions.remove(player)
    service.outbox.forget(player, service.jobs.clock())
    return Response(status=204)


@mail.post("/mail/confirm")
def confirm() -> Response:
    """Confirm an address by the link that was sent to it; needs no token."""
    token = request_data.read_body(LINK)["token"]
    service = get_service()
    service.subscriptions.confirm(*service.mail_links.read_confirm(token))
    return Response(status=204)


@mail.post("/mail/stop")
def stop() -> Response:
    """Stop all mail by the link in one; needs no token."""
    token = request_data.read_body(LINK)["token"]
    service = get_service()
    service.subscriptions.stop(*service.mail_links.read_stop(token), BY_PLAYER)
    return Response(status=204)


def answer(known: Subscription | None, status: int = 200) -> Response:
    """A player's own subscription; everything is None or empty without one."""
    shown: dict[str, Any] = {
        "available": get_service().settings.sends_mail,
        "address": known and known.address,
        "confirmed_at": None,
        "events": list(known.events) if known else list(EVENTS),
        "pace": known.pace if known else Pace.IMMEDIATELY,
        "language": known.language if known else get_language(),
        "stopped": known and known.stopped,
    }
    if known is not None and known.confirmed_at is not None:
        shown["confirmed_at"] = when(known.confirmed_at)
    return respond_json(shown, status, NO_STORE)
