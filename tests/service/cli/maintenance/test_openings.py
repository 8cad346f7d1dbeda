"""`movelog openings`: an operator loads, lists and clears the table of openings."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from service.cli import main
from service.composition.service import Service, compose
from service.operations.reachable_store import reach_store
from service.projection.errors import DatabaseAway
from service.projection.openings import Classification
from service.settings import read_settings
from tests.service.projection.support import project_service
from tests.service.redis_server import RedisServer
from tests.workers.support import ended_games

TABLE = "variant,name,actions,code\nkatruji,Dash,c3d4,D1\nkerd,King's Walk,e2e3 d12d9,\n"


@pytest.fixture
def service(redis_server: RedisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Service:
    """The service on a running store, with an operator's environment variables set."""
    given = {"MOVELOG_REDIS_URL": redis_server.url, "MOVELOG_DATA_DIR": str(tmp_path)}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    return compose(read_settings(given))


@pytest.fixture
def file(tmp_path: Path) -> str:
    file = tmp_path / "openings.csv"
    file.write_text(TABLE)
    return str(file)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["openings", *arguments]) == 0
    return capsys.readouterr().out


def test_a_table_names_games_is_listed_and_cleared(
    service: Service, file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ids = ended_games(service, 3)
    project_service(service)
    actions = " ".join(one.coordinate for one in service.games.load(ids[0]).played[:2])
    Path(file).write_text(f"variant\tname\tactions\nkatruji\tHouse\t{actions}\n")
    assert run(capsys, "load", file) == "1 openings loaded\n3 games classified\n"
    told = [game and game.opening and game.opening.name for game in service.search.summaries(ids)]
    assert told == ["House"] * 3
    listed = run(capsys, "list")
    assert listed == f"variant,name,actions,code\nkatruji,House,{actions},\n"
    copy = tmp_path / "copy.csv"
    copy.write_text(listed)
    assert run(capsys, "load", str(copy)) == "1 openings loaded\n3 games classified\n"
    assert run(capsys, "clear") == "the table of openings was removed\n"
    assert [game and game.opening for game in service.search.summaries(ids)] == [None] * 3
    assert run(capsys, "list") == "variant,name,actions,code\n"


def test_a_wrong_line_leaves_the_table_as_it_was(
    service: Service, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "load", file)
    before = run(capsys, "list")
    Path(file).write_text(f"{TABLE}chess,Sicilian,e4 c5,B20\nkatruji,dash,b2c2,\n")
    assert main(["openings", "load", file]) == 1
    assert capsys.readouterr().err.splitlines() == [
        f"{file}: line 4: no variant 'chess'; the variants are katruji, kerak, kerd, kerd-draft",
        f"{file}: line 5: line 2 already has this name",
        "movelog: line 4: no variant 'chess'; the variants are katruji, kerak, kerd, kerd-draft"
        " (and 1 more wrong line); nothing was loaded",
    ]
    assert run(capsys, "list") == before


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "movelog: this is not a table of openings: "),
        (b"variant,name\nkatruji,Dash\n", "movelog: this is not a table of openings: "),
        (b"\xff\xfe", "movelog: this is not a table of openings: "),
        (TABLE.replace("katruji", "kerd").encode(), "movelog: line 2: "),
        (TABLE.replace("c3d4", "c3c9").encode(), "movelog: line 2: "),
    ],
    ids=["empty", "columns", "encoding", "variant", "action"],
)
def test_what_is_no_table_leaves_the_one_before(
    service: Service, file: str, capsys: pytest.CaptureFixture[str], data: bytes, told: str
) -> None:
    run(capsys, "load", file)
    Path(file).write_bytes(data)
    assert main(["openings", "load", file]) == 1
    written = capsys.readouterr()
    assert written.out == ""
    assert written.err.splitlines()[-1].startswith(told)
    assert run(capsys, "list") == TABLE


@pytest.mark.parametrize("command", ["load", "list", "clear"])
def test_a_store_that_is_away_is_one_line(
    service: Service,
    file: str,
    command: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("MOVELOG_REDIS_URL", f"unix://{tmp_path}/nothing.sock")
    assert main(["openings", command, *([file] if command == "load" else [])]) == 1
    written = capsys.readouterr()
    assert written.out == ""
    assert "nothing.sock" in written.err
    assert written.err.count("\n") == 1


def test_standard_input_is_read(
    service: Service, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TABLE.encode())))
    assert run(capsys, "load", "-") == "2 openings loaded\n0 games classified\n"
    assert run(capsys, "list") == TABLE


def test_a_database_that_is_away_delays_the_games_alone(
    service: Service,
    file: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def away(*given: object) -> None:
        raise DatabaseAway("no route")

    monkeypatch.setattr(Classification, "apply", away)
    assert main(["openings", "load", file]) == 0
    told = capsys.readouterr()
    assert told.out == "2 openings loaded\n"
    assert "the service itself will classify its games later: the database of" in told.err
    assert run(capsys, "list") == TABLE


def test_it_works_where_no_service_is_running(
    file: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("MOVELOG_REDIS_URL", raising=False)
    with reach_store(read_settings({"MOVELOG_DATA_DIR": str(tmp_path)})) as settings:
        compose(settings).store.close()
    run(capsys, "load", file, "--data-dir", str(tmp_path))
    assert run(capsys, "list", "--data-dir", str(tmp_path)) == TABLE


def test_a_directory_without_a_service_gets_none(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MOVELOG_REDIS_URL", raising=False)
    empty = tmp_path / "empty"
    empty.mkdir()
    assert main(["openings", "load", file, "--data-dir", str(empty)]) == 1
    assert list(empty.iterdir()) == []
