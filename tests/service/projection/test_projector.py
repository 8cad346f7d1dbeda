from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

import fakeredis
import pytest
import redis

from notation.reader import read
from service.composition import CODEC
from service.game.importing import import_command
from service.game.repository import Games, stream_of
from service.game.state import GameState
from service.log.codec import Codec
from service.log.feed_checkpoints import Checkpoints
from service.log.interface import EventLog
from service.log.memory import MemoryEventLog
from service.log.redis import RedisEventLog
from service.log.values import Pointer
from service.projection.dead_letters import DeadLetters
from service.projection.game_list import Filters, GameList
from service.projection.projector import Projector
from tests.service.game.support import NO_TOURNAMENTS
from tests.service.player.support import players_of
from tests.service.projection.support import (
    SCRIBE,
    correct,
    create,
    dump,
    end,
    memory_games,
    play,
    score,
    spoil,
    ticking,
)


class Asked(list[list[tuple[str, int]]]):
    """Remembers which games were asked to be scored, and at which versions."""

    def __call__(self, games: Sequence[GameState]) -> None:
        self.append([(game.id, game.version) for game in games])


def caught_up(projector: Projector) -> int:
    """Let the projector go through all there is; how many pointers that was."""
    done = 0
    while came := projector.step(0.01):
        done += came
    return done


def test_the_list_shows_every_game_as_it_is(games: Games, store: redis.Redis) -> None:
    projector = Projector(games, store, Asked())
    create(games, "a")
    create(games, "b", mode="challenge")
    play(games, "a", 2)
    assert caught_up(projector) == 4
    end(games, "a", "1-0")
    assert caught_up(projector) == 1
    listed = GameList(store).page().games
    assert [(game.id, game.status, game.plies) for game in listed] == [
        ("b", "offered", 0),
        ("a", "finished", 2),
    ]
    assert projector.checkpoints.count_behind(games.log) == 0


def test_going_through_the_feed_again_changes_nothing(games: Games, store: redis.Redis) -> None:
    for id in "abc":
        create(games, id)
        play(games, id, 3)
    end(games, "a", "1-0")
    caught_up(Projector(games, store, Asked()))
    before = dump(store)
    store.delete("movelog:{index}:positions")
    assert caught_up(Projector(games, store, Asked())) == 13
    assert dump(store) == before


def test_a_projector_goes_on_where_the_last_one_stopped(games: Games, store: redis.Redis) -> None:
    create(games, "a")
    caught_up(Projector(games, store, Asked()))
    create(games, "b")
    assert caught_up(Projector(games, store, Asked())) == 1


