"""`movelog player` against a running service."""

from __future__ import annotations

import json

import pytest
import requests

from service.cli import main
from tests.service.projection.support import create, end, play
from tests.service.web_server import WebServer


@pytest.fixture(scope="module")
def players(server: WebServer) -> tuple[str, str]:
    """The ids of two players, each of whom has won a game against the other."""
    service = server.service
    ada, brahim = (service.players.unclaimed(name, "admin") for name in ("Ada King", "Brahim"))
    for id, first, second in (("a" * 16, ada, brahim), ("b" * 16, brahim, ada)):
        create(service.games, id, first, second)
        play(service.games, id, 2)
        end(service.games, id, "1-0")
    # The server's own projector counts the games.
    assert service.checkpoints.wait_until(service.log.feed_positions(), 60)
    return ada, brahim


def run(capsys: pytest.CaptureFixture[str], server: WebServer, *arguments: str) -> list[str]:
    assert main(["player", *arguments, "--url", server.url]) == 0
    return capsys.readouterr().out.splitlines()


@pytest.mark.slow
def test_an_admin_has_a_link_made_for_who_has_lost_every_way_in(
    server: WebServer, capsys: pytest.CaptureFixture[str]
) -> None:
    accounts = server.service.accounts
    ada = accounts.register_guest("Ada")
    token = server.service.players.register("Root", None, ["admin"]).token.secret
    (link,) = run(capsys, server, ada, "--sign-in-link", "--token", token)
    assert link.startswith(f"{server.url}/sign-in/link/")
    with requests.Session() as browser:
        assert "Sign in as Ada" in browser.get(link).text
        assert browser.post(link).url == f"{server.url}/account"
        assert browser.post(link).status_code == 422
    lesser = server.service.players.register("Eve", None).token.secret
    assert main(["player", ada, "--sign-in-link", "--token", lesser, "--url", server.url]) != 0


@pytest.mark.slow
def test_a_report_has_a_line_for_each_group(
    server: WebServer, players: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    lines = run(capsys, server, players[0])
    assert lines[0].split()[:7] == ["by", "of", "games", "won", "drawn", "lost", "unclear"]
    assert [line.split() for line in lines[1:3]] == [
        ["all", "all", "2", "1", "0", "1", "0", "1", "1", "1"],
        ["variant", "katruji", "2", "1", "0", "1", "0", "1", "1", "1"],
    ]
    [only] = run(capsys, server, players[0], "--side", "first", "--limit", "1")[1:]
    assert only.split()[2:7] == ["1", "1", "0", "0", "0"]


@pytest.mark.slow
def test_opponents_and_openings_are_listed(
    server: WebServer, players: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    ada, brahim = players
    [met] = run(capsys, server, ada, "--opponents")[1:]
    assert met.split() == ["opponent", "Brahim", f"({brahim})", "2", "1", "0", "1", "0"]
    lines = run(capsys, server, ada, "--openings", "--variant", "katruji", "--json")
    assert sorted((one["side"], one["won"]) for one in map(json.loads, lines)) == [
        ("first", 1),
        ("second", 0),
    ]
    assert len(run(capsys, server, ada, "--openings", "--variant", "katruji")) == 3


def test_opponents_and_openings_are_two_lists(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["player", "a" * 16, "--opponents", "--openings"]) == 2
    assert "not both" in capsys.readouterr().err
