"""The rows of games: what each game adds, and what it takes back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from sqlalchemy import Connection, insert, select

from service.game.begin import find_initial_position
from service.game.repository import Games, stream_of
from service.game.values import GameStatus
from service.projection.database.database import Database
from service.projection.database.tables import (
    CONTINUATION,
    GAME,
    GAME_MATERIAL,
    GAME_PLAY,
    GAME_POSITION,
    GAME_TAG,
    OPEN_GAME,
    SEAT,
    SHARED_POSITION,
)
from service.projection.games import continuations
from service.projection.games.keys import position_key
from service.projection.games.numbers import number_of
from service.projection.games.rows import SAMPLES, make_rows
from service.projection.games.seats import write_seats
from service.projection.games.writer import GameWriter
from service.projection.listed_fold import fold_for_lists, play_at
from tests.service.projection.support import correct, create, end, play, reopen, score

NOBODY: dict[str, list[str]] = {}


def write(database: Database, games: Games, *ids: str, **merged: list[str]) -> None:
    """Write these games as they stand in the log."""
    writer = GameWriter(lambda id, version: play_at(games, id, version))
    states = [fold_for_lists(id, games.log.read(stream_of(id))) for id in ids]
    rows = [make_rows(state, merged) for state in states if state is not None]
    database.write(lambda connection: writer.write(connection, rows))


def rows(database: Database, table: Any) -> list[dict[str, Any]]:
    """All rows of a table, in the order of its primary key."""

    def read(connection: Connection) -> list[dict[str, Any]]:
        found = connection.execute(select(table).order_by(*table.primary_key.columns))
        return [dict(row._mapping) for row in found]

    return database.read(read)


def everything(database: Database) -> dict[str, list[dict[str, Any]]]:
    tables: Sequence[Any] = (
        GAME,
        GAME_PLAY,
        SEAT,
        OPEN_GAME,
        GAME_TAG,
        GAME_POSITION,
        GAME_MATERIAL,
        CONTINUATION,
        SHARED_POSITION,
    )
    return {table.name: rows(database, table) for table in tables}


def test_a_running_game_has_a_row_and_no_positions(database: Database, games: Games) -> None:
    state = play(games, create(games, "one", tags={"Event": "Open"}).id, 3)
    write(database, games, "one")
    [row] = rows(database, GAME)
    assert row["number"] == number_of(state.created_at, "one")
    assert 0 <= row["sample"] < SAMPLES
    assert (row["id"], row["version"], row["plies"], row["status"]) == ("one", 4, 3, "running")
    assert [(seat["player"], seat["side"], seat["went"]) for seat in rows(database, SEAT)] == [
        ("ann", 0, None),
        ("bob", 1, None),
    ]
    assert [one["player"] for one in rows(database, OPEN_GAME)] == ["ann", "bob", "scribe"]
    assert len(rows(database, GAME_TAG)) == 1
    for table in (GAME_PLAY, GAME_POSITION, GAME_MATERIAL, CONTINUATION, SHARED_POSITION):
        assert rows(database, table) == []


def test_a_finished_game_adds_each_of_its_positions(database: Database, games: Games) -> None:
    create(games, "one")
    play(games, "one", 4)
    state = end(games, "one", "1-0")
    write(database, games, "one")
    position = find_initial_position(state)
    expected = []
    for ply, played in enumerate((*state.played, None)):
        key = position_key("katruji", position)
        expected.append((key, ply, 2, played.coordinate if played else ""))
        if played:
            position.play(played.action)
    found = rows(database, GAME_POSITION)
    assert [(one["key"], one["ply"], one["result"], one["action"]) for one in found] == sorted(
        expected
    )
    assert rows(database, OPEN_GAME) == []
    [kept] = rows(database, GAME_PLAY)
    assert kept["actions"].split() == [played.coordinate for played in state.played]
    assert [one["went"] for one in rows(database, SEAT)] == ["won", "lost"]


def test_an_older_version_never_replaces_a_newer_one(database: Database, games: Games) -> None:
    create(games, "one")
    old = make_rows(play(games, "one", 2), NOBODY)
    end(games, "one")
    write(database, games, "one")
    before = everything(database)
    writer = GameWriter(lambda id, version: play_at(games, id, version))
    database.write(lambda connection: writer.write(connection, [old]))
    assert everything(database) == before


def test_whatever_the_order_the_newest_version_stands(database: Database, games: Games) -> None:
    states = [create(games, "a"), play(games, "a"), end(games, "a", "1-0"), score(games, "a")]
    writer = GameWriter(lambda id, version: play_at(games, id, version))
    database.write(lambda connection: writer.write(connection, [make_rows(states[-1], NOBODY)]))
    expected = everything(database)
    order = Random(0)
    for _ in range(10):
        built = database.build()
        for state in order.sample(states, len(states)) + order.sample(states, 2):
            row = make_rows(state, NOBODY)
            built.write(lambda connection, row=row: writer.write(connection, [row]))  # type: ignore[misc]
        assert everything(built) == expected


def test_a_reopened_game_takes_back_what_it_added(database: Database, games: Games) -> None:
    create(games, "one")
    play(games, "one", 2)
    write(database, games, "one")
    before = everything(database)
    end(games, "one", "1-0")
    write(database, games, "one")
    score(games, "one")
    write(database, games, "one")
    reopen(games, "one")
    write(database, games, "one")
    after = everything(database)
    for table in ("seat", "open_game", "game_play", "game_position", "game_material"):
        assert after[table] == before[table]
    play(games, "one", 1)
    end(games, "one", "0-1")
    write(database, games, "one")
    assert {row["result"] for row in rows(database, GAME_POSITION)} == {0}
    assert len(rows(database, GAME_POSITION)) == 4


def read_shared(
    database: Database, least: int
) -> tuple[list[dict[str, Any]], set[int], dict[int, int]]:
    """All rows of positions, the keys that `least` rows or more share, and the games' ratings."""
    found = rows(database, GAME_POSITION)
    shared = {key for key, n in Counter(row["key"] for row in found).items() if n >= least}
    return found, shared, {row["number"]: row["rating"] for row in rows(database, GAME)}


