"""How commands find a service, which one gets a token, and how failures are reported."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import click
import pytest
from urllib3.util import Retry

from service.cli import main
from service.cli.client import (
    Client,
    RequestRefused,
    connect,
    connect_as_player,
    default_url,
    split_origin,
)
from service.operations.data_dir import lock_data_dir
from tests.http_server import serve_in_thread

NOBODY = "http://127.0.0.1:1"
HINT = "start it with make serve, or give --url or MOVELOG_URL"


HEARD: list[str | None] = []
"""The `Authorization` of each request that a service has received."""


class Answering(BaseHTTPRequestHandler):
    """A service that always gives the same answer."""

    def do_GET(self) -> None:
        HEARD.append(self.headers["Authorization"])
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"name": "Ada"}')

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


class Refusing(Answering):
    """A listener that answers everything with 404."""

    def do_GET(self) -> None:
        HEARD.append(self.headers["Authorization"])
        self.send_error(404)

    do_POST = do_GET


@contextmanager
def serving(port: int, handler: type[Answering] = Answering) -> Iterator[int]:
    """Serve on a port, 0 for a free one; yields the port."""
    server = HTTPServer(("127.0.0.1", port), handler)
    with serve_in_thread(server):
        yield server.server_port


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


class Full(Answering):
    """A service that refuses everything for as many seconds as the path says, 0 for no time."""

    tries = 0

    def do_GET(self) -> None:
        Full.tries += 1
        body = b'{"code": "full", "detail": "wait until midnight"}'
        self.send_response(429)
        if (seconds := self.path.split("/")[-1]) != "0":
            self.send_header("Retry-After", seconds)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.mark.parametrize(("seconds", "tries"), [(61, 1), (0, 1), (25, 3)])
def test_a_refusal_for_long_is_reported_and_not_waited_for(
    seconds: int, tries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    monkeypatch.setattr("urllib3.util.retry.time.sleep", waited.append)
    monkeypatch.setattr(Full, "tries", 0)
    with serving(0, Full) as port, pytest.raises(RequestRefused, match="wait until midnight"):
        Client(f"http://127.0.0.1:{port}").get(f"/{seconds}")
    assert (Full.tries, waited) == (tries, [seconds] * (tries - 1))


def test_another_failure_is_told_as_it_is() -> None:
    with pytest.raises(click.ClickException, match="no answer from nowhere: Invalid URL"):
        Client("nowhere").get("/")


def test_a_refusal_tells_the_messages_by_field() -> None:
    errors = {"ids": {"0": ["not an id"]}, "_schema": ["nothing to do"]}
    refused = RequestRefused(422, "invalid-request", "see errors, by field", errors)
    assert str(refused) == (
        "refused (422 invalid-request): ids.0: not an id; _schema: nothing to do"
    )


def test_an_empty_variable_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOVELOG_DATA_DIR", str(tmp_path / "none"))
    monkeypatch.setenv("MOVELOG_URL", "")
    assert default_url() == "http://127.0.0.1:8320"


@pytest.fixture
def running_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The URL of the service that runs on the data directory, which holds an admin's token."""
    HEARD.clear()
    with lock_data_dir(tmp_path), serving(0) as port:
        url = f"http://127.0.0.1:{port}"
        (tmp_path / "run").mkdir()
        (tmp_path / "run" / "url").write_text(f"{url}\n")
        (tmp_path / "admin.token").write_text("mlg_admin\n")
        monkeypatch.setenv("MOVELOG_DATA_DIR", str(tmp_path))
        monkeypatch.delenv("MOVELOG_TOKEN", raising=False)
        monkeypatch.delenv("MOVELOG_URL", raising=False)
        yield url


def test_the_service_that_runs_here_gets_the_admins_token(running_here: str) -> None:
    for given in (None, running_here, f"{running_here}/", running_here.replace("http", "HTTP")):
        connect(given).get("/")
        connect_as_player(given, None, None).get("/")
    assert HEARD == ["Bearer mlg_admin"] * 8


