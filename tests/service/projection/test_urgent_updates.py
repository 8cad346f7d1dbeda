"""Updates of games that somebody waits for overtake the records of an import."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat

import pytest

from service.composition.service import CODEC
from service.game.commands import CreateGame
from service.game.decide import create as create_game
from service.game.outline import GameOutline
from service.game.repository import Games, stream_of
from service.imports.events import ImportBegun
from service.log.feed_range import FeedRange
from service.log.interface import FEED_START
from service.log.memory import MemoryEventLog
from service.log.values import Append, Pointer, StreamId
from service.player.state import KIND as PLAYER
from service.projection import urgent_updates
from service.projection.batches import GAMES
from service.projection.checkpoints import Checkpoints
from service.projection.database.database import Database
from service.projection.projector import Projector
from service.projection.updates import Change
from service.projection.urgent_updates import UrgentUpdates
from tests.service.game.support import NO_TOURNAMENTS
from tests.service.player.support import players_of
from tests.service.projection.support import (
    SCRIBE,
    create,
    dump,
    end,
    listed,
    play,
    project,
    projector_of,
    score,
    ticking,
)

RECORDS = 120


@pytest.fixture
def games() -> Games:
    """Games in a log with one feed, so that all pointers have one order."""
    return Games(MemoryEventLog(CODEC, partitions=1), ticking(), NO_TOURNAMENTS)


class Asked(list[str]):
    """Remembers which games were submitted for scoring."""

    def __call__(self, games: Sequence[GameOutline]) -> None:
        self += [game.id for game in games]


class Followed(list[str]):
    """Remembers which streams of its kind it was told of."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def prepare(self, pointers: Sequence[Pointer]) -> Change:
        self += [pointer.stream.id for pointer in pointers]
        return lambda connection: None


def crowd(games: Games, count: int, name: str = "r") -> None:
    """Create games that concern nobody, as an import does."""
    command = CreateGame(variant="katruji", mode="scribe", first="ann", second="bob")
    for number in range(count):
        stream = stream_of(f"{name}{number}")
        made = create_game(command, SCRIBE)
        games.log.append(Append(stream, 0, made, games.clock(), SCRIBE.player))


def batches(count: int, games: Games, database: Database, asked: Asked) -> Projector:
    """A projector that has processed `count` batches and then stopped."""
    stopping = chain(repeat(False, count), repeat(True)).__next__
    projector = projector_of(games, database, asked, stopping)
    project(projector)
    return projector


def finished(database: Database) -> list[str]:
    """The games that are listed as finished."""
    return listed(database, status="finished")


def test_a_game_that_ends_behind_an_import_is_shown_and_scored_at_once(
    games: Games, database: Database
) -> None:
    create(games, "live")
    batches(1, games, database, Asked())
    crowd(games, RECORDS)
    end(games, "live", "1-0")
    crowd(games, RECORDS, "s")
    asked = Asked()
    batches(1, games, database, asked)
    assert finished(database) == ["live"]
    assert asked == ["live"]
    # The checkpoint does not pass what was not processed.
    assert Checkpoints(database).load(1) == {0: f"{GAMES + 1}-0"}


def test_a_game_that_begins_behind_an_import_is_listed_at_once(
    games: Games, database: Database
) -> None:
    crowd(games, RECORDS)
    create(games, "live")
    batches(1, games, database, Asked())
    assert "live" in listed(database)


@pytest.mark.parametrize("kind", ["import", "tournament"])
def test_what_somebody_looks_for_in_a_list_does_not_wait_for_records(
    games: Games, database: Database, kind: str
) -> None:
    crowd(games, RECORDS)
    begun = ImportBegun(mode="strict", size=1, sha256="", packing="identity")
    games.log.append(Append(StreamId(kind, "begun"), 0, [begun], games.clock(), "ann"))
    followed = Followed(kind)
    stopping = chain([False], repeat(True)).__next__
    projector_of(games, database, stopping=stopping, projections=[followed]).step(0.01)
    assert followed == ["begun"]


def test_it_is_found_however_far_behind(games: Games, database: Database) -> None:
    create(games, "live")
    batches(1, games, database, Asked())
    crowd(games, 700)
    end(games, "live", "1-0")
    # Each step looks 500 pointers further ahead and processes 100.
    projector = projector_of(games, database, stopping=chain([False], repeat(True)).__next__)
    projector.step(0.01)
    assert finished(database) == []
    projector.stopping = chain([False], repeat(True)).__next__
    projector.step(0.01)
    assert finished(database) == ["live"]
    assert Checkpoints(database).load(1) == {0: "201-0"}


def test_what_was_done_early_is_not_done_again_in_its_turn(
    games: Games, database: Database
) -> None:
    create(games, "live")
    crowd(games, RECORDS)
    end(games, "live", "1-0")
    asked = Asked()
    projector = projector_of(games, database, asked)
    assert projector.step(0.01) == RECORDS + 2
    assert len(asked) == 1
    assert finished(database) == ["live"]
    assert len(listed(database)) == RECORDS + 1


def test_after_a_crash_it_comes_to_the_same(games: Games, database: Database) -> None:
    create(games, "live")
    play(games, "live", 2)
    crowd(games, RECORDS)
    end(games, "live", "1-0")
    score(games, "live")
    batches(2, games, database, Asked())
    batches(10, games, database, Asked())
    again = dump(database)
    built = database.build()
    batches(10, games, built, Asked())
    assert dump(built) == again


def test_without_an_import_all_take_their_turn(games: Games, database: Database) -> None:
    crowd(games, RECORDS)
    for number in range(RECORDS):
        play(games, f"r{number}", 1)
    end(games, "r7", "1-0")
    asked = Asked()
    batches(1, games, database, asked)
    assert asked == []


def test_those_are_overtaken_whom_a_follower_has_followed(games: Games, database: Database) -> None:
    players = players_of(games.log, games.clock)
    ann, bob = players.register("Ann", None).id, players.unclaimed("Bob", "ann")
    crowd(games, RECORDS)
    players.rename(bob, "Bobby", "ann")
    followed = Followed(PLAYER)
    stopping = chain([False], repeat(True)).__next__
    projector_of(games, database, stopping=stopping, projections=[followed]).step(0.01)
    assert followed == [bob, ann, bob]
    assert UrgentUpdates(games.log, {"game"}).urgent({0: FEED_START}, GAMES) == []


def test_what_is_remembered_is_bounded(games: Games, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(urgent_updates, "MAX_EARLY", 6)
    create(games, "live")
    play(games, "live", 9)
    ahead = UrgentUpdates(games.log, {"game"})
    reached = {0: "1-0"}
    early, none = ahead.urgent(reached, 4), ahead.urgent(reached, 4)
    assert ([batch.range.upto for batch in early], none) == (["2-0", "3-0", "4-0", "5-0"], [])
    for batch in early:
        assert ahead.remaining(batch).pointers == []
        assert ahead.remaining(batch) == batch
    later = ahead.urgent(reached, 4)
    assert [batch.range.upto for batch in later] == ["6-0", "7-0", "8-0", "9-0"]


def test_what_the_projector_has_passed_is_not_looked_for(games: Games) -> None:
    create(games, "live")
    play(games, "live", 4)
    ahead = UrgentUpdates(games.log, {"game"})
    assert len(ahead.urgent({0: FEED_START}, 1)) == 1
    assert [batch.range for batch in ahead.urgent({0: "4-0"}, 9)] == [FeedRange(0, "4-0", "5-0")]
