"""How many streams may be open, and which feeds are read for them."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress

import pytest

from service.api import stream_counts as limits
from service.api.errors import TooManyStreams
from service.api.event_hub import Hub
from service.api.streams import stream_game_messages
from service.api.subscriptions import Dropped, News, Subscription
from service.composition.service import CODEC
from service.game.events import GameBegun
from service.game.repository import Games, stream_of
from service.game_feed.filter import Filter
from service.game_feed.reader import GameFeed
from service.log.codec import Codec
from service.log.memory import MemoryEventLog
from service.log.values import Pointer, Recorded, StreamId, StreamRange
from service.log.wake import Wake
from tests.service.game.support import NO_TOURNAMENTS
from tests.service.game_feed.support import Archive, name_game
from tests.service.projection.support import ticking
from tests.waiting import eventually


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
    # Streams for which the store need not be polled have a higher limit.
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


class WatchedLog(MemoryEventLog):
    """A log that notes which partitions' feeds are being waited for."""

    def __init__(self) -> None:
        super().__init__(CODEC)
        self.waited_for: Collection[int] = ()

    def wait(
        self, after: Mapping[int, str], timeout: float, wake: Wake | None = None
    ) -> list[tuple[int, Pointer]]:
        self.waited_for = set(after)
        return super().wait(after, timeout, wake)


def play(archive: Archive, game: str) -> int:
    """Begin a game; returns its partition."""
    archive.begin(game)
    return archive.log.partition(stream_of(game))


@pytest.mark.slow
def test_only_the_feeds_are_read_that_somebody_follows() -> None:
    log = WatchedLog()
    archive = Archive(log)
    hub = Hub(log, GameFeed(log), most_for_one=30)
    one, other = name_game(1), name_game(2)
    first = hub.subscribe(str(stream_of(one)), "here", None)
    here, there = play(archive, one), play(archive, other)
    assert here != there
    assert_told(first, one)
    assert log.waited_for == {here}
    # An event from before the subscription is not news to it.
    second = hub.subscribe_each([str(stream_of(other)), str(stream_of(one))], "here")
    archive.play(other)
    assert assert_told(second, other).version == 2
    assert log.waited_for == {here, there}
    hub.unsubscribe(second)
    archive.play(one)
    assert_told(first, one)
    eventually(lambda: log.waited_for == {here}, "the other feed is read no more")
    everything = hub.subscribe_feed(Filter().topics, "here")
    eventually(lambda: len(log.waited_for) == log.partitions, "all feeds are read")
    player = hub.subscribe("player:ada", "here", None)
    hub.unsubscribe(everything)
    assert len(hub._feeds.choose()) == log.partitions
    hub.unsubscribe(player)
    hub.unsubscribe(first)
    eventually(lambda: hub._reader is None, "nothing is read for nobody")
    # What happened before a subscription is not sent to it.
    archive.play(one)
    third = hub.subscribe(str(stream_of(one)), "here", None)
    archive.play(one)
    assert assert_told(third, one).version == log.version(stream_of(one))
    hub.unsubscribe(third)


def assert_told(subscription: Subscription[News], game: str) -> Recorded:
    """Fail unless the next news is of this game; returns its last event."""
    news = subscription.wait_for_news(timeout=60)
    assert news is not None
    assert news.pointer.stream == stream_of(game)
    return news.recorded[-1]


def test_a_feed_that_is_followed_anew_is_waited_for_beside_the_others() -> None:
    log = WatchedLog()
    archive = Archive(log)
    hub = Hub(log, GameFeed(log), most_for_one=30)
    one, other = name_game(1), name_game(2)
    first = hub.subscribe(str(stream_of(one)), "here", None)
    eventually(lambda: len(log.waited_for) == 1, "the first feed is waited for")
    second = hub.subscribe(str(stream_of(other)), "here", None)
    eventually(lambda: len(log.waited_for) == 2, "the second feed is, too")
    archive.begin(other)
    assert_told(second, other)
    for subscription in (first, second):
        hub.unsubscribe(subscription)


