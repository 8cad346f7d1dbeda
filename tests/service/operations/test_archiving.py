"""A service's old games in the archive: `movelog archive`, and everything that reads them."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest

from engine.side import Side
from service.archive.collector import OWNER, Collected
from service.archive.directory import FILE
from service.archive.feed_readers import FeedReader
from service.archive.feed_trimmer import FeedTrimmer, Trimmed
from service.cli import main
from service.composition.log_store import borrow_log
from service.composition.projector import list_projections, rebuild
from service.composition.reading import note_readers
from service.composition.service import Service, now
from service.errors import WrongExpectedVersion
from service.game.commands import CreateGame, PlayAction, Resign
from service.game.errors import NotRunning
from service.game.repository import stream_of
from service.game_feed.filter import Filter
from service.game_feed.reader import GameFeed
from service.log.redis_forms import name_feed
from service.log.values import Append, Pointer
from service.operations.archiving import archive_games, collect_objects, trim_feeds
from service.operations.backup import back_up
from service.operations.restore import restore
from service.player.actor import Actor
from service.player.scopes import PLAY
from service.projection.projector import Projector
from service.records.export import write_whole_log
from service.settings import Settings
from service.verification.audit import audit_game
from service.verification.feed_audit import audit_feed
from tests.service.operations.test_backup import content, played_game, silent
from tests.service.projection.support import score
from tests.service.redis_server import RedisServer

pytestmark = pytest.mark.slow

Composing = Callable[[Settings], Service]
Emptied = Callable[[], Settings]
SOON = 1000


@pytest.fixture(params=["redis", "cluster"])
def settings(request: pytest.FixtureRequest, settings: Settings) -> Settings:
    """Settings for a log in the tests' Redis, and for one in a cluster."""
    if request.param == "redis":
        return settings
    clustered: Settings = request.getfixturevalue("clustered")
    return clustered


@pytest.fixture
def emptied(settings: Settings, tmp_path: Path, redis_server: RedisServer) -> Emptied:
    """A function that empties the stores and returns settings for a new data directory."""

    def new() -> Settings:
        with redis_server.client() as client, borrow_log(settings, client) as log:
            client.flushall()
            log.flushall()
        other = tmp_path / "other"
        return replace(settings, data_dir=other, objects_url=(other / "objects").as_uri())

    return new


def finish(service: Service, id: str) -> None:
    """End a game and score it, as a worker does."""
    scribe = Actor(service.games.load(id).creator, frozenset({PLAY}))
    service.games.execute(id, Resign(side=Side.FIRST), scribe)
    score(service.games, id, points=(0, 0))


def export(service: Service, id: str) -> bytes:
    """A game's signed log."""
    stream = stream_of(id)
    return b"".join(write_whole_log(stream, [service.log.read(stream)], service.signer))


def archived(service: Service) -> tuple[list[str], list[bytes]]:
    """Archive three of four games; returns the ids of all four, and their exports before that."""
    games = [played_game(service) for _ in range(4)]
    for id in games[:3]:
        finish(service, id)
    exports = [export(service, id) for id in games]
    assert archive_games(service, now() + SOON, silent).streams == 3
    assert [stream.id for stream in service.log.redis.streams("game")] == games[3:]
    return games, exports


def test_finished_games_are_archived_and_read_as_before(
    service: Service, compose: Composing
) -> None:
    games, exports = archived(service)
    again = compose(service.settings)
    assert [export(again, id) for id in games] == exports
    assert [audit_game(again.log, stream_of(id)).fault for id in games] == [None] * 4
    assert [audit_game(again.log, stream_of(id)).repinned for id in games] == [False] * 4
    assert {stream.id for stream in again.log.streams("game")} == set(games)
    assert rebuild(again) == 4
    assert archive_games(again, now() + SOON, silent).streams == 0


