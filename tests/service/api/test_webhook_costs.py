"""What one player's webhooks cost the store does not depend on how many others have registered.

Nor does it depend on how many are notified by e-mail.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
import redis

from service.composition.service import now
from service.game.repository import stream_of
from service.jobs.queue import JobQueue
from service.log.values import Pointer
from service.mail.store import ACTIVE
from service.player.repository import NewPlayer
from service.reactions.game_news import GameNewsFollower
from service.reactions.listeners import find_listeners
from service.reactions.notices import Notice
from service.webhooks.store import MOST
from service.webhooks.webhook import EVENTS, GAME_FINISHED
from tests.service.api.client import Api
from tests.service.api.conftest import Configured
from tests.service.api.test_mail import MAILING
from tests.service.redis_server import RedisServer

URL = "https://club.example/hook"
WISH = {"url": URL, "events": [GAME_FINISHED]}
KEYS = ("movelog:{webhooks}:", ACTIVE)
"""How the keys begin whose entries are counted."""
WHOLE = ("HGETALL", "HVALS", "HKEYS")
"""The commands that touch every entry of a hash."""


@pytest.fixture
def api(configured: Configured) -> Api:
    """A service that can send mail."""
    return configured(**MAILING)


def count_touched(server: RedisServer, act: Callable[[], object]) -> int:
    """How many entries of KEYS are touched meanwhile, by scripts too."""
    with server.client() as client, client.monitor() as monitor:
        act()
        client.echo("end")
        touched = 0
        for seen in monitor.listen():
            name, *words = seen["command"].split()
            if name == "ECHO":
                return touched
            touched += count_entries(client, name, words)
    raise AssertionError("the monitor has ended")


def count_entries(client: redis.Redis, name: str, words: list[str]) -> int:
    """How many entries of KEYS a command touches."""
    if not words or not words[0].startswith(KEYS):
        return 0
    if name == "SMEMBERS":
        return 1 + int(client.scard(words[0]))
    if name in WHOLE:
        return 1 + int(client.hlen(words[0]))
    return len(words)


def register_others(api: Api, first: int, owners: int) -> None:
    for number in range(first, first + owners):
        for _ in range(MOST):
            api.service.webhooks.register(f"other{number}", URL, EVENTS, False)
        api.service.store.sadd(ACTIVE, f"other{number}")


def measure(api: Api, server: RedisServer, ada: NewPlayer) -> dict[str, int]:
    """The entries that each use of webhooks touches; Ada has one webhook before and after."""
    service = api.service
    find = partial(find_listeners, service.webhooks, service.subscriptions)
    follower = GameNewsFollower(JobQueue(service.jobs, service.store), find, now)
    pointer = Pointer(f"{now()}-0", stream_of("g"), 1, 1, (ada.id, "bob"))
    notice = Notice(GAME_FINISHED, "g", 0, [ada.id, "bob"], {})
    paths: list[str] = []

    def register() -> None:
        answer = api.post("/webhooks", WISH, ada)
        assert answer.status_code == 201
        paths.append(answer.headers["Location"].removeprefix("/api/v1"))

    def list_own() -> None:
        answer = api.get("/webhooks", ada)
        assert answer.json is not None
        assert len(answer.json["items"]) == 2

    acts = {
        "register": register,
        "list": list_own,
        "announce": lambda: service.announcer.announce(notice),
        "find listeners": lambda: follower.follow([pointer]),
        "delete": lambda: api.send("DELETE", paths[0], ada),
        "erase": lambda: service.webhooks.remove_of("nobody"),
    }
    return {name: count_touched(server, act) for name, act in acts.items()}


def test_what_others_have_registered_costs_nobody_anything(
    api: Api, redis_server: RedisServer, ada: NewPlayer
) -> None:
    assert api.post("/webhooks", WISH, ada).status_code == 201
    register_others(api, 0, 1)
    measure(api, redis_server, ada)
    few = measure(api, redis_server, ada)
    register_others(api, 1, 20)
    assert measure(api, redis_server, ada) == few
    assert max(few.values()) < 40
