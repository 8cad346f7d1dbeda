"""`movelog repair`: keep the readable part of a damaged log."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from service.cli.options import data_dir, load_existing_settings

if TYPE_CHECKING:
    from service.operations.repair import DamagedFile


@click.command(short_help="Check a damaged log, and cut off what cannot be read.")
@click.option(
    "--cut", is_flag=True, help="Cut off what cannot be read, and keep a copy of the log."
)
@data_dir
def repair(cut: bool, data_dir: str | None) -> None:
    """Report how much of the embedded server's log can be read; with --cut, keep only that.

    For a log that the server refuses to load; the service must be stopped. Everything after the
    first unreadable byte is lost, so check whether a backup has more.
    """
    from service.operations import repair as repairing

    settings = load_existing_settings(data_dir)
    if not cut:
        finding = repairing.examine(settings)
        if finding is None:
            click.echo("the whole log can be read")
            return
        click.echo(describe_finding(finding))
        click.echo("Nothing was changed. --cut cuts these bytes off and keeps a copy of the log.")
        return
    done = repairing.cut(settings)
    if done is None:
        click.echo("the whole log can be read")
        return
    finding, kept = done
    click.echo(describe_finding(finding))
    click.echo(f"They were cut off. A copy of the whole log is in {kept}")


def describe_finding(finding: DamagedFile) -> str:
    """A finding as a sentence."""
    return (
        f"{finding.file}: the first {finding.good} of {finding.size} bytes can be read,"
        f" the last {finding.lost} cannot."
    )
