"""`movelog import`: import files of records into a running service."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

import click

from service.cli.options import add_player_options
from service.cli.play.command import RECORD
from service.cli.progress import make_progress_bar, say

if TYPE_CHECKING:
    from service.cli.client import Client

MODES: Final = ("quarantine", "strict", "as-played")
UNDER_WAY: Final = frozenset({"queued", "running", "committed"})
POLL: Final = (0.05, 1.0)
"""Seconds between two requests for an import's status: the first, and the longest."""


@click.command("import", short_help="Import files of records into a running service.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=RECORD)
@click.option(
    "--mode",
    type=click.Choice(MODES),
    default=MODES[0],
    help="What to do with bad records [quarantine].",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON lines: verdicts, then the import."
)
@add_player_options
def import_(
    files: tuple[Path, ...],
    mode: str,
    as_json: bool,
    service: Client,
) -> int:
    """Import files of records into a running service, plain or packed by gzip or zstd.

    By default bad records are quarantined and good ones imported; --mode strict imports all or
    none; --mode as-played keeps illegal games as records. Prints a line `FILE ID STATE` with the
    counts for each file, and on standard error a line for each game that was not accepted.

    The service finishes an import even if this command is interrupted.

    Exit status 1 if a game was quarantined or an import failed.
    """
    failed = 0
    for file in files:
        result = wait_for_import(service, upload_file(service, file, mode))
        print_result(service, file, result, as_json)
        failed += result["state"] != "done" or "quarantined" in result["counts"]
    return 1 if failed else 0


def upload_file(service: Client, file: Path, mode: str) -> dict[str, Any]:
    """Upload a file; returns the import that the service makes of it."""
    from tqdm.utils import CallbackIOWrapper

    with file.open("rb") as stream, make_progress_bar(file.stat().st_size, "B", bytes=True) as bar:
        bar.set_description("sent")
        body = CallbackIOWrapper(bar.update, stream, "read")
        return service.upload(f"/imports?mode={mode}", body, str(uuid4()))


def wait_for_import(service: Client, status: dict[str, Any]) -> dict[str, Any]:
    """Wait under a progress bar until an import has ended; returns its last status.

    If it has to wait, the reason is printed.
    """
    pause, told = POLL[0], ""
    with make_progress_bar(status["size"], "B", bytes=True) as bar:
        bar.set_description("imported")
        while status["state"] in UNDER_WAY:
            time.sleep(pause)
            pause = min(2 * pause, POLL[1])
            status = service.get(f"/imports/{status['id']}")
            bar.set_postfix(status["counts"])
            bar.update(status["progress"]["bytes"] - bar.n)
            reason = status["reason"] if status["state"] in UNDER_WAY else ""
            if reason not in ("", told):
                told = reason
                say(reason, error=True)
    return status


def print_result(service: Client, file: Path, result: dict[str, Any], as_json: bool) -> None:
    """Print the verdicts that need attention, and the import's state and counts."""
    for line in service.stream_lines(f"/imports/{result['id']}/verdicts", "application/x-ndjson"):
        verdict = json.loads(line)
        if as_json:
            say(json.dumps({"file": str(file), **verdict}))
        elif verdict["status"] != "accepted":
            say(f"{file}: game {verdict['number']}: {describe_verdict(verdict)}", error=True)
    if not result["counts"] and not result["reason"]:
        say(f"no games in {file}", error=True)
    if as_json:
        say(json.dumps({"file": str(file), "import": result}))
        return
    counts = ", ".join(f"{number} {name}" for name, number in result["counts"].items())
    say(f"{file} {result['id']} {result['state']}: {counts or 'no games'}")
    if result["reason"]:
        say(f"{file}: {result['reason']}", error=True)


def describe_verdict(verdict: dict[str, Any]) -> str:
    """What happened to one game, as a phrase."""
    was = f" (was {verdict['was'].get('code', 'accepted')})" if "was" in verdict else ""
    status = verdict["status"]
    if status == "valid":
        return f"valid, not imported{was}"
    if "code" not in verdict:
        other = f" {verdict['of']}" if "of" in verdict else f" of {find_kept_id(verdict)}"
        return f"{status}{other}{was}"
    names = ("line", "column", "ply")
    where = ", ".join(f"{name} {verdict[name]}" for name in names if verdict.get(name))
    nearest = verdict.get("nearest")
    hint = f"; nearest: {', '.join(nearest)}" if nearest else ""
    under = f" as {verdict['record']}" if "record" in verdict else ""
    return f"{status}{under}{was}: {where}{': ' if where else ''}{verdict['detail']}{hint}"


def find_kept_id(verdict: dict[str, Any]) -> str:
    """The id under which the service keeps the game or record."""
    return str(verdict.get("game") or verdict.get("record"))
