"""What waits for a digest."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
import redis

from service.mail.outbox import Outbox, write_day

NOW = 1_800_000_000_000


def test_all_that_waits_for_a_player_is_forgotten_by_name(
    store: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    outbox = Outbox(store)
    today = datetime.fromtimestamp(NOW / 1000, UTC)
    days = [write_day(today + timedelta(days=n)) for n in (-30, -1, 0, 1)]
    for player in ("ann", "bob"):
        for day in days:
            outbox.add_to_digest(player, "notice", {"event": "your-turn"})
            assert outbox.take_digest(player, day)
        outbox.add_to_digest(player, "another", {"event": "your-turn"})
    with monkeypatch.context() as patch:
        # A search for the names would read all keys of the store.
        patch.setattr(store, "scan", None)
        outbox.forget("ann", NOW)
    assert [outbox.take_digest("ann", day) for day in (*days, "next")] == [[]] * 5
    assert all(outbox.take_digest("bob", day) for day in (*days, "next"))
