from __future__ import annotations

import hmac
import json
from dataclasses import replace
from hashlib import sha256
from urllib.parse import quote_plus

import pytest
import redis

from notation.registry import find_dialect
from service.composition.service import Service
from service.game.state import GameState
from service.jobs.job import Job
from service.jobs.job_kinds import DELIVERY, NOTICES
from service.jobs.queue import JobQueue
from service.player.commands import Principal
from service.reactions import notices as notice_module
from service.reactions.ended_games import ended_games_handler
from service.reactions.notices import RETRY_DELAYS_MS, Notice, schedule_retry
from service.webhooks.receivers import route_of
from service.webhooks.webhook import (
    GAME_FINISHED,
    GAME_REOPENED,
    IMPORT_FINISHED,
    Webhook,
    derive_secret,
)
from tests.service.expired_tokens import issue_expired
from tests.service.projection.support import correct, create, end, play, reopen
from tests.service.unreadable import make_unreadable
from tests.service.webhooks.receiver import Receiver
from tests.workers.support import ended_games, everything, task
from workers.task import Task
from workers.webhooks import deliver, notify


def register(
    service: Service, receiver: Receiver, owner: str = "ann", *, everybody: bool = False
) -> Webhook:
    events = (GAME_FINISHED, IMPORT_FINISHED)
    return service.webhooks.register(owner, receiver.url, events, everybody)


def notices(service: Service, id: str = "job") -> Task:
    return task(service, NOTICES, everything(service), id)


def waiting(service: Service) -> list[str]:
    """The queued deliveries, whenever they are due."""
    found = service.jobs.store.zrange("movelog:{jobs}:state:queued", 0, -1)
    return [id.decode() for id in found]  # type: ignore[union-attr]


def begun(service: Service, id: str) -> Task:
    job: Job | None = service.jobs.claim(id, "owner")
    assert job is not None
    return Task(service, service.jobs, job)


def test_each_webhook_that_wants_it_is_told_of_an_ended_game(
    service: Service, receiver: Receiver
) -> None:
    (id,) = ended_games(service, 1)
    own = register(service, receiver)
    register(service, receiver, "somebody else")
    admin = service.players.register("Root", None, scopes=("admin",)).id
    every = register(service, receiver, admin, everybody=True)
    register(service, receiver, "no admin", everybody=True)
    assert notify(notices(service)) == {"asked": 2}
    told = [service.jobs.get(job).arguments["webhook"] for job in waiting(service)]
    assert sorted(told) == sorted([own.id, every.id])
    notice = json.loads(service.jobs.get(waiting(service)[0]).arguments["body"])
    assert (notice["event"], notice["data"]["game"]) == ("game-finished", id)
    assert notice["data"]["players"] == ["ann", "bob"]
    assert notice["data"]["result"] == "1-0"


def test_telling_again_tells_nothing_new(service: Service, receiver: Receiver) -> None:
    (id,) = ended_games(service, 1)
    register(service, receiver)
    notify(notices(service))
    before = waiting(service)
    notify(notices(service, "again"))
    assert waiting(service) == before
    correct(service.games, id, "0-1")
    notify(notices(service, "corrected"))
    assert len(waiting(service)) == 2


def test_each_correction_is_told_even_back_to_an_earlier_result(
    service: Service, receiver: Receiver
) -> None:
    (id,) = ended_games(service, 1)
    register(service, receiver)
    told: list[str] = []
    for number, result in enumerate(("1-0", "0-1", "1-0", "0-1")):
        if number:
            correct(service.games, id, result)
        # A job that is done again, as after a crash, tells nothing new.
        for attempt in range(2):
            notify(notices(service, f"{number} {attempt}"))
        jobs = [service.jobs.get(job) for job in waiting(service)]
        bodies = [json.loads(job.arguments["body"]) for job in jobs]
        told = [body["data"]["result"] for body in bodies]
        assert sorted(told) == sorted(("1-0", "0-1", "1-0", "0-1")[: number + 1])


def test_what_an_earlier_version_has_told_is_not_told_again(
    service: Service, receiver: Receiver
) -> None:
    """Which named a notice by the game's result, and the version of a reopening."""
    (id,) = ended_games(service, 1)
    service.webhooks.register("ann", receiver.url, (GAME_FINISHED,), everybody=False)

    def tell_as_before(rest: str) -> None:
        notice = Notice(GAME_FINISHED, f"{id} {rest}", 0, ["ann"], {})
        assert service.announcer.announce(notice) == 1
        before = waiting(service)
        notify(notices(service, rest))
        assert waiting(service) == before

    tell_as_before("1-0 adjudication")
    correct(service.games, id, "0-1")
    tell_as_before("0-1 adjudication")
    reopened = reopen(service.games, id).version
    end(service.games, id, "1-0")
    tell_as_before(f"1-0 adjudication {reopened}")


