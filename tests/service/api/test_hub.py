"""How many streams there may be."""

from __future__ import annotations

import pytest

from service.api import hub as limits
from service.api.hub import Hub
from service.api.refusals import TooManyStreams
from service.log.codec import Codec
from service.log.memory import MemoryEventLog


@pytest.fixture
def hub() -> Hub:
    return Hub(MemoryEventLog(Codec({})), most=30)


def test_there_are_not_more_streams_than_may_be(hub: Hub) -> None:
    held = [hub.subscribe("game:a") for _ in range(30)]
    with pytest.raises(TooManyStreams) as refused:
        hub.subscribe("game:b")
    assert refused.value.limit == 30
    for subscription in held:
        hub.unsubscribe(subscription)
    assert hub.open_streams == 0
    hub.unsubscribe(hub.subscribe("game:b"))


def test_nobody_has_the_store_looked_at_for_all_their_streams(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MOST_LOOKING", 5)
    monkeypatch.setattr(limits, "MOST_LOOKING_FOR_ONE", 3)
    mine = [hub.subscribe("analysis:a", "eve") for _ in range(3)]
    with pytest.raises(TooManyStreams):
        hub.subscribe("analysis:b", "eve")
    others = [hub.subscribe("analysis:a", name) for name in ("ada", "brahim")]
    with pytest.raises(TooManyStreams):
        hub.subscribe("analysis:a", "carol")
    # Of what is told by itself there may be more.
    others += [hub.subscribe("game:a") for _ in range(20)]
    hub.unsubscribe(mine.pop())
    mine.append(hub.subscribe("analysis:b", "eve"))
    for subscription in (*mine, *others):
        hub.unsubscribe(subscription)
    assert hub.open_streams == 0
