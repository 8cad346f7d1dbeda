"""The service's HTTP API as a program uses it: requests that survive a restart of the service."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click
import requests
from requests.adapters import HTTPAdapter
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
    """The service answered with a problem: `code` and `detail` are its own."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(f"refused ({status} {code}): {detail}")
        self.status = status
        self.code = code
        self.detail = detail


class BrokenOff(Exception):
    """A stream ended before it was whole."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"the connection broke off: {self.reason}"


class Client:
    """A connection to a service at `url`; with a bearer token it can do more than read."""

    def __init__(self, url: str, token: str | None = None, retries: Retry = RETRIES) -> None:
        self.url = url.rstrip("/")
        self.session = requests.Session()
        if token is not None:
            self.session.headers["Authorization"] = f"Bearer {token}"
        for scheme in ("http://", "https://"):
            self.session.mount(scheme, HTTPAdapter(max_retries=retries))

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
        """The lines of a long answer, one after the other; raises like `post`."""
        url = f"{self.url}/api/v1{path}"
        with self.session.get(
            url, headers={"Accept": accept}, stream=True, timeout=TIMEOUT
        ) as answer:
            if not answer.ok:
                _content(answer)
            yield from answer.iter_lines(decode_unicode=True)

    def stream(self, method: str, path: str, accept: str, **sent: Any) -> Iterator[bytes]:
        """The bytes of an answer as they come; raises Refused, BrokenOff and ClickException."""
        url = f"{self.url}/api/v1{path}"
        headers = {"Accept": accept}
        try:
            answer = self.session.request(
                method, url, timeout=TIMEOUT, headers=headers, stream=True, **sent
            )
        except requests.RequestException as error:
            raise click.ClickException(f"no answer from {self.url}: {error}") from error
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
            raise click.ClickException(f"no answer from {self.url}: {error}") from error
        return _content(answer)


def _content(answer: requests.Response) -> dict[str, Any]:
    try:
        content = answer.json()
    except requests.JSONDecodeError:
        content = {}
    if not answer.ok:
        code, detail = content.get("code", "-"), content.get("detail", answer.reason)
        raise Refused(answer.status_code, code, detail)
    if not isinstance(content, dict) or not content:
        raise click.ClickException(f"{answer.url} does not answer as a movelog service")
    return content
