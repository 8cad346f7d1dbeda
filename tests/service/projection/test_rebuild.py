from __future__ import annotations

import pytest

from service.game.repository import Games
from service.log.feed_range import FeedRange
from service.log.interface import FEED_START
from service.projection.checkpoints import Checkpoints
from service.projection.database.database import Database
from service.projection.dead_letters import DeadLetters
from service.projection.errors import RebuildSuperseded
from service.projection.games.projection import GameProjection
from service.projection.games.query import Query
from service.projection.games.search import Search
from service.projection.openings import Classification
from service.projection.projector import Projector
from service.projection.updates import StreamUpdate
from tests.service.game.support import NO_TOURNAMENTS
from tests.service.projection.support import (
    create,
    dump,
    end,
    listed,
    play,
    projector_of,
    rebuild,
    score,
    spoil,
)


@pytest.fixture
def projector(games: Games, database: Database) -> Projector:
    """A projector that has listed 250 games, some of them at several stages."""
    projector = projector_of(games, database)
    for number in range(250):
        create(games, f"g{number}", mode="challenge" if number % 3 else "scribe")
        if number % 3 == 0:
            play(games, f"g{number}")
        if number % 20 == 0:
            projector.step(0.01)
        if number % 6 == 0:
            end(games, f"g{number}", "1-0")
        if number % 12 == 0:
            score(games, f"g{number}")
    projector.step(0.01)
    return projector


def test_a_rebuilt_list_is_row_for_row_what_it_was(
    projector: Projector, games: Games, database: Database
) -> None:
    before = dump(database)
    told: list[tuple[int, int]] = []
    assert rebuild(games, database, lambda done, total: told.append((done, total))) == 250
    assert dump(database) == before
    assert told == [(100, 250), (200, 250), (250, 250)]
    rebuild(games, database)
    assert dump(database) == before


def test_a_list_can_be_built_without_any_projector(games: Games, database: Database) -> None:
    create(games, "a")
    assert rebuild(games, database) == 1
    assert listed(database) == ["a"]
    before = dump(database)
    projector_of(games, database).step(0.01)
    assert dump(database) == before


def test_readers_never_see_a_list_that_is_not_whole(
    projector: Projector, games: Games, database: Database
) -> None:
    whole = Search(database, budget=60).page(Query(), limit=300)
    assert len(whole.games) == 250
    seen = []
    rebuild(
        games,
        database,
        lambda *_: seen.append(Search(database, budget=60).page(Query(), limit=300)),
    )
    assert seen == [whole] * 3


def test_what_happens_during_a_rebuild_is_not_lost(
    projector: Projector, games: Games, database: Database
) -> None:
    def meanwhile(done: int, total: int) -> None:
        create(games, f"new{done}")
        play(games, "g3")
        projector.step(0.01)

    rebuild(games, database, meanwhile)
    found = Search(database, budget=60).page(Query(), limit=300).games
    assert [game.id for game in found[:3]] == ["new250", "new200", "new100"]
    assert {game.id: game.plies for game in found}["g3"] == 4
    after = dump(database)
    rebuild(games, database)
    assert dump(database) == after


def test_what_a_projector_has_not_seen_during_a_rebuild_comes_after_it(
    projector: Projector, games: Games, database: Database
) -> None:
    def meanwhile(done: int, total: int) -> None:
        create(games, f"new{done}")

    rebuild(games, database, meanwhile)
    projector.step(0.01)
    assert len(Search(database, budget=60).page(Query(), limit=300).games) == 253


def test_what_is_shown_before_its_turn_stays_shown(
    projector: Projector, games: Games, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    classify = Classification.run

    def end_meanwhile(classification: Classification) -> None:
        """End a game and list its end, without moving the checkpoint past it."""
        classify(classification)
        end(games, "g3", "0-1")
        nowhere = FeedRange(0, FEED_START, FEED_START)
        ahead = GameProjection(games).prepare({"g3": StreamUpdate(0, nowhere)})
        database.write(ahead.write)

    monkeypatch.setattr(Classification, "run", end_meanwhile)
    before = Checkpoints(database).load(games.log.partitions)
    rebuild(games, database)
    found = {game.id: game for game in Search(database, budget=60).page(Query(), limit=300).games}
    assert found["g3"].result == "0-1"
    assert Checkpoints(database).load(games.log.partitions) == before


def test_a_game_that_cannot_be_folded_is_shown_as_before(games: Games, database: Database) -> None:
    create(games, "good")
    create(games, "bad")
    spoil(games.log, "bad")
    projector = projector_of(Games(games.log, games.clock, NO_TOURNAMENTS), database)
    projector.step(0.01)
    before = (dump(database), DeadLetters(database).all())
    assert rebuild(games, database) == 2
    assert (dump(database), DeadLetters(database).all()) == before


def test_a_rebuild_parks_what_only_it_cannot_fold(games: Games, database: Database) -> None:
    create(games, "bad")
    spoil(games.log, "bad")
    rebuild(games, database)
    (letter,) = DeadLetters(database).all()
    assert (letter.game, letter.feed_range.upto) == ("bad", FEED_START)


def test_the_later_of_two_rebuilds_wins(
    projector: Projector, games: Games, database: Database
) -> None:
    before = dump(database)

    def another(done: int, total: int) -> None:
        database.build()

    with pytest.raises(RebuildSuperseded):
        rebuild(games, database, another)
    assert dump(database) == before
