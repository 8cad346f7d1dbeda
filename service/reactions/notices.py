"""Notices: an event becomes one delivery job for each webhook that subscribed to it."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from service.game.terms import DAY
from service.ids import derived_id
from service.jobs.job_kinds import DELIVERY
from service.jobs.store import Jobs
from service.log.chain import when
from service.player.repository import Players
from service.webhooks.receivers import route_of
from service.webhooks.store import Webhooks
from service.webhooks.webhook import Attempt, Webhook

OLD: Final = DAY
"""Milliseconds after which an event is no longer news, so a restored log notifies nobody again."""
RETRY_DELAYS_MS: Final = tuple(
    1000 * seconds for seconds in (10, 60, 300, 1800, 7200, 21600, 43200)
)
"""Delays before the second try, the third and so on: about a day in all."""
MAX_QUEUED: Final = 10_000
"""The most deliveries that may wait on one route; further ones are logged, but not sent."""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that has ended, as webhooks are notified of it.

    `about` identifies the notice among all notices of its `event`. `concerned` are the ids of the
    players it concerns; a `private` notice goes to their webhooks only. `data` is a JSON object,
    `at` is in milliseconds since 1970 UTC. `fits` says whether the game that it is about matches a
    webhook's filter; None if it is not about a game.
    """

    event: str
    about: str
    at: int
    concerned: Collection[str]
    data: Mapping[str, Any]
    private: bool = False
    fits: Callable[[str], bool] | None = None

    def passes(self, filter: str | None) -> bool:
        """Whether a webhook with this filter is notified."""
        return filter is None or self.fits is None or self.fits(filter)


class Announcer:
    """Creates the delivery jobs of notices."""

    def __init__(self, jobs: Jobs, webhooks: Webhooks, players: Players) -> None:
        self.jobs = jobs
        self.webhooks = webhooks
        self.players = players

    def announce(self, notice: Notice) -> int:
        """Create a delivery for each webhook that wants the notice; returns how many exist now.

        Only an admin's webhook gets notices that do not concern its owner. Announcing a notice
        twice creates nothing new. Deliveries begin within seconds.
        """
        hooks = [
            hook
            for hook in self.webhooks.find_notified(
                notice.event, notice.concerned, private=notice.private
            )
            if (hook.owner in notice.concerned or self.players.is_admin(hook.owner))
            and notice.passes(hook.filter)
        ]
        return sum(self._queue(hook, notice) for hook in hooks)

    def _queue(self, hook: Webhook, notice: Notice) -> bool:
        """Create the delivery of a notice to a webhook; returns whether it exists now.

        If too many deliveries wait on the webhook's route, the notice is not sent: an attempt
        without an answer is added to the webhook's log instead.
        """
        delivery = derived_id(b"", DELIVERY, hook.id, notice.event, notice.about)
        route = route_of(hook)
        waiting = self.jobs.queued_in(DELIVERY, route)
        if waiting >= MAX_QUEUED and not self.jobs.get_each([delivery]):
            error = f"not sent: {MAX_QUEUED} deliveries wait for this receiver already"
            attempt = Attempt(delivery, notice.event, 1, self.jobs.clock(), 0, None, error, None)
            self.webhooks.note(hook.id, attempt)
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
        self.jobs.create(delivery, DELIVERY, arguments, group=route)
        return True


def schedule_retry(
    jobs: Jobs, arguments: Mapping[str, Any], route: str, not_before: int
) -> int | None:
    """Create the job of a delivery's next try; returns when it is due, None after the last try.

    `arguments` are those of the failed try. The next one is not due before `not_before`
    (milliseconds since 1970 UTC); until then its route is left alone.
    """
    number: int = arguments["number"]
    if number > len(RETRY_DELAYS_MS):
        return None
    due = max(jobs.clock() + RETRY_DELAYS_MS[number - 1], not_before)
    id = derived_id(b"", DELIVERY, arguments["delivery"], str(number + 1))
    jobs.create(id, DELIVERY, {**arguments, "number": number + 1}, due=due, group=route)
    return due
