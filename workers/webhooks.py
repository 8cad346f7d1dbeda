"""The webhooks' jobs: notifying of ended games, and delivering."""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from typing import Any

from rq.timeouts import BaseTimeoutException

from service.errors import BadValue, NotFound
from service.game.repository import audience
from service.game.shown_annotations import listed_tags
from service.game.state import GameState
from service.game.values import Mode
from service.ids import derived_id
from service.jobs.job_kinds import DELIVERY
from service.reactions.notices import Notice, schedule_retry
from service.webhooks.errors import CannotDeliver
from service.webhooks.receivers import route_of
from service.webhooks.sending import check_url, post
from service.webhooks.webhook import (
    GAME_FINISHED,
    GAME_REOPENED,
    Attempt,
    Webhook,
    derive_secret,
    sign_body,
)
from workers.job_games import list_named_games
from workers.outages import is_outage
from workers.task import Task

log = logging.getLogger(__name__)


def notify(task: Task) -> dict[str, Any]:
    """Notify of the ended and reopened games that the job names; a repeat notifies of nothing.

    Imported games are reported with their import. Returns how many deliveries were requested, as
    `asked`.
    """
    service = task.service
    named = list_named_games(task)
    asked = 0
    for done, id in enumerate(named):
        task.report_progress(done, len(named))
        try:
            state = service.games.load(id)
        except BaseTimeoutException:
            raise
        except Exception as error:
            if is_outage(error):
                raise
            # The projector sets such a game aside and says so.
            log.exception("nobody is told of game %s", id)
            continue
        if state.mode is Mode.IMPORT:
            continue
        if state.ending is not None:
            notice = make_finished_notice(state)
        elif state.reopened:
            notice = make_reopened_notice(state)
        else:
            continue
        fits = service.saved_queries.judge_of(state)
        asked += service.announcer.announce(replace(notice, fits=fits))
    return {"asked": asked}


def make_finished_notice(state: GameState) -> Notice:
    """Make the notice that a game has ended, again after a correction or a reopening.

    An ending that is corrected and then restored is another notice than the first time. Other
    endings are not identified by their version, since earlier versions have announced them without.
    """
    assert state.ending is not None
    points = state.position.points()
    data = {
        **describe_game(state),
        "result": state.ending.result,
        "termination": state.ending.termination,
        "points": points and list(points),
    }
    about = f"{state.id} {state.ending.result} {state.ending.termination}"
    if state.reopened:
        about += f" {state.reopened}"
    if state.ending in state.earlier_endings:
        about += f" {state.ending_version}"
    return Notice(GAME_FINISHED, about, state.updated_at, audience(state), data)


def make_reopened_notice(state: GameState) -> Notice:
    """Make the notice that a game's end was withdrawn and it goes on (Ruling R35)."""
    about = f"{state.id} {state.reopened}"
    return Notice(GAME_REOPENED, about, state.updated_at, audience(state), describe_game(state))


def describe_game(state: GameState) -> dict[str, Any]:
    """Return the fields of a game in every notice."""
    return {
        "game": state.id,
        "variant": state.variant,
        "mode": state.mode,
        "players": list(state.seats),
        "plies": len(state.played),
        "tags": listed_tags(state),
        "rated": state.terms.rated,
    }


def deliver(task: Task) -> dict[str, Any]:
    """Send one delivery once, record how it went, and plan the next try if it failed."""
    arguments = task.arguments
    webhooks = task.service.webhooks
    try:
        hook = webhooks.get(arguments["webhook"])
    except NotFound:
        return {"dropped": "the webhook was removed"}
    if hook.disabled is not None:
        return {"dropped": hook.disabled}
    route = route_of(hook)
    if task.job.group != route:
        # An older version queued it, among the deliveries of all others.
        id = derived_id(b"", DELIVERY, task.job.id, route)
        task.jobs.create(id, DELIVERY, arguments, group=route)
        return {"moved": route}
    task.report_progress(0, 1)
    begun = time.monotonic()
    at = task.jobs.clock()
    status, error = send(task, hook, at // 1000)
    took = int(1000 * (time.monotonic() - begun))
    until = record_answer(task, route, answered=status is not None)
    arrived = status is not None and 200 <= status < 300
    due = None if arrived else schedule_retry(task.jobs, arguments, route, until or 0)
    attempt = Attempt(
        delivery=arguments["delivery"],
        event=arguments["event"],
        number=arguments["number"],
        at=at,
        took_ms=took,
        status=status,
        error=error,
        next_at=due,
    )
    webhooks.note(hook.id, attempt)
    return {"status": status, "error": error}


def record_answer(task: Task, route: str, *, answered: bool) -> int | None:
    """Hold the deliveries of a route that gets no answers; returns until when, if held."""
    receivers, jobs = task.service.receivers, task.jobs
    if answered:
        if receivers.answered(route):
            jobs.hold(DELIVERY, route, None)
        return None
    until = receivers.strike(route)
    if until is not None:
        jobs.hold(DELIVERY, route, until)
    return until


def send(task: Task, hook: Webhook, timestamp: int) -> tuple[int | None, str | None]:
    """Send the notice; returns the receiver's answer, or why there was none."""
    body = task.arguments["body"].encode()
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Movelog",
        "X-Movelog-Event": task.arguments["event"],
        "X-Movelog-Delivery": task.arguments["delivery"],
        "X-Movelog-Signature": sign_body(derive_secret(task.service.secret, hook), timestamp, body),
    }
    private = task.service.settings.private_webhooks
    try:
        check_url(hook.url, private=private)
        return post(hook.url, body, headers, private=private), None
    except (BadValue, CannotDeliver) as error:
        # A receiver registered under other settings may no longer be allowed.
        return None, str(error)
