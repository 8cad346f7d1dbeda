"""`movelog audit`: replay the archive under the current rules."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from service.cli.options import data_dir, load_existing_settings
from service.log.interface import EventLog

if TYPE_CHECKING:
    from service.verification.audit import Finding


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object that lists every game.")
@data_dir
def audit(as_json: bool, data_dir: str | None) -> int:
    """Replay every game under the current rules.

    Reports the first divergent ply of each game that diverges, and each game that was played under
    another version of the rules. The service may be running or stopped.

    Exit status 1 if any game diverges.
    """
    from service.composition import compose
    from service.operations.reachable_store import reach_store

    with reach_store(load_existing_settings(data_dir)) as settings:
        findings = list(audit_games(compose(settings).log))
    diverging = sum(finding.fault is not None for finding in findings)
    repinned = sum(finding.repinned for finding in findings)
    if as_json:
        counts = {"games": len(findings), "diverging": diverging, "other_rules": repinned}
        click.echo(json.dumps({**counts, "items": [finding.as_json() for finding in findings]}))
    else:
        for finding in findings:
            if finding.fault or finding.repinned:
                click.echo(str(finding))
        click.echo(f"{len(findings)} games, {diverging} diverge, {repinned} under other rules")
    return 1 if diverging else 0


def audit_games(log: EventLog) -> Iterator[Finding]:
    """Yield the finding on each game, ordered by id, under a progress bar."""
    from service.cli.progress import make_progress_bar
    from service.game.repository import KIND
    from service.verification.audit import audit_game

    streams = sorted(log.streams(KIND), key=str)
    with make_progress_bar(len(streams), "game") as bar:
        for stream in streams:
            yield audit_game(log, stream)
            bar.update()
