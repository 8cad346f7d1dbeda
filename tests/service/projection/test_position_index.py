from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
import redis

from notation.registry import find_dialect
from service.game.begin import find_initial_position
from service.game.commands import ImportRecord
from service.game.repository import Games
from service.game.state import GameState
from service.projection.contribution import (
    MATERIAL,
    contribution,
    digest,
    fingerprint,
    position_digest,
)
from service.projection.errors import RebuildSuperseded
from service.projection.explorer import Explorer
from service.projection.game_index import GameIndex
from service.projection.position_index import BUCKETS, PositionIndex, bucket_keys
from service.projection.projector import Projector
from service.projection.query import Query
from service.projection.rebuild import rebuild
from service.projection.search import Search
from tests.service.projection.support import (
    SCRIBE,
    correct,
    create,
    dump,
    end,
    play,
    score,
)

KATRUJI = find_dialect("katruji")
START = KATRUJI.write_fen(KATRUJI.start({}))


def nobody(games: Sequence[GameState]) -> None:
    """Scores nothing."""


@pytest.fixture
def projector(games: Games, store: redis.Redis) -> Projector:
    return Projector(games, store, nobody)


def played(games: Games, id: str, plies: int = 4, result: str = "1-0") -> GameState:
    create(games, id)
    play(games, id, plies)
    return end(games, id, result)


def project(projector: Projector) -> None:
    while projector.step(0.001):
        pass


def explored(store: redis.Redis, fen: str = START) -> dict[str, dict[str, int]]:
    return {one.action: one.results for one in Explorer(store).at("katruji", fen).continuations}


def index_of(store: redis.Redis) -> dict[str, Any]:
    return dump(store, "movelog:{index}:g*:next:*") | dump(store, "movelog:{index}:g*:seen:*")


def fens(state: GameState) -> list[str]:
    position = find_initial_position(state)
    found = [KATRUJI.write_fen(position)]
    for move in state.played:
        position.play(move.action)
        found.append(KATRUJI.write_fen(position))
    return found


def test_a_finished_game_is_found_by_every_position_it_came_to(
    projector: Projector, games: Games, store: redis.Redis
) -> None:
    state = played(games, "a", 12)
    played(games, "b", 1, "0-1")
    project(projector)
    search = Search(store)
    for ply, fen in enumerate(fens(state)):
        found = [g.id for g in search.page(Query(variant="katruji", fen=fen)).games]
        assert found == (["b", "a"] if ply < 2 else ["a"])
        material = KATRUJI.material(fen)
        by_material = search.page(Query(variant="katruji", material=material)).games
        assert "a" in [game.id for game in by_material]
    assert Search(store).page(Query(variant="kerak", fen=None)).games == []


def test_what_was_played_is_counted_by_result(
    projector: Projector, games: Games, store: redis.Redis
) -> None:
    for id, result in (("a", "1-0"), ("b", "1-0"), ("c", "0-1"), ("d", "1/2-1/2"), ("e", "*")):
        state = played(games, id, 3, result)
    project(projector)
    first = state.played[0].coordinate
    tally = {"1-0": 2, "0-1": 1, "1/2-1/2": 1, "*": 1}
    assert explored(store) == {first: tally}
    last = Explorer(store).at("katruji", fens(state)[-1])
    assert (last.continuations, last.ended) == ([], tally)
    assert last.results == tally


def test_a_running_game_adds_nothing(
    projector: Projector, games: Games, store: redis.Redis
) -> None:
    create(games, "a")
    play(games, "a", 5)
    project(projector)
    assert index_of(store) == {}
    assert Search(store).page(Query(variant="katruji", fen=START)).games == []
    end(games, "a")
    project(projector)
    assert len(explored(store)) == 1


def test_a_corrected_result_takes_the_old_count_back(
    projector: Projector, games: Games, store: redis.Redis
) -> None:
    state = played(games, "a", 3, "1-0")
    project(projector)
    correct(games, "a", "0-1")
    project(projector)
    action = state.played[0].coordinate
    assert explored(store) == {action: {"1-0": 0, "0-1": 1, "1/2-1/2": 0, "*": 0}}
    after = dump(store)
    rebuild(games.log, store)
    assert dump(store) == after


