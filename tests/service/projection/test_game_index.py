from __future__ import annotations

import random

import pytest
import redis

from service.game.repository import Games
from service.projection.errors import RebuildSuperseded
from service.projection.game_index import GameIndex
from service.projection.game_list import Filters, GameList
from service.projection.summary import summarise
from tests.service.projection.support import create, dump, end, play, score


def test_an_older_state_never_replaces_a_newer_one(games: Games, store: redis.Redis) -> None:
    states = [create(games, "a"), play(games, "a"), end(games, "a", "1-0"), score(games, "a")]
    index = GameIndex(store)
    index.write(states)
    expected = dump(store)
    order = random.Random(0)
    for _ in range(20):
        store.flushall()
        shuffled = order.sample(states, len(states)) + order.sample(states, 2)
        for state in shuffled:
            index.write([state])
        assert dump(store) == expected
    assert GameList(store).page().games == [summarise(states[-1])]


def test_a_game_leaves_the_lists_it_no_longer_belongs_in(games: Games, store: redis.Redis) -> None:
    index = GameIndex(store)
    index.write([create(games, "a")])
    index.write([end(games, "a", "1-0")])
    found = GameList(store)
    assert found.page(Filters(status="running")).games == []
    assert found.open_games("ann") == []
    assert len(found.page(Filters(status="finished", result="1-0")).games) == 1


def test_a_generation_is_seen_only_when_it_is_swapped_in(games: Games, store: redis.Redis) -> None:
    index = GameIndex(store)
    old, new = create(games, "a"), create(games, "b")
    index.write([old])
    generation = index.begin()
    index.write([new], generation)
    assert [game.id for game in GameList(store).page().games] == ["a"]
    index.swap(generation)
    assert [game.id for game in GameList(store).page().games] == ["b"]
    assert not store.keys("movelog:{index}:g0:*")


def test_what_is_written_while_a_generation_is_built_is_in_both(
    games: Games, store: redis.Redis
) -> None:
    index = GameIndex(store)
    generation = index.begin()
    index.write([create(games, "a")])
    assert len(GameList(store).page().games) == 1
    index.swap(generation)
    assert len(GameList(store).page().games) == 1


def test_a_later_rebuild_takes_the_place_of_an_earlier_one(
    games: Games, store: redis.Redis
) -> None:
    index = GameIndex(store)
    state = create(games, "a")
    earlier = index.begin()
    index.write([state], earlier)
    later = index.begin()
    with pytest.raises(RebuildSuperseded, match=f"rebuild {earlier}"):
        index.write([state], earlier)
    with pytest.raises(RebuildSuperseded):
        index.swap(earlier)
    assert not store.keys(f"movelog:{{index}}:g{earlier}:*")
    index.write([state], later)
    index.swap(later)
    assert len(GameList(store).page().games) == 1
    with pytest.raises(RebuildSuperseded):
        index.swap(later)
