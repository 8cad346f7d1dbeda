"""The stream of all games as it grows, over real connections."""

from __future__ import annotations

import json
import socket
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
import requests

from service.api import feed_stream
from service.api.event_hub import Hub
from service.api.feed_stream import FeedMessages
from service.api.subscriptions import FeedSubscription
from service.composition.service import CODEC
from service.game import annotating
from service.game.commands import AnnotateAction, Annotation
from service.game.repository import stream_of
from service.game_feed.feed_events import FeedEvent
from service.game_feed.filter import Filter, find_types
from service.game_feed.position import PositionCipher
from service.game_feed.reader import GameFeed
from service.ids import new_id
from service.log.chain import public_part
from service.log.memory import MemoryEventLog
from service.log.values import Pointer
from service.player.actor import Actor
from service.player.repository import NewPlayer
from tests.service.api.live import SILENCE, Stream, post, running
from tests.service.game_feed.support import Archive, name_game
from tests.service.redis_server import RedisServer
from tests.service.web_server import WebServer
from tests.waiting import patiently


@pytest.fixture(scope="module")
def ada(server: WebServer) -> NewPlayer:
    return server.service.players.register("Ada", None)


@pytest.fixture(scope="module")
def brahim(server: WebServer) -> NewPlayer:
    return server.service.players.register("Brahim", None)


def versions(stream: Stream, count: int) -> list[tuple[str, int]]:
    """The next events, each as its game's path and its version."""
    events = [message.data for message in stream.take(count)]
    return [(event["stream"].replace("game:", "/games/"), event["version"]) for event in events]


@pytest.mark.slow
def test_readers_are_told_what_they_want(
    server: WebServer, ada: NewPlayer, brahim: NewPlayer
) -> None:
    one, other = running(server, ada, brahim), running(server, brahim, ada)
    listed = one.removeprefix("/games/")
    with (
        Stream(server, "/stream") as whole,
        Stream(server, f"/stream?games={listed}") as of_game,
        Stream(server, f"/stream?player={ada.id}&types=game-ended") as ends,
        Stream(server, "/stream?variant=kerd") as kerd,
        Stream(server, f"/stream?player={brahim.id}&variant=katruji&games={listed}") as narrow,
    ):
        streams = (whole, of_game, ends, kerd, narrow)
        for stream in streams:
            stream.until("caught_up")
        post(server, f"{one}/actions", {"action": "Pd1"}, ada)
        post(server, f"{other}/actions", {"action": "Pd1"}, brahim)
        post(server, f"{other}/commands", {"type": "resign"}, ada)
        assert versions(whole, 3)[:2] == [(one, 3), (other, 3)]
        assert versions(of_game, 1) == versions(narrow, 1) == [(one, 3)]
        assert versions(ends, 1) == [(other, 4)]
        third = post(server, "/games", {"variant": "kerd", "side": "first"}, ada).json()["id"]
        assert versions(kerd, 1) == [(f"/games/{third}", 1)]


@pytest.mark.slow
def test_a_stream_is_resumed_behind_any_message(
    server: WebServer, ada: NewPlayer, brahim: NewPlayer
) -> None:
    game = running(server, ada, brahim)
    with Stream(server, "/stream") as stream:
        last = stream.until("caught_up").id
        post(server, f"{game}/actions", {"action": "Pd1"}, ada)
        post(server, f"{game}/commands", {"type": "resign"}, ada)
        first, second = stream.take(2)
    post(server, f"{running(server, ada, brahim)}/actions", {"action": "Pd1"}, ada)
    for id, count in ((last, 5), (first.id, 4), (second.id, 3)):
        with Stream(server, "/stream?until=caught_up", last=id) as stream:
            assert [m.event for m in stream] == [None] * count + ["caught_up"]


@pytest.mark.slow
def test_a_silent_stream_tells_how_far_it_has_come(
    server: WebServer, ada: NewPlayer, brahim: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_stream, "KEEP_ALIVE", 0.05)
    log = server.service.log
    hub = Hub(log, GameFeed(log), most_for_one=9)
    cipher = PositionCipher(b"secret", log.partitions)
    wanted = Filter(variant="kerak")
    subscription = hub.subscribe_feed(wanted.topics, "here")
    messages = FeedMessages(hub, cipher, wanted, hub.feed.find_end(), subscription)
    texts = messages.stream_messages(False)
    caught_up = cipher.read(next(texts).partition("\n")[0].removeprefix("id: "))
    post(server, f"{running(server, ada, brahim)}/actions", {"action": "Pd1"}, ada)
    for _ in patiently("the position moves on, though nothing is told"):
        comment, id, *rest = next(texts).split("\n")
        assert (comment, rest) == (": keep-alive", ["", ""])
        position = cipher.read(id.removeprefix("id: "))
        if position == hub.feed.find_end():
            break
    assert position != caught_up
    hub.unsubscribe(subscription)
    assert hub.open_streams == 0


