"""A service and its commands while the lists' database fails, and after it recovers."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from service.projection.database.opening import FOLDER
from tests.end_to_end.conftest import Start
from tests.end_to_end.running import Running, descendants, movelog
from tests.stopping import stopped
from tests.waiting import eventually


@pytest.fixture
def nowhere(tmp_path: Path) -> str:
    """The URL of a PostgreSQL server that does not exist."""
    return f"postgresql://nobody@/none?host={tmp_path}"


def begin(running: Running) -> str:
    """Create a game kept by a scribe and return its id."""
    seats = {"first": {"name": "Ada"}, "second": {"name": "Bo"}}
    wish = {"variant": "katruji", "mode": "scribe", "players": seats}
    answer = running.post("/games", wish)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def move(running: Running, game: str) -> None:
    """Play the game's first legal action."""
    action = running.get(f"/games/{game}/legal")["actions"][0]["action"]
    assert running.post(f"/games/{game}/actions", {"action": action}).status_code == 200


def list_code(running: Running) -> str:
    """The problem code that the list of games is refused with, or `ok`."""
    answer = running.session.get(f"{running.url}/api/v1/games")
    return "ok" if answer.status_code == 200 else str(answer.json()["code"])


def listed(running: Running, *games: str) -> bool:
    """Whether the list has exactly these games."""
    if list_code(running) != "ok":
        return False
    return sorted(game["id"] for game in running.games()) == sorted(games)


def test_a_service_starts_without_its_database_and_lists_once_that_is_there(
    start: Start, nowhere: str, tmp_path: Path
) -> None:
    running = start(MOVELOG_DATABASE_URL=nowhere)
    game = begin(running)
    move(running, game)
    assert list_code(running) == "database-away"
    assert running.session.get(f"{running.url}/healthz").status_code == 200
    ready = running.session.get(f"{running.url}/readyz").json()
    assert (ready["status"], ready["lists"]) == ("degraded", "database-away")
    # Commands that only need the log work without the database; a rebuild does not.
    at = ("--data-dir", running.data_dir)
    for command in (("audit",), ("backup", tmp_path / "backup.gz")):
        done = movelog(*command, *at, MOVELOG_DATABASE_URL=nowhere)
        assert done.returncode == 0, done.stderr
    done = movelog("rebuild", *at, MOVELOG_DATABASE_URL=nowhere)
    assert done.returncode == 1
    assert "the database of the lists cannot be reached" in done.stderr
    assert "Traceback" not in done.stderr
    # A restore without the database leaves nothing half restored.
    other = tmp_path / "other"
    restore = ("restore", tmp_path / "backup.gz", "--data-dir", other)
    done = movelog(*restore, MOVELOG_DATABASE_URL=nowhere)
    assert done.returncode == 1
    assert "the database of the lists cannot be reached" in done.stderr
    done = movelog(*restore)
    assert (done.returncode, done.stdout.endswith(", 1 games listed\n")) == (0, True), done.stderr
    moved = start("other")
    assert listed(moved, game)
    # A service that finds a log but no lists builds them at its first start.
    moved.stop()
    shutil.rmtree(other / FOLDER)
    moved.start_again()
    eventually(lambda: listed(moved, game))


def test_damage_beneath_a_running_service_is_mended_by_a_rebuild(running: Running) -> None:
    game = begin(running)
    eventually(lambda: listed(running, game))
    folder = running.data_dir / FOLDER
    (folder / "current").write_text("nonsense\n")
    assert list_code(running) == "database-damaged"
    move(running, game)
    other = begin(running)
    done = movelog("rebuild", "--data-dir", running.data_dir)
    assert (done.returncode, done.stdout) == (0, "2 games listed\n"), done.stderr
    # Nothing needs a restart, and the projector goes on.
    assert listed(running, game, other)
    third = begin(running)
    eventually(lambda: listed(running, game, other, third))
    assert len(list(folder.glob("*.sqlite"))) == 1


def test_a_folder_deleted_beneath_a_running_service_is_made_by_a_rebuild(running: Running) -> None:
    game = begin(running)
    eventually(lambda: listed(running, game))
    # The projector makes another, and may be about to write into this one.
    with stopped(descendants(running.pid("projector"))):
        shutil.rmtree(running.data_dir / FOLDER)
        assert list_code(running) == "database-away"
        move(running, game)
    done = movelog("rebuild", "--data-dir", running.data_dir)
    # The projector may already have started one itself.
    assert done.returncode == 0 or "another rebuild" in done.stderr, done.stderr
    eventually(lambda: listed(running, game))
    other = begin(running)
    eventually(lambda: listed(running, game, other))


def test_who_holds_the_database_stops_a_rebuild_and_nothing_else(running: Running) -> None:
    game = begin(running)
    eventually(lambda: listed(running, game))
    [file] = (running.data_dir / FOLDER).glob("*.sqlite")
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        done = movelog("rebuild", "--data-dir", running.data_dir)
        assert done.returncode == 1
        assert "locked by another process" in done.stderr
        # Meanwhile the lists are read, and games are played.
        assert listed(running, game)
        second = begin(running)
        move(running, second)
    assert [file] == list((running.data_dir / FOLDER).glob("*.sqlite"))
    eventually(lambda: listed(running, game, second))


def test_a_database_of_a_newer_version_is_refused_and_left_alone(running: Running) -> None:
    game = begin(running)
    eventually(lambda: listed(running, game))
    running.stop()
    [file] = (running.data_dir / FOLDER).glob("*.sqlite")

    def stamp(revision: str) -> str:
        with closing(sqlite3.connect(file)) as database, database:
            [(before,)] = database.execute("SELECT version_num FROM alembic_version").fetchall()
            database.execute("UPDATE alembic_version SET version_num = ?", (revision,))
        return str(before)

    known = stamp("9999")
    done = movelog("rebuild", "--data-dir", running.data_dir)
    assert done.returncode == 1
    assert "9999" in done.stderr
    assert "start the newer version again" in done.stderr
    running.start_again()
    assert list_code(running) == "database-newer"
    move(running, game)
    assert stamp(known) == "9999"
    eventually(lambda: listed(running, game))