def sorted_by_hand(database: Database, least: int) -> list[dict[str, Any]]:
    """The games of positions with at least `least` rows, by rating."""
    found, shared, ratings = read_shared(database, least)
    entries = {(row["key"], ratings[row["number"]], row["number"]) for row in found}
    names = ("key", "rating", "number")
    return [dict(zip(names, one, strict=True)) for one in sorted(entries) if one[0] in shared]


def compare_shared(database: Database, least: int) -> int:
    """Compare the tables of shared positions; returns how many rows SHARED_POSITION has."""
    assert rows(database, CONTINUATION) == summed_by_hand(database, least)
    kept = rows(database, SHARED_POSITION)
    assert kept == sorted_by_hand(database, least)
    return len(kept)


def summed_by_hand(database: Database, least: int) -> list[dict[str, Any]]:
    """The continuations of positions with at least `least` rows, counted from all rows."""
    found, shared, ratings = read_shared(database, least)
    sums: dict[tuple[int, str], list[int]] = {}
    for key, action, number, result in {
        (row["key"], row["action"], row["number"], row["result"]) for row in found
    }:
        if key in shared:
            one = sums.setdefault((key, action), [0] * 6)
            one[result] += 1
            one[4] += ratings[number]
            one[5] += ratings[number] > 0
    names = ("second_wins", "draws", "first_wins", "unfinished", "rating_sum", "rated")
    return [
        {"key": key, "action": action, **dict(zip(names, sums[key, action], strict=True))}
        for key, action in sorted(sums)
    ]