def test_a_game_that_cannot_be_read_stays_and_delays_no_other(
    service: Service, compose: Composing, caplog: pytest.LogCaptureFixture
) -> None:
    games = sorted(played_game(service) for _ in range(3))
    for id in games:
        finish(service, id)
    log = service.log.redis
    key = log.key(stream_of(games[0]))
    last: Any = log.client.xrevrange(key, count=1)
    version = log.version(stream_of(games[0])) + 1
    log.client.xadd(key, last[0][1] | {b"e": b"game-sung/1"}, id=f"{version}-0")
    again = compose(service.settings)
    assert archive_games(again, now() + SOON, silent).streams == 2
    assert [stream.id for stream in log.streams("game")] == games[:1]
    assert f"the game {games[0]} is not archived: unknown event 'game-sung/1'" in caplog.text


def test_young_and_unscored_games_stay(service: Service) -> None:
    unscored, young = played_game(service), played_game(service)
    before = now()
    service.games.execute(
        unscored,
        Resign(side=Side.FIRST),
        Actor(service.games.load(unscored).creator, frozenset({PLAY})),
    )
    finish(service, young)
    assert archive_games(service, before - SOON, silent).streams == 0
    assert archive_games(service, now() + SOON, silent).streams == 1
    assert [stream.id for stream in service.log.redis.streams("game")] == [unscored]


def test_a_backup_has_archived_games_and_a_restore_archives_them(
    service: Service, compose: Composing, emptied: Emptied, tmp_path: Path
) -> None:
    games, exports = archived(service)
    before = content(service)
    streams = back_up(service.settings, tmp_path / "backup.gz", silent)
    settings = emptied()
    assert restore(settings, tmp_path / "backup.gz", silent) == streams
    restored = compose(settings)
    assert content(restored) == before
    assert [stream.id for stream in restored.log.redis.streams("game")] == games[3:]
    assert [export(restored, id) for id in games] == exports
    assert back_up(settings, tmp_path / "again.gz", silent) == streams


def test_a_game_that_is_created_again_is_found_in_the_archive(service: Service) -> None:
    games, exports = archived(service)
    scribe = Actor(service.players.register("Scribe", None).id, frozenset({PLAY}))
    state = service.games.load(games[0])
    command = CreateGame(
        variant="katruji", mode="scribe", first=state.seats[0], second=state.seats[1]
    )
    with pytest.raises(WrongExpectedVersion):
        service.games.create(games[0], command, scribe)
    assert export(service, games[0]) == exports[0]


