from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

import fakeredis
import pytest
import redis
from sqlalchemy import delete

from notation.reader import read
from service.composition.service import CODEC
from service.game.importing import import_command
from service.game.outline import GameOutline
from service.game.repository import Games, stream_of
from service.game.state import GameState
from service.log.codec import Codec
from service.log.interface import EventLog
from service.log.memory import MemoryEventLog
from service.log.redis import RedisEventLog
from service.log.values import Pointer
from service.log.wake import Wake
from service.projection import projector as projector_module
from service.projection.checkpoints import Checkpoints
from service.projection.database.database import Database
from service.projection.database.tables import CHECKPOINT
from service.projection.dead_letters import DeadLetters
from service.projection.errors import DatabaseAway
from service.projection.games import rows
from service.projection.games.projection import PreparedGames
from service.projection.games.query import Query
from service.projection.games.rows import GameRows
from service.projection.games.search import Search
from service.projection.listed_fold import play_at
from service.projection.updates import StreamUpdate
from tests.service.game.support import NO_TOURNAMENTS
from tests.service.player.support import players_of
from tests.service.projection.support import (
    SCRIBE,
    MemoryReactionProgress,
    correct,
    create,
    dump,
    end,
    listed,
    memory_games,
    play,
    project,
    projector_of,
    score,
    spoil,
    ticking,
)


class Asked(list[list[tuple[str, int]]]):
    """Remembers which games were submitted for scoring, and at which versions."""

    def __call__(self, games: Sequence[GameOutline]) -> None:
        self.append([(game.id, game.version) for game in games])


def test_the_list_shows_every_game_as_it_is(games: Games, database: Database) -> None:
    projector = projector_of(games, database)
    create(games, "a")
    create(games, "b", mode="challenge")
    play(games, "a", 2)
    assert project(projector) == 4
    end(games, "a", "1-0")
    assert project(projector) == 1
    found = Search(database, budget=60).page(Query()).games
    assert [(game.id, game.status, game.plies) for game in found] == [
        ("b", "offered", 0),
        ("a", "finished", 2),
    ]
    assert Checkpoints(database).count_behind(games.log) == 0


def test_going_through_the_feed_again_changes_nothing(games: Games, database: Database) -> None:
    for id in "abc":
        create(games, id)
        play(games, id, 3)
    end(games, "a", "1-0")
    project(projector_of(games, database))
    before = dump(database)
    database.write(lambda connection: connection.execute(delete(CHECKPOINT)))
    assert project(projector_of(games, database, progress=MemoryReactionProgress())) == 13
    assert dump(database) == before


def test_a_projector_goes_on_where_the_last_one_stopped(games: Games, database: Database) -> None:
    create(games, "a")
    project(projector_of(games, database))
    create(games, "b")
    assert project(projector_of(games, database)) == 1


