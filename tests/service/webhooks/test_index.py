"""The index of webhooks, also beside processes of an earlier version, which keep none."""

from __future__ import annotations

import json
from collections.abc import Collection

import pytest

from service.ids import new_id
from service.webhooks.errors import TooManyWebhooks
from service.webhooks.index import COMPARED_EVERY, HOOKS
from service.webhooks.store import DISABLED, MOST, TABLES, Webhooks
from service.webhooks.webhook import CHALLENGE, GAME_FINISHED, YOUR_TURN, Listeners, Webhook
from tests.service.interrupted import InterruptedRedis
from tests.service.jobs.support import Clock
from tests.service.webhooks.test_store import attempt, hook


@pytest.fixture
def store() -> InterruptedRedis:
    return InterruptedRedis()


@pytest.fixture
def webhooks(store: InterruptedRedis) -> Webhooks:
    return Webhooks(store, lambda: 1_700_000_000_000)


def register_as_before(
    store: InterruptedRedis,
    owner: str = "ann",
    events: Collection[str] = (GAME_FINISHED,),
    *,
    everybody: bool = False,
) -> str:
    """Register a webhook as an earlier version does; returns its id."""
    id = new_id()
    kept = {"owner": owner, "url": "https://club.example/", "events": list(events)}
    text = json.dumps({**kept, "everybody": everybody, "created_at": 7})
    store.hset(HOOKS, id, text)
    return id


def remove_as_before(store: InterruptedRedis, id: str) -> None:
    """Remove a webhook as an earlier version does."""
    for key in TABLES:
        store.hdel(key, id)


def ids(hooks: Collection[Webhook]) -> set[str]:
    return {hook.id for hook in hooks}


def find(webhooks: Webhooks, *concerned: str, private: bool = False) -> set[str]:
    return ids(webhooks.find_notified(GAME_FINISHED, concerned, private=private))


def test_a_notice_finds_the_webhooks_of_those_it_concerns_and_those_for_everybody(
    webhooks: Webhooks,
) -> None:
    url = "https://club.example/"
    ann, bob = (webhooks.register(who, url, (GAME_FINISHED,), False).id for who in ("ann", "bob"))
    webhooks.register("ann", url, (CHALLENGE,), False)
    every = webhooks.register("root", url, (GAME_FINISHED, CHALLENGE), True).id
    assert find(webhooks, "ann", "bob") == {ann, bob, every}
    assert find(webhooks, "ann", "ann", "eve") == {ann, every}
    assert find(webhooks, "ann", private=True) == {ann}
    assert find(webhooks, "root", private=True) == {every}
    assert find(webhooks) == {every}


def test_listeners_are_those_asked_about(webhooks: Webhooks, store: InterruptedRedis) -> None:
    url = "https://club.example/"
    webhooks.register("ann", url, (YOUR_TURN, GAME_FINISHED), False)
    webhooks.register("bob", url, (YOUR_TURN,), False)
    webhooks.register("eve", url, (GAME_FINISHED,), False)
    asked = ["ann", "eve", "nobody"]
    assert webhooks.find_listeners([CHALLENGE, YOUR_TURN], asked) == Listeners(frozenset({"ann"}))
    every = webhooks.register("root", url, (YOUR_TURN,), True)
    assert webhooks.find_listeners([YOUR_TURN], ["eve"]) == Listeners(frozenset(), True)
    assert webhooks.find_listeners([CHALLENGE], ["eve"]) == Listeners(frozenset())
    store.hset(DISABLED, every.id, "for the test")
    assert webhooks.find_listeners([YOUR_TURN], ["eve"]) == Listeners(frozenset())


def test_webhooks_of_an_earlier_version_are_found(
    webhooks: Webhooks, store: InterruptedRedis
) -> None:
    ann = register_as_before(store)
    every = register_as_before(store, "root", everybody=True)
    for known in (webhooks, Webhooks(store, webhooks.clock)):
        assert ids(known.list_of("ann")) == {ann}
        assert find(known, "ann") == {ann, every}
        assert known.find_listeners([GAME_FINISHED], ["ann"]) == Listeners(frozenset({"ann"}), True)
    # Such a process goes on beside the newer one.
    later = register_as_before(store)
    assert ids(webhooks.list_of("ann")) == {ann, later}
    remove_as_before(store, ann)
    assert find(webhooks, "ann") == {later, every}
    webhooks.note(later, attempt(0))
    webhooks.remove_of("ann")
    webhooks.remove(every)
    assert store.keys() == []


def test_an_earlier_versions_webhook_can_be_removed_before_it_is_found(
    webhooks: Webhooks, store: InterruptedRedis
) -> None:
    webhooks.remove(register_as_before(store))
    assert store.keys() == []


@pytest.mark.parametrize("begins", [True, False])
def test_a_process_finds_what_was_replaced_when_it_begins_or_within_an_hour(
    store: InterruptedRedis, begins: bool
) -> None:
    """The number of webhooks stays the same if an earlier version removes and registers one."""
    clock = Clock()
    webhooks = Webhooks(store, clock)
    old = hook(webhooks).id
    assert find(webhooks, "ann") == {old}
    remove_as_before(store, old)
    new = register_as_before(store)
    if not begins:
        clock.pass_by(COMPARED_EVERY)
    assert find(Webhooks(store, clock) if begins else webhooks, "ann") == {new}
    assert find(webhooks, "ann") == {new}


def test_webhooks_of_an_earlier_version_count_for_the_bound(
    webhooks: Webhooks, store: InterruptedRedis
) -> None:
    old = [register_as_before(store) for _ in range(MOST - 1)]
    hook(webhooks)
    with pytest.raises(TooManyWebhooks):
        hook(webhooks)
    remove_as_before(store, old[0])
    register_as_before(store, "bob")
    hook(webhooks)
    with pytest.raises(TooManyWebhooks):
        hook(webhooks)


@pytest.mark.parametrize("after", range(6))
def test_a_webhook_that_an_earlier_version_registers_at_the_same_moment_is_not_lost(
    webhooks: Webhooks, store: InterruptedRedis, after: int
) -> None:
    first = register_as_before(store)
    later: list[str] = []
    store.interrupt(lambda: later.append(register_as_before(store)), after)
    assert first in find(webhooks, "ann")
    store.finish()
    assert find(webhooks, "ann") == {first, *later}


@pytest.mark.parametrize("after", range(6))
def test_a_webhook_that_is_removed_while_it_is_indexed_leaves_nothing(
    webhooks: Webhooks, store: InterruptedRedis, after: int
) -> None:
    old = register_as_before(store, everybody=True)
    store.interrupt(lambda: Webhooks(store, webhooks.clock).remove(old), after)
    find(webhooks, "ann")
    store.finish()
    assert find(webhooks, "ann") == set()
    assert store.keys() == []


def test_a_restored_copy_replaces_the_index(webhooks: Webhooks, store: InterruptedRedis) -> None:
    kept = hook(webhooks).id
    copy = webhooks.export()
    assert webhooks.find_listeners([GAME_FINISHED], ["ann"]).players == {"ann"}
    hook(webhooks, "bob")
    webhooks.register("root", "https://club.example/", (GAME_FINISHED,), True)
    webhooks.restore(copy)
    assert find(webhooks, "ann", "bob", "root") == {kept}
    assert webhooks.export() == copy
    webhooks.remove_of("ann")
    assert store.keys() == []
