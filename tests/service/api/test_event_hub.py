"""How many streams there may be."""

from __future__ import annotations

import threading

import pytest

from service.api import event_hub as limits
from service.api.errors import TooManyStreams
from service.api.event_hub import Hub
from service.api.subscriptions import Dropped
from service.game_feed.reader import GameFeed
from service.log.codec import Codec
from service.log.memory import MemoryEventLog


def make_hub(most_for_one: int) -> Hub:
    log = MemoryEventLog(Codec({}))
    return Hub(log, GameFeed(log), most=30, most_for_one=most_for_one)


@pytest.fixture
def hub() -> Hub:
    return make_hub(30)


def test_there_are_not_more_streams_than_may_be(hub: Hub) -> None:
    held = [hub.subscribe("game:a", "1.2.3.4", None) for _ in range(30)]
    with pytest.raises(TooManyStreams) as refused:
        hub.subscribe("game:b", "1.2.3.4", None)
    assert refused.value.limit == 30
    for subscription in held:
        hub.unsubscribe(subscription)
    assert hub.open_streams == 0
    hub.unsubscribe(hub.subscribe("game:b", "1.2.3.4", None))


def test_nobody_has_the_store_looked_at_for_all_their_streams(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MOST_LOOKING", 5)
    monkeypatch.setattr(limits, "MOST_LOOKING_FOR_ONE", 3)
    mine = [hub.subscribe("analysis:a", "1.2.3.4", "eve") for _ in range(3)]
    with pytest.raises(TooManyStreams):
        hub.subscribe("analysis:b", "1.2.3.4", "eve")
    others = [hub.subscribe("analysis:a", "1.2.3.4", name) for name in ("ada", "brahim")]
    with pytest.raises(TooManyStreams):
        hub.subscribe("analysis:a", "1.2.3.4", "carol")
    # Of what is told by itself there may be more.
    others += [hub.subscribe("game:a", "1.2.3.4", None) for _ in range(20)]
    hub.unsubscribe(mine.pop())
    mine.append(hub.subscribe("analysis:b", "1.2.3.4", "eve"))
    monkeypatch.setattr(limits, "MOST_LOOKING", 30)
    monkeypatch.setattr(limits, "MOST_LOOKING_FOR_ADDRESS", 6)
    others.append(hub.subscribe("analysis:a", "1.2.3.4", "carol"))
    with pytest.raises(TooManyStreams):
        hub.subscribe("analysis:a", "1.2.3.4", "dora")
    others.append(hub.subscribe("analysis:a", "5.6.7.8", "dora"))
    for subscription in (*mine, *others):
        hub.unsubscribe(subscription)
    assert hub.open_streams == 0


def test_one_address_cannot_take_all_streams() -> None:
    hub = make_hub(20)
    greedy = [hub.subscribe("game:a", "1.2.3.4", None) for _ in range(20)]
    with pytest.raises(TooManyStreams) as refused:
        hub.subscribe("game:b", "1.2.3.4", None)
    assert refused.value.limit == 20
    innocent = hub.subscribe("game:a", "5.6.7.8", None)
    hub.unsubscribe(greedy.pop())
    greedy.append(hub.subscribe("game:b", "1.2.3.4", None))
    for subscription in (*greedy, innocent):
        hub.unsubscribe(subscription)
    assert hub.open_streams == 0


def test_who_is_dropped_waits_no_longer(hub: Hub) -> None:
    subscription = hub.subscribe("game:a", "1.2.3.4", None)
    threading.Timer(0.05, subscription.drop).start()
    with pytest.raises(Dropped):
        subscription.wait_for_news(timeout=60)
    with pytest.raises(Dropped):
        subscription.wait_for_news(timeout=60)
    hub.unsubscribe(subscription)
