"""Exports as Parquet: the same games as in the other formats, read back by pyarrow."""

from __future__ import annotations

import gc
import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from pyarrow import parquet

from notation.reader import read
from notation.registry import find_dialect
from service.api import exports
from service.api import parquet as writing
from service.game.importing import import_command
from service.ids import new_id
from service.openings.values import Opening
from service.player.actor import Actor
from service.player.repository import NewPlayer
from service.projection.openings import Classification
from tests.games import NAMES, recorded
from tests.service.api.client import NDJSON, PARQUET, PGN, Api, error
from tests.service.projection.games.synthetic import make_games

SIGNED = ("RecordHash", "RecordSignature")


@pytest.fixture
def games(api: Api, ada: NewPlayer, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Imported, played and running games of every variant, in several row groups."""
    monkeypatch.setattr(writing, "ROWS", 7)
    monkeypatch.setattr(exports, "BATCH", 5)
    ids = list(make_games(api.service.games, 25, seed=3))
    path = api.scribed(ada, tags={"Round": "1", "TimeControl": "180+2"})
    body = {"action": "Pd1", "annotation": {"clock_ms": 60_000, "comments": ["good"]}}
    assert api.post(f"{path}/actions", body, ada).status_code == 200
    api.play(path, ada, "Pa8")
    api.command(path, ada, "resign", side="first")
    api.service.openings.replace([Opening("katruji", "Dash", ("c2d1",), "D1")], "operator")
    api.project()
    Classification(api.service.database).run()
    return [*ids, path.removeprefix("/games/")]


def rows(data: bytes) -> list[dict[str, Any]]:
    """The rows of a Parquet file."""
    table = parquet.read_table(io.BytesIO(data))
    assert table.schema == writing.make_schema()
    return [dict(row) for row in table.to_pylist()]


def coordinates(record: Any) -> list[str]:
    """The actions of a record in coordinate form."""
    written = find_dialect(record.variant)
    return [written.coordinate(move.action) for move in record.moves]


def test_a_table_has_the_games_of_the_records_and_of_the_lines(api: Api, games: list[str]) -> None:
    table = rows(api.get("/export", accept=PARQUET).data)
    verdicts = list(read(io.BytesIO(api.get("/export", accept=PGN).data)))
    lines = [json.loads(line) for line in api.get("/export", accept=NDJSON).text.splitlines()]
    assert len(table) == len(verdicts) == len(lines) > 20
    for row, verdict, line in zip(table, verdicts, lines, strict=True):
        assert verdict.error is None
        record = verdict.game
        tags = {name: value for name, value in record.tags.items() if name not in SIGNED}
        assert dict(row["tags"]) == tags
        assert (row["id"], row["variant"], row["result"]) == (
            record.tags["MovelogGame"],
            record.variant,
            record.result,
        )
        assert row["actions"] == coordinates(record)
        assert row["actions"] == [action["action"] for action in line["actions"]]
        for name in ("id", "variant", "rules", "mode", "status", "result", "termination"):
            assert row[name] == line[name], name
        for side in ("first", "second"):
            assert row[side] == line["players"][side]["id"]
            assert row[f"{side}_name"] == line["players"][side]["name"]
        assert (row["plies"], row["initial_fen"]) == (line["ply"], line["initial_fen"])
        assert row["created_at"].isoformat(timespec="milliseconds") == line["created_at"]
        assert row["updated_at"].isoformat(timespec="milliseconds") == line["updated_at"]
        assert (row["ended_at"] is None) == (line["status"] != "finished")
        clocks = [action.get("clock_ms") for action in line["actions"]]
        assert row["clocks_ms"] == (clocks if any(clocks) else None)


def test_what_lists_know_is_in_columns(api: Api, games: list[str]) -> None:
    answer = api.get("/export", query={"opening": "dash"}, accept=PARQUET)
    assert (answer.status_code, answer.mimetype) == (200, PARQUET)
    assert "Accept" in answer.headers["Vary"]
    row = next(row for row in rows(answer.data) if row["id"] == games[-1])
    assert (row["opening"], row["opening_code"]) == ("Dash", "D1")
    assert row["clocks_ms"] == [60_000, None]
    assert row["elapsed_ms"] is None
    assert (row["speed"], row["first_rating"], row["first_program"]) == ("blitz", None, False)
    assert row["day"] == row["created_at"].date()
    without = api.get("/export", query={"tag": "Round:1", "clocks": "false"}, accept=PARQUET)
    assert {row["clocks_ms"] and 1 for row in rows(without.data)} == {None}


def test_ids_and_no_games_at_all(api: Api, games: list[str]) -> None:
    wish = json.dumps({"ids": games[3:1:-1]}).encode()
    answer = api.send("POST", "/export", None, wish, "application/json", accept=PARQUET)
    assert [row["id"] for row in rows(answer.data)] == games[3:1:-1]
    assert rows(api.get("/export", query={"opening": "none"}, accept=PARQUET).data) == []
    whole = rows(api.get("/export", accept=PARQUET).data)
    rest = api.get("/export", accept=PARQUET, query={"after": whole[4]["id"]})
    assert rows(rest.data) == whole[5:]


@pytest.mark.parametrize("name", NAMES)
def test_whole_games_are_in_it(api: Api, name: str) -> None:
    verdict = recorded(name)[0]
    by = Actor("importer", frozenset({"play", "import"}))
    id = new_id()
    api.service.games.create(id, import_command(verdict, None, None), by)
    api.project()
    (row,) = rows(api.get("/export", accept=PARQUET).data)
    assert (row["id"], row["actions"]) == (id, coordinates(verdict))
    assert (row["first"], row["second"]) == (None, None)


@pytest.mark.slow
def test_it_comes_a_row_group_at_a_time_and_ends_with_its_client(
    api: Api, games: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[int] = []
    split = writing.split_into_groups

    def counted(rows: Any) -> Iterator[Any]:
        for group in split(rows):
            held.append(len(group))
            yield group

    monkeypatch.setattr(writing, "split_into_groups", counted)
    answer = api.http.get("/api/v1/export", headers={"Accept": PARQUET}, buffered=False)
    stream = answer.iter_encoded()
    assert next(stream).startswith(b"PAR1")
    assert held == [7]
    answer.close()
    gc.collect()
    assert held == [7]
    list(rows(api.get("/export", accept=PARQUET).data))
    assert max(held) == 7


def test_many_actions_end_a_row_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "ACTIONS", 5)
    games = [{"actions": ["x"] * count} for count in (2, 2, 2, 9, 1)]
    assert [len(group) for group in writing.split_into_groups(games)] == [3, 1, 1]


def test_without_the_extra_the_answer_says_what_to_install(
    api: Api, games: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "MODULE", "pyarrow_that_is_not_there")
    refused = api.get("/export", accept=PARQUET)
    assert error(refused) == (406, "parquet-unavailable")
    assert "pip install 'movelog[parquet]'" in refused.json["detail"]  # type: ignore[index]
    assert api.get("/export", accept=f"{PARQUET};q=0.5, {NDJSON}").mimetype == NDJSON
    assert api.get("/export").mimetype == PGN


def test_a_day_that_no_calendar_has_is_null() -> None:
    assert writing._parse_day("2023.02.31") is None
    assert writing._parse_day("") is None
    assert str(writing._parse_day("1999.12.31")) == "1999-12-31"
