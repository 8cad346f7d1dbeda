"""Who is told of what: an event becomes one delivery job for each webhook that wants it."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from service.ids import derived_id
from service.jobs.kinds import DELIVERY
from service.jobs.store import Jobs
from service.log.chain import when
from service.player.admins import Admins
from service.webhooks.receivers import route_of
from service.webhooks.store import Webhooks
from service.webhooks.webhook import Attempt, Webhook

DELAYS: Final = tuple(1000 * seconds for seconds in (10, 60, 300, 1800, 7200, 21600, 43200))
"""Milliseconds before the second try, the third and so on: all in all about a day."""
MOST_QUEUED: Final = 10_000
"""Deliveries that wait on one route: what comes beyond them is not sent, but noted."""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that has come to its end.

    `about` tells it from every other notice of this event; `concerned` are the players whose
    affair it is, and nobody else's where it is `private`; `data` is a JSON object, `at`
    milliseconds since 1970 UTC.
    """

    event: str
    about: str
    at: int
    concerned: Collection[str]
    data: Mapping[str, Any]
    private: bool = False


def announce(jobs: Jobs, webhooks: Webhooks, admins: Admins, notice: Notice) -> int:
    """Create a delivery for every webhook that wants this; announcing twice changes nothing.

    One that wants everybody's affairs is told of others' while its owner is an admin. Returns how
    many webhooks are told. The deliveries begin within seconds.
    """
    told = [
        hook
        for hook in webhooks.all()
        if hook.wants(notice.event, notice.concerned, private=notice.private)
        and (hook.owner in notice.concerned or admins.has(hook.owner))
    ]
    return sum(queue_delivery(jobs, webhooks, hook, notice) for hook in told)


def queue_delivery(jobs: Jobs, webhooks: Webhooks, hook: Webhook, notice: Notice) -> bool:
    """Create the delivery of a notice to a webhook, unless too many wait there already.

    Returns whether it is there. One that there is no room for stands in the webhook's log as an
    attempt without an answer.
    """
    delivery = derived_id(b"", DELIVERY, hook.id, notice.event, notice.about)
    route = route_of(hook)
    if jobs.queued_in(DELIVERY, route) >= MOST_QUEUED and not jobs.get_each([delivery]):
        error = f"not sent: {MOST_QUEUED} deliveries wait for this receiver already"
        webhooks.note(
            hook.id, Attempt(delivery, notice.event, 1, jobs.clock(), 0, None, error, None)
        )
        return False
    body = {
        "id": delivery,
        "event": notice.event,
        "at": when(notice.at),
        "data": dict(notice.data),
    }
    arguments = {
        "webhook": hook.id,
        "delivery": delivery,
        "event": notice.event,
        "body": json.dumps(body, separators=(",", ":")),
        "number": 1,
    }
    jobs.create(delivery, DELIVERY, arguments, group=route)
    return True


def try_again(jobs: Jobs, arguments: Mapping[str, Any], route: str, not_before: int) -> int | None:
    """Create the job of the next try and return when it is due; None after the last.

    `not_before` is until when the route is left alone, whatever is due.
    """
    number: int = arguments["number"]
    if number > len(DELAYS):
        return None
    due = max(jobs.clock() + DELAYS[number - 1], not_before)
    id = derived_id(b"", DELIVERY, arguments["delivery"], str(number + 1))
    jobs.create(id, DELIVERY, {**arguments, "number": number + 1}, due=due, group=route)
    return due