def test_a_death_before_the_position_is_noted_loses_nothing(
    games: Games, store: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    create(games, "a")
    end(games, "a")

    def die(self: Checkpoints, reached: Mapping[int, str]) -> None:
        raise redis.ConnectionError

    asked = Asked()
    first = Projector(games, store, asked)
    with monkeypatch.context() as patched:
        patched.setattr(Checkpoints, "advance", die)
        with pytest.raises(redis.ConnectionError):
            first.step(0.01)
    caught_up(Projector(games, store, asked))
    # The same games twice: it makes the same job.
    assert asked == [[("a", 2)], [("a", 2)]]


def test_an_ended_game_is_handed_on_until_it_is_scored(games: Games, store: redis.Redis) -> None:
    asked = Asked()
    projector = Projector(games, store, asked)
    create(games, "a")
    caught_up(projector)
    assert asked == []
    end(games, "a", "1-0")
    caught_up(projector)
    assert asked == [[("a", 2)]]
    score(games, "a")
    caught_up(projector)
    assert len(asked) == 1
    correct(games, "a", "0-1")
    caught_up(projector)
    assert asked[1:] == [[("a", 4)]]


def test_a_game_named_twice_is_handed_on_once(games: Games, store: redis.Redis) -> None:
    asked = Asked()
    projector = Projector(games, store, asked)
    create(games, "a")
    partition = games.log.partition(stream_of("a"))
    (early,) = games.log.feed(partition)
    end(games, "a", "1-0")
    # The projector comes by while only the first pointer was there, the game ended since.
    projector.events = OnlyAtFirst(games.log, [(partition, early)])
    caught_up(projector)
    assert asked == [[("a", 2)]]


class OnlyAtFirst(MemoryEventLog):
    """A log of whose feeds the first look shows only some pointers."""

    def __init__(self, log: EventLog, shown: list[tuple[int, Pointer]]) -> None:
        self.log = log
        self.shown = shown

    def wait(self, after: Mapping[int, str], timeout: float) -> list[tuple[int, Pointer]]:
        shown, self.shown = self.shown, []
        return shown or self.log.wait(after, timeout)


def test_games_that_end_together_are_handed_on_together(store: redis.Redis) -> None:
    games = Games(MemoryEventLog(CODEC, partitions=1), ticking(), NO_TOURNAMENTS)
    for number in range(34):
        create(games, f"g{number}")
        play(games, f"g{number}", 2)
        end(games, f"g{number}")
    asked = Asked()
    caught_up(Projector(games, store, asked))
    # Four pointers a game, of which 100 are gone through at once.
    assert [len(games) for games in asked] == [25, 9]
    assert [id for games in asked for id, _ in games] == [f"g{number}" for number in range(34)]


def test_a_projector_stops_within_a_stretch_and_goes_on_there(store: redis.Redis) -> None:
    games = Games(MemoryEventLog(CODEC, partitions=1), ticking(), NO_TOURNAMENTS)
    for number in range(250):
        create(games, f"g{number}")
    looks = iter([False, False, True])
    first = Projector(games, store, Asked(), looks.__next__)
    assert first.step(0.01) == 200
    assert first.checkpoints.count_behind(games.log) == 50
    assert caught_up(Projector(games, store, Asked())) == 50
    assert len(store.hkeys("movelog:{index}:g0:games")) == 250


def test_records_need_no_scoring(games: Games, store: redis.Redis, data: Path) -> None:
    asked = Asked()
    with (data / "records" / "katruji.pgn").open("rb") as file:
        records = [verdict.game for verdict in islice(read(file), 3)]
    for number, record in enumerate(records):
        games.create(f"g{number}", import_command(record, "ann", "bob"), SCRIBE)
    caught_up(Projector(games, store, asked))
    assert asked == []
    listed = GameList(store).page().games
    stated = {(int(r.tags["SouthPoints"]), int(r.tags["NorthPoints"])) for r in records}
    assert {game.points for game in listed} == stated
    assert all(game.scored for game in listed)


def test_a_bad_event_parks_its_own_game_and_stalls_nothing(
    games: Games, store: redis.Redis
) -> None:
    dead_letters = DeadLetters(store)
    create(games, "good")
    create(games, "bad", tags={"Event": "before"})
    play(games, "bad")
    spoil(games.log, "bad")
    projector = Projector(Games(games.log, games.clock, NO_TOURNAMENTS), store, Asked())
    caught_up(projector)
    assert [(p.game, dead_letters.count()) for p in dead_letters.all()] == [("bad", 1)]
    assert "UnreadableToken" in dead_letters.all()[0].reason
    # The game is shown as it stood before the event, and everything else goes on.
    listed = {game.id: game for game in GameList(store).page().games}
    assert (listed["bad"].version, listed["bad"].plies) == (2, 1)
    play(games, "good")
    caught_up(projector)
    assert GameList(store).page().games[-1].plies == 1
    assert projector.checkpoints.count_behind(games.log) == 0


def test_a_game_whose_first_event_is_bad_is_not_listed(games: Games, store: redis.Redis) -> None:
    spoil(games.log, "bad")
    caught_up(Projector(games, store, Asked()))
    assert GameList(store).page().games == []
    assert DeadLetters(store).count() == 1


def old_and_new(store: redis.Redis) -> tuple[Games, Games]:
    """The same games to a version of the service that does not know endings, and to this one."""
    known = {name: cls for name, cls in CODEC.classes.items() if name != "game-ended/1"}
    old = Games(RedisEventLog(store, Codec(known)), ticking(), NO_TOURNAMENTS)
    return old, Games(RedisEventLog(store, CODEC), ticking(), NO_TOURNAMENTS)


def test_a_parked_game_is_tried_again_and_then_scored() -> None:
    store: redis.Redis = fakeredis.FakeRedis()
    old, new = old_and_new(store)
    create(new, "a")
    end(new, "a")
    dead_letters = DeadLetters(store)
    asked = Asked()
    before = Projector(old, store, asked)
    caught_up(before)
    assert "UnknownEvent" in dead_letters.all()[0].reason
    assert asked == []
    before.retry_dead_letters()
    assert dead_letters.count() == 1
    Projector(new, store, asked).retry_dead_letters()
    assert dead_letters.count() == 0
    assert len(asked) == 1
    assert [game.id for game in GameList(store).page(Filters(status="finished")).games] == ["a"]


def test_a_newer_event_tries_a_parked_game_again() -> None:
    store: redis.Redis = fakeredis.FakeRedis()
    old, new = old_and_new(store)
    create(new, "a")
    end(new, "a")
    caught_up(Projector(old, store, Asked()))
    assert DeadLetters(store).count() == 1
    correct(new, "a", "1-0")
    asked = Asked()
    caught_up(Projector(new, store, asked))
    assert DeadLetters(store).count() == 0
    assert len(asked) == 1


def test_streams_that_are_no_games_are_passed_over(store: redis.Redis) -> None:
    games = memory_games()
    players_of(games.log, games.clock).register("Ann", None)
    projector = Projector(games, store, Asked())
    assert caught_up(projector) == 1
    assert GameList(store).page().games == []


def test_the_lag_is_what_is_not_gone_through(games: Games, store: redis.Redis) -> None:
    checkpoints = Checkpoints(store)
    assert checkpoints.count_behind(games.log) == 0
    create(games, "a")
    play(games, "a", 3)
    assert checkpoints.count_behind(games.log) == 4
    caught_up(Projector(games, store, Asked()))
    assert checkpoints.count_behind(games.log) == 0


def test_waiting_until_a_write_is_projected(games: Games, store: redis.Redis) -> None:
    checkpoints = Checkpoints(store)
    assert checkpoints.wait_until(games.log.feed_positions(), 0)
    create(games, "a")
    written = games.log.feed_positions()
    wait = partial(checkpoints.wait_until, written)
    assert not wait(0.02)
    caught_up(Projector(games, store, Asked()))
    assert wait(0)
    assert checkpoints.wait_until({}, 0)
