"""`movelog merge` against a running service."""

from __future__ import annotations

import json
from typing import NamedTuple

import pytest

from service.cli import main
from service.player.scopes import SCOPES
from tests.service.cli.queries.conftest import Served


class Desk(NamedTuple):
    """An admin at the command line, and the output."""

    url: str
    token: str
    capsys: pytest.CaptureFixture[str]

    def run(self, *arguments: str, token: str | None = None) -> int:
        own = ["--url", self.url, "--token", token or self.token]
        return main(["merge", *arguments, *own])

    def lines(self, *arguments: str) -> list[str]:
        assert self.run(*arguments) == 0
        return self.capsys.readouterr().out.splitlines()

    def listed(self) -> set[tuple[str, str]]:
        """The listed pairs, as ids."""
        found = map(json.loads, self.lines("list", "--json"))
        return {(one["player"]["id"], one["other"]["id"]) for one in found}


@pytest.fixture
def desk(served: Served, capsys: pytest.CaptureFixture[str]) -> Desk:
    admin = served.parts.players.register("Ann", None, scopes=SCOPES)
    return Desk(served.url, admin.token.secret, capsys)


def test_a_pair_is_listed_until_it_is_merged_or_dismissed(served: Served, desk: Desk) -> None:
    assert desk.run("list") == 0
    assert desk.capsys.readouterr() == ("", "0 pairs\n")
    same = (one, other) = tuple(served.add_players("Ada King", "King, Ada"))
    near = tuple(served.add_players("Lovelace", "Olvelace"))
    header, first, second = desk.lines("list")
    assert header.split() == ["%", "reason", "player", "games", "other", "games", "met"]
    assert first.split()[:2] == ["95", "same-words"]
    assert f"({one})" in first
    assert f"({other})" in first
    assert second.split()[:2] == ["80", "typing-error"]
    assert len(desk.lines("list", "--limit", "1")) == 2
    assert desk.listed() == {same, near}

    assert desk.lines("apply", one, other) == [f"{one} is shown as {other}"]
    assert desk.listed() == {near}
    assert desk.lines("undo", one) == [f"{one} is shown under their own name"]
    assert desk.listed() == {same, near}
    assert desk.lines("dismiss", *near) == [f"{near[0]} and {near[1]} are different people"]
    assert desk.lines("dismiss", *same) == [f"{one} and {other} are different people"]
    assert desk.listed() == set()


def test_what_is_refused_is_one_line(served: Served, desk: Desk) -> None:
    [one] = served.add_players("Stamma")
    nobody, player = "a" * 16, served.parts.players.register("Bea", None)
    for arguments, told in (
        (["apply", one, nobody], "(404 not-found): no player "),
        (["apply", one, "x"], "(422 invalid-request): "),
        (["apply", player.id, one], "(422 bad-value): "),
        (["apply", one, one], "(422 bad-value): "),
        (["undo", nobody], "(404 not-found): no player "),
        (["dismiss", one, nobody], "(404 not-found): no player "),
        (["dismiss", one, "x"], "(404 no-such-path): "),
    ):
        assert desk.run(*arguments) == 1
        written = desk.capsys.readouterr()
        assert written.out == ""
        assert written.err.startswith(f"movelog: refused {told}")
        assert written.err.count("\n") == 1
    for arguments in (["list"], ["apply", one, player.id], ["undo", one]):
        assert desk.run(*arguments, token=player.token.secret) == 1
        assert "(403 missing-scope)" in desk.capsys.readouterr().err
