"""`/api/v1/webhooks`: who is notified over HTTP when something ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flask import Blueprint, Response

from engine.phrase import phrase
from service.api import request_data
from service.api.context import get_service, require, require_bearer, require_owner_or_admin
from service.api.responses import respond_json
from service.api.schemas.queries import DeliveriesSchema
from service.api.schemas.webhooks import NewWebhookSchema
from service.api.search_filters import canonical_filter
from service.errors import BadValue, MissingScope
from service.log.chain import when
from service.player.scopes import ADMIN, PLAY
from service.webhooks.receivers import route_of
from service.webhooks.sending import check_url
from service.webhooks.webhook import ABOUT_GAMES, Attempt, Webhook, derive_secret

webhooks = Blueprint("webhooks", __name__, url_prefix="/api/v1/webhooks")

NEW_WEBHOOK = NewWebhookSchema()
DELIVERIES = DeliveriesSchema()
NO_STORE = {"Cache-Control": "no-store"}


@webhooks.post("")
def register() -> Response:
    """Register a webhook; 201 with the only showing of its secret."""
    actor = require(PLAY).actor
    wish = request_data.read_body(NEW_WEBHOOK)
    if wish["everybody"] and ADMIN not in actor.scopes:
        raise MissingScope(ADMIN)
    check_url(wish["url"], private=get_service().settings.private_webhooks)
    events = tuple(dict.fromkeys(wish["events"]))
    filter = None if wish["filter"] is None else canonical_filter(wish["filter"])
    if filter is not None and not ABOUT_GAMES.intersection(events):
        raise BadValue(
            "filter",
            phrase(
                "needs an event about games: {about_games}",
                about_games=", ".join(sorted(ABOUT_GAMES)),
            ),
        )
    hook = get_service().webhooks.register(
        actor.player, wish["url"], events, wish["everybody"], filter
    )
    headers = {"Location": f"/api/v1/webhooks/{hook.id}", **NO_STORE}
    return respond_json(render_webhook_with_secret(hook), 201, headers)


@webhooks.get("")
def index() -> Response:
    """One's own webhooks; for an admin, all."""
    request_data.read_query()
    actor = require_bearer().actor
    known = get_service().webhooks
    shown = known.all() if ADMIN in actor.scopes else known.list_of(actor.player)
    until = find_cooling_routes(shown)
    return respond_json({"items": [render_webhook(hook, until) for hook in shown]})


@webhooks.get("/<id:id>")
def read(id: str) -> Response:
    """A webhook."""
    request_data.read_query()
    return respond_json(render_one_webhook(load_own_webhook(id)))


@webhooks.delete("/<id:id>")
def remove(id: str) -> Response:
    """Remove a webhook; what is on its way to it is dropped."""
    request_data.read_query()
    load_own_webhook(id)
    get_service().webhooks.remove(id)
    return Response(status=204)


@webhooks.post("/<id:id>/rotate")
def rotate(id: str) -> Response:
    """Give a webhook a new secret, shown only now; one for everybody's games needs an admin."""
    request_data.read_query()
    check_scope(load_own_webhook(id))
    return respond_json(
        render_webhook_with_secret(get_service().webhooks.rotate(id)), headers=NO_STORE
    )


@webhooks.post("/<id:id>/enable")
def enable(id: str) -> Response:
    """Send again to a webhook that was disabled."""
    request_data.read_query()
    check_scope(load_own_webhook(id))
    return respond_json(render_one_webhook(get_service().webhooks.enable(id)))


@webhooks.get("/<id:id>/deliveries")
def list_deliveries(id: str) -> Response:
    """The newest attempts to deliver, newest first."""
    limit = request_data.read_query(DELIVERIES)["limit"]
    load_own_webhook(id)
    attempts = get_service().webhooks.attempts(id, limit)
    return respond_json({"items": [attempt_view(attempt) for attempt in attempts]})


def load_own_webhook(id: str) -> Webhook:
    """The webhook, if the bearer owns it or is an admin; raises MissingScope."""
    require_bearer()
    hook = get_service().webhooks.get(id)
    require_owner_or_admin(hook.owner)
    return hook


def check_scope(hook: Webhook) -> None:
    """Raise MissingScope for a webhook of everybody's games, unless the token is an admin's."""
    if hook.everybody:
        require(ADMIN)


def find_cooling_routes(hooks: Sequence[Webhook]) -> Mapping[str, int]:
    """The times until which the routes of these webhooks cool down, if they do."""
    return get_service().receivers.cooling([route_of(hook) for hook in hooks])


def render_one_webhook(hook: Webhook) -> dict[str, Any]:
    """A webhook without its secret, looked up alone."""
    return render_webhook(hook, find_cooling_routes([hook]))


def render_webhook(hook: Webhook, cooling: Mapping[str, int]) -> dict[str, Any]:
    """A webhook without its secret."""
    until = cooling.get(route_of(hook))
    return {
        "id": hook.id,
        "owner": hook.owner,
        "url": hook.url,
        "events": list(hook.events),
        "everybody": hook.everybody,
        "filter": hook.filter,
        "created_at": when(hook.created_at),
        "failing_since": None if hook.failing_since is None else when(hook.failing_since),
        "cooling_until": None if until is None else when(until),
        "disabled": hook.disabled,
    }


def render_webhook_with_secret(hook: Webhook) -> dict[str, Any]:
    """A webhook with the secret that signs its deliveries."""
    return render_one_webhook(hook) | {"secret": derive_secret(get_service().secret, hook)}


def attempt_view(attempt: Attempt) -> dict[str, Any]:
    """One try to deliver something."""
    return {
        "delivery": attempt.delivery,
        "event": attempt.event,
        "attempt": attempt.number,
        "at": when(attempt.at),
        "took_ms": attempt.took_ms,
        "delivered": attempt.delivered,
        "status": attempt.status,
        "error": attempt.error,
        "next_at": None if attempt.next_at is None else when(attempt.next_at),
    }
