"""Mails: an event becomes one job for a message, sent at once or in the day's digest."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from service.ids import derived_id
from service.jobs.job_kinds import MAIL
from service.jobs.store import Jobs
from service.mail.outbox import LISTED, Item, Outbox, write_day
from service.mail.store import Subscriptions
from service.mail.subscription import Pace, Subscription

RETRY_DELAYS_MS: Final = tuple(
    1000 * seconds for seconds in (60, 300, 900, 3600, 10_800, 21_600, 43_200)
)
"""Delays before the second try, the third and so on: about a day in all."""
DIGEST_HOUR: Final = 6
"""The hour at which digests are sent (UTC)."""


class MailAnnouncer:
    """Creates the jobs that send messages; creating one again changes nothing."""

    def __init__(self, jobs: Jobs, subscriptions: Subscriptions, outbox: Outbox) -> None:
        self.jobs = jobs
        self.subscriptions = subscriptions
        self.outbox = outbox

    def announce(self, player: str, event: str, about: str, item: Item) -> bool:
        """Have a player notified of something if they want to be; returns whether they are.

        `about` identifies it among all of its `event`; `item` is what the message is made of.
        """
        known = self.subscriptions.find(player) if self.subscriptions.enabled else None
        if known is None or not known.is_active or event not in known.events:
            return False
        id = derived_id(b"", MAIL, player, event, about)
        if known.pace is Pace.IMMEDIATELY:
            self._create(id, player, "news", {"items": [dict(item)]})
        elif self.outbox.find_mark(id) is None:
            self.outbox.add_to_digest(player, id, item)
            # The day is chosen after that: a digest in the making leaves it to the next one.
            day, due = find_next_digest(self.jobs.clock())
            digest = derived_id(b"", MAIL, player, "digest", day)
            self._create(digest, player, "digest", {"day": day}, due)
            self.outbox.mark(id, LISTED)
        return True

    def ask_for_confirmation(self, subscription: Subscription) -> None:
        """Have the confirmation link for an address sent."""
        id = derived_id(b"", MAIL, subscription.player, "confirm", str(subscription.asked_at))
        self._create(id, subscription.player, "confirmation", {})

    def send_link(self, link: str, player: str | None) -> None:
        """Have the link with this number sent (`service.accounts.links`), if it is a player's.

        A job is created even where there is no player, so that nobody can find out which is the
        case.
        """
        self._create(derived_id(b"", MAIL, link), player or "", "link", {"link": link})

    def _create(
        self, id: str, player: str, what: str, content: Mapping[str, Any], due: int | None = None
    ) -> None:
        arguments = {"message": id, "player": player, "what": what, "number": 1, **content}
        self.jobs.create(id, MAIL, arguments, due=due)


def schedule_next_try(jobs: Jobs, arguments: Mapping[str, Any]) -> int | None:
    """Create the job of a message's next try; returns when it is due, None after the last try.

    `arguments` are those of the failed try.
    """
    number: int = arguments["number"]
    if number > len(RETRY_DELAYS_MS):
        return None
    due = jobs.clock() + RETRY_DELAYS_MS[number - 1]
    id = derived_id(b"", MAIL, arguments["message"], str(number + 1))
    jobs.create(id, MAIL, {**arguments, "number": number + 1}, due=due)
    return due


def find_next_digest(now: int) -> tuple[str, int]:
    """The day of the next digest, and when it is due, in milliseconds since 1970 UTC.

    >>> find_next_digest(1_800_000_000_000)
    ('2027-01-16', 1800079200000)
    """
    moment = datetime.fromtimestamp(now / 1000, UTC)
    due = moment.replace(hour=DIGEST_HOUR, minute=0, second=0, microsecond=0)
    if due <= moment:
        due += timedelta(days=1)
    return write_day(due), int(due.timestamp()) * 1000
