"""Whoever has news sends it on the connection of a stream that waits."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from service.api.subscriptions import QUEUED, Dropped, Subscription
from tests.waiting import eventually


class FakeLine:
    """Keeps what is sent; while it is `full`, half of a message is held back until `flush`."""

    def __init__(self) -> None:
        self.sent = b""
        self.full = self.broken = False
        self._rest = b""

    def send(self, message: bytes) -> bool:
        if self.broken:
            raise ConnectionResetError
        half = len(message) // 2 if self.full else len(message)
        self.sent += message[:half]
        self._rest = message[half:]
        return not self._rest

    def flush(self) -> None:
        self.sent += self._rest
        self._rest = b""


def write(news: str | None) -> bytes | None:
    if news == "unreadable":
        raise ValueError
    return {None: b"alive.", "own": None, "nothing": b""}.get(news, f"{news}.".encode())


class Waiting:
    """A stream that waits in a thread; keeps what the wait returned, or that it was dropped."""

    def __init__(self, subscription: Subscription[str]) -> None:
        self.subscription = subscription
        self.returned: list[str | None] = []
        self.dropped = False

    def run(self) -> None:
        try:
            self.returned.append(self.subscription.wait_for_news(10, write))
        except Dropped:
            self.dropped = True


@contextmanager
def waiting(subscription: Subscription[str]) -> Iterator[Waiting]:
    stream = Waiting(subscription)
    thread = threading.Thread(target=stream.run)
    thread.start()
    eventually(lambda: subscription._write is not None)
    yield stream
    subscription.drop()
    thread.join()


def make_subscription() -> tuple[Subscription[str], FakeLine]:
    subscription, line = Subscription[str](["game:a"], "1.2.3.4"), FakeLine()
    subscription.line = line
    return subscription, line


def test_news_are_sent_without_waking_the_stream() -> None:
    subscription, line = make_subscription()
    with waiting(subscription) as stream:
        for news in ("a", "nothing", "b"):
            subscription.push(news)
        assert line.sent == b"a.b."
        assert stream.returned == []
    assert stream.dropped


@pytest.mark.parametrize("news", ["own", "unreadable"])
def test_what_cannot_be_sent_so_is_left_to_the_stream_and_nothing_overtakes_it(news: str) -> None:
    subscription, line = make_subscription()
    with waiting(subscription) as stream:
        subscription.push(news)
        subscription.push("later")
        eventually(lambda: stream.returned == [news])
        assert line.sent == b""
    assert not stream.dropped


def test_the_rest_of_a_message_is_sent_before_anything_else() -> None:
    subscription, line = make_subscription()
    line.full = True
    with waiting(subscription) as stream:
        subscription.push("abc")
        eventually(lambda: stream.returned == ["abc"])
        assert line.sent == b"abc."


def test_a_client_that_does_not_read_is_dropped() -> None:
    subscription, _ = make_subscription()
    for _ in range(QUEUED + 1):
        subscription.push("a")
    with pytest.raises(Dropped):
        subscription.wait_for_news(10, write)


def test_a_client_that_is_gone_is_dropped() -> None:
    subscription, line = make_subscription()
    line.broken = True
    with waiting(subscription) as stream:
        subscription.push("a")
        eventually(lambda: stream.dropped)


def test_a_silent_stream_is_kept_alive() -> None:
    subscription, line = make_subscription()
    with waiting(subscription) as stream:
        subscription.break_silence(subscription._sent_at + 9)
        assert line.sent == b""
        subscription.break_silence(subscription._sent_at + 11)
        assert line.sent == b"alive."
        assert stream.returned == []


def test_a_stream_that_leaves_says_so() -> None:
    subscription, _ = make_subscription()
    with waiting(subscription) as stream:
        subscription.leave()
        eventually(lambda: stream.dropped)
        assert subscription.leaving


def test_nothing_is_sent_for_a_stream_that_was_ended_as_it_waited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    subscription, line = make_subscription()

    def end(timeout: float | None) -> str:
        raise SystemExit

    monkeypatch.setattr(subscription._queue, "get", end)
    with pytest.raises(SystemExit):
        subscription.wait_for_news(10, write)
    subscription.line = None
    subscription.push("a")
    assert line.sent == b""
