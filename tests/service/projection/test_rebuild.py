from __future__ import annotations

from collections.abc import Sequence

import pytest
import redis

from service.game.repository import Games
from service.game.state import GameState
from service.log.interface import FEED_START
from service.projection.dead_letters import DeadLetters
from service.projection.errors import RebuildSuperseded
from service.projection.game_index import GameIndex
from service.projection.game_list import GameList
from service.projection.projector import Projector
from service.projection.rebuild import rebuild
from tests.service.game.support import NO_TOURNAMENTS
from tests.service.projection.support import create, dump, end, play, score, spoil


def nobody(games: Sequence[GameState]) -> None:
    """Scores nothing."""


@pytest.fixture
def projector(games: Games, store: redis.Redis) -> Projector:
    """Two hundred and fifty games, listed, some of them at several stages."""
    projector = Projector(games, store, nobody)
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


def test_a_rebuilt_list_is_byte_for_byte_what_it_was(
    projector: Projector, games: Games, store: redis.Redis
) -> None:
    before = dump(store)
    told: list[tuple[int, int]] = []
    assert rebuild(games.log, store, lambda done, total: told.append((done, total))) == 250
    assert dump(store) == before
    assert told == [(100, 250), (200, 250), (250, 250)]
    rebuild(games.log, store)
    assert dump(store) == before


def test_a_list_can_be_built_without_any_projector(games: Games, store: redis.Redis) -> None:
    create(games, "a")
    assert rebuild(games.log, store) == 1
    assert [game.id for game in GameList(store).page().games] == ["a"]
    before = dump(store)
    Projector(games, store, nobody).step(0.01)
    assert dump(store) == before


def test_readers_never_see_a_list_that_is_not_whole(
    projector: Projector, games: Games, store: redis.Redis
) -> None:
    whole = GameList(store).page(limit=300)
    assert len(whole.games) == 250
    seen = []
    rebuild(games.log, store, lambda *_: seen.append(GameList(store).page(limit=300)))
    assert seen == [whole] * 3


def test_what_happens_during_a_rebuild_is_not_lost(
    projector: Projector, games: Games, store: redis.Redis
) -> None:
    def meanwhile(done: int, total: int) -> None:
        create(games, f"new{done}")
        play(games, "g3")
        projector.step(0.01)

    rebuild(games.log, store, meanwhile)
    listed = GameList(store).page(limit=300).games
    assert [game.id for game in listed[:3]] == ["new250", "new200", "new100"]
    assert {game.id: game.plies for game in listed}["g3"] == 4
    after = dump(store)
    rebuild(games.log, store)
    assert dump(store) == after


def test_what_a_projector_has_not_seen_during_a_rebuild_comes_after_it(
    projector: Projector, games: Games, store: redis.Redis
) -> None:
    def meanwhile(done: int, total: int) -> None:
        create(games, f"new{done}")

    rebuild(games.log, store, meanwhile)
    projector.step(0.01)
    assert len(GameList(store).page(limit=300).games) == 253


def test_a_game_that_cannot_be_folded_is_shown_as_before(games: Games, store: redis.Redis) -> None:
    create(games, "good")
    create(games, "bad")
    spoil(games.log, "bad")
    projector = Projector(Games(games.log, games.clock, NO_TOURNAMENTS), store, nobody)
    projector.step(0.01)
    before = (dump(store), DeadLetters(store).all())
    assert rebuild(games.log, store) == 2
    assert (dump(store), DeadLetters(store).all()) == before


def test_a_rebuild_parks_what_only_it_cannot_fold(games: Games, store: redis.Redis) -> None:
    create(games, "bad")
    spoil(games.log, "bad")
    rebuild(games.log, store)
    (letter,) = DeadLetters(store).all()
    assert (letter.game, letter.feed_range.upto) == ("bad", FEED_START)


def test_the_later_of_two_rebuilds_wins(
    projector: Projector, games: Games, store: redis.Redis
) -> None:
    before = dump(store)

    def another(done: int, total: int) -> None:
        GameIndex(store).begin()

    with pytest.raises(RebuildSuperseded):
        rebuild(games.log, store, another)
    store.delete("movelog:{index}:building")
    assert dump(store) == before
