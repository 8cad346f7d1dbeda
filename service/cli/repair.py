"""`movelog repair`: what can be kept of a damaged log."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from service.cli.options import data_dir, settings_of

if TYPE_CHECKING:
    from service.operations.repair import Finding


@click.command(short_help="Say what can be kept of a damaged log, and keep that.")
@click.option("--cut", is_flag=True, help="Cut off what cannot be read; the log as it was is kept.")
@data_dir
def repair(cut: bool, data_dir: str | None) -> None:
    """Say how much of the embedded server's log can be read; with --cut, keep just that.

    For a log that the server refuses to load. The service must not run. What stands behind the
    first byte that cannot be read is lost with it: a backup may have more.
    """
    from service.operations import repair as repairing

    settings = settings_of(data_dir)
    if not cut:
        finding = repairing.examine(settings)
        if finding is None:
            click.echo("all of the log can be read")
            return
        click.echo(told(finding))
        click.echo("Nothing was changed. With --cut these bytes are cut off, and the log is kept.")
        return
    done = repairing.cut(settings)
    if done is None:
        click.echo("all of the log can be read")
        return
    finding, kept = done
    click.echo(told(finding))
    click.echo(f"They were cut off. The log as it was is in {kept}")


def told(finding: Finding) -> str:
    """A finding as a sentence."""
    return (
        f"{finding.file}: the first {finding.good} of {finding.size} bytes can be read,"
        f" the last {finding.lost} cannot."
    )
