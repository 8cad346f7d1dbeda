"""`movelog api`: one request to a running service, for trying things and for scripts."""

from __future__ import annotations

import json
from typing import Any

import click

METHODS = ("GET", "POST", "PATCH", "DELETE")


@click.command()
@click.argument("method", type=click.Choice(METHODS, case_sensitive=False))
@click.argument("path")
@click.argument("body", required=False)
@click.option(
    "--url", help="The service [MOVELOG_URL; default: the one running here, or on the usual port]."
)
@click.option("--token", envvar="MOVELOG_TOKEN", help="A bearer token [MOVELOG_TOKEN].")
@click.option("--accept", default="application/json", help="The type wanted [application/json].")
@click.option("--key", help="An idempotency key: sent again, the request changes nothing more.")
@click.option("--get", "wanted", help="Print this field alone, dots between levels: token.secret.")
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

    PATH begins with /api/v1 or behind it: /games. BODY is JSON; `@FILE` sends a file of game
    records instead. JSON answers are printed indented. Exit status 1 for a refusal, whose problem
    is printed on standard error.

    \b
        movelog api POST /players '{"name": "Ann"}' --get token.secret
        movelog api GET /games --accept application/x-chess-pgn
    """
    import requests

    from service.cli.client import no_answer
    from service.cli.play import usual_url

    headers = {"Accept": accept}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    if key:
        headers["Idempotency-Key"] = key
    data, kind = content(body)
    if data is not None:
        headers["Content-Type"] = kind
    base = (url or usual_url()).rstrip("/")
    address = f"{base}/api/v1/{path.removeprefix('/api/v1').lstrip('/')}"
    try:
        with requests.request(
            method.upper(), address, data=data, headers=headers, stream=True, timeout=60
        ) as answer:
            return show(answer, wanted)
    except requests.RequestException as error:
        raise no_answer(base, error) from error


def content(body: str | None) -> tuple[bytes | None, str]:
    """What to send and its type."""
    if body is None:
        return None, ""
    if body.startswith("@"):
        with click.open_file(body[1:], "rb") as file:
            return file.read(), "application/x-chess-pgn"
    return body.encode(), "application/json"


def show(answer: Any, wanted: str | None) -> int:
    """Print an answer; returns the exit status."""
    kind = answer.headers.get("Content-Type", "").partition(";")[0]
    if kind == "text/event-stream":
        for line in answer.iter_lines(chunk_size=1, decode_unicode=True):
            click.echo(line)
        return 0
    text = answer.text
    if kind.endswith("json"):
        value = json.loads(text)
        if wanted and answer.ok:
            click.echo(field(value, wanted))
            return 0
        text = json.dumps(value, indent=2, ensure_ascii=False)
    click.echo(text, err=not answer.ok, nl=bool(text) and not text.endswith("\n"))
    return 0 if answer.ok else 1


def field(value: Any, path: str) -> str:
    """One field of an answer as text; a usage error where there is none."""
    for name in path.split("."):
        try:
            value = value[int(name)] if isinstance(value, list) else value[name]
        except (LookupError, TypeError, ValueError) as error:
            raise click.UsageError(f"the answer has no field {path}") from error
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
