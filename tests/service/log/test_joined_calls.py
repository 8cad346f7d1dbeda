"""Calls that wait at the same time are sent together, each of them once."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Sequence
from threading import Event, Thread
from typing import Any

import pytest
import redis
from gevent import GreenletExit

from service.log import joined_calls
from service.log.cluster_exchange import Command
from service.log.joined_calls import JoinedCalls, Waiting


class Server:
    """Answers each call with its first word, and the first batch only once it may."""

    def __init__(self) -> None:
        self.batches: list[list[Command]] = []
        self.is_asked = Event()
        self.may_answer = Event()
        self.failure: BaseException | None = None

    def send(self, calls: Sequence[Command]) -> list[Any]:
        self.batches.append(list(calls))
        if len(self.batches) == 1:
            self.is_asked.set()
            assert self.may_answer.wait(30)
        elif self.failure is not None:
            raise self.failure
        return [call[0] for call in calls]


class Caller(Thread):
    """A thread that makes one call and keeps its outcome."""

    def __init__(self, joined: JoinedCalls, *words: str) -> None:
        super().__init__(daemon=True)
        self.joined, self.calls = joined, [[word] for word in words]
        self.outcome: object = None
        self.start()

    def run(self) -> None:
        try:
            self.outcome = self.joined.call(self.calls)
        except BaseException as error:
            self.outcome = error

    def end(self) -> object:
        self.join(30)
        return self.outcome


def wait_behind(server: Server, joined: JoinedCalls, *calls: Sequence[str]) -> list[Caller]:
    """Callers that wait while the server is answering the first of them."""
    callers = [Caller(joined, "first")]
    assert server.is_asked.wait(30)
    for words in calls:
        before = len(joined._waiting)
        callers.append(Caller(joined, *words))
        while len(joined._waiting) == before:
            pass
    return callers


def test_calls_that_wait_are_sent_together_and_answered_apart() -> None:
    server = Server()
    joined = JoinedCalls(server.send, 16)
    callers = wait_behind(server, joined, ["a"], ["b", "c"], ["d"])
    server.may_answer.set()
    assert [each.end() for each in callers] == [["first"], ["a"], ["b", "c"], ["d"]]
    assert server.batches == [[["first"]], [["a"], ["b"], ["c"], ["d"]]]


def test_all_of_a_batch_hear_that_it_failed() -> None:
    server = Server()
    server.failure = redis.ConnectionError("gone")
    joined = JoinedCalls(server.send, 16)
    callers = wait_behind(server, joined, ["a"], ["b"])
    server.may_answer.set()
    first, *others = [each.end() for each in callers]
    assert first == ["first"]
    assert others == [server.failure, server.failure]


def test_a_caller_that_is_ended_leaves_no_other_without_an_answer() -> None:
    server = Server()
    server.failure = SystemExit()
    joined = JoinedCalls(server.send, 16)
    callers = wait_behind(server, joined, ["a"], ["b"])
    server.may_answer.set()
    ended = {type(each.end()) for each in callers[1:]}
    assert ended == {SystemExit, redis.ConnectionError}
    server.failure = None
    assert joined.call([["after"]]) == ["after"]


def test_many_calls_of_one_caller_wait_for_no_other() -> None:
    server = Server()
    joined = JoinedCalls(server.send, 2)
    (caller,) = wait_behind(server, joined)
    assert joined.call([["a"], ["b"]]) == ["a", "b"]
    server.may_answer.set()
    assert caller.end() == ["first"]


def test_a_caller_that_is_ended_as_its_turn_comes_hands_it_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = Server()
    joined = JoinedCalls(server.send, 16)

    class Ended(Waiting):
        def wait(self) -> None:
            super().wait()
            if self.calls == [["a"]]:
                raise GreenletExit

    monkeypatch.setattr(joined_calls, "Waiting", Ended)
    callers = wait_behind(server, joined, ["a"], ["b"], ["c"])
    server.may_answer.set()
    first, ended, *others = [each.end() for each in callers]
    assert (first, type(ended), others) == (["first"], GreenletExit, [["b"], ["c"]])
    assert server.batches == [[["first"]], [["b"], ["c"]]]
    assert joined.call([["after"]]) == ["after"]


def test_greenlets_are_answered_in_the_order_in_which_they_came() -> None:
    script = """
        from gevent import monkey; monkey.patch_all()
        import gevent
        from service.log.joined_calls import JoinedCalls
        sent, done = [], []
        def send(calls):
            sent.append([call[0] for call in calls])
            gevent.sleep(0.01)
            return sent[-1]
        joined = JoinedCalls(send, 16)
        def call(name, times):
            for turn in range(times):
                assert joined.call([[f"{name}{turn}"]]) == [f"{name}{turn}"]
                done.append(f"{name}{turn}")
        gevent.joinall([gevent.spawn(call, name, 5) for name in "abcdef"], raise_error=True)
        assert sent[0] == ["a0"], sent
        batches = {word: at for at, batch in enumerate(sent) for word in batch}
        order = [batches[word] for word in done]
        assert order == sorted(order), (sent, done)
        assert len(sent) <= 11, sent
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=True, timeout=60)


def test_whoever_calls_at_once_is_answered() -> None:
    sent: list[str] = []

    def send(calls: Sequence[Command]) -> list[Any]:
        sent.extend(str(call[0]) for call in calls)
        return [call[0] for call in calls]

    joined = JoinedCalls(send, 16)
    words = [f"{number}" for number in range(40)]
    threads = [Caller(joined, word) for word in words]
    assert [each.end() for each in threads] == [[word] for word in words]
    assert sorted(sent) == sorted(words)
