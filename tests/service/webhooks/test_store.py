from __future__ import annotations

import fakeredis
import pytest
import redis

from service.errors import NotFound
from service.webhooks.errors import TooManyWebhooks
from service.webhooks.store import KEPT, MOST, PATIENCE, Webhooks
from service.webhooks.webhook import Attempt, Webhook, derive_secret, sign_body

DAY = 24 * 3600 * 1000


@pytest.fixture
def store() -> redis.Redis:
    fake: redis.Redis = fakeredis.FakeRedis()
    return fake


@pytest.fixture
def webhooks(store: redis.Redis) -> Webhooks:
    return Webhooks(store, lambda: 1_700_000_000_000)


def hook(webhooks: Webhooks, owner: str = "ann") -> Webhook:
    return webhooks.register(owner, "https://club.example/", ("game-finished",), False)


def attempt(at: int, status: int | None = 500, delivery: str = "d") -> Attempt:
    error = None if status else "no answer"
    return Attempt(delivery, "game-finished", 1, at, 5, status, error, None)


def test_a_webhook_is_kept_as_registered(webhooks: Webhooks) -> None:
    assert not webhooks.any()
    made = hook(webhooks)
    assert webhooks.get(made.id) == made
    assert webhooks.all() == [made]
    assert webhooks.any()


def test_a_removed_webhook_leaves_nothing(webhooks: Webhooks, store: redis.Redis) -> None:
    made = hook(webhooks)
    webhooks.rotate(made.id)
    webhooks.note(made.id, attempt(0))
    webhooks.remove(made.id)
    webhooks.note(made.id, attempt(PATIENCE))
    assert store.keys() == []
    for act in (webhooks.get, webhooks.rotate, webhooks.enable):
        with pytest.raises(NotFound):
            act(made.id)
    with pytest.raises(NotFound):
        webhooks.attempts(made.id, 1)


def test_a_player_has_only_so_many(webhooks: Webhooks) -> None:
    for _ in range(MOST):
        hook(webhooks)
    hook(webhooks, "bob")
    with pytest.raises(TooManyWebhooks) as refused:
        hook(webhooks)
    assert str(MOST) in str(refused.value)


def test_each_rotation_gives_another_secret(webhooks: Webhooks) -> None:
    made = hook(webhooks)
    other = hook(webhooks)
    secrets = [
        derive_secret(b"key", made),
        derive_secret(b"key", other),
        derive_secret(b"other", made),
    ]
    for _ in range(3):
        secrets.append(derive_secret(b"key", webhooks.rotate(made.id)))
    assert len(set(secrets)) == len(secrets)
    assert derive_secret(b"key", webhooks.get(made.id)) == secrets[-1]


def test_the_newest_attempts_are_kept(webhooks: Webhooks) -> None:
    made = hook(webhooks)
    for number in range(KEPT + 5):
        webhooks.note(made.id, attempt(number, 204, str(number)))
    kept = webhooks.attempts(made.id, 1000)
    assert [a.delivery for a in kept] == [str(n) for n in range(KEPT + 4, 4, -1)]
    assert kept[0].delivered
    assert webhooks.attempts(made.id, 3) == kept[:3]


def test_a_webhook_that_fails_for_long_is_disabled(webhooks: Webhooks) -> None:
    made = hook(webhooks)
    webhooks.note(made.id, attempt(0))
    webhooks.note(made.id, attempt(PATIENCE - 1, None))
    failing = webhooks.get(made.id)
    assert (failing.failing_since, failing.disabled) == (0, None)
    assert failing.wants("game-finished", ["ann"], private=False)
    webhooks.note(made.id, attempt(PATIENCE))
    disabled = webhooks.get(made.id)
    assert disabled.disabled == "no delivery has arrived for 3 days"
    assert not disabled.wants("game-finished", ["ann"], private=False)
    assert webhooks.enable(made.id) == made


def test_one_delivery_that_arrives_begins_the_count_anew(webhooks: Webhooks) -> None:
    made = hook(webhooks)
    webhooks.note(made.id, attempt(0))
    webhooks.note(made.id, attempt(2 * DAY, 200))
    webhooks.note(made.id, attempt(4 * DAY))
    assert webhooks.get(made.id).failing_since == 4 * DAY
    assert webhooks.get(made.id).disabled is None


@pytest.mark.parametrize(
    ("everybody", "event", "concerned", "wanted"),
    [
        (False, "game-finished", ["ann", "bob"], True),
        (False, "game-finished", ["bob"], False),
        (False, "import-finished", ["ann"], False),
        (True, "game-finished", [], True),
    ],
)
def test_who_is_told_of_what(
    everybody: bool, event: str, concerned: list[str], wanted: bool
) -> None:
    made = Webhook("w", "ann", "https://x.example", ("game-finished",), everybody, 0)
    assert made.wants(event, concerned, private=False) == wanted


def test_the_signature_covers_time_and_body() -> None:
    signed = {
        sign_body(secret, at, body) for secret in "ab" for at in (1, 2) for body in (b"", b"{}")
    }
    assert len(signed) == 8