@pytest.mark.slow
def test_a_slow_client_is_told_everything(
    server: WebServer, ada: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(annotating, "MAX_LOGGED", 1 << 30)
    game = running(server, ada, server.service.players.register("Brahim", None))
    post(server, f"{game}/actions", {"action": "Pd1"}, ada)
    id = game.removeprefix("/games/")
    slow = socket.create_connection(("127.0.0.1", server.port))
    with slow:
        head = f"GET /api/v1/stream?games={id}&after=start HTTP/1.0\r\n\r\n"
        slow.sendall(head.encode())
        received = slow.recv(100)
        assert b"200 OK" in received
        newest = flood(server, ada, id)
        # It is behind by more than buffers and queues hold, and continues from the log.
        slow.settimeout(SILENCE)
        wanted = f'"version":{newest},'.encode()
        for _ in patiently("everything is told"):
            if wanted in received[-200_000:]:
                break
            received += slow.recv(1 << 20)
    told = [
        json.loads(line.removeprefix(b"data: "))["version"]
        for line in received.split(b"\n")
        if line.startswith(b'data: {"version"') and line.endswith(b"}")
    ]
    assert told[: newest - 1] == list(range(1, newest))


def flood(server: WebServer, ada: NewPlayer, id: str) -> int:
    """Append more and larger events than buffers and queues hold; returns the newest version."""
    actor = Actor(ada.id, frozenset({"play", "admin"}))
    for number in range(600):
        large = Annotation(after=tuple(f"{number}-{part} {'x' * 3900}" for part in range(16)))
        done = server.service.games.execute(id, AnnotateAction(ply=1, annotation=large), actor)
    return done.state.version


class CountingLog(MemoryEventLog):
    """A log that counts the reads of its streams."""

    reads = 0

    def read_stored(self, ranges: Any) -> Any:
        self.reads += 1
        return super().read_stored(ranges)


def test_many_readers_share_what_is_read() -> None:
    log = CountingLog(CODEC)
    archive = Archive(log)
    game = name_game(1)
    archive.begin(game)
    hub = Hub(log, GameFeed(log), most_for_one=200)
    cipher = PositionCipher(b"secret", log.partitions)
    filters = [
        Filter(),
        Filter(variant="katruji"),
        Filter(player="bo"),
        Filter(games=frozenset([game])),
        Filter(types=find_types(["action-played"])),
    ]
    readers = []
    for number in range(100):
        wanted = filters[number % 5]
        subscription = hub.subscribe_feed(wanted.topics, "here")
        messages = FeedMessages(hub, cipher, wanted, hub.feed.find_end(), subscription)
        readers.append((subscription, messages.stream_messages(False)))
        assert "caught_up" in next(readers[-1][1])
    before = log.reads
    archive.play(game)
    told = {next(texts) for _, texts in readers}
    assert len(told) == 1
    # One read for the append, and one for its game.
    assert log.reads - before <= 2
    for subscription, _ in readers:
        hub.unsubscribe(subscription)
    assert hub.open_streams == 0


@pytest.mark.slow
def test_who_falls_behind_goes_on_from_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.api.subscriptions.QUEUED", 5)
    archive = Archive()
    game = name_game(1)
    archive.begin(game)
    hub = Hub(archive.log, GameFeed(archive.log), most_for_one=9)
    cipher = PositionCipher(b"secret", archive.log.partitions)
    subscription = hub.subscribe_feed(Filter().topics, "here")
    collected: list[FeedSubscription] = []
    collect = FeedSubscription.collect

    def note(subscription: FeedSubscription) -> None:
        collected.append(subscription)
        collect(subscription)

    monkeypatch.setattr(FeedSubscription, "collect", note)
    messages = FeedMessages(hub, cipher, Filter(), hub.feed.find_start(), subscription)
    texts = messages.stream_messages(False)
    assert '"version":1' in next(texts)
    assert "caught_up" in next(texts)
    random = Random(3)
    told = [1]
    while told[-1] < 300:
        for _ in range(random.choice([0, 1, 3, 20])):
            if archive.log.version(stream_of(game)) < 300:
                archive.play(game)
        if archive.log.version(stream_of(game)) == told[-1]:
            continue
        if random.random() < 0.2:
            time.sleep(0.01)
        for line in next(texts).split("\n"):
            if line.startswith("data: "):
                told.append(json.loads(line.removeprefix("data: "))["version"])
    assert told == list(range(1, 301))
    assert len(collected) > 3
    hub.unsubscribe(subscription)


def test_what_cannot_be_told_is_not_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed_stream, "KEEP_ALIVE", 0.05)
    archive = Archive()
    game = name_game(1)
    archive.begin(game)
    hub = Hub(archive.log, GameFeed(archive.log), most_for_one=9)
    cipher = PositionCipher(b"secret", archive.log.partitions)
    subscription = hub.subscribe_feed(Filter().topics, "here")
    messages = FeedMessages(hub, cipher, Filter(), hub.feed.find_end(), subscription)
    texts = messages.stream_messages(False)
    assert "caught_up" in next(texts)
    read_append = GameFeed.read_append
    failed: list[Pointer] = []

    def fail_once(feed: GameFeed, partition: int, pointer: Pointer) -> Sequence[FeedEvent]:
        if not failed:
            failed.append(pointer)
            raise ZeroDivisionError
        return read_append(feed, partition, pointer)

    monkeypatch.setattr(GameFeed, "read_append", fail_once)
    followed = hub.subscribe(str(stream_of(game)), "here", None)
    for version in (2, 3):
        archive.play(game)
        for _ in patiently("the append is told"):
            if f'"version":{version}' in next(texts):
                break
        # Other subscribers receive the event all the same.
        news = followed.wait_for_news(SILENCE)
        assert news is not None
        assert [entry.version for entry in news.recorded] == [version]
    assert failed
    for each in (subscription, followed):
        hub.unsubscribe(each)


