"""Answers about a failing database say what is wrong and what to do, but not where it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from service.player.repository import NewPlayer
from service.projection.database.database import Database
from service.projection.database.opening import FOLDER
from service.projection.errors import (
    DatabaseAway,
    DatabaseDamaged,
    DatabaseError,
    DatabaseFull,
    DatabaseLocked,
    DatabaseSlow,
    NewerDatabase,
)
from tests.contracts.document import operations
from tests.service.api.client import Api, error
from tests.service.api.conftest import Configured

PAGES = ("/", "/games", "/search", "/explorer", "/players", "/ratings", "/tournaments")
LISTS = ("/games", "/search", "/explorer?variant=katruji", "/players", "/tournaments")


def break_pointer(folder: Path) -> None:
    (folder / "current").write_text("nonsense")


def break_file(folder: Path) -> None:
    for file in folder.glob("*.sqlite*"):
        file.write_bytes(b"no database at all" * 1000)


def remove_folder(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))


def read_all(api: Api, ada: NewPlayer, path: str) -> list[str]:
    """The answers of every operation that reads, and of every page."""
    game = path.rpartition("/")[2]
    told = []
    for at, method in operations():
        if method == "get" and "stream" not in at:
            filled = at.replace("{id}", ada.id if "player" in at else game).replace("{ply}", "1")
            filled = filled.replace("{variant}", "katruji").replace("{number}", "1")
            for reader in (None, ada):
                told.append(
                    read_text(api.get(f"/{filled}" if filled[:2] != "//" else filled, reader))
                )
    for page in PAGES:
        told.append(read_text(api.get(f"/{page}")))
    return told


def read_text(answer: TestResponse) -> str:
    """The text of an answer; of a picture in pixels, whatever can be read in it."""
    return answer.get_data().decode(errors="replace")


@pytest.mark.parametrize("break_it", [break_pointer, break_file, remove_folder])
def test_strangers_learn_nothing_of_files(
    configured: Configured, api: Api, ada: NewPlayer, break_it: Callable[[Path], None]
) -> None:
    path = api.scribed(ada)
    api.project()
    folder = api.service.settings.data_dir / FOLDER
    api.service.database.close()
    break_it(folder)
    fresh = configured()
    for answer in read_all(fresh, ada, path):
        assert str(folder.parent) not in answer
        assert ".sqlite" not in answer
        assert "nonsense" not in answer


def test_strangers_learn_nothing_of_a_server(
    configured: Configured, ada: NewPlayer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    host = tmp_path / "h1dden-host"
    api = configured(
        MOVELOG_DATABASE_URL=f"postgresql://h1dden-user:h1dden-word@/h1dden-name?host={host}"
    )
    path = api.scribed(ada)
    assert error(api.get("/games")) == (503, "database-away")
    # The operator's log names the host.
    assert "h1dden-host" in caplog.text
    assert "h1dden-word" not in caplog.text
    for answer in read_all(api, ada, path):
        assert "h1dden" not in answer


@pytest.mark.parametrize(
    ("refusal", "code", "advice"),
    [
        (DatabaseAway("of /var/x"), "database-away", "later"),
        (DatabaseDamaged("of /var/x"), "database-damaged", "operator"),
        (DatabaseFull(), "database-full", "operator"),
        (DatabaseLocked(), "database-locked", "try again"),
        (NewerDatabase("revision-77"), "database-newer", "operator"),
    ],
    ids=lambda value: str(getattr(value, "code", "")),
)
def test_each_failure_says_what_to_do(
    api: Api,
    monkeypatch: pytest.MonkeyPatch,
    refusal: DatabaseError,
    code: str,
    advice: str,
) -> None:
    def refuse(*given: object) -> None:
        raise refusal

    monkeypatch.setattr(Database, "_read", refuse)
    for at in LISTS:
        answer = api.get(at)
        assert error(answer) == (503, code)
        assert answer.headers["Retry-After"]
        assert answer.json is not None
        assert answer.json["detail"] == refusal.public
        assert advice in answer.json["detail"]
        assert "/var" not in answer.text
        assert "revision-77" not in answer.text
    ready = api.get("//readyz")
    lists = {"lists": code, "projection_lag": None, "parked_games": None}
    assert ready.status_code == 200
    assert ready.json is not None
    assert ready.json | lists | {"status": "degraded", "writes": "accepted"} == ready.json


def test_marks_of_names_are_not_waited_for(
    api: Api, ada: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After one query without an answer, the database is not asked again for a while."""
    asked = []

    def be_slow(self: Database, query: object, patience: float | None = None) -> None:
        asked.append(patience)
        raise DatabaseSlow

    monkeypatch.setattr(Database, "read", be_slow)
    path = api.scribed(ada)
    for _ in range(5):
        assert api.get(path).status_code == 200
    assert len(asked) == 1
    assert asked[0] is not None
