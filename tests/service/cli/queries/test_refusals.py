"""How the commands that query a service report a refused question."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from urllib3.util import Retry

from notation.registry import find_dialect
from service.cli import main
from service.projection.database.database import Database
from service.projection.errors import (
    DatabaseAway,
    DatabaseDamaged,
    DatabaseError,
    DatabaseFull,
    DatabaseLocked,
    NewerDatabase,
)
from tests.service.cli.queries.conftest import Served
from tests.service.projection.support import create, end, play, project_service

NOBODY = "a" * 16
FINISHED, RUNNING = "f" * 16, "r" * 16
KERD = find_dialect("kerd").write_fen(find_dialect("kerd").start({}))
"""A position of another variant than the one asked for."""
KATRUJI = ["--variant", "katruji"]
FILTERED = (
    (["--variant", "chess"], "400 bad-parameter", "--variant: one of katruji, "),
    (["--side", "third"], "400 bad-parameter", "--side: one of first, second"),
    (["--since", "2024.13.01"], "400 bad-parameter", "--since: a day as "),
    (["--min-plies", "-1"], "400 bad-parameter", "--min-plies: a whole number from 0"),
    (["--opening", ""], "400 bad-parameter", "--opening: 1 to 200 characters"),
    (["--tag", "Result:1-0"], "400 bad-parameter", "--tag: Result is not listed"),
    ([*KATRUJI, "--material", "?"], "422 bad-value", "--material: "),
    ([*KATRUJI, "--actions", "d1?e3"], "422 bad-value", "--actions: "),
    ([*KATRUJI, "--pieces", "Qa1"], "422 bad-value", "--pieces: "),
)
"""Filters, and how `search`, `export` and `explore` refuse them."""


@pytest.fixture(scope="module")
def url(served: Served) -> str:
    """The URL of a service with a finished game and a running one."""
    ada, brahim = served.add_players("Ada", "Brahim")
    for id in (FINISHED, RUNNING):
        create(served.parts.games, id, ada, brahim)
        play(served.parts.games, id, 2)
    end(served.parts.games, FINISHED, "1-0")
    project_service(served.parts)
    return served.url


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run commands in an empty folder, so that files they leave behind are found."""
    monkeypatch.chdir(tmp_path)


def assert_refused(
    capsys: pytest.CaptureFixture[str], url: str, arguments: list[str], status: str, reason: str
) -> None:
    """The command exits with 1, and one line on standard error says why."""
    assert main([*arguments, "--url", url]) == 1
    written = capsys.readouterr()
    assert written.out == ""
    assert written.err.startswith(f"movelog: refused ({status}): {reason}")
    assert written.err.count("\n") == 1


@pytest.mark.parametrize("command", ["search", "explore", "export"])
def test_filters_that_make_no_sense(
    url: str, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for given, status, reason in FILTERED:
        # The explorer requires a variant.
        variant = [] if command != "explore" or "--variant" in given else KATRUJI
        assert_refused(capsys, url, [command, *variant, *given], status, reason)


@pytest.mark.parametrize(
    ("arguments", "status", "reason"),
    [
        (["search", *KATRUJI, "--fen", KERD], "422 bad-fen", ""),
        (["search", "--fen", "start"], "422 bad-value", "--variant: is needed"),
        (["search", "--sort", "name"], "400 bad-parameter", "--sort: one of created"),
        (["search", "--count", *KATRUJI, "--fen", "x"], "422 bad-fen", ""),
        (["export", *KATRUJI, "--fen", KERD, "-o", "out.pgn"], "422 bad-fen", ""),
        (["export", "--after", NOBODY, "-o", "out.pgn"], "422 bad-value", "--after: "),
        (["export", "--tournament", NOBODY, "-o", "out.pgn"], "404 not-found", "no tournament"),
        (["export", NOBODY, "-o", "out.parquet"], "404 not-found", "no game"),
        (["explore", KERD, *KATRUJI], "422 bad-fen", ""),
        (["explore", "zz", *KATRUJI], "422 bad-fen", "side: missing"),
        (["explore", "--game", NOBODY], "404 not-found", "no game"),
        (["explore", "--game", RUNNING], "409 not-finished", ""),
        (["player", NOBODY], "404 not-found", "no player"),
        (["player", NOBODY, "--since", "never"], "400 bad-parameter", "--since: "),
    ],
)
def test_questions_that_have_no_answer(
    url: str,
    arguments: list[str],
    status: str,
    reason: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    assert_refused(capsys, url, arguments, status, reason)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", [["players"], ["search", "--player"]])
def test_an_argument_that_is_not_utf_8(
    url: str, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    name = os.fsdecode(b"\xc9mile")
    assert main([*command, name, "--url", url]) == 2
    assert capsys.readouterr().err.endswith("is not UTF-8\n")


def test_cursors_of_other_questions(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["api", "GET", "/search?limit=1", "--get", "next_cursor", "--url", url]) == 0
    cursor = capsys.readouterr().out.strip()
    for path in (
        f"/search?limit=1&variant=katruji&cursor={cursor}",
        f"/search?sort=plies&cursor={cursor}",
        f"/search?cursor={cursor}x",
        f"/players?name=ada&cursor={cursor}",
        "/games?cursor=x",
    ):
        assert main(["api", "GET", path, "--url", url]) == 1
        written = capsys.readouterr()
        assert written.out == ""
        assert json.loads(written.err)["code"] == "bad-cursor", path


@pytest.mark.parametrize(
    "refusal",
    [
        DatabaseAway("for a test"),
        DatabaseDamaged("for a test"),
        DatabaseFull(),
        DatabaseLocked(),
        NewerDatabase("77"),
    ],
    ids=lambda value: str(value.code),
)
def test_a_database_that_does_not_answer(
    url: str,
    refusal: DatabaseError,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    def refuse(*given: object) -> None:
        raise refusal

    monkeypatch.setattr("service.cli.client.RETRIES", Retry(0, raise_on_status=False))
    monkeypatch.setattr(Database, "_read", refuse)
    for arguments in (
        ["search"],
        ["search", "--count"],
        ["players", "ada"],
        ["explore", *KATRUJI],
        ["explore", "--game", FINISHED],
        ["export", "-o", "out.pgn"],
        ["export", "-o", "out.parquet"],
    ):
        assert_refused(capsys, url, arguments, f"503 {refusal.code}", refusal.public)
    assert list(tmp_path.iterdir()) == []