@pytest.fixture
def environment(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the environment variables of a command."""
    monkeypatch.setenv("MOVELOG_REDIS_URL", settings.redis_url)
    monkeypatch.setenv("MOVELOG_LOG_URL", settings.log_url or "")
    monkeypatch.setenv("MOVELOG_DATA_DIR", str(settings.data_dir))


@pytest.mark.usefixtures("environment")
def test_the_command_archives_by_age_and_makes_the_directory_again(
    service: Service,
    compose: Composing,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    id = played_game(service)
    finish(service, id)
    before = export(service, id)
    assert main(["archive"]) == 0
    assert capsys.readouterr().out == "0 games archived in 0 bytes\n"
    monkeypatch.setattr("service.composition.service.now", lambda: now() + SOON)
    assert main(["archive", "--older-than", "0", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["archived"], told["skipped"]) == (1, 0)
    assert 0 < told["bytes"] < 5000
    for end in ("", "-wal", "-shm"):
        (service.settings.data_dir / (FILE + end)).unlink(missing_ok=True)
    assert main(["audit"]) == 1
    assert "movelog archive --make-directory" in capsys.readouterr().err
    assert main(["archive", "--make-directory"]) == 0
    assert capsys.readouterr().out == "1 segment in the directory\n"
    assert export(compose(service.settings), id) == before
    assert main(["audit"]) == 0


@pytest.mark.usefixtures("environment")
def test_the_command_removes_what_nothing_needs(
    service: Service,
    compose: Composing,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    id = played_game(service)
    finish(service, id)
    stream = stream_of(id)
    monkeypatch.setattr("service.composition.service.now", lambda: now() + SOON)
    assert main(["archive", "--older-than", "0"]) == 0
    version = service.log.version(stream)
    service.log.append(Append(stream, version, (), now(), "test", attributes={"a": "b"}))
    assert main(["archive", "--older-than", "0"]) == 0
    assert "removed" not in capsys.readouterr().out
    before = export(service, id)
    assert main(["archive", "--collect-after", "0"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("0 games archived in 0 bytes; 1 file of ")
    assert printed.endswith(" bytes removed, no longer needed\n")
    assert export(compose(service.settings), id) == before
    (service.settings.data_dir / "objects" / OWNER).write_text("another")
    assert main(["archive"]) == 1
    assert "movelog archive --own-objects" in capsys.readouterr().err
    assert main(["archive", "--own-objects"]) == 0
    assert main(["archive"]) == 0


def test_a_refused_action_puts_nothing_back_into_redis(service: Service) -> None:
    games, _ = archived(service)
    state = service.games.load(games[0])
    scribe = Actor(state.creator, frozenset({PLAY}))
    with pytest.raises(NotRunning):
        service.games.execute(games[0], PlayAction(token="a1"), scribe)
    # A refusal changes nothing, and puts nothing back.
    assert service.log.redis.version(stream_of(games[0])) == 0


def trimmed(service: Service) -> tuple[list[str], list[bytes], dict[int, list[Pointer]]]:
    """As `archived`, and trim the feeds, which all readers have read; returns the feeds, too."""
    games, exports = archived(service)
    feeds = read_feeds(service)
    service.feed_readers.note(FeedReader("test", now(), "here", service.log.feed_positions()))
    trimmer = FeedTrimmer(service.log.tier, service.log.archive, now, least=1)
    assert sum(done.pointers for done in trimmer.run(service.log.feed_positions(), now() + SOON))
    assert read_feeds(service) == feeds
    return games, exports, feeds


def read_feeds(service: Service) -> dict[int, list[Pointer]]:
    return {p: service.log.feed(p, limit=10_000) for p in range(service.log.partitions)}


@pytest.mark.usefixtures("environment")
def test_everything_reads_a_trimmed_feed(
    service: Service, compose: Composing, capsys: pytest.CaptureFixture[str]
) -> None:
    games, exports, _ = trimmed(service)
    again = compose(service.settings)
    told = GameFeed(again.log)
    page = told.read(told.find_start(), Filter(), 10_000)
    assert page.caught_up
    assert {one.pointer.stream.id for one, _ in page.events} == set(games)
    # A position within the trimmed feed can be continued from.
    middle = told.read(told.find_start(), Filter(), 7)
    rest = told.read(middle.position, Filter(), 10_000)
    assert [*middle.events, *rest.events] == page.events
    assert rebuild(again) == 4
    assert [export(again, id) for id in games] == exports
    assert main(["audit"]) == 0
    assert "entries in the feed, 0 wrong" in capsys.readouterr().out


def test_a_backup_has_the_whole_feed_and_a_restore_trims_it(
    service: Service, compose: Composing, emptied: Emptied, tmp_path: Path
) -> None:
    games, exports, feeds = trimmed(service)
    streams = back_up(service.settings, tmp_path / "backup.gz", silent)
    settings = emptied()
    assert restore(settings, tmp_path / "backup.gz", silent) == streams
    restored = compose(settings)
    assert read_feeds(restored) == feeds
    hot = {p: restored.log.redis.feed(p) for p in feeds}
    assert hot == {p: pointers[-1:] for p, pointers in feeds.items()}
    assert [export(restored, id) for id in games] == exports
    assert back_up(settings, tmp_path / "again.gz", silent) == streams
    restored.log.append(replace(notes_of(restored, games[3]), head=None))
    (partition,) = {restored.log.partition(stream_of(games[3]))}
    assert read_feeds(restored)[partition][:-1] == feeds[partition]


def notes_of(service: Service, id: str) -> Append:
    """An append to a game that repeats its last event."""
    stream = stream_of(id)
    recorded = service.log.read(stream)
    return Append(stream, len(recorded), [recorded[-1].event], now(), "test")


def test_a_wrong_feed_is_found(service: Service) -> None:
    id = played_game(service)
    log = service.log
    partition = log.partition(stream_of(id))
    pointers = log.feed(partition, limit=10_000)
    assert audit_feed(log, partition).faults == []
    log.redis.client.xdel(name_feed(partition), pointers[-2].position)
    (fault,) = audit_feed(log, partition).faults
    assert pointers[-1].position in fault
    assert f"{stream_of(id)} from event {pointers[-1].first} on" in fault


@pytest.mark.usefixtures("environment")
def test_readers_are_listed_and_forgotten(
    service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["readers"]) == 0
    assert "no reader is registered" in capsys.readouterr().out
    played_game(service)
    assert trim_feeds(service, now() + SOON) == Trimmed()
    note_readers(service)
    assert main(["readers", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["readers"]
    assert [one["name"] for one in listed] == [ANY, "reactions"]
    # The game was played just now; what has not been read is as young.
    assert all(one["behind_seconds"] < 3600 for one in listed)
    assert trim_feeds(service, now() + SOON) == Trimmed()
    assert main(["readers", "--forget", "reactions"]) == 0
    assert capsys.readouterr().out.startswith("lists-")
    assert main(["readers", "--forget", "reactions"]) == 1
    assert "no reader has the name 'reactions'" in capsys.readouterr().err


def test_a_damaged_game_holds_up_no_other(
    service: Service, compose: Composing, caplog: pytest.LogCaptureFixture
) -> None:
    """A rebuild and an audit name it and go on; it is listed once its object is back."""
    games, _ = archived(service)
    damaged = games[1]
    (place,) = service.log.archive.find([stream_of(damaged)]).values()
    (segment,) = (service.settings.data_dir / "objects" / "segments").glob("*/*")
    content = segment.read_bytes()
    middle = place.entry.start + place.entry.length // 2
    segment.write_bytes(content[:middle] + b"\0\0\0\0" + content[middle + 4 :])
    again = compose(service.settings)
    assert rebuild(again) == 4
    (letter,) = again.dead_letters.all()
    assert letter.game == damaged
    assert "ArchiveDamaged" in letter.reason
    assert segment.name in letter.reason
    assert f"game {damaged} cannot be listed" in caplog.text
    faults = {id: audit_game(again.log, stream_of(id)).fault for id in games}
    assert [id for id, fault in faults.items() if fault] == [damaged]
    assert segment.name in str(faults[damaged])
    segment.write_bytes(content)
    mended = compose(service.settings)
    Projector(mended.games, mended.database, list_projections(mended)).retry_dead_letters()
    assert mended.dead_letters.all() == []
    segment.unlink()
    gone = compose(service.settings)
    assert rebuild(gone) == 4
    assert {letter.game for letter in gone.dead_letters.all()} == set(games[:3])


def test_what_was_left_half_written_goes_after_a_day(service: Service) -> None:
    folder = service.settings.data_dir / "objects"
    for name in ("segments/ab/abcd#1", "imports/1/original#1"):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_bytes(b"half")
    assert collect_objects(service, 0) == Collected()
    os.utime(folder / "segments/ab/abcd#1", (time.time() - 25 * 3600,) * 2)
    assert collect_objects(service, 0) == Collected(1, 4)
    os.utime(folder / "imports/1/original#1", (time.time() - 25 * 3600,) * 2)
    assert collect_objects(service, 0) == Collected(1, 4)
    assert not [file for file in folder.rglob("*") if file.is_file()]
