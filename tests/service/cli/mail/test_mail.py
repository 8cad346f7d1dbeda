"""`movelog mail` against a running service."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.cli import main
from tests.service.api.test_mail import MAILING
from tests.service.redis_server import RedisServer
from tests.service.web_server import WebServer


@pytest.fixture
def server(redis_server: RedisServer, tmp_path: Path) -> Iterator[WebServer]:
    """A web process that is configured to send mail."""
    with WebServer(redis_server.url, tmp_path, **MAILING) as running:
        yield running


@pytest.mark.slow
def test_an_address_is_set_shown_and_removed(
    server: WebServer, capsys: pytest.CaptureFixture[str]
) -> None:
    ada = server.service.players.register("Ada", None)

    def run(*arguments: str, status: int = 0) -> str:
        own = ["--url", server.url, "--token", ada.token.secret]
        assert main(["mail", *arguments, *own]) == status
        written = capsys.readouterr()
        return (written.err if status else written.out).strip()

    assert run("show") == "no address"
    sent = "ada@club.example, not confirmed: follow the link that was sent there"
    assert run("set", "ada@Club.example", "--daily", "--event", "clock-low") == sent
    known = server.service.subscriptions.find(ada.id)
    assert known is not None
    url = server.service.mail_links.confirm_url(known)
    server.service.subscriptions.confirm(
        *server.service.mail_links.read_confirm(url.rpartition("/")[2])
    )
    assert run("show") == "ada@club.example, daily: clock-low"
    assert json.loads(run("set", "ada@club.example", "--json"))["pace"] == "immediately"
    assert "bad-address" in run("set", "ada@home", status=1)
    assert run("remove") == ""
    assert run("show") == "no address"
