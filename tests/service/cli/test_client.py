"""What the commands do where no service answers, and what they tell of a refusal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import click
import pytest
from urllib3.util import Retry

from service.cli import main
from service.cli.client import Client, Refused, default_url
from tests.waiting import join

NOBODY = "http://127.0.0.1:1"
HINT = "start it with make serve, or give --url or MOVELOG_URL"


class Answering(BaseHTTPRequestHandler):
    """A service that has one thing to say."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"name": "Ada"}')

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def serving(port: int) -> Iterator[int]:
    """A service at a port; 0 takes a free one."""
    with HTTPServer(("127.0.0.1", port), Answering) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            join(thread)


@pytest.mark.parametrize(
    "command",
    [
        ["search"],
        ["export"],
        ["api", "GET", "/games"],
        ["bot", "--token", "t", "--engine", "true"],
        ["combat", "--game", "a", "e4", "e6"],
        ["tournament", "list"],
    ],
    ids=" ".join,
)
def test_where_no_service_answers_a_command_fails_at_once_in_one_line(
    command: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def never(self: Retry, response: object = None) -> None:
        raise AssertionError("waited for a service that never was")

    monkeypatch.setenv("MOVELOG_DATA_DIR", str(tmp_path / "none"))
    monkeypatch.setattr(Retry, "sleep", never)
    assert main([*command, "--url", NOBODY]) == 1
    assert capsys.readouterr().err.endswith(f"movelog: no service answers at {NOBODY}; {HINT}\n")


def test_a_service_that_has_answered_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    with ExitStack() as later:
        with serving(0) as port:
            client = Client(f"http://127.0.0.1:{port}")
            assert client.get("/") == {"name": "Ada"}

        def start_again(self: Retry, response: object = None) -> None:
            later.enter_context(serving(port))

        monkeypatch.setattr(Retry, "sleep", start_again)
        assert client.get("/") == {"name": "Ada"}


def test_another_failure_is_told_as_it_is() -> None:
    with pytest.raises(click.ClickException, match="no answer from nowhere: Invalid URL"):
        Client("nowhere").get("/")


def test_a_refusal_tells_the_messages_by_field() -> None:
    errors = {"ids": {"0": ["not an id"]}, "_schema": ["nothing to do"]}
    refused = Refused(422, "invalid-request", "see errors, by field", errors)
    assert str(refused) == (
        "refused (422 invalid-request): ids.0: not an id; _schema: nothing to do"
    )


def test_an_empty_variable_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOVELOG_DATA_DIR", str(tmp_path / "none"))
    monkeypatch.setenv("MOVELOG_URL", "")
    assert default_url() == "http://127.0.0.1:8320"