def test_doing_it_again_counts_nothing_twice(
    projector: Projector, games: Games, store: redis.Redis
) -> None:
    states = [played(games, id) for id in "abc"]
    project(projector)
    before = dump(store)
    index = PositionIndex(store, games.log)
    index.write(states)
    index.write(states)
    store.delete("movelog:{index}:positions")
    project(Projector(games, store, nobody))
    assert dump(store) == before


def test_an_older_state_does_not_replace_a_newer_one(
    projector: Projector, games: Games, store: redis.Redis
) -> None:
    old = played(games, "a", 3, "1-0")
    correct(games, "a", "0-1")
    project(projector)
    before = dump(store)
    PositionIndex(store, games.log).write([old])
    assert dump(store) == before


def test_two_projectors_at_once_count_a_game_once(
    projector: Projector, games: Games, store: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = played(games, "a")
    index, other = PositionIndex(store, games.log), PositionIndex(store, games.log)
    calls = index._calls

    def overtaken(states: Any, generation: str) -> Any:
        made = list(calls(states, generation))
        other.write([state])
        return made

    monkeypatch.setattr(index, "_calls", overtaken)
    index.write([state])
    assert [sum(tally.values()) for tally in explored(store).values()] == [1]


def test_a_rebuilt_index_is_what_it_was(
    projector: Projector, games: Games, store: redis.Redis
) -> None:
    for number in range(30):
        played(games, f"g{number}", number, ("1-0", "0-1", "*")[number % 3])
        if number % 2:
            score(games, f"g{number}")
        if number % 7 == 0:
            project(projector)
    project(projector)
    before = dump(store)
    assert len(index_of(store)) > 30
    rebuild(games.log, store)
    assert dump(store) == before


def test_a_rebuild_leaves_nothing_of_the_old_index(
    projector: Projector, games: Games, store: redis.Redis
) -> None:
    played(games, "a")
    project(projector)
    rebuild(games.log, store)
    keys: Any = store.keys("movelog:{index}:g*:*")
    generations = {key.split(b":")[2] for key in keys}
    assert len(generations) == 1


def test_what_ends_during_a_rebuild_is_in_both(
    projector: Projector, games: Games, store: redis.Redis
) -> None:
    played(games, "a")
    project(projector)

    def meanwhile(done: int, total: int) -> None:
        played(games, "b")
        project(projector)
        assert [g.id for g in Search(store).page(Query(variant="katruji", fen=START)).games] == [
            "b",
            "a",
        ]

    rebuild(games.log, store, meanwhile)
    assert [sum(tally.values()) for tally in explored(store).values()] == [2]


def test_a_rebuild_that_was_overtaken_stops(games: Games, store: redis.Redis) -> None:
    state = played(games, "a")
    generation = GameIndex(store).begin()
    GameIndex(store).begin()
    with pytest.raises(RebuildSuperseded):
        PositionIndex(store, games.log).write([state], generation)
    assert index_of(store) == {}


def test_a_game_is_seen_in_each_of_its_positions_and_with_each_material(games: Games) -> None:
    state = played(games, "a", 16)
    found = contribution(state)
    positions = Counter(position_digest("katruji", fen) for fen in fens(state))
    assert set(positions) <= found.seen
    materials = {digest(MATERIAL, "katruji", KATRUJI.material(fen)) for fen in fens(state)}
    assert found.seen == set(positions) | materials


def test_the_fingerprint_changes_with_what_is_contributed(games: Games) -> None:
    create(games, "a")
    assert fingerprint(games.load("a")) == ""
    assert contribution(games.load("a")).seen == frozenset()
    play(games, "a", 2)
    ended = end(games, "a", "1-0")
    scored = score(games, "a")
    assert fingerprint(ended) == fingerprint(scored) != ""
    assert fingerprint(correct(games, "a", "0-1")) != fingerprint(ended)


def test_every_bucket_has_its_keys() -> None:
    keys = set(bucket_keys("x:"))
    assert len(keys) == 2 * BUCKETS
    assert {"x:next:0000", "x:seen:ffff"} <= keys


def test_an_imported_record_is_indexed_too(
    projector: Projector, games: Games, store: redis.Redis
) -> None:
    text = '[Result "1-0"]\n[Variant "katruji"]\n\n1. Pd1 1-0\n'
    games.create("a", ImportRecord(variant="katruji", first=None, second=None, tags={},
        text=text, actions="c2d1", result="1-0", fen=None), SCRIBE)  # fmt: skip
    project(projector)
    assert list(explored(store)) == ["c2d1"]
