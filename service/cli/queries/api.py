"""`movelog api`: one raw request to a running service, for trying things out and for scripts."""

from __future__ import annotations

import json
from typing import Any

import click

from service.cli.options import url_option

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


@click.command()
@click.argument("method", type=click.Choice(METHODS, case_sensitive=False))
@click.argument("path")
@click.argument("body", required=False)
@url_option
@click.option("--token", envvar="MOVELOG_TOKEN", help="A bearer token [MOVELOG_TOKEN].")
@click.option(
    "--accept", default="application/json", help="The media type to ask for [application/json]."
)
@click.option("--key", help="An idempotency key, which makes it safe to repeat the request.")
@click.option(
    "--get", "wanted", help="Print only this field, with dots between levels: token.secret."
)
def api(
    method: str,
    path: str,
    body: str | None,
    url: str | None,
    token: str | None,
    accept: str,
    key: str | None,
    wanted: str | None,
) -> int:
    """Send one request to the HTTP API and print the answer.

    PATH may leave out /api/v1: /games. BODY is JSON; `@FILE` sends a file of records instead. JSON
    answers are printed indented. If the service refuses, the exit status is 1 and the problem is
    printed on standard error.

    \b
        movelog api POST /players '{"name": "Ann"}' --get token.secret
        movelog api GET /games --accept application/x-chess-pgn
    """
    import requests

    from service.cli.client import default_url, make_no_answer_error

    headers = {"Accept": accept}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    if key:
        headers["Idempotency-Key"] = key
    data, kind = read_body(body)
    if data is not None:
        headers["Content-Type"] = kind
    base = (url or default_url()).rstrip("/")
    address = f"{base}/api/v1/{path.removeprefix('/api/v1').lstrip('/')}"
    try:
        with requests.request(
            method.upper(), address, data=data, headers=headers, stream=True, timeout=60
        ) as answer:
            return print_answer(answer, wanted)
    except requests.RequestException as error:
        raise make_no_answer_error(base, error) from error


def read_body(body: str | None) -> tuple[bytes | None, str]:
    """The bytes to send and their media type; none for no body."""
    if body is None:
        return None, ""
    if body.startswith("@"):
        with click.open_file(body[1:], "rb") as file:
            return file.read(), "application/x-chess-pgn"
    return body.encode(), "application/json"


def print_answer(answer: Any, wanted: str | None) -> int:
    """Print an answer, or only the field `wanted`; return the exit status."""
    kind = answer.headers.get("Content-Type", "").partition(";")[0]
    if kind == "text/event-stream":
        for line in answer.iter_lines(chunk_size=1, decode_unicode=True):
            click.echo(line)
        return 0
    content: str | bytes = answer.content
    if kind == "application/json" or kind.endswith("+json"):
        value = json.loads(content)
        if wanted and answer.ok:
            click.echo(extract_field(value, wanted))
            return 0
        content = f"{json.dumps(value, indent=2, ensure_ascii=False)}\n"
    # Anything else is printed byte by byte: it may be a picture.
    click.echo(content, err=not answer.ok, nl=False)
    return 0 if answer.ok else 1


def extract_field(value: Any, path: str) -> str:
    """The field at a dotted path as text; click.UsageError if there is none."""
    for name in path.split("."):
        try:
            value = value[int(name)] if isinstance(value, list) else value[name]
        except (LookupError, TypeError, ValueError) as error:
            raise click.UsageError(f"the answer has no field {path}") from error
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