def test_r35_a_reopened_game_and_its_second_end_are_told(
    service: Service, receiver: Receiver
) -> None:
    (id,) = ended_games(service, 1)
    events = (GAME_FINISHED, GAME_REOPENED)
    hook = service.webhooks.register("ann", receiver.url, events, everybody=False)
    service.webhooks.register("ann", receiver.url, (IMPORT_FINISHED,), everybody=False)
    notify(notices(service))
    reopen(service.games, id)
    notify(notices(service, "reopened"))
    notify(notices(service, "again"))
    end(service.games, id, "1-0")
    notify(notices(service, "ended"))
    jobs = [service.jobs.get(job) for job in waiting(service)]
    assert {job.arguments["webhook"] for job in jobs} == {hook.id}
    told = [json.loads(job.arguments["body"]) for job in jobs]
    assert sorted(notice["event"] for notice in told) == [
        "game-finished",
        "game-finished",
        "game-reopened",
    ]
    (reopening,) = [notice["data"] for notice in told if notice["event"] == "game-reopened"]
    assert (reopening["game"], reopening["players"]) == (id, ["ann", "bob"])
    assert "result" not in reopening


@pytest.mark.parametrize(
    ("filter", "told"),
    [
        ("variant=katruji&player=an&min_plies=4&max_plies=4", False),
        ("variant=katruji&player=ann+lee&opponent=bob&result=1-0", True),
        ("opponent=lee&termination=adjudication&status=finished&min_points=0", True),
        ("player=lee&side=second", False),
        ("variant=katruji&max_ply=0&fen=START", True),
        ("variant=katruji&min_ply=1&fen=START", False),
        ("variant=katruji&actions=FIRST", True),
        ("variant=kerak", False),
        ("min_points=1000", False),
    ],
)
def test_a_filter_is_asked_about_an_ended_game(
    service: Service, receiver: Receiver, filter: str, told: bool
) -> None:
    ann, bob = (service.players.unclaimed(name, "admin") for name in ("Ann Lee", "Bob"))
    create(service.games, "g", ann, bob)
    play(service.games, "g", 4)
    state = end(service.games, "g", "1-0")
    start = find_dialect("katruji")
    text = filter.replace("START", quote_plus(start.write_fen(start.start({}))))
    text = text.replace("FIRST", state.played[0].coordinate)
    hook = service.webhooks.register(ann, receiver.url, (GAME_FINISHED,), False, text)
    assert service.webhooks.get(hook.id).filter == text
    assert notify(task(service, NOTICES, {"games": ["g"]})) == {"asked": int(told)}


def test_a_reopened_game_fits_no_filter_about_its_end_or_its_board(
    service: Service, receiver: Receiver
) -> None:
    (id,) = ended_games(service, 1)
    first = service.games.load(id).played[0].coordinate
    filters = {
        "result=1-0": False,
        "min_points=0": False,
        f"variant=katruji&actions={first}": False,
        "variant=katruji&mode=scribe&status=running": True,
        None: True,
    }
    hooks = {
        service.webhooks.register("ann", receiver.url, (GAME_REOPENED,), False, filter).id: filter
        for filter in filters
    }
    reopen(service.games, id)
    notify(notices(service, "reopened"))
    told = {hooks[service.jobs.get(job).arguments["webhook"]] for job in waiting(service)}
    assert told == {filter for filter, fits in filters.items() if fits}


def test_a_filter_is_asked_about_games_alone_and_one_of_a_newer_version_fits_none(
    service: Service, receiver: Receiver
) -> None:
    ended_games(service, 1)
    events = (GAME_FINISHED, IMPORT_FINISHED)
    newer = service.webhooks.register("ann", receiver.url, events, False, "weather=fine")
    assert notify(notices(service)) == {"asked": 0}
    notice = Notice(IMPORT_FINISHED, "i", 0, ["ann"], {})
    assert service.announcer.announce(notice) == 1
    (job,) = waiting(service)
    assert service.jobs.get(job).arguments["webhook"] == newer.id


