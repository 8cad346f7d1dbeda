"""The service's HTTP API as a program uses it: requests that survive a restart of the service."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click
import requests
from requests.adapters import HTTPAdapter
from urllib3.exceptions import MaxRetryError, NewConnectionError
from urllib3.util import Retry

TIMEOUT = 60.0
"""Seconds to wait for an answer."""

CHUNK = 1 << 16

RETRIES = Retry(
    total=12,
    backoff_factor=0.1,
    backoff_max=5,
    status_forcelist=(429, 502, 503, 504),
    # A repeated POST does no harm: every one of ours has an idempotency key.
    allowed_methods=None,
    raise_on_status=False,
)
"""Some 30 seconds of trying while the service is away or asks to be left in peace."""


class Refused(click.ClickException):
    """The service answered with a problem: `code` and `detail` are its own.

    `errors` are its messages by field, where the request did not fit its schema.
    """

    def __init__(self, status: int, code: str, detail: str, errors: Any = None) -> None:
        told = "; ".join(map(as_option, by_field(errors))) or as_option(detail)
        super().__init__(f"refused ({status} {code}): {told}")
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = errors


class BrokenOff(Exception):
    """A stream ended before it was whole."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"the connection broke off: {self.reason}"


class Client:
    """A connection to a service at `url`; with a bearer token it can do more than read.

    A service that has answered once is waited for when it goes away; where none has, nobody waits.
    """

    def __init__(self, url: str, token: str | None = None) -> None:
        self.url = url.rstrip("/")
        self.answered = False
        self.session = requests.Session()
        if token is not None:
            self.session.headers["Authorization"] = f"Bearer {token}"
        self._adapter = HTTPAdapter(max_retries=RETRIES.new(connect=0))
        for scheme in ("http://", "https://"):
            self.session.mount(scheme, self._adapter)
        self.session.hooks["response"].append(self._has_answered)

    def _has_answered(self, answer: requests.Response, **sent: Any) -> None:
        self.answered = True
        self._adapter.max_retries = RETRIES

    def get(self, path: str) -> dict[str, Any]:
        """The JSON at a path; raises like `post`."""
        return self._request("GET", path)

    def post(self, path: str, body: dict[str, Any], key: str) -> dict[str, Any]:
        """Post JSON once, whatever the retries; returns the answer.

        Raises Refused, and click.ClickException when there is no service to answer.
        """
        return self._request("POST", path, json=body, headers={"Idempotency-Key": key})

    def upload(self, path: str, body: Any, key: str) -> dict[str, Any]:
        """Post an open file of records once, whatever the retries; raises like `post`."""
        headers = {"Idempotency-Key": key, "Content-Type": "application/x-chess-pgn"}
        return self._request("POST", path, data=body, headers=headers)

    def post_text(self, path: str, text: bytes, key: str) -> dict[str, Any]:
        """Post a text once, whatever the retries; raises like `post`."""
        headers = {"Idempotency-Key": key, "Content-Type": "text/plain"}
        return self._request("POST", path, data=text, headers=headers)

    def lines(self, path: str, accept: str) -> Iterator[str]:
        """The lines of a long answer, one after the other.

        Raises Refused; ClickException when no service has answered yet, requests.RequestException
        when the answer breaks off.
        """
        url = f"{self.url}/api/v1{path}"
        try:
            with self.session.get(
                url, headers={"Accept": accept}, stream=True, timeout=TIMEOUT
            ) as answer:
                if not answer.ok:
                    _content(answer)
                yield from answer.iter_lines(decode_unicode=True)
        except requests.RequestException as error:
            if self.answered:
                raise
            raise no_answer(self.url, error) from error

    def stream(self, method: str, path: str, accept: str, **sent: Any) -> Iterator[bytes]:
        """The bytes of an answer as they come; raises Refused, BrokenOff and ClickException."""
        url = f"{self.url}/api/v1{path}"
        headers = {"Accept": accept}
        try:
            answer = self.session.request(
                method, url, timeout=TIMEOUT, headers=headers, stream=True, **sent
            )
        except requests.RequestException as error:
            raise no_answer(self.url, error) from error
        with answer:
            if not answer.ok:
                _content(answer)
            try:
                yield from answer.iter_content(CHUNK)
            except requests.RequestException as error:
                raise BrokenOff(str(error)) from error

    def _request(self, method: str, path: str, **sent: Any) -> dict[str, Any]:
        url = f"{self.url}/api/v1{path}"
        try:
            answer = self.session.request(method, url, timeout=TIMEOUT, **sent)
        except requests.RequestException as error:
            raise no_answer(self.url, error) from error
        return _content(answer)


def no_answer(url: str, error: requests.RequestException) -> click.ClickException:
    """What to tell of a request to `url` that was not answered."""
    broken = error.args[0] if error.args else None
    if isinstance(broken, MaxRetryError) and isinstance(broken.reason, NewConnectionError):
        hint = "start it with make serve, or give --url or MOVELOG_URL"
        return click.ClickException(f"no service answers at {url}; {hint}")
    return click.ClickException(f"no answer from {url}: {error}")


def by_field(errors: Any, path: str = "") -> Iterator[str]:
    """A problem's messages, each behind the path of its field: `tags.Round: too long`.

    >>> list(by_field({"ids": {"0": ["not an id"]}, "after": ["not an id"]}))
    ['ids.0: not an id', 'after: not an id']
    """
    if isinstance(errors, dict):
        for name, inner in errors.items():
            yield from by_field(inner, f"{path}.{name}" if path else name)
    elif errors:
        told = ", ".join(errors) if isinstance(errors, list) else str(errors)
        yield f"{path}: {told}"


def as_option(detail: str) -> str:
    """A problem's detail, the option of the present command in place of the field it begins with.

    `rounds: is needed` is told as `--rounds: is needed` where there is such an option.
    """
    field, colon, reason = detail.partition(": ")
    context = click.get_current_context(silent=True)
    for option in context.command.params if context and colon else ():
        if isinstance(option, click.Option) and option.name == field.replace("-", "_"):
            return f"{option.opts[0]}: {reason}"
    return detail


def _content(answer: requests.Response) -> dict[str, Any]:
    try:
        content = answer.json()
    except requests.JSONDecodeError:
        content = {}
    if not answer.ok:
        code, detail = content.get("code", "-"), content.get("detail", answer.reason)
        raise Refused(answer.status_code, code, detail, content.get("errors"))
    if not isinstance(content, dict) or not content:
        raise click.ClickException(f"{answer.url} does not answer as a movelog service")
    return content
