"""The feed of all games, read from the log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from service.composition.service import CODEC
from service.game.events import RecordImported
from service.game.repository import stream_of
from service.game_feed.errors import UnknownPosition
from service.game_feed.filter import Filter, find_types
from service.game_feed.position import PositionCipher
from service.game_feed.reader import GameFeed
from service.log.feed_range import parse_position
from service.log.redis import RedisEventLog
from service.log.values import Append
from service.player.events import PlayerRegistered
from service.player.state import stream_of as player_stream
from tests.service.game_feed.support import (
    EVERYTHING,
    Archive,
    name_events,
    name_game,
    read_all,
    tell,
)
from tests.service.redis_server import RedisServer

GAMES = [name_game(number) for number in range(30)]


@pytest.fixture
def archive() -> Archive:
    return Archive()


@pytest.fixture(params=["memory", "redis"])
def played(request: pytest.FixtureRequest) -> Iterator[Archive]:
    """Thirty games, played in turn, in a log with much else."""
    if request.param == "memory":
        yield fill(Archive())
        return
    server: RedisServer = request.getfixturevalue("redis_server")
    with server.client() as client:
        yield fill(Archive(RedisEventLog(client, CODEC)))


def fill(archive: Archive) -> Archive:
    random = Random(5)
    for game in GAMES:
        players = random.choice([("ada", "bo"), ("cy",)])
        archive.begin(game, random.choice(["katruji", "kerak"]), players)
    for number in range(400):
        archive.play(random.choice(GAMES), last=random.random() < 0.2)
        if number % 10 == 0:
            registered = PlayerRegistered(claimed=True)
            stream = player_stream(f"player{number:03}")
            archive.log.append(Append(stream, 0, [registered], 1000, "ann"))
    return archive


def sort(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(events, key=lambda event: (event["stream"], event["version"]))


@pytest.mark.parametrize("limit", [3, 5000])
def test_every_event_comes_once_and_each_game_in_order(played: Archive, limit: int) -> None:
    found = read_all(GameFeed(played.log), limit=limit)
    direct = [event for game in GAMES for event in played.read_log(game)]
    assert sort(found) == sort(direct)
    for game in GAMES:
        own = [event for event in found if event["stream"] == f"game:{game}"]
        assert own == played.read_log(game)


def test_events_of_different_games_come_about_in_order_of_time(played: Archive) -> None:
    feed = GameFeed(played.log)
    events = feed.read(feed.find_start(), EVERYTHING, 5000).events
    places = [parse_position(each.pointer.position) for each, _ in events]
    assert places == sorted(places)


def test_a_reader_goes_on_behind_any_event(played: Archive) -> None:
    feed = GameFeed(played.log)
    cipher = PositionCipher(b"secret", 64)
    whole = read_all(feed)
    page = feed.read(feed.find_start(), EVERYTHING, 5000)
    position = feed.find_start()
    for number, (event, before) in enumerate(page.events, 1):
        position = event.position_after(position, before)
        if number % 20 == 3:
            after = cipher.read(cipher.write(position))
            assert read_all(feed, after=after) == whole[number:]


def test_who_reads_from_now_on_is_told_what_comes(archive: Archive) -> None:
    feed = GameFeed(archive.log)
    archive.begin(GAMES[0])
    now = feed.find_end()
    assert read_all(feed, after=now) == []
    archive.play(GAMES[0])
    archive.begin(GAMES[1])
    assert sorted(name_events(read_all(feed, after=now))) == ["game-2", "gameab-1"]


def test_the_filters_hold_together(played: Archive) -> None:
    feed = GameFeed(played.log)
    whole = read_all(feed)
    first = {event["stream"]: event["data"] for event in whole if event["version"] == 1}
    types = find_types(["action-played", "game-created/1"])
    few = frozenset(GAMES[:9])

    def variant(event: dict[str, Any]) -> str:
        return str(first[event["stream"]]["variant"])

    def listed(event: dict[str, Any]) -> bool:
        return event["stream"].removeprefix("game:") in few

    def of_cy(event: dict[str, Any]) -> bool:
        return bool(first[event["stream"]]["first"] == "cy")

    wanted: list[tuple[Filter, Callable[[dict[str, Any]], bool]]] = [
        (Filter(variant="kerak"), lambda e: variant(e) == "kerak"),
        (Filter(player="cy", types=types), lambda e: of_cy(e) and e["type"] in types),
        (Filter(games=few), listed),
        (Filter(types=types), lambda e: e["type"] in types),
        (
            Filter(variant="katruji", games=few, types=find_types(["game-ended"])),
            lambda e: variant(e) == "katruji" and listed(e) and e["type"] == "game-ended/1",
        ),
        (Filter(tournament="t"), lambda e: False),
    ]
    for filter, fits in wanted:
        for limit in (20, 5000):
            found = read_all(feed, filter, limit)
            assert sort(found) == sort([event for event in whole if fits(event)])


def test_a_page_of_one_filter_can_be_followed_by_one_of_another(played: Archive) -> None:
    feed = GameFeed(played.log)
    ended = Filter(types=find_types(["game-ended"]))
    page = feed.read(feed.find_start(), ended, 10)
    assert len(page.events) == 10
    rest = read_all(feed, after=page.position)
    assert len(rest) < len(read_all(feed))
    assert {event["type"] for event in tell(page)} == {"game-ended/1"}
    # A reader that has caught up on a few games is at the same position as one that read all.
    few = feed.read(feed.find_start(), Filter(games=frozenset(GAMES[:2])), 5000)
    assert few.caught_up
    assert few.position == feed.find_end()
    assert sort(rest + [e for e in read_all(feed) if e not in rest]) == sort(read_all(feed))


def test_an_append_sent_in_part_is_finished_before_anything_else(archive: Archive) -> None:
    feed = GameFeed(archive.log)
    long, ended = GAMES[:2]
    assert archive.log.partition(stream_of(long)) != archive.log.partition(stream_of(ended))
    archive.begin(ended)
    archive.begin(long)
    # Its feed has more than is read of it at once before the other game ends.
    for _ in range(40):
        archive.play(long)
    archive.play(ended, last=True)
    page = feed.read(feed.find_start(), Filter(games=frozenset([ended])), 2)
    assert name_events(tell(page)) == ["gameab-1", "gameab-2"]
    rest = name_events(read_all(feed, after=page.position))
    assert rest == ["gameab-3", *(f"game-{version}" for version in range(1, 42))]
    # Nor is it begun again after a page of games in other partitions, which do without the rest.
    page = feed.read(page.position, Filter(games=frozenset([long])), 1)
    rest = name_events(read_all(feed, after=page.position))
    assert rest == [f"game-{version}" for version in range(2, 42)]


def test_a_prepared_game_is_told_when_it_begins(archive: Archive) -> None:
    feed = GameFeed(archive.log)
    waiting, other = GAMES[0], GAMES[1]
    archive.prepare(waiting, "t")
    archive.prepare(GAMES[2], "t")
    archive.begin(other)
    page = feed.read(feed.find_start(), EVERYTHING, 100)
    assert name_events(tell(page)) == ["gameab-1"]
    archive.begin_round(waiting)
    archive.play(waiting, last=True)
    assert read_all(feed, after=page.position) == archive.read_log(waiting)
    assert read_all(feed, after=page.position, limit=1) == archive.read_log(waiting)
    assert read_all(feed, Filter(tournament="t")) == archive.read_log(waiting)
    assert read_all(feed, Filter(games=frozenset([GAMES[2]]))) == []
    created = Filter(types=find_types(["game-created"]))
    assert name_events(read_all(feed, created)) == ["gameab-1", "game-1"]


def test_a_game_that_was_never_hidden_is_told_once(archive: Archive) -> None:
    feed = GameFeed(archive.log)
    archive.begin(GAMES[0])
    archive.begin_round(GAMES[0])
    archive.play(GAMES[0])
    for limit in (1, 100):
        assert read_all(feed, limit=limit) == archive.read_log(GAMES[0])


def test_imported_games_are_their_players(archive: Archive) -> None:
    feed = GameFeed(archive.log)
    archive.begin(GAMES[0])
    record = RecordImported(
        variant="katruji",
        rules="1",
        first="cy",
        second=None,
        tags={},
        text="",
        actions="",
        result="*",
    )
    archive.append(GAMES[1], record, audience=())
    assert name_events(read_all(feed, Filter(player="cy"))) == ["gameab-1"]
    assert name_events(read_all(feed, Filter(player="bo"))) == ["game-1"]


def test_what_cannot_be_decoded_is_passed_on(redis_server: RedisServer) -> None:
    with redis_server.client() as client:
        archive = Archive(RedisEventLog(client, CODEC))
        archive.begin(GAMES[0])
        archive.play(GAMES[0])
        archive.begin(GAMES[1])
        key = archive.log.key(stream_of(GAMES[0]))  # type: ignore[attr-defined]
        (_, (id, fields)) = client.xrange(key)
        client.xdel(key, id)
        client.xadd(key, fields | {b"e": b"newer-event/9"}, id="2-1")
        found = read_all(GameFeed(archive.log))
    assert [event["type"] for event in sort(found)] == [
        "game-created/1",
        "newer-event/9",
        "game-created/1",
    ]


def test_a_position_of_another_history_is_refused(archive: Archive) -> None:
    archive.begin(GAMES[0])
    position = GameFeed(archive.log).find_end()
    restored = Archive()
    feed = GameFeed(restored.log)
    with pytest.raises(UnknownPosition, match="`start`"):
        feed.read(position, EVERYTHING, 10)
    restored.begin(GAMES[1])
    with pytest.raises(UnknownPosition):
        feed.read(position, EVERYTHING, 10)
    assert name_events(read_all(feed)) == ["gameab-1"]


def test_a_log_that_was_cut_off_tells_what_it_has(redis_server: RedisServer) -> None:
    with redis_server.client() as client:
        archive = Archive(RedisEventLog(client, CODEC))
        archive.begin(GAMES[0])
        archive.play(GAMES[0], last=True)
        key = archive.log.key(stream_of(GAMES[0]))  # type: ignore[attr-defined]
        client.xdel(key, "3-0")
        assert name_events(read_all(GameFeed(archive.log))) == ["game-1", "game-2"]


def test_few_that_fit_among_many_make_short_pages(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.game_feed.reader.LOOKED_AT", 50)
    for game in GAMES:
        archive.begin(game)
    for number in range(600):
        archive.play(GAMES[number % 30])
    feed = GameFeed(archive.log)
    pages = []
    position, caught_up = feed.find_start(), False
    while not caught_up:
        page = feed.read(position, Filter(types=find_types(["game-ended"])), 100)
        assert page.events == []
        assert page.position != position
        pages.append(page)
        position, caught_up = page.position, page.caught_up
    assert len(pages) > 2