def test_a_merged_players_games_fit_the_name_of_who_they_are_now(
    service: Service, receiver: Receiver
) -> None:
    old, now = (service.players.unclaimed(name, "admin") for name in ("A. Lee", "Ann Lee"))
    create(service.games, "g", old, "bob")
    end(service.games, "g", "1-0")
    fits = service.saved_queries.judge_of(service.games.load("g"))
    assert [fits(f"player={text}") for text in ("a+lee", "ann+lee", old, now)] == [1, 0, 1, 0]
    service.players.merge(old, now, "admin")
    fits = service.saved_queries.judge_of(service.games.load("g"))
    assert [fits(f"player={text}") for text in ("a+lee", "ann+lee", old, now)] == [0, 1, 1, 1]


def test_without_webhooks_nothing_is_asked_for(service: Service, receiver: Receiver) -> None:
    ask = ended_games_handler(JobQueue(service.jobs, service.store), service.webhooks)
    (id,) = ended_games(service, 1)
    ask([service.games.load(id)])
    assert service.jobs.waiting([NOTICES]).queued == 0
    register(service, receiver)
    ask([service.games.load(id)])
    ask([service.games.load(id)])
    (job,) = service.jobs.due([NOTICES])
    assert service.jobs.get(job).arguments == {"games": [id]}


def test_a_delivery_is_signed(service: Service, receiver: Receiver) -> None:
    ended_games(service, 1)
    hook = register(service, receiver)
    notify(notices(service))
    (id,) = waiting(service)
    assert deliver(begun(service, id)) == {"status": 204, "error": None}
    ((headers, body),) = receiver.got
    seconds, given = (part[2:] for part in headers["X-Movelog-Signature"].split(","))
    signed = seconds.encode() + b"." + body
    secret = derive_secret(service.secret, hook).encode()
    assert given.removeprefix("=") == hmac.new(secret, signed, sha256).hexdigest()
    assert json.loads(body)["id"] == headers["X-Movelog-Delivery"] == id
    (attempt,) = service.webhooks.attempts(hook.id, 10)
    assert (attempt.delivered, attempt.number, attempt.next_at) == (True, 1, None)


def test_who_is_no_admin_any_more_is_told_of_nobody_elses_affairs(
    service: Service, receiver: Receiver
) -> None:
    """Whether the token was revoked or has expired; of their own affairs they are still told."""
    players = service.players
    admin, owner = (players.register(name, None, scopes=("admin",)) for name in ("Ann", "Bea"))
    hook = service.webhooks.register(owner.id, receiver.url, (GAME_FINISHED,), True)

    def told(about: str, *concerned: str) -> int:
        notice = Notice(GAME_FINISHED, about, 0, concerned, {})
        return service.announcer.announce(notice)

    assert told("a", "somebody") == 1
    players.revoke(owner.id, owner.token.token.id, Principal(admin.id, None))
    assert told("b", "somebody") == 0
    assert told("c", "somebody", owner.id) == 1
    brief = players.issue(owner.id, ["admin"], Principal(admin.id, None), players.clock() + 60_000)
    assert told("d", "somebody") == 1
    players.revoke(owner.id, brief.token.id, Principal(admin.id, None))
    issue_expired(players, owner.id, ["admin"], Principal(admin.id, None))
    assert told("e", "somebody") == 0
    assert service.webhooks.all() == [hook]


def test_a_delivery_that_fails_is_tried_again_later_and_later(
    service: Service, receiver: Receiver
) -> None:
    hook = register(service, receiver)
    receiver.status = 503
    service.announcer.announce(
        Notice(GAME_FINISHED, "x", 0, ["ann"], {}),
    )
    for number, delay in enumerate((*RETRY_DELAYS_MS, None), 1):
        (id,) = waiting(service)
        before = service.jobs.clock()
        assert deliver(begun(service, id))["status"] == 503
        attempt = service.webhooks.attempts(hook.id, 1)[0]
        assert attempt.number == number
        if delay is None:
            assert attempt.next_at is None
            assert waiting(service) == []
        else:
            assert attempt.next_at is not None
            assert before + delay <= attempt.next_at
            assert service.jobs.due() == []
            assert service.jobs.get(waiting(service)[0]).due == attempt.next_at
    deliveries = {headers["X-Movelog-Delivery"] for headers, _ in receiver.got}
    assert (len(receiver.got), len(deliveries)) == (len(RETRY_DELAYS_MS) + 1, 1)