@pytest.mark.slow
def test_a_mirror_misses_nothing_through_a_restart_of_everything(
    durable: RedisServer, tmp_path: Path
) -> None:
    """A mirror of a thousand games misses no event, though all processes are killed twice."""
    games = [new_id() for _ in range(1000)]
    random = Random(11)
    mirror: list[dict[str, Any]] = []
    position = "start"
    with WebServer(durable.url, tmp_path) as server:
        archive = Archive(server.service.log)
        url = f"{server.url}/api/v1/events"

        def play(count: int) -> None:
            for _ in range(count):
                archive.play(random.choice(games), last=random.random() < 0.1)

        def read(after: str, limit: int) -> tuple[str, bool]:
            query: dict[str, str | int] = {"after": after, "limit": limit}
            answer = requests.get(url, params=query, timeout=SILENCE)
            assert answer.status_code == 200, answer.text
            *events, last = map(json.loads, answer.text.splitlines())
            mirror.extend(events)
            return last["position"], last["caught_up"]

        for game in games:
            archive.begin(game, random.choice(["katruji", "kerd"]))
        play(1500)
        for _ in range(2):
            for _ in range(3):
                position, _ = read(position, 333)
            with server.killed():
                durable.kill()
                durable.start()
            play(500)
        caught_up = False
        while not caught_up:
            position, caught_up = read(position, 1000)
        with Stream(server, "/stream", last=position) as stream:
            stream.until("caught_up")
            play(50)
            messages = stream.take(10)
        mirror += [message.data for message in messages]
        assert messages[-1].id is not None
        read(messages[-1].id, 1000)
        log = server.service.log
        direct = [
            public_part(stream_of(game), entry)
            for game in games
            for entry in log.read(stream_of(game))
        ]
    count = Counter((event["stream"], event["version"]) for event in mirror)
    assert set(count.values()) == {1}
    assert sorted(mirror, key=lambda e: (e["stream"], e["version"])) == sorted(
        direct, key=lambda e: (e["stream"], e["version"])
    )
    for game in games[:50]:
        own = [event["version"] for event in mirror if event["stream"] == f"game:{game}"]
        assert own == list(range(1, len(own) + 1))
