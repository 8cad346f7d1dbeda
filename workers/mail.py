"""The mailer's job: writes one message and hands it to the mail server, once."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from email.message import EmailMessage
from functools import partial
from typing import Any, Final

from rq.timeouts import BaseTimeoutException

from engine.side import Side
from service.accounts.links import PATHS
from service.composition.service import Service
from service.errors import NotFound
from service.game.news import list_to_act
from service.game.state import GameState
from service.game.terms import DAY
from service.languages.texts import use_language
from service.mail.errors import CannotSend, MayBeSent
from service.mail.links import LASTS
from service.mail.outbox import HANDED_OVER, SENT, Item
from service.mail.smtp import parse_server, send_message
from service.mail.subscription import Subscription, digest_address
from service.reactions.mails import schedule_next_try
from service.webhooks.webhook import CLOCK_LOW, DRAW_OFFERED
from workers.errors import Postponed
from workers.mails.message import (
    GameReport,
    report_game,
    stamp_message,
    write_confirmation,
    write_link,
    write_news,
)
from workers.outages import is_outage
from workers.task import Task

log = logging.getLogger(__name__)

LINK: Final = "link"
"""The kind of a message that has a link of `service.accounts.links`."""
AT_ONCE: Final = 50
"""Games in one message."""
LONGEST_WAIT: Final = 2 * DAY
"""Milliseconds after which a message for a mail server that is left alone is given up: a digest is
due after up to one day, and then waits for another."""


def send_mail(task: Task) -> dict[str, Any]:
    """Send the message that the job names, unless it was sent or is of no use any more.

    See `service.mail.outbox` for how sending it twice is avoided. If the server does not accept it,
    another try is planned. The outcome contains no address. Raises Postponed while the server is
    left alone.
    """
    service, arguments = task.service, task.arguments
    id: str = arguments["message"]
    mark = service.outbox.find_mark(id)
    if mark in (HANDED_OVER, SENT):
        finish(task)
        return {"dropped": f"it was {mark} before"}
    address = find_address(service, arguments)
    if address is None or not service.settings.sends_mail:
        return {"dropped": "there is no address" if address is None else "mail is not configured"}
    if rest := service.outbox.find_rest():
        now = task.jobs.clock()
        if now - task.job.created_at > LONGEST_WAIT:
            log.warning("message %s is given up: the mail server has accepted no mail", id)
            return {"dropped": "the mail server has accepted no mail"}
        raise Postponed(now + rest)
    message = write_message(task)
    if message is None:
        finish(task)
        return {"dropped": "there is nothing to tell any more"}
    stamp_message(message, id, task.jobs.clock())
    task.report_progress(0, 1)
    return hand_over(task, message, address)


def find_address(service: Service, arguments: Mapping[str, Any]) -> str | None:
    """The address of a message; None if there is none, or its link is no longer valid."""
    if arguments["what"] == LINK:
        found = service.accounts.addresses.find_recipient(arguments["link"])
        return None if found is None else found[1]
    known = service.subscriptions.find(arguments["player"])
    return None if known is None else known.address


def hand_over(task: Task, message: EmailMessage, address: str) -> dict[str, Any]:
    """Hand a message to the mail server, and plan the next try if it does not accept it."""
    service = task.service
    id: str = task.arguments["message"]
    server = parse_server(service.settings.smtp_url or "")
    sender = message["From"].addresses[0].addr_spec
    try:
        send_message(
            server, message, sender, address, partial(service.outbox.mark, id, HANDED_OVER)
        )
    except MayBeSent as error:
        log.warning("message %s is not sent again: %s", id, error)
        service.outbox.end_absence()
        finish(task)
        return {"dropped": str(error)}
    except CannotSend as error:
        service.outbox.unmark(id)
        if error.refused:
            service.outbox.end_absence()
        else:
            service.outbox.rest(task.jobs.clock())
        if error.unknown_address:
            digest = digest_address(service.secret, address)
            service.subscriptions.stop(task.arguments["player"], digest, str(error))
            return {"stopped": str(error)}
        log.warning("message %s is not sent: %s", id, error)
        return {"error": str(error), "next_at": schedule_next_try(task.jobs, task.arguments)}
    service.outbox.mark(id, SENT)
    service.outbox.end_absence()
    finish(task)
    return {"sent": id}


def finish(task: Task) -> None:
    """Forget what a digest has reported."""
    if task.arguments["what"] == "digest":
        task.service.outbox.forget_digest(task.arguments["player"], task.arguments["day"])


def write_message(task: Task) -> EmailMessage | None:
    """The message as it has to be sent now; None if there is nothing left to report."""
    service, arguments = task.service, task.arguments
    sender = service.settings.mail_from or ""
    if arguments["what"] == LINK:
        return write_account_message(service, arguments["link"], sender)
    known = service.subscriptions.find(arguments["player"])
    if known is None:
        return None
    if arguments["what"] == "confirmation":
        if known.confirmed_at is not None or task.jobs.clock() >= known.asked_at + LASTS:
            return None
        name = service.players.names([known.player])[known.player]
        with use_language(known.language):
            return write_confirmation(known, name, sender, service.mail_links)
    if not known.is_active:
        return None
    if arguments["what"] == "digest":
        items = service.outbox.take_digest(known.player, arguments["day"])
    else:
        items = arguments["items"]
    with use_language(known.language):
        reports = report_games(service, known, items)
        return write_news(reports, known, sender, service.mail_links) if reports else None


def write_account_message(service: Service, number: str, sender: str) -> EmailMessage | None:
    """The message with a link that signs in or confirms an address; None if no longer valid."""
    found = service.accounts.addresses.find_recipient(number)
    if found is None:
        return None
    link, address = found
    assert link.player is not None
    name = service.players.names([link.player])[link.player]
    written = f"{PATHS[link.purpose]}{service.accounts.links.write(number)}"
    url = service.mail_links.public_url
    with use_language(link.language):
        return write_link(link.purpose, written, name, address, sender, url)


def report_games(service: Service, known: Subscription, items: Sequence[Item]) -> list[GameReport]:
    """The reports on the games of these items, each once, that the player still needs."""
    reports: dict[str, GameReport] = {}
    for item in sorted(items, key=lambda item: int(item["at"])):
        if item["event"] not in known.events or len(reports) >= AT_ONCE:
            continue
        try:
            state = service.games.load(item["game"])
        except BaseTimeoutException:
            raise
        except NotFound:
            continue
        except Exception as error:
            if is_outage(error):
                raise
            # The projector sets such a game aside and says so; others are reported all the same.
            log.exception("nothing of game %s is reported", item["game"])
            continue
        side = Side(item["side"])
        if still_stands(state, side, item, service.jobs.clock()):
            names = service.players.names([state.seats[side.other]])
            report = report_game(state, side, item["event"], names, service.mail_links)
            reports[state.id] = report
    return list(reports.values())


def make_item(state: GameState, side: Side, event: str, at: int) -> Item:
    """The record kept of an event, to be reported when the message is written."""
    return {"event": event, "game": state.id, "side": int(side), "plies": state.length, "at": at}


def still_stands(state: GameState, side: Side, item: Item, now: int) -> bool:
    """Whether an item still holds in the game's state."""
    if item["event"] == DRAW_OFFERED:
        return state.draw_offer is side.other
    if side not in list_to_act(state) or state.length != item["plies"]:
        return False
    due = None if state.clock is None else state.clock.due
    return item["event"] != CLOCK_LOW or (due is not None and now < due)