class ForgetfulLog(WatchedLog):
    """A log that does not find the events of the first append that it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.found = False

    def read_ranges(self, ranges: Sequence[StreamRange]) -> list[list[Recorded]]:
        if self.found:
            return super().read_ranges(ranges)
        self.found = True
        return [[] for _ in ranges]


def test_events_that_are_not_found_end_the_streams_that_would_lack_them() -> None:
    archive = Archive(ForgetfulLog())
    hub = Hub(archive.log, GameFeed(archive.log), most_for_one=30)
    one, other = name_game(1), name_game(2)
    lacking = hub.subscribe(str(stream_of(one)), "here", None)
    untouched = hub.subscribe(str(stream_of(other)), "here", None)
    archive.begin(one)
    with pytest.raises(Dropped):
        lacking.wait_for_news(timeout=60)
    archive.begin(other)
    assert_told(untouched, other)
    for subscription in (lacking, untouched):
        hub.unsubscribe(subscription)


class LateLog(WatchedLog):
    """A log whose streams lack the newest event when they are read by version."""

    def read(self, stream: StreamId, after: int = 0, limit: int | None = None) -> list[Recorded]:
        return super().read(stream, after, limit)[:-1]

    def read_ranges(self, ranges: Sequence[StreamRange]) -> list[list[Recorded]]:
        return [super(LateLog, self).read(one.stream, one.after, one.limit) for one in ranges]


def test_a_stream_that_lacks_an_event_ends_before_the_next_one() -> None:
    archive = Archive(LateLog())
    hub = Hub(archive.log, GameFeed(archive.log), most_for_one=30)
    game = name_game(1)
    for _ in range(2):
        archive.append(game, GameBegun())
    subscription = hub.subscribe(str(stream_of(game)), "here", None)
    games = Games(archive.log, ticking(), NO_TOURNAMENTS)
    messages = stream_game_messages(games, game, 0, subscription, ends=False, timed=False)
    told = [next(messages), next(messages)]
    assert [message.splitlines()[0] for message in told] == ["id: 1", "id: 1"]
    archive.append(game, GameBegun())
    assert next(messages, None) is None
    hub.unsubscribe(subscription)


class HeldLog(WatchedLog):
    """A log that finds nothing until it is `released`."""

    def __init__(self) -> None:
        super().__init__()
        self.released = threading.Event()

    def wait(
        self, after: Mapping[int, str], timeout: float, wake: Wake | None = None
    ) -> list[tuple[int, Pointer]]:
        self.waited_for = set(after)
        return super().wait(after, timeout, wake) if self.released.wait(0.01) else []


class Client:
    """A client of a game, which notes in a list what is done for it."""

    def __init__(self, hub: Hub, game: str, done: list[str]) -> None:
        self.game = game
        self.done = done
        self.subscription = hub.subscribe(str(stream_of(game)), "here", None)
        self.subscription.line = self
        self.subscription.ahead = lambda news: self.fail(f"ahead {self.name(news)}")
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()
        eventually(lambda: self.subscription._write is not None)

    def run(self) -> None:
        with suppress(Dropped):
            self.subscription.wait_for_news(60, self.write)

    def name(self, news: News) -> str:
        return f"{news.pointer.stream.id} {news.pointer.last}"

    def fail(self, done: str) -> None:
        self.done.append(done)
        raise ValueError

    def write(self, news: News | None) -> bytes | None:
        assert news is not None
        return self.name(news).encode()

    def send(self, message: bytes) -> bool:
        self.done.append(f"sent {message.decode()}")
        return True

    def flush(self) -> None:
        raise AssertionError("all was sent")

    def leave(self) -> None:
        self.subscription.drop()
        self.thread.join()


def test_first_news_are_written_before_any_are_sent_and_all_are_sent_if_that_fails() -> None:
    log = HeldLog()
    archive = Archive(log)
    hub = Hub(log, GameFeed(log), most_for_one=30)
    done: list[str] = []
    one, other = name_game(1), name_game(2)
    clients = [Client(hub, game, done) for game in (one, one, other)]
    archive.begin(one)
    archive.begin(other)
    archive.play(one)
    eventually(lambda: len(log.waited_for) == 2, "both feeds are waited for")
    log.released.set()
    eventually(lambda: len(done) == 7, "all clients are told")
    assert sorted(done[:2]) == sorted([f"ahead {one} 1", f"ahead {other} 1"])
    own = [each for each in done[2:] if one in each]
    assert own == [f"sent {one} 1"] * 2 + [f"sent {one} 2"] * 2
    assert f"sent {other} 1" in done[2:]
    for client in clients:
        client.leave()
        hub.unsubscribe(client.subscription)
