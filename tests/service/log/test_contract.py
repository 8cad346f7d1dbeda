"""The contract of every event log, whatever stores it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from threading import Barrier, Thread

import pytest

from service.errors import WrongExpectedVersion
from service.log.alarms import Alarm
from service.log.chain import link, list_entries
from service.log.errors import AlreadyDone, Barred
from service.log.interface import FEED_START, EventLog
from service.log.pages import read_pages
from service.log.values import (
    GENESIS,
    Event,
    LogPage,
    Receipt,
    Recorded,
    StoredEvent,
    StreamId,
    StreamRange,
)
from service.log.wake import Wake
from tests.service.log.conftest import Opener
from tests.service.log.support import (
    CODEC,
    GAME,
    OTHER,
    Noted,
    at_once,
    notes,
    receipt,
    request,
)
from tests.waiting import join, patiently

RICH = Noted(
    text='Ōka «♟» \U0001f409 "\\ \n\t %FIRST% %LAST%',
    number=-3,
    texts=("", "b", "ä"),
    tags={"Event": "Prvo kolo", "ключ": "значение"},
)


def texts(recorded: list[Recorded]) -> list[str]:
    return [entry.event.text for entry in recorded if isinstance(entry.event, Noted)]


def test_a_stream_is_read_as_it_was_appended(log: EventLog) -> None:
    assert log.append(request(notes("a", "b"))) == 2
    assert log.append(request([RICH], 2, by="p2")) == 3
    assert [(e.version, e.event, e.at, e.by) for e in log.read(GAME)] == [
        (1, Noted(text="a"), 1000, "p1"),
        (2, Noted(text="b"), 1000, "p1"),
        (3, RICH, 1002, "p2"),
    ]
    assert log.version(GAME) == 3


def test_each_event_carries_the_digest_of_the_one_before(log: EventLog) -> None:
    log.append(request(notes("a", "b")))
    log.append(request([RICH], 2, by="p2"))
    recorded = log.read(GAME)
    assert [entry.previous for entry in recorded] == [GENESIS, *(e.hash for e in recorded[:-1])]
    assert [entry.hash for entry in recorded] == [link(GAME, entry) for entry in recorded]
    assert log.head(GAME) == recorded[-1].hash
    assert log.head(OTHER) == GENESIS
    assert log.digests([OTHER, GAME]) == [GENESIS, recorded[-1].hash]
    assert log.digests([]) == []
    assert log.read(GAME, 1) == recorded[1:]
    assert log.read(GAME, 1, 1) == recorded[1:2]
    assert log.read(GAME, 2, 5) == recorded[2:]


def test_a_page_is_bounded_by_its_events_and_by_their_bytes(
    log: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.log.pages.TOGETHER", 2)
    monkeypatch.setattr("service.log.pages.PAGE_BYTES", 650)
    log.append(request(notes("a", "b", "c", "ž" * 300, "e", "ž" * 500, "g")))
    recorded = log.read(GAME)
    for after, limit, to, more in (
        (0, 3, 3, True),
        (0, 9, 5, True),
        (0, 5, 5, True),
        (2, 2, 4, True),
        (5, 9, 6, True),
        (6, 1, 7, True),
        (6, 9, 7, False),
        (7, 9, 7, False),
        (8, 9, 8, False),
        (0, 0, 0, True),
    ):
        assert log.read_page(GAME, after, limit) == LogPage(recorded[after:to], more)
    assert log.read_page(OTHER, 0, 9) == LogPage([], more=False)
    pages = list(read_pages(log, GAME))
    assert [len(page) for page in pages] == [5, 1, 1]
    assert [entry for page in pages for entry in page] == recorded
    assert [entry for page in read_pages(log, GAME, 1, 6) for entry in page] == recorded[1:6]
    assert list(read_pages(log, OTHER)) == []


def test_what_is_appended_stands_in_the_log_as_foretold(log: EventLog) -> None:
    first, second = request(notes("a", "b")), request([RICH], 2)
    log.append(first)
    foretold = list(list_entries(first, GENESIS))
    log.append(replace(second, head=foretold[-1].hash))
    foretold += list_entries(second, foretold[-1].hash)
    assert log.read(GAME) == foretold


def test_requests_appended_together_are_each_by_itself(log: EventLog) -> None:
    seen = receipt("k")
    first, other = request(notes("a"), receipt=seen), request(notes("b"), stream=OTHER)
    head = list_entries(other, GENESIS)[-1].hash
    made = log.append_each(
        [
            first,
            other,
            request(notes("c")),
            first,
            replace(request(notes("d", "e"), 1, stream=OTHER), head=head),
        ]
    )
    assert made[:2] == [1, 1]
    conflict, done = made[2:4]
    assert isinstance(conflict, WrongExpectedVersion)
    assert (conflict.expected, conflict.actual) == (0, 1)
    assert isinstance(done, AlreadyDone)
    assert done.receipt.key == seen.key
    assert made[4] == 3
    assert texts(log.read(GAME)) == ["a"]
    assert texts(log.read(OTHER)) == ["b", "d", "e"]
    assert log.append_each([]) == []


def test_an_attribute_can_forbid_an_append(log: EventLog) -> None:
    barred = replace(request(notes("b"), receipt=receipt("k")), unless="barred:1")
    assert log.append(request([], attributes={"barred:1": ""})) == 0
    with pytest.raises(Barred) as refused:
        log.append(barred)
    assert (refused.value.stream, refused.value.attribute) == ("game:a", "barred:1")
    assert str(refused.value) == "the attribute 'barred:1' of game:a forbids this append"
    other = replace(barred, unless="barred:2")
    made = log.append_each([barred, replace(barred, stream=OTHER), other, barred, request([])])
    assert isinstance(made[0], Barred)
    assert made[1:3] == [1, 1]
    assert [type(each) for each in made[3:]] == [AlreadyDone, WrongExpectedVersion]
    assert texts(log.read(GAME)) == ["b"]


def test_an_append_can_require_values_of_attributes(log: EventLog) -> None:
    """Also that there is no value; an empty one is a value."""
    required: Mapping[str, str | None]
    log.append(request([], attributes={"x": "1", "empty": ""}))
    for required, wrong in (
        ({"x": "2"}, "x"),
        ({"x": None}, "x"),
        ({"x": "1", "y": "1"}, "y"),
        ({"x": "1", "y": ""}, "y"),
        ({"empty": None}, "empty"),
    ):
        with pytest.raises(Barred) as refused:
            log.append(replace(request(notes("a"), attributes={"x": "3"}), required=required))
        assert refused.value.attribute == wrong
    assert log.read(GAME) == []
    met = {"x": "1", "y": None, "empty": ""}
    changes = replace(request(notes("a"), attributes={"x": "2", "y": "0"}), required=met)
    assert log.append_each([changes, replace(changes, stream=OTHER)])[0] == 1
    assert log.all_attributes(GAME) == {"x": "2", "y": "0", "empty": ""}
    assert log.all_attributes(OTHER) == {}


def test_another_history_of_the_same_length_is_a_conflict(log: EventLog) -> None:
    log.append(request(notes("a")))
    (other,) = list_entries(request(notes("b")), GENESIS)
    for head in (other.hash, GENESIS):
        with pytest.raises(WrongExpectedVersion) as refused:
            log.append(replace(request(notes("c"), 1), head=head))
        assert (refused.value.expected, refused.value.actual) == (1, 1)
        assert str(refused.value) == "game:a is at version 1 by another event than expected"
    with pytest.raises(WrongExpectedVersion):
        log.append(replace(request(notes("c"), stream=OTHER), head=other.hash))
    assert texts(log.read(GAME)) == ["a"]


def test_a_stream_that_nobody_wrote_is_empty(log: EventLog) -> None:
    assert log.read(GAME) == []
    assert log.version(GAME) == 0
    assert log.receipt(GAME, "k") is None
    assert dict(log.all_attributes(GAME)) == {}
    assert log.attributes([(GAME, "name")]) == [None]
    assert log.attributes([]) == []
    assert log.streams("game") == []


def test_what_one_opener_appends_another_reads(opener: Opener) -> None:
    opener().append(request(notes("a")))
    assert texts(opener().read(GAME)) == ["a"]


@pytest.mark.parametrize(
    ("after", "limit", "expected"),
    [
        (0, None, ["a", "b", "c", "d"]),
        (2, None, ["c", "d"]),
        (1, 2, ["b", "c"]),
        (0, 1, ["a"]),
        (0, 0, []),
        (4, None, []),
        (9, 5, []),
    ],
)
def test_a_part_of_a_stream(
    log: EventLog, after: int, limit: int | None, expected: list[str]
) -> None:
    log.append(request(notes("a", "b", "c", "d")))
    assert texts(log.read(GAME, after, limit)) == expected


def test_streams_read_together_are_as_each_by_itself(log: EventLog) -> None:
    log.append(request(notes("a")))
    log.append(request([RICH], 1))
    log.append(request(notes("b"), stream=OTHER))
    nobody = StreamId("game", "nobody")
    assert log.read_each([OTHER, nobody, GAME, OTHER]) == [
        log.read(OTHER),
        [],
        log.read(GAME),
        log.read(OTHER),
    ]
    assert log.read_each([]) == []


@pytest.mark.parametrize("expected", [0, 1, 3, 99])
def test_another_expected_version_appends_nothing_at_all(log: EventLog, expected: int) -> None:
    log.append(request(notes("a", "b"), attributes={"name": "A"}))
    heads = log.feed_positions()
    with pytest.raises(WrongExpectedVersion) as refused:
        log.append(
            request(
                notes("c", "d"), expected, receipt=receipt("k"), attributes={"name": None, "x": "y"}
            )
        )
    assert (refused.value.stream, refused.value.expected, refused.value.actual) == (
        "game:a",
        expected,
        2,
    )
    assert texts(log.read(GAME)) == ["a", "b"]
    assert log.receipt(GAME, "k") is None
    assert log.all_attributes(GAME) == {"name": "A"}
    assert log.feed_positions() == heads


@pytest.mark.parametrize("unstorable", [float("nan"), {1, 2}, "\ud800"])
def test_what_cannot_be_stored_appends_nothing_at_all(log: EventLog, unstorable: object) -> None:
    bad: list[Event] = [*notes("a"), Noted(text=unstorable)]  # type: ignore[arg-type]
    with pytest.raises((TypeError, ValueError)):
        log.append(request(bad, receipt=receipt("k"), attributes={"name": "A"}))
    assert (log.version(GAME), log.receipt(GAME, "k"), dict(log.all_attributes(GAME))) == (
        0,
        None,
        {},
    )
    assert log.streams("game") == []


def test_four_hundred_events_in_one_step(log: EventLog) -> None:
    written = [str(n) for n in range(400)]
    assert log.append(request(notes(*written))) == 400
    assert texts(log.read(GAME)) == written
    (pointer,) = log.feed(log.partition(GAME))
    assert (pointer.first, pointer.last) == (1, 400)


def test_a_large_event(log: EventLog) -> None:
    large = "ж" * 1_000_000
    log.append(request(notes(large)))
    assert texts(log.read(GAME)) == [large]


def test_a_receipt_names_the_versions_its_request_made(log: EventLog) -> None:
    log.append(request(notes("a")))
    log.append(request(notes("b", "c"), 1, receipt=receipt("k", "f%FIRST%", 201)))
    assert log.receipt(GAME, "k") == Receipt("k", "f%FIRST%", 201, 2, 3)
    assert log.receipt(GAME, "l") is None
    assert log.receipt(OTHER, "k") is None


def test_a_request_made_again_is_answered_with_its_receipt(log: EventLog) -> None:
    first = request(notes("a"), receipt=receipt("k", "one"))
    log.append(first)
    log.append(request(notes("b"), 1))
    heads = log.feed_positions()
    for again in (first, request(notes("c"), 2, receipt=receipt("k", "other", 500))):
        with pytest.raises(AlreadyDone) as refused:
            log.append(again)
        assert refused.value.receipt == Receipt("k", "one", 200, 1, 1)
        assert str(refused.value) == "this request was carried out before"
    assert texts(log.read(GAME)) == ["a", "b"]
    assert log.feed_positions() == heads


def test_one_key_on_two_streams_is_two_requests(log: EventLog) -> None:
    log.append(request(notes("a"), receipt=receipt("k")))
    assert log.append(request(notes("a"), stream=OTHER, receipt=receipt("k"))) == 1


def test_a_request_without_effect_leaves_a_receipt_and_no_pointer(log: EventLog) -> None:
    log.append(request(notes("a")))
    heads = log.feed_positions()
    assert log.append(request([], 1, receipt=receipt("k"))) == 1
    assert log.receipt(GAME, "k") == Receipt("k", "f", 200, 2, 1)
    assert log.feed_positions() == heads
    with pytest.raises(WrongExpectedVersion):
        log.append(request([], 7))


def test_one_key_from_many_threads_is_done_once(log: EventLog) -> None:
    start = Barrier(8)

    def send() -> str:
        start.wait()
        try:
            log.append(request(notes("a"), receipt=receipt("k")))
        except AlreadyDone as error:
            assert error.receipt == Receipt("k", "f", 200, 1, 1)
            return "done before"
        return "appended"

    assert sorted(at_once([send] * 8)) == ["appended"] + ["done before"] * 7
    assert log.version(GAME) == 1


def test_of_many_threads_exactly_one_wins_each_version(log: EventLog) -> None:
    start = Barrier(6)
    turns = 40

    def play(name: str) -> list[int]:
        won = []
        for version in range(turns):
            start.wait()
            try:
                log.append(request(notes(name), version))
                won.append(version)
            except WrongExpectedVersion as error:
                assert error.actual == version + 1
        return won

    won = at_once([partial(play, str(n)) for n in range(6)])
    assert sorted(version for versions in won for version in versions) == list(range(turns))
    by_name = texts(log.read(GAME))
    assert all(by_name[version] == str(n) for n, versions in enumerate(won) for version in versions)
    pointers = log.feed(log.partition(GAME))
    assert [pointer.last for pointer in pointers] == list(range(1, turns + 1))


def test_values_beside_a_stream_change_in_the_same_step(log: EventLog) -> None:
    log.append(request(notes("a"), attributes={"name": "Ana Ž.", "token:1": "x", "empty": ""}))
    log.append(request(notes("b"), 1, attributes={"token:1": None, "token:2": "z", "none": None}))
    assert log.all_attributes(GAME) == {"name": "Ana Ž.", "token:2": "z", "empty": ""}
    wanted = [(GAME, "token:2"), (OTHER, "name"), (GAME, "token:1"), (GAME, "name")]
    assert log.attributes(wanted) == ["z", None, None, "Ana Ž."]
    assert log.attributes([(GAME, "name")]) == ["Ana Ž."]
    assert log.attributes([(GAME, "none"), (GAME, "name"), (GAME, "name")]) == [
        None,
        "Ana Ž.",
        "Ana Ž.",
    ]


def streams_of_one_partition(log: EventLog, count: int) -> list[StreamId]:
    mates = (StreamId("game", f"g{n}") for n in range(10_000))
    return [s for s in mates if log.partition(s) == log.partition(GAME)][:count]


def test_a_feed_points_to_all_appends_in_order(log: EventLog) -> None:
    mine = streams_of_one_partition(log, 3)
    log.append(request(notes("a"), stream=mine[0], audience=["p1", "p2"]))
    log.append(request(notes("b", "c"), stream=mine[1]))
    log.append(request(notes("d"), 1, stream=mine[0], audience=["p1"]))
    log.append(request(notes("e"), stream=mine[2], audience=[]))
    partition = log.partition(mine[0])
    pointers = log.feed(partition)
    assert [(p.stream, p.first, p.last, p.audience) for p in pointers] == [
        (mine[0], 1, 1, ("p1", "p2")),
        (mine[1], 1, 2, ()),
        (mine[0], 2, 2, ("p1",)),
        (mine[2], 1, 1, ()),
    ]
    assert log.feed(partition, limit=2) == pointers[:2]
    assert log.feed(partition, pointers[1].position) == pointers[2:]
    assert log.feed(partition, pointers[-1].position) == []
    assert log.feed((partition + 1) % log.partitions) == []
    assert log.feed_positions()[partition] == pointers[-1].position


def test_heads_name_every_partition(log: EventLog) -> None:
    assert log.feed_positions() == dict.fromkeys(range(log.partitions), FEED_START)


def test_streams_of_a_kind(log: EventLog) -> None:
    games = [StreamId("game", f"g{n}") for n in range(100)]
    for stream in games:
        log.append(request(notes("a"), stream=stream, receipt=receipt("k"), attributes={"x": "y"}))
    log.append(request(notes("a"), stream=StreamId("player", "g1"), attributes={"name": "A"}))
    log.append(request([], stream=OTHER, receipt=receipt("k")))
    found = log.streams("game")
    assert len(found) == 100
    assert set(found) == set(games)
    assert log.streams("player") == [StreamId("player", "g1")]
    assert log.streams("gam") == []


def test_streams_are_spread_over_the_partitions(log: EventLog) -> None:
    homes = {log.partition(StreamId("game", str(n))) for n in range(2000)}
    assert homes == set(range(log.partitions))
    assert log.partition(StreamId("player", "a")) == log.partition(GAME)


def test_waiting_gives_what_is_there_at_once(log: EventLog) -> None:
    log.append(request(notes("a")))
    log.append(request(notes("b"), stream=OTHER))
    log.append(request(notes("c"), 1))
    here, there = log.partition(GAME), log.partition(OTHER)
    assert here != there
    found = log.wait({here: FEED_START, there: FEED_START}, 60)
    assert [(p, pointer.stream, pointer.last) for p, pointer in found if p == here] == [
        (here, GAME, 1),
        (here, GAME, 2),
    ]
    assert [pointer.stream for p, pointer in found if p == there] == [OTHER]
    assert log.wait(log.feed_positions(), 0.01) == []


def test_waiting_ends_when_something_comes(log: EventLog) -> None:
    positions = log.feed_positions()
    found: list[object] = []

    def listen() -> None:
        for _ in patiently("something comes"):
            found.extend(log.wait(positions, 60))
            if found:
                return

    listener = Thread(target=listen)
    listener.start()
    log.append(request(notes("a")))
    listener.join(90)
    assert not listener.is_alive()
    assert found == [(log.partition(GAME), log.feed(log.partition(GAME))[0])]


@pytest.mark.slow
def test_a_wait_is_ended_by_its_wake(log: EventLog) -> None:
    positions, wake = log.feed_positions(), Wake()
    found: list[object] = []
    waiter = Thread(target=lambda: found.append(log.wait(positions, 600, wake)))
    waiter.start()
    wake.call()
    join(waiter)
    assert found == [[]]
    assert log.wait(positions, 600, wake) == []
    wake.reset()
    log.append(request(notes("a")))
    ((partition, pointer),) = log.wait(positions, 600, wake)
    assert (partition, pointer.stream) == (log.partition(GAME), GAME)


def test_positions_of_some_feeds_are_those_of_all(log: EventLog) -> None:
    log.append(request(notes("a")))
    positions, here = log.feed_positions(), log.partition(GAME)
    assert positions[here] != FEED_START
    for asked in ([], [here], [here - 1, here]):
        assert log.feed_positions(asked) == {partition: positions[partition] for partition in asked}


def test_a_reader_of_the_feed_misses_nothing_while_others_write(log: EventLog) -> None:
    streams = streams_of_one_partition(log, 4)
    partition = log.partition(GAME)

    def write(stream: StreamId) -> None:
        for version in range(25):
            log.append(request(notes("a"), version, stream))

    seen: list[tuple[StreamId, int]] = []

    def follow() -> None:
        position = FEED_START
        for _ in patiently("100 events are seen"):
            if len(seen) >= 100:
                return
            for _, pointer in log.wait({partition: position}, 30):
                position = pointer.position
                seen.append((pointer.stream, pointer.last))

    writers: list[Callable[[], None]] = [partial(write, stream) for stream in streams]
    at_once([follow, *writers])
    for stream in streams:
        assert [last for s, last in seen if s == stream] == list(range(1, 26))


def test_an_append_sets_and_removes_its_streams_alarm(log: EventLog) -> None:
    log.append(replace(request(notes("a")), alarm=5000))
    log.append(replace(request(notes("a"), stream=OTHER), alarm=4000))
    assert log.alarms.look(3999).alarms == []
    assert log.alarms.look(4000).alarms == [Alarm(OTHER, 4000)]
    assert log.alarms.look(9000).alarms == [Alarm(OTHER, 4000), Alarm(GAME, 5000)]
    log.append(request(notes("b"), 1))
    log.append(replace(request(notes("b"), 1, stream=OTHER), alarm=0))
    assert log.alarms.look(9000).alarms == [Alarm(GAME, 5000)]
    log.append(replace(request(notes("c"), 2), alarm=6000))
    assert log.alarms.look(9000).alarms == [Alarm(GAME, 6000)]


def test_a_refused_append_leaves_the_alarm_as_it_is(log: EventLog) -> None:
    log.append(replace(request(notes("a")), alarm=5000))
    with pytest.raises(WrongExpectedVersion):
        log.append(replace(request(notes("b")), alarm=6000))
    assert log.alarms.look(9000).alarms == [Alarm(GAME, 5000)]


def test_an_alarm_is_moved_only_where_it_was_seen(log: EventLog) -> None:
    log.append(replace(request(notes("a")), alarm=5000))
    assert not log.alarms.move(GAME, 4000, 7000)
    assert not log.alarms.move(OTHER, 5000, 7000)
    assert log.alarms.move(GAME, 5000, 7000)
    assert log.alarms.look(9000).alarms == [Alarm(GAME, 7000)]
    assert log.alarms.move(GAME, 7000, 0)
    assert log.alarms.look(9000).alarms == []


def test_lost_alarms_are_known_and_restored_except_what_was_set_since(log: EventLog) -> None:
    assert log.alarms.look(0).lost == list(range(log.partitions))
    log.append(replace(request(notes("a")), alarm=5000))
    for partition in range(log.partitions):
        mine = partition == log.partition(GAME)
        log.alarms.restore(partition, {GAME: 1000} if mine else {})
    view = log.alarms.look(10**15)
    assert view.lost == []
    assert view.alarms == [Alarm(GAME, 5000)]


def test_ranges_of_streams_are_read_as_they_are_stored(log: EventLog) -> None:
    log.append(request(notes("a", "b")))
    log.append(request([RICH], 2, by="p2"))
    recorded = log.read(GAME)
    stored = [
        StoredEvent(e.version, "noted/1", CODEC.encode(e.event), e.at, e.by, e.previous)
        for e in recorded
    ]
    nobody = StreamId("game", "nobody")
    ranges = [(GAME, 0, 2), (GAME, 1, 5), (GAME, 3, 5), (nobody, 0, 5)]
    asked = [StreamRange(*one) for one in ranges]
    assert log.read_stored(asked) == [stored[:2], stored[1:], [], []]
    assert log.read_stored([]) == []
    assert log.read_ranges(asked) == [log.read(GAME, 0, 2), log.read(GAME, 1, 5), [], []]
    assert log.read_ranges([]) == []


def test_the_feeds_of_several_partitions_are_read_together(log: EventLog) -> None:
    for expected in range(3):
        log.append(request(notes("a"), expected))
    log.append(request(notes("b"), stream=OTHER))
    one, other = log.partition(GAME), log.partition(OTHER)
    assert one != other
    first, second, third = log.feed(one)
    found = log.feed_each({one: first.position, other: FEED_START}, 1)
    assert found == {one: [second], other: log.feed(other)}
    assert log.feed_each({one: second.position}, 5) == {one: [third]}
    assert log.feed_each({}, 5) == {}
