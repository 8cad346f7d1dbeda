"""`movelog puzzles` against a running service."""

from __future__ import annotations

import json

import pytest

from service.cli import main
from service.player.scopes import SCOPES
from service.projection.puzzles.puzzles import write_collection
from service.puzzles.collection import load_collection
from tests.service.cli.queries.conftest import Served
from tests.service.projection.support import project_service


def test_puzzles_are_withdrawn_listed_and_restored(
    served: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    write_collection(served.parts.database)
    admin = served.parts.players.register("Ann", None, scopes=SCOPES)
    one, other = [puzzle.id for puzzle in load_collection().list_puzzles("kerd")][:2]

    def run(*arguments: str) -> tuple[int, str, str]:
        own = ["--url", served.url, "--token", admin.token.secret]
        status = main(["puzzles", *arguments, *own])
        project_service(served.parts)
        return status, *capsys.readouterr()

    assert run("list") == (0, "", "0 puzzles\n")
    assert run("withdraw", one, "--reason", "it is dull") == (0, f"{one} is withdrawn\n", "")
    assert run("withdraw", other) == (0, f"{other} is withdrawn\n", "")
    status, listed, _ = run("list")
    header, first, second = listed.splitlines()
    assert status == 0
    assert header.split() == ["puzzle", "variant", "withdrawn", "reason"]
    assert first.split()[:2] == [other, "kerd"]
    assert second.split()[:2] == [one, "kerd"]
    assert second.endswith("it is dull")
    assert len(run("list", "--limit", "1")[1].splitlines()) == 2
    (line,) = run("list", "--json", "--limit", "1")[1].splitlines()
    assert json.loads(line)["puzzle"] == other
    assert run("restore", one) == (0, f"{one} is restored\n", "")
    assert run("restore", other) == (0, f"{other} is restored\n", "")
    assert run("list") == (0, "", "0 puzzles\n")
    status, out, told = run("withdraw", "0" * 10)
    assert (status, out) == (1, "")
    assert told.startswith("movelog: refused (404 not-found): no puzzle ")