def test_positions_of_many_games_are_summed_up(
    database: Database, games: Games, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(continuations, "SHARED", 3)
    for number, result in enumerate(("1-0", "0-1", "1/2-1/2", "*", "1-0")):
        id = f"game{number}"
        create(games, id, tags={"SouthElo": "1500"} if number % 2 else {})
        play(games, id, number)
        end(games, id, result)
        write(database, games, id)
        compare_shared(database, 3)
    assert compare_shared(database, 3)
    correct(games, "game3", "1-0")
    write(database, games, "game3")
    compare_shared(database, 3)
    for id in ("game4", "game3", "game2", "game1"):
        reopen(games, id)
        write(database, games, id)
        compare_shared(database, 3)
    assert rows(database, CONTINUATION) == rows(database, SHARED_POSITION) == []


def test_a_game_that_is_rated_otherwise_changes_its_place(
    database: Database, games: Games, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(continuations, "SHARED", 2)
    for number, id in enumerate("abc"):
        create(games, id, tags={"SouthElo": str(1500 + number)})
        play(games, id, 2)
        end(games, id)
    write(database, games, *"abc")
    before = everything(database)
    rated = make_rows(games.load("a"), NOBODY)
    changed = replace(rated, version=rated.version + 1, game={**rated.game, "rating": 1700})
    again = replace(rated, version=rated.version + 2)
    writer = GameWriter(lambda id, version: play_at(games, id, version))
    database.write(lambda connection: writer.write(connection, [changed]))
    assert compare_shared(database, 2)
    assert {row["rating"] for row in rows(database, SHARED_POSITION)} == {1501, 1502, 1700}
    database.write(lambda connection: writer.write(connection, [again]))
    after = everything(database)
    for table in ("game_position", "game_material", "continuation", "shared_position"):
        assert after[table] == before[table]


@pytest.mark.parametrize("seed", range(3))
def test_after_random_updates_the_rows_are_those_of_games_written_once(
    database: Database, games: Games, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(continuations, "SHARED", 4)
    random = Random(seed)
    ids = [f"game{number}" for number in range(8)]
    for id in ids:
        elo = random.choice(("", "1400", "1500", "1600"))
        create(games, id, tags={"SouthElo": elo} if elo else {})
    most = 0
    for _ in range(12):
        changed = random.sample(ids, random.randrange(1, 6))
        for id in changed:
            change(games, id, random)
        write(database, games, *changed)
        most = max(most, compare_shared(database, 4))
    assert most > 4
    write(database, games, *ids)
    built = database.build()
    write(built, games, *ids)
    assert everything(database) == everything(built)


def change(games: Games, id: str, random: Random) -> None:
    """Play on in a game and end it, or correct or withdraw its end."""
    if games.load(id).status is not GameStatus.FINISHED:
        play(games, id, random.randrange(1, 3))
        end(games, id, random.choice(("1-0", "0-1", "1/2-1/2")))
    elif random.random() < 0.5:
        correct(games, id, random.choice(("1-0", "0-1")))
    else:
        reopen(games, id)


def test_games_in_one_batch_are_as_those_one_by_one(
    database: Database, games: Games, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(continuations, "SHARED", 3)
    ids = [f"game{number}" for number in range(6)]
    for number, id in enumerate(ids):
        create(games, id, tags={"Event": f"Event {number % 2}"})
        play(games, id, number)
        end(games, id, "1-0" if number % 2 else "0-1")
    built = database.build()
    write(built, games, *ids)
    for id in ids:
        write(database, games, id)
    assert everything(database) == everything(built)


def test_merged_players_have_the_games_too(database: Database, games: Games) -> None:
    create(games, "one")
    end(games, "one", "1-0")
    write(database, games, "one", ann=["anna", "annika"])
    seats = rows(database, SEAT)
    assert [(seat["player"], seat["side"], seat["went"]) for seat in seats] == [
        ("ann", 0, "won"),
        ("anna", 0, "won"),
        ("annika", 0, "won"),
        ("bob", 1, "lost"),
    ]
    database.write(lambda connection: write_seats(connection, "ann", lambda ids: {"ann": ["al"]}))
    assert [seat["player"] for seat in rows(database, SEAT)] == ["al", "ann", "bob"]


def test_a_taken_number_gives_way_to_the_next(database: Database, games: Games) -> None:
    state = create(games, "one")
    first = number_of(state.created_at, "one")
    two = make_rows(state, NOBODY)
    writer = GameWriter(lambda id, version: None)
    taken = [
        type(two)(id, 1, {**two.game, "id": id}, [], [], frozenset(), None) for id in ("x", "y")
    ]
    database.write(lambda connection: writer.write(connection, [taken[0]]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("service.projection.games.numbers.number_of", lambda at, id: first)
        database.write(lambda connection: writer.write(connection, [two, taken[1]]))
    found = {row["id"]: row["number"] for row in rows(database, GAME)}
    assert found["one"] == first
    assert found["y"] == first + 1


@pytest.mark.parametrize(
    ("date", "day"),
    [
        ("1999.12.31", "1999.12.31"),
        ("1999.??.??", "1999.01.01"),
        ("????.??.??", ""),
        ("1999", ""),
        ("9" * 500, ""),
        ("1999-12-31", ""),
    ],
)
def test_a_day_has_one_form_however_long_the_tag_is(
    games: Games, database: Database, date: str, day: str
) -> None:
    create(games, "a", tags={"Date": date})
    write(database, games, "a")
    [row] = rows(database, GAME)
    assert row["day"] == day


def test_a_position_may_come_after_any_number_of_actions(database: Database) -> None:
    row = {"key": 1, "number": 1, "ply": 100_000, "result": 0, "action": "a1a2"}
    database.write(lambda connection: connection.execute(insert(GAME_POSITION), row))
    assert rows(database, GAME_POSITION) == [row]
