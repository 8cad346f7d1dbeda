"""News in the computer's games that nobody has looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from service.computer import unseen_news
from service.computer.levels import LEVELS
from service.computer.unseen_news import UnseenNews
from service.log.memory import MemoryEventLog
from service.log.values import Pointer, StreamId
from tests.service.log.support import CODEC, notes, request


class CountingLog(MemoryEventLog):
    """Counts the pointers that are read from its feeds."""

    pointers = 0

    def feed_each(self, after: Mapping[int, str], limit: int) -> dict[int, list[Pointer]]:
        found = super().feed_each(after, limit)
        self.pointers += sum(map(len, found.values()))
        return found


@pytest.fixture
def log() -> CountingLog:
    return CountingLog(CODEC, partitions=1)


def append(log: CountingLog, game: str, version: int, opponent: str = "ben") -> None:
    appended = request(notes("x"), version, StreamId("game", game))
    log.append(replace(appended, audience=("ann", opponent)))


def test_news_is_found_behind_however_many_of_other_games(
    log: CountingLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A regression: no more was read than one page after where the process had died."""
    monkeypatch.setattr(unseen_news, "LIMIT", 2)
    start = log.feed_positions()
    for version in range(5):
        append(log, "others", version)
    append(log, "waiting", 0, LEVELS[0].player)
    news = UnseenNews(log, "game")
    found = [set(news.find(start)) for _ in range(3)]
    assert found[-1] == {"waiting"}


def test_each_pointer_is_read_once(log: CountingLog) -> None:
    """A regression: every request read the same pages again, as long as nobody played."""
    start = log.feed_positions()
    append(log, "waiting", 0, LEVELS[0].player)
    news = UnseenNews(log, "game")
    first = news.find(start)
    append(log, "waiting", 1, LEVELS[0].player)
    assert news.find(start) == news.find(start) == first
    assert log.pointers == 2


def test_news_that_has_been_looked_at_is_forgotten(log: CountingLog) -> None:
    start = log.feed_positions()
    append(log, "waiting", 0, LEVELS[0].player)
    news = UnseenNews(log, "game")
    assert set(news.find(start)) == {"waiting"}
    assert news.find(log.feed_positions()) == {}