def test_nothing_is_sent_inside_unless_it_is_allowed(service: Service, receiver: Receiver) -> None:
    hook = register(service, receiver)
    strict = replace(service, settings=replace(service.settings, private_webhooks=False))
    service.announcer.announce(
        Notice(GAME_FINISHED, "x", 0, ["ann"], {}),
    )
    (id,) = waiting(service)
    assert deliver(begun(strict, id))["status"] is None
    assert receiver.got == []
    assert service.webhooks.attempts(hook.id, 1)[0].error


def test_a_removed_or_disabled_webhook_is_sent_nothing(
    service: Service, receiver: Receiver
) -> None:
    for about, stop in (("x", service.webhooks.remove), ("y", disable(service))):
        hook = register(service, receiver)
        service.announcer.announce(
            Notice(GAME_FINISHED, about, 0, ["ann"], {}),
        )
        (id,) = waiting(service)
        stop(hook.id)
        assert "dropped" in deliver(begun(service, id))
    assert receiver.got == []


def disable(service: Service):  # type: ignore[no-untyped-def]
    def disabled(id: str) -> None:
        service.store.hset("movelog:{webhooks}:disabled", id, "for the test")

    return disabled


def test_a_store_that_goes_away_leaves_nobody_untold(
    service: Service, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended_games(service, 1)
    register(service, receiver)
    work = notices(service)

    def away(id: str) -> GameState:
        raise redis.ConnectionError

    monkeypatch.setattr(service.games, "load", away)
    with pytest.raises(redis.ConnectionError):
        notify(work)


def test_the_next_try_waits_as_long_as_its_receiver_is_left_alone(service: Service) -> None:
    arguments = {"webhook": "w", "delivery": "d", "event": "e", "body": "", "number": 1}
    held = service.jobs.clock() + 10 * RETRY_DELAYS_MS[0]
    assert schedule_retry(service.jobs, arguments, "https://x.example:443", held) == held
    (id,) = waiting(service)
    job = service.jobs.get(id)
    assert (job.due, job.group, job.arguments["number"]) == (held, "https://x.example:443", 2)
    begun = service.jobs.clock()
    due = schedule_retry(service.jobs, arguments | {"number": 2}, "https://x.example:443", 0)
    assert due is not None
    assert due >= begun + RETRY_DELAYS_MS[1]


def test_a_game_that_cannot_be_read_keeps_no_other_from_being_told_of(
    service: Service, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, _ = ended_games(service, 2)
    register(service, receiver)
    make_unreadable(service.games, bad, monkeypatch)
    assert notify(notices(service)) == {"asked": 1}
    assert DELIVERY in {service.jobs.get(id).kind for id in waiting(service)}


def test_what_an_older_version_has_queued_waits_with_its_own_receiver_alone(
    service: Service, receiver: Receiver
) -> None:
    """Older versions had one queue for all receivers, in which a silent one held up the others."""
    hook = register(service, receiver)
    jobs = service.jobs
    service.announcer.announce(Notice(GAME_FINISHED, "x", 0, ["ann"], {}))
    (id,) = waiting(service)
    jobs.create("old", DELIVERY, jobs.get(id).arguments)
    jobs.cancel(id)
    to = route_of(hook)
    assert deliver(begun(service, "old")) == {"moved": to}
    assert receiver.got == []
    (moved,) = jobs.due_in(DELIVERY, to, 10)
    assert deliver(begun(service, moved)) == {"status": 204, "error": None}
    assert len(receiver.got) == 1


def test_deliveries_that_wait_are_bounded_and_the_log_tells_of_the_rest(
    service: Service, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notice_module, "MAX_QUEUED", 3)
    hook, other = register(service, receiver), register(service, receiver, "bob")

    def tell(about: str, owner: str = "ann") -> int:
        notice = Notice(GAME_FINISHED, about, 0, [owner], {})
        return service.announcer.announce(notice)

    assert [tell(about) for about in "abcd"] == [1, 1, 1, 0]
    assert len(waiting(service)) == 3
    (refused,) = service.webhooks.attempts(hook.id, 10)
    assert refused.error == "not sent: 3 deliveries wait for this receiver already"
    assert (refused.status, refused.next_at, refused.delivered) == (None, None, False)
    # A repeated notification is not refused, and another owner's receivers have room.
    assert tell("a") == 1
    assert tell("e", "bob") == 1
    assert len(service.webhooks.attempts(hook.id, 10)) == 1
    assert service.webhooks.attempts(other.id, 10) == []
    (first, *_) = service.jobs.due_in(DELIVERY, route_of(hook), 10)
    assert deliver(begun(service, first))["status"] == 204
    assert tell("d") == 1
