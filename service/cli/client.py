"""The HTTP API as commands use it: the service's URL, the token, and requests that retry.

Requests survive a restart of the service. URL and token default to those of the environment, then
to those of the data directory, whose token is sent only to the directory's own service.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, Final

import click
import requests
from requests.adapters import HTTPAdapter
from urllib3.exceptions import LocationParseError, MaxRetryError, NewConnectionError
from urllib3.util import parse_url

from engine.described_error import DescribedError
from notation.errors import BadFen
from service.cli.options import make_settings
from service.cli.retries import RETRIES
from service.operations.data_dir import is_locked
from service.settings import Settings

NOTABLE_LAG: Final = 100
"""Changes; the lists of a busy service always lag by some."""

TIMEOUT = 60.0
"""Seconds to wait for an answer."""

CHUNK = 1 << 16

DEFAULT_PORTS = {"http": 80, "https": 443}


class RequestRefused(click.ClickException):
    """The service answered with a problem; `code` and `detail` are the problem's.

    `errors` holds its messages by field if the request did not match its schema.
    """

    def __init__(self, status: int, code: str, detail: str, errors: Any = None) -> None:
        # The fields of a position string are no options.
        told = detail if code == BadFen.code else name_option(detail)
        reasons = "; ".join(map(name_option, list_field_errors(errors))) or told
        super().__init__(f"refused ({status} {code}): {reasons}")
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = errors


class ConnectionLost(DescribedError):
    """A streamed answer ended before it was complete."""

    message = "the connection was lost: {reason}"
    reason: str


class Client:
    """A client of the service at `url`; changes need a bearer token.

    Requests are retried while a service that has answered before is away; if none has answered
    yet, the first request fails at once.
    """

    def __init__(self, url: str, token: str | None = None) -> None:
        self.url = url.rstrip("/")
        self.answered = False
        self.lag = 0
        """The largest number of changes by which the lists lagged behind the log in any answer."""
        self.session = requests.Session()
        if token is not None:
            self.session.headers["Authorization"] = f"Bearer {token}"
        self._adapter = HTTPAdapter(max_retries=RETRIES.new(connect=0))
        for scheme in ("http://", "https://"):
            self.session.mount(scheme, self._adapter)
        self.session.hooks["response"].append(self._note_answer)
        self._dated: tuple[float, float] | None = None

    def _note_answer(self, answer: requests.Response, **sent: Any) -> None:
        self.answered = True
        self.lag = max(self.lag, int(answer.headers.get("X-Projection-Lag", 0)))
        if (date := answer.headers.get("Date")) is not None:
            self._dated = parsedate_to_datetime(date).timestamp(), time.monotonic()
        self._adapter.max_retries = RETRIES

    def find_latest_time(self) -> float | None:
        """The latest possible time of the service, in seconds since 1970 UTC.

        None if no answer has had a date. The date of an answer is in whole seconds.
        """
        if self._dated is None:
            return None
        date, at = self._dated
        return date + 1 + time.monotonic() - at

    def warn_of_lag(self) -> None:
        """Warn on standard error if many games may be missing from the lists that were read."""
        if self.lag >= NOTABLE_LAG:
            click.echo(
                f"movelog: warning: the lists lag {self.lag} changes behind; games may be missing",
                err=True,
            )

    def get(self, path: str) -> dict[str, Any]:
        """Get the JSON at a path; raises like `post`."""
        return self._request("GET", path)

    def post(self, path: str, body: dict[str, Any], key: str) -> dict[str, Any]:
        """Post JSON and return the answer; `key` makes retries safe.

        Raises Refused, and click.ClickException if no service answers.
        """
        return self._request("POST", path, json=body, headers={"Idempotency-Key": key})

    def put(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Put something, by default without a body; it may be repeated. Raises like `post`."""
        return self._request("PUT", path, json=body)

    def delete(self, path: str) -> dict[str, Any]:
        """Delete the resource at a path; raises like `post`."""
        return self._request("DELETE", path)

    def upload(self, path: str, body: Any, key: str) -> dict[str, Any]:
        """Post an open file of records; `key` makes retries safe. Raises like `post`."""
        headers = {"Idempotency-Key": key, "Content-Type": "application/x-chess-pgn"}
        return self._request("POST", path, data=body, headers=headers)

    def post_text(self, path: str, text: bytes, key: str) -> dict[str, Any]:
        """Post plain text; `key` makes retries safe. Raises like `post`."""
        headers = {"Idempotency-Key": key, "Content-Type": "text/plain"}
        return self._request("POST", path, data=text, headers=headers)

    def stream_lines(self, path: str, accept: str) -> Iterator[str]:
        """Yield the lines of a long answer.

        Raises Refused; ClickException if no service has answered yet; requests.RequestException
        if the connection is lost.
        """
        url = f"{self.url}/api/v1{path}"
        try:
            with self.session.get(
                url, headers={"Accept": accept}, stream=True, timeout=TIMEOUT
            ) as answer:
                if not answer.ok:
                    _read_content(answer)
                # As they come: somebody who follows a stream must not wait for more.
                yield from answer.iter_lines(None, decode_unicode=True)
        except requests.RequestException as error:
            if self.answered:
                raise
            raise make_no_answer_error(self.url, error) from error

    def stream(self, method: str, path: str, accept: str, **sent: Any) -> Iterator[bytes]:
        """Yield an answer's bytes as they come; raises Refused, ConnectionLost, ClickException."""
        url = f"{self.url}/api/v1{path}"
        headers = {"Accept": accept}
        try:
            answer = self.session.request(
                method, url, timeout=TIMEOUT, headers=headers, stream=True, **sent
            )
        except requests.RequestException as error:
            raise make_no_answer_error(self.url, error) from error
        with answer:
            if not answer.ok:
                _read_content(answer)
            try:
                yield from answer.iter_content(CHUNK)
            except requests.RequestException as error:
                raise ConnectionLost(str(error)) from error

    def _request(self, method: str, path: str, **sent: Any) -> dict[str, Any]:
        url = f"{self.url}/api/v1{path}"
        try:
            answer = self.session.request(method, url, timeout=TIMEOUT, **sent)
        except requests.RequestException as error:
            raise make_no_answer_error(self.url, error) from error
        return _read_content(answer)


