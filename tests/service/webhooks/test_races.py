"""Changes to webhooks and receivers that happen at the same moment."""

from __future__ import annotations

from contextlib import suppress

import pytest

from service.errors import NotFound
from service.webhooks.errors import TooManyWebhooks
from service.webhooks.receivers import RECEIVER, STRIKES, Receivers
from service.webhooks.store import DISABLED, MOST, PATIENCE, Webhooks
from tests.service.interrupted import InterruptedRedis
from tests.service.jobs.support import Clock
from tests.service.webhooks.test_store import attempt, hook


@pytest.fixture
def store() -> InterruptedRedis:
    return InterruptedRedis()


@pytest.fixture
def webhooks(store: InterruptedRedis) -> Webhooks:
    return Webhooks(store, lambda: 1_700_000_000_000)


def test_two_registrations_at_the_same_moment_do_not_exceed_the_bound(
    webhooks: Webhooks, store: InterruptedRedis
) -> None:
    for _ in range(MOST - 1):
        hook(webhooks)
    refused: list[TooManyWebhooks] = []

    def register() -> None:
        try:
            hook(webhooks)
        except TooManyWebhooks as error:
            refused.append(error)

    store.interrupt(register)
    register()
    store.finish()
    assert (len(webhooks.all()), len(refused)) == (MOST, 1)


@pytest.mark.parametrize("status", [200, 500])
def test_an_attempt_leaves_nothing_of_a_webhook_that_is_removed_at_the_same_moment(
    webhooks: Webhooks, store: InterruptedRedis, status: int
) -> None:
    made = hook(webhooks)
    store.interrupt(lambda: webhooks.remove(made.id))
    webhooks.note(made.id, attempt(0, status))
    store.finish()
    assert store.keys() == []


def test_a_rotation_leaves_nothing_of_a_webhook_that_is_removed_at_the_same_moment(
    webhooks: Webhooks, store: InterruptedRedis
) -> None:
    made = hook(webhooks)
    store.interrupt(lambda: webhooks.remove(made.id))
    with suppress(NotFound):
        webhooks.rotate(made.id)
    store.finish()
    assert store.keys() == []


def test_a_failure_does_not_disable_a_webhook_that_is_enabled_at_the_same_moment(
    webhooks: Webhooks, store: InterruptedRedis
) -> None:
    """The start of the failures is read and acted on in one step; enabling cannot come between."""
    made = hook(webhooks)
    webhooks.note(made.id, attempt(0))
    store.interrupt(lambda: webhooks.enable(made.id), after=3)
    webhooks.note(made.id, attempt(PATIENCE))
    store.finish()
    assert store.hget(DISABLED, made.id) is None


def test_a_strike_does_not_cool_a_route_that_is_answered_at_the_same_moment() -> None:
    store, clock = InterruptedRedis(), Clock()
    receivers = Receivers(store, clock)
    for _ in range(STRIKES - 1):
        receivers.strike("ann https://one.example:443")
    store.interrupt(lambda: receivers.answered("ann https://one.example:443"))
    receivers.strike("ann https://one.example:443")
    store.finish()
    assert receivers.cooling(["ann https://one.example:443"]) == {}
    key = f"{RECEIVER}ann https://one.example:443"
    assert not store.exists(key) or store.pttl(key) > 0