def test_a_death_before_the_rows_are_written_loses_nothing(
    games: Games, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    create(games, "a")
    end(games, "a")

    def die(connection: object, before: object, after: object) -> None:
        raise DatabaseAway("it fell over")

    asked, progress = Asked(), MemoryReactionProgress()
    first = projector_of(games, database, asked, progress=progress)
    with monkeypatch.context() as patched:
        # The last step of a transaction, which is rolled back as a whole.
        patched.setattr(projector_module, "move_checkpoints", die)
        with pytest.raises(DatabaseAway):
            first.step(0.01)
    assert dump(database)["game"] == []
    project(projector_of(games, database, asked, progress=progress))
    assert asked == [[("a", 2)]]
    assert len(dump(database)["game"]) == 1


def test_a_death_before_the_reactions_are_noted_repeats_them(
    games: Games, database: Database
) -> None:
    create(games, "a")
    end(games, "a")

    class Dying(MemoryReactionProgress):
        def advance(self, reached: Mapping[int, str]) -> None:
            raise redis.ConnectionError

    asked = Asked()
    with pytest.raises(redis.ConnectionError):
        projector_of(games, database, asked, progress=Dying()).step(0.01)
    before = dump(database)
    project(projector_of(games, database, asked, progress=MemoryReactionProgress()))
    # The same games twice, which makes the same job; the rows are written once.
    assert asked == [[("a", 2)], [("a", 2)]]
    assert dump(database) == before


def test_of_two_projectors_only_one_writes_and_the_other_goes_on_behind_it(
    games: Games, database: Database
) -> None:
    progress = MemoryReactionProgress()
    first, second = (projector_of(games, database, progress=progress) for _ in range(2))
    create(games, "a")
    end(games, "a", "1-0")
    assert project(first) == 2
    # Overtaken, it begins again where the other one is.
    assert second.step(0.01) == 0
    create(games, "b")
    assert project(second) == 1
    assert listed(database) == ["b", "a"]
    assert Checkpoints(database).count_behind(games.log) == 0


def test_an_ended_game_is_handed_on_until_it_is_scored(games: Games, database: Database) -> None:
    asked = Asked()
    projector = projector_of(games, database, asked)
    create(games, "a")
    project(projector)
    assert asked == []
    end(games, "a", "1-0")
    project(projector)
    assert asked == [[("a", 2)]]
    score(games, "a")
    project(projector)
    assert len(asked) == 1
    correct(games, "a", "0-1")
    project(projector)
    assert asked[1:] == [[("a", 4)]]


def test_a_game_named_twice_is_handed_on_once(games: Games, database: Database) -> None:
    asked = Asked()
    projector = projector_of(games, database, asked)
    create(games, "a")
    partition = games.log.partition(stream_of("a"))
    (early,) = games.log.feed(partition)
    end(games, "a", "1-0")
    # The projector first sees only the first pointer; the game has ended since.
    projector.events = OnlyAtFirst(games.log, [(partition, early)])
    project(projector)
    assert asked == [[("a", 2)]]


class OnlyAtFirst(MemoryEventLog):
    """A log that shows only some pointers of its feeds at the first look."""

    def __init__(self, log: EventLog, shown: list[tuple[int, Pointer]]) -> None:
        self.log = log
        self.shown = shown

    def wait(
        self, after: Mapping[int, str], timeout: float, wake: Wake | None = None
    ) -> list[tuple[int, Pointer]]:
        shown, self.shown = self.shown, []
        return shown or self.log.wait(after, timeout)

    def feed_each(self, after: Mapping[int, str], limit: int) -> dict[int, list[Pointer]]:
        return self.log.feed_each(after, limit)


def test_games_that_end_together_are_handed_on_together(database: Database) -> None:
    games = Games(MemoryEventLog(CODEC, partitions=1), ticking(), NO_TOURNAMENTS)
    for number in range(34):
        create(games, f"g{number}")
        play(games, f"g{number}", 2)
        end(games, f"g{number}")
    asked = Asked()
    project(projector_of(games, database, asked))
    # A game has four pointers, and 100 pointers are processed at once.
    assert [len(games) for games in asked] == [25, 9]
    assert [id for games in asked for id, _ in games] == [f"g{number}" for number in range(34)]


def test_a_projector_stops_within_a_stretch_and_goes_on_there(database: Database) -> None:
    games = Games(MemoryEventLog(CODEC, partitions=1), ticking(), NO_TOURNAMENTS)
    for number in range(250):
        create(games, f"g{number}")
    looks = iter([False, False, True])
    first = projector_of(games, database, stopping=looks.__next__)
    assert first.step(0.01) == 200
    assert Checkpoints(database).count_behind(games.log) == 50
    assert project(projector_of(games, database)) == 50
    assert len(dump(database)["game"]) == 250


def test_records_need_no_scoring(games: Games, database: Database, data: Path) -> None:
    asked = Asked()
    with (data / "records" / "katruji.pgn").open("rb") as file:
        records = [verdict.game for verdict in islice(read(file), 3)]
    for number, record in enumerate(records):
        games.create(f"g{number}", import_command(record, "ann", "bob"), SCRIBE)
    project(projector_of(games, database, asked))
    assert asked == []
    found = Search(database, budget=60).page(Query()).games
    stated = {(int(r.tags["SouthPoints"]), int(r.tags["NorthPoints"])) for r in records}
    assert {game.points for game in found} == stated
    assert all(game.scored for game in found)


def test_a_bad_event_parks_its_own_game_and_stalls_nothing(
    games: Games, database: Database
) -> None:
    dead_letters = DeadLetters(database)
    create(games, "good")
    create(games, "bad", tags={"Event": "before"})
    play(games, "bad")
    spoil(games.log, "bad")
    projector = projector_of(Games(games.log, games.clock, NO_TOURNAMENTS), database)
    project(projector)
    assert [(p.game, dead_letters.count()) for p in dead_letters.all()] == [("bad", 1)]
    assert "UnreadableToken" in dead_letters.all()[0].reason
    # The game is shown as it was before the event, and everything else goes on.
    by_id = {game.id: game for game in Search(database, budget=60).page(Query()).games}
    assert (by_id["bad"].version, by_id["bad"].plies) == (2, 1)
    play(games, "good")
    project(projector)
    assert Search(database, budget=60).page(Query()).games[-1].plies == 1
    assert Checkpoints(database).count_behind(games.log) == 0


def test_a_game_whose_first_event_is_bad_is_not_listed(games: Games, database: Database) -> None:
    spoil(games.log, "bad")
    project(projector_of(games, database))
    assert Search(database, budget=60).page(Query()).games == []
    assert DeadLetters(database).count() == 1


def old_and_new() -> tuple[Games, Games]:
    """The same games for a version of the service that does not know endings, and for this one."""
    store: redis.Redis = fakeredis.FakeRedis()
    known = {name: cls for name, cls in CODEC.classes.items() if name != "game-ended/1"}
    old = Games(RedisEventLog(store, Codec(known)), ticking(), NO_TOURNAMENTS)
    return old, Games(RedisEventLog(store, CODEC), ticking(), NO_TOURNAMENTS)


def test_a_parked_game_is_tried_again_and_then_scored(database: Database) -> None:
    old, new = old_and_new()
    create(new, "a")
    end(new, "a")
    dead_letters = DeadLetters(database)
    asked = Asked()
    before = projector_of(old, database, asked)
    project(before)
    assert "UnknownEvent" in dead_letters.all()[0].reason
    assert asked == []
    before.retry_dead_letters()
    assert dead_letters.count() == 1
    projector_of(new, database, asked).retry_dead_letters()
    assert dead_letters.count() == 0
    assert len(asked) == 1
    assert listed(database, status="finished") == ["a"]


@pytest.mark.parametrize(
    ("seconds", "stops", "order"),
    [(60, False, "abcabcabcabc"), (60, True, "abca"), (-1, False, "abca")],
)
def test_parked_games_are_tried_in_turn_while_there_is_time(
    seconds: float, stops: bool, order: str, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = old_and_new()
    for id in "abc":
        create(new, id)
        end(new, id)
    project(projector_of(old, database))
    monkeypatch.setattr(projector_module, "RETRYING", seconds)
    projector = projector_of(old, database, stopping=lambda: stops)
    tried: list[str] = []
    prepare = projector.games.prepare

    def note(updates: Mapping[str, StreamUpdate]) -> PreparedGames:
        tried.extend(updates)
        return prepare(updates)

    monkeypatch.setattr(projector.games, "prepare", note)
    for _ in range(4):
        projector.retry_dead_letters()
    assert "".join(tried) == order


def test_why_a_game_is_parked_is_logged_once(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    old, new = old_and_new()
    create(new, "a")
    end(new, "a")
    projector = projector_of(old, database)
    project(projector)
    assert len(caplog.records) == 1
    projector.retry_dead_letters()
    assert len(caplog.records) == 1


def test_a_newer_event_tries_a_parked_game_again(database: Database) -> None:
    old, new = old_and_new()
    create(new, "a")
    end(new, "a")
    project(projector_of(old, database))
    assert DeadLetters(database).count() == 1
    correct(new, "a", "1-0")
    asked = Asked()
    project(projector_of(new, database, asked))
    assert DeadLetters(database).count() == 0
    assert len(asked) == 1


def test_streams_that_are_no_games_are_passed_over(database: Database) -> None:
    games = memory_games()
    players_of(games.log, games.clock).register("Ann", None)
    projector = projector_of(games, database)
    assert project(projector) == 1
    assert Search(database, budget=60).page(Query()).games == []


def test_the_lag_is_what_is_not_gone_through(games: Games, database: Database) -> None:
    checkpoints = Checkpoints(database)
    assert checkpoints.count_behind(games.log) == 0
    create(games, "a")
    play(games, "a", 3)
    assert checkpoints.count_behind(games.log) == 4
    project(projector_of(games, database))
    assert checkpoints.count_behind(games.log) == 0


def test_waiting_until_a_write_is_projected(games: Games, database: Database) -> None:
    checkpoints = Checkpoints(database)
    assert checkpoints.wait_until(games.log.feed_positions(), 0)
    create(games, "a")
    written = games.log.feed_positions()
    wait = partial(checkpoints.wait_until, written)
    assert not wait(0.02)
    project(projector_of(games, database))
    assert wait(0)
    assert checkpoints.wait_until({}, 0)


def test_a_game_that_the_database_cannot_take_stalls_nothing(
    games: Games, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    for id in ("a", "bad", "c"):
        create(games, id)
        end(games, id, "1-0")
    real = rows.make_rows

    def made(state: GameState, merged: Mapping[str, Sequence[str]]) -> GameRows:
        found = real(state, merged)
        return replace(found, game={**found.game, "mode": None}) if state.id == "bad" else found

    monkeypatch.setattr("service.projection.games.projection.make_rows", made)
    projector = projector_of(games, database)
    project(projector)
    assert [game.id for game in Search(database, budget=60).page(Query()).games] == ["c", "a"]
    [letter] = DeadLetters(database).all()
    assert letter.game == "bad"
    assert "IntegrityError" in letter.reason
    projector.retry_dead_letters()
    assert DeadLetters(database).count() == 1
    monkeypatch.setattr("service.projection.games.projection.make_rows", real)
    projector.retry_dead_letters()
    assert DeadLetters(database).count() == 0
    assert [game.id for game in Search(database, budget=60).page(Query()).games] == [
        "c",
        "bad",
        "a",
    ]


def test_a_game_whose_rows_cannot_be_made_stalls_nothing(
    games: Games, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = rows.make_rows

    def made(state: GameState, merged: Mapping[str, Sequence[str]]) -> GameRows:
        if state.id == "bad":
            raise RecursionError
        return real(state, merged)

    monkeypatch.setattr("service.projection.games.projection.make_rows", made)
    for id in ("a", "bad", "c"):
        create(games, id)
    project(projector_of(games, database))
    assert [game.id for game in Search(database, budget=60).page(Query()).games] == ["c", "a"]
    assert [letter.game for letter in DeadLetters(database).all()] == ["bad"]


def test_an_earlier_version_is_read_without_what_came_later(games: Games) -> None:
    create(games, "bad")
    play(games, "bad", 2)
    version = end(games, "bad", "1-0").version
    before = play_at(games, "bad", version)
    assert before is not None
    spoil(games.log, "bad")
    assert play_at(games, "bad", version) == before