def connect(url: str | None = None, token: str | None = None) -> Client:
    """A client with the given or default URL and token; without any token it can only read."""
    url = url or default_url()
    return Client(url, token or default_token(url))


def connect_as_player(url: str | None, token: str | None, token_file: Path | None) -> Client:
    """A client with the given token, the file's, or the default; raises UsageError without one."""
    url = url or default_url()
    if not token:
        token = read_token(token_file) if token_file else default_token(url)
    if token is None:
        file = make_settings().admin_token_file
        raise click.UsageError(
            f"no token for {url}: give --token or --token-file, or set MOVELOG_TOKEN"
            f" ({file} is only for the service that runs on its data directory)"
        )
    return Client(url, token)


def default_url() -> str:
    """MOVELOG_URL, the address of the service that runs here, or the configured one."""
    settings = make_settings()
    configured = f"http://{settings.host}:{settings.port}"
    return os.environ.get("MOVELOG_URL") or find_running_url(settings) or configured


def find_running_url(settings: Settings) -> str | None:
    """The address of the service that runs on the data directory, if there is one.

    A service that was killed leaves its address behind, which another program may have by now, but
    it no longer holds the directory.
    """
    file = settings.data_dir / "run" / "url"
    if not (file.exists() and is_locked(settings.data_dir)):
        return None
    return file.read_text().strip()


def default_token(url: str) -> str | None:
    """The token to send to the service at `url` if none is given: MOVELOG_TOKEN, else the admin's.

    The admin's token is in the data directory. Only the service that runs on that directory gets
    it: any other that the URL names could act as the admin from then on.
    """
    if token := os.environ.get("MOVELOG_TOKEN"):
        return token
    settings = make_settings()
    running = find_running_url(settings)
    if running is None or split_origin(running) != split_origin(url):
        return None
    file = settings.admin_token_file
    return read_token(file) if file.exists() and os.access(file, os.R_OK) else None


def split_origin(url: str) -> tuple[str | None, str | None, int | None]:
    """Scheme, host and port of a URL, as a request to it uses them.

    >>> split_origin("HTTP://LocalHost/api") == split_origin("http://localhost:80")
    True
    """
    try:
        parts = parse_url(url)  # Requests reads URLs with the same function.
    except LocationParseError:
        return None, None, None
    return parts.scheme, parts.host, parts.port or DEFAULT_PORTS.get(parts.scheme or "")


def read_token(file: Path) -> str:
    """The token in a file."""
    return file.read_text().strip()


def make_no_answer_error(url: str, error: requests.RequestException) -> click.ClickException:
    """The error to raise when a request to `url` got no answer."""
    broken = error.args[0] if error.args else None
    if isinstance(broken, MaxRetryError) and isinstance(broken.reason, NewConnectionError):
        hint = "start it with make serve, or give --url or MOVELOG_URL"
        return click.ClickException(f"no service answers at {url}; {hint}")
    return click.ClickException(f"no answer from {url}: {error}")


def list_field_errors(errors: Any, path: str = "") -> Iterator[str]:
    """A problem's messages, each prefixed with the path of its field: `tags.Round: too long`.

    >>> list(list_field_errors({"ids": {"0": ["not an id"]}, "after": ["not an id"]}))
    ['ids.0: not an id', 'after: not an id']
    """
    if isinstance(errors, dict):
        for name, inner in errors.items():
            yield from list_field_errors(inner, f"{path}.{name}" if path else name)
    elif errors:
        messages = ", ".join(errors) if isinstance(errors, list) else str(errors)
        yield f"{path}: {messages}"


def name_option(detail: str) -> str:
    """A problem's detail with the field it begins with replaced by the running command's option.

    `rounds: is needed` becomes `--rounds: is needed` if the command has such an option.
    """
    field, colon, reason = detail.partition(": ")
    context = click.get_current_context(silent=True)
    for option in context.command.params if context and colon else ():
        if isinstance(option, click.Option) and option.name == field.replace("-", "_"):
            return f"{option.opts[0]}: {reason}"
    return detail


def _read_content(answer: requests.Response) -> dict[str, Any]:
    if answer.status_code == 204:
        return {}
    try:
        content = answer.json()
    except requests.JSONDecodeError:
        content = {}
    if not answer.ok:
        code, detail = content.get("code", "-"), content.get("detail", answer.reason)
        raise RequestRefused(answer.status_code, code, detail, content.get("errors"))
    if not isinstance(content, dict) or not content:
        raise click.ClickException(f"{answer.url} is not a movelog service")
    return content
