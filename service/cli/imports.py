"""`movelog import`: files of records into a running service."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

import click

from service.cli.play import RECORD, usual_token, usual_url
from service.cli.progress import progress, say

if TYPE_CHECKING:
    from service.cli.client import Client

MODES: Final = ("quarantine", "strict", "as-played")
UNDER_WAY: Final = frozenset({"queued", "running", "committed"})
POLL: Final = (0.05, 1.0)
"""Seconds between two looks at an import, at first and at most."""


@click.command("import", short_help="Take files of records into a running service.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=RECORD)
@click.option(
    "--mode", type=click.Choice(MODES), default=MODES[0], help="What becomes of bad records."
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON lines: verdicts, then the import."
)
@click.option(
    "--url", help="The service [MOVELOG_URL; default: the one running here, or on the usual port]."
)
@click.option("--token", help="A bearer token with the scope play [MOVELOG_TOKEN].")
@click.option(
    "--token-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file with the token [default: admin.token in the data directory].",
)
def import_(
    files: tuple[Path, ...],
    mode: str,
    as_json: bool,
    url: str | None,
    token: str | None,
    token_file: Path | None,
) -> int:
    """Take files of records into a running service, plain or packed by gzip or zstd.

    Bad records are quarantined and the good ones go in; with --mode strict all go in or none; with
    --mode as-played illegal ones are kept as records. Prints a line `FILE ID STATE` with the counts
    for each file, and what became of each game that was not accepted on standard error.

    The service carries an import out whatever happens to this command.

    Exit status 1 if a game was quarantined or an import did not come to its end.
    """
    from service.cli.client import Client

    client = Client(url or usual_url(), token or usual_token(token_file))
    failed = 0
    for file in files:
        made = followed(client, uploaded(client, file, mode))
        tell(client, file, made, as_json)
        failed += made["state"] != "done" or "quarantined" in made["counts"]
    return 1 if failed else 0


def uploaded(client: Client, file: Path, mode: str) -> dict[str, Any]:
    """The import that a file has become."""
    from tqdm.utils import CallbackIOWrapper

    with file.open("rb") as stream, progress(file.stat().st_size, "B", bytes=True) as bar:
        bar.set_description("sent")
        body = CallbackIOWrapper(bar.update, stream, "read")
        return client.upload(f"/imports?mode={mode}", body, str(uuid4()))


def followed(client: Client, made: dict[str, Any]) -> dict[str, Any]:
    """The import when it has ended."""
    pause = POLL[0]
    with progress(made["size"], "B", bytes=True) as bar:
        bar.set_description("taken in")
        while made["state"] in UNDER_WAY:
            time.sleep(pause)
            pause = min(2 * pause, POLL[1])
            made = client.get(f"/imports/{made['id']}")
            bar.set_postfix(made["counts"])
            bar.update(made["progress"]["bytes"] - bar.n)
    return made


def tell(client: Client, file: Path, made: dict[str, Any], as_json: bool) -> None:
    """Print what became of a file."""
    for line in client.lines(f"/imports/{made['id']}/verdicts", "application/x-ndjson"):
        verdict = json.loads(line)
        if as_json:
            say(json.dumps({"file": str(file), **verdict}))
        elif verdict["status"] != "accepted":
            say(f"{file}: game {verdict['number']}: {sentence(verdict)}", error=True)
    if not made["counts"] and not made["reason"]:
        say(f"no games in {file}", error=True)
    if as_json:
        say(json.dumps({"file": str(file), "import": made}))
        return
    counts = ", ".join(f"{number} {name}" for name, number in made["counts"].items())
    say(f"{file} {made['id']} {made['state']}: {counts or 'no games'}")
    if made["reason"]:
        say(f"{file}: {made['reason']}", error=True)


def sentence(verdict: dict[str, Any]) -> str:
    """What became of one game, for people."""
    was = f" (was {verdict['was'].get('code', 'accepted')})" if "was" in verdict else ""
    status = verdict["status"]
    if status == "valid":
        return f"valid, not taken in{was}"
    if "code" not in verdict:
        return (
            f"{status}{' ' if 'of' in verdict else ' of '}{verdict.get('of', kept(verdict))}{was}"
        )
    names = ("line", "column", "ply")
    where = ", ".join(f"{name} {verdict[name]}" for name in names if verdict.get(name))
    nearest = verdict.get("nearest")
    hint = f"; nearest: {', '.join(nearest)}" if nearest else ""
    under = f" as {verdict['record']}" if "record" in verdict else ""
    return f"{status}{under}{was}: {where}{': ' if where else ''}{verdict['detail']}{hint}"


def kept(verdict: dict[str, Any]) -> str:
    """The id under which the service has the game."""
    return str(verdict.get("game") or verdict.get("record"))