RECORD = str(Path(__file__).parents[3] / "tests" / "data" / "records" / "katruji.pgn")
GAME = "a" * 26


@pytest.mark.parametrize(
    "command",
    [
        ["search", "--limit", "1"],
        ["export"],
        ["players"],
        ["explore", "katruji"],
        ["tournament", "list"],
        ["tournament", "standings", GAME],
        ["analyse", "--game", GAME],
        ["import", RECORD],
        ["play", RECORD],
        ["bot", "--engine", "true"],
        ["combat", "--game", GAME, "e4", "e6"],
        ["api", "GET", "/games"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("by_option", [True, False])
def test_no_other_service_gets_the_admins_token(
    command: list[str], by_option: bool, running_here: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(0, Refusing) as port:
        foreign = f"http://127.0.0.1:{port}"
        if by_option:
            command = [*command, "--url", foreign]
        else:
            monkeypatch.setenv("MOVELOG_URL", foreign)
        status = main(command)
    # Commands that need a token fail without sending a request.
    assert (status == 2 and not HEARD) or (status == 1 and set(HEARD) == {None})


def test_the_address_that_a_killed_service_left_behind_is_nobodys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    HEARD.clear()
    with serving(0) as port:
        url = f"http://127.0.0.1:{port}"
        with lock_data_dir(tmp_path):
            (tmp_path / "run").mkdir()
            (tmp_path / "run" / "url").write_text(f"{url}\n")
            (tmp_path / "admin.token").write_text("mlg_admin\n")
        monkeypatch.setenv("MOVELOG_DATA_DIR", str(tmp_path))
        monkeypatch.delenv("MOVELOG_TOKEN", raising=False)
        connect(url).get("/")
    assert HEARD == [None]


def test_where_no_service_runs_here_nobody_gets_the_token(
    running_here: str, tmp_path: Path
) -> None:
    (tmp_path / "run" / "url").unlink()
    connect(running_here).get("/")
    assert HEARD == [None]
    with pytest.raises(click.UsageError, match=f"no token for {running_here}: give --token"):
        connect_as_player(running_here, None, None)


def test_a_token_that_is_given_goes_to_any_service(
    running_here: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(0) as port:
        foreign = f"http://127.0.0.1:{port}"
        connect(foreign, "mlg_own").get("/")
        connect_as_player(foreign, None, tmp_path / "admin.token").get("/")
        monkeypatch.setenv("MOVELOG_TOKEN", "mlg_own")
        connect(foreign).get("/")
        connect_as_player(foreign, None, None).get("/")
        connect(running_here).get("/")
    own = "Bearer mlg_own"
    assert [own, "Bearer mlg_admin", own, own, own] == HEARD


@pytest.mark.parametrize(
    "other",
    [
        "https://127.0.0.1:8320",
        "http://127.0.0.1:8321",
        "http://127.0.0.1",
        "http://localhost:8320",
        "http://127.0.0.1:8320@elsewhere.example",
        "http://elsewhere.example\\@127.0.0.1:8320",
        "http://127.0.0.1:8320.elsewhere.example",
        "http://127.0.0.1:99999",
    ],
)
def test_another_scheme_host_or_port_is_another_service(other: str) -> None:
    assert split_origin(other) != split_origin("http://127.0.0.1:8320")


@pytest.mark.parametrize("lag", ["345", "100", "99", "0"])
def test_lists_that_lag_are_warned_of(
    lag: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def answer(self: Refusing) -> None:
        self.send_response(200)
        self.send_header("X-Projection-Lag", lag)
        self.end_headers()
        if "search" in self.path:
            self.wfile.write(b'{"items": [], "next_cursor": null}')

    monkeypatch.setattr(Refusing, "do_GET", answer)
    warning = f"movelog: warning: the lists lag {lag} changes behind; games may be missing\n"
    with serving(0, Refusing) as port:
        for command in ("search", "export"):
            assert main([command, "--url", f"http://127.0.0.1:{port}"]) == 0
            expected = ("" if int(lag) < 100 else warning) + "0 games\n"
            assert capsys.readouterr() == ("", expected)
