"""Jobs that notify players of turns, draw offers, low clocks and challenges in their games.

Notices are public, except those of a private challenge, which only its two players get. What no
longer holds is not reported, nor is anything that happened more than a day ago.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from rq.timeouts import BaseTimeoutException

from engine.side import Side
from notation.registry import find_dialect
from service.api.terms_view import render_game_terms
from service.api.views import name_side, render_clocks
from service.composition.service import Service
from service.game.news import (
    find_draw_offer,
    find_low_mark,
    find_low_time,
    find_turn,
    is_news,
)
from service.game.redaction import STRANGER, seen_position
from service.game.repository import audience, stream_of
from service.game.state import GameState
from service.game.terms import Visibility
from service.game.values import GameStatus
from service.ids import derived_id
from service.jobs.job_kinds import LOW_CLOCK
from service.log.values import Recorded
from service.mail.subscription import EVENTS as MAILED
from service.reactions.listeners import find_listeners
from service.reactions.notices import OLD, Notice
from service.webhooks.webhook import CHALLENGE, CLOCK_LOW, DRAW_OFFERED, YOUR_TURN
from workers.mail import make_item
from workers.outages import is_outage
from workers.task import Task
from workers.webhooks import describe_game

log = logging.getLogger(__name__)

EARLY: Final = 1000
"""A clock already counts as low this many milliseconds before it is."""


def send_game_notices(task: Task) -> dict[str, Any]:
    """Notify of what has happened in the games that the job names; a repeat notifies of nothing.

    Returns how many notices were requested, as `asked`.
    """
    changes: list[tuple[str, int]] = task.arguments["changes"]
    asked = 0
    for done, (id, first) in enumerate(changes):
        task.report_progress(done, len(changes))
        try:
            asked += send_notices_of_game(task.service, id, first)
        except BaseTimeoutException:
            raise
        except Exception as error:
            if is_outage(error):
                raise
            # The projector reports such a game as unreadable.
            log.exception("no notices can be sent about game %s", id)
    return {"asked": asked}


def send_notices_of_game(service: Service, id: str, first: int) -> int:
    """Notify of what has happened in a game since version `first`; returns how many notices."""
    recorded = service.log.read(stream_of(id), first - 1)
    if not any(is_news(entry.event) for entry in recorded):
        return 0
    state = service.games.load(id)
    if recorded[-1].version < state.version:
        recorded = service.log.read(stream_of(id), first - 1)
    if service.jobs.clock() - recorded[-1].at > OLD:
        return 0
    plan_low_clock(service, state)
    notices = make_notices(state, recorded)
    return sum(announce(service, state, notice) for notice in notices)


def announce(service: Service, state: GameState, notice: Notice) -> int:
    """Announce a notice about a game; returns how many get it.

    In games with days a move, players also get it by mail.
    """
    asked = service.announcer.announce(replace(notice, fits=service.saved_queries.judge_of(state)))
    if state.clock is not None and state.clock.control.days_a_move:
        for player in notice.concerned:
            side = state.side_of(player)
            if side is not None and notice.event in MAILED:
                item = make_item(state, side, notice.event, notice.at)
                asked += service.mail_announcer.announce(player, notice.event, notice.about, item)
    return asked


def make_notices(state: GameState, newest: Sequence[Recorded]) -> list[Notice]:
    """The notices for what the newest events of a game have brought about, if it still holds."""
    if state.status is GameStatus.OFFERED:
        return [make_challenge_notice(state)]
    notices = []
    turn = find_turn(state, newest)
    if turn is not None:
        notices += [make_turn_notice(state, side, turn.version) for side in turn.sides]
    offer = find_draw_offer(state, newest)
    if offer is not None:
        notices.append(make_draw_notice(state, offer))
    return notices


def make_challenge_notice(state: GameState) -> Notice:
    """The notice of a challenge, with its terms."""
    open_seat = next((side for side in Side if state.seats[side] is None), None)
    opponents = [seat for seat in state.seats if seat not in (None, state.creator)]
    data = {
        **describe_game(state),
        "challenger": state.creator,
        "opponent": opponents[0] if opponents else None,
        "open_side": name_side(open_seat),
        "fen": state.fen,
        "terms": render_game_terms(state),
    }
    private = state.terms.visibility is Visibility.PRIVATE
    return Notice(CHALLENGE, state.id, state.created_at, audience(state), data, private=private)


def make_turn_notice(state: GameState, side: Side, version: int) -> Notice:
    """The notice that a side's player has to act."""
    data = {
        **describe_standing(state, side),
        "to_do": "choose" if state.status is GameStatus.CHOOSING else "act",
    }
    about = f"{state.id} {version} {side}"
    return Notice(YOUR_TURN, about, state.updated_at, find_player(state, side), data)


def make_draw_notice(state: GameState, version: int) -> Notice:
    """The notice that a side's opponent offers a draw."""
    assert state.draw_offer is not None
    side = state.draw_offer.other
    data = describe_standing(state, side)
    about = f"{state.id} {version}"
    return Notice(DRAW_OFFERED, about, state.updated_at, find_player(state, side), data)


def describe_standing(state: GameState, side: Side) -> dict[str, Any]:
    """The public state of a game, and the player whom the notice is for."""
    position = seen_position(state, STRANGER)
    return {
        **describe_game(state),
        "player": state.seats[side],
        "side": name_side(side),
        "last_action": state.played[-1].san if state.played else None,
        "fen": find_dialect(state.variant).write_fen(position),
        **render_clocks(state.clock),
    }


def find_player(state: GameState, side: Side) -> list[str]:
    """The player of a side as a list; empty if the seat is free."""
    player = state.seats[side]
    return [] if player is None else [player]


def plan_low_clock(service: Service, state: GameState) -> None:
    """Plan a job for when the running clock runs low; planning it again changes nothing."""
    at, clock = find_low_time(state), state.clock
    if at is None or clock is None or clock.running is None:
        return
    players = audience(state)
    listeners = find_listeners(service.webhooks, service.subscriptions, [CLOCK_LOW], players)
    if not listeners.are_concerned(players):
        return
    id = derived_id(b"", LOW_CLOCK, state.id, str(clock.since), str(at))
    arguments = {"game": state.id, "since": clock.since}
    service.jobs.create(id, LOW_CLOCK, arguments, due=at)


def warn_of_low_clock(task: Task) -> dict[str, Any]:
    """Notify a player that their clock runs low, if it does and the turn is still the same.

    An outage credited since then delays it. Returns how many notices were requested, as `asked`.
    """
    state = task.service.games.load(task.arguments["game"])
    at, clock = find_low_time(state), state.clock
    if at is None or clock is None or clock.running is None or clock.due is None:
        return {"asked": 0}
    now = task.service.jobs.clock()
    if clock.since != task.arguments["since"] or now >= clock.due:
        return {"asked": 0}
    if at > now + EARLY:
        plan_low_clock(task.service, state)
        return {"asked": 0}
    side = clock.running
    data = {**describe_standing(state, side), "low_ms": find_low_mark(clock.control)}
    about = f"{state.id} {clock.since} {side}"
    notice = Notice(CLOCK_LOW, about, at, find_player(state, side), data)
    return {"asked": announce(task.service, state, notice)}
