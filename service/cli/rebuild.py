"""`movelog rebuild`: the projections anew from the log."""

from __future__ import annotations

import click

from service.cli.options import data_dir, settings_of
from service.composition import Service


@click.command(short_help="Build the lists of games anew from the log.")
@data_dir
def rebuild(data_dir: str | None) -> None:
    """Build the lists of games anew from the log.

    Works beside a running service, whose readers see the old lists until the new ones are
    whole, and without one.
    """
    from service.composition import compose
    from service.operations.reach import reachable

    with reachable(settings_of(data_dir)) as settings:
        games = rebuild_with_progress(compose(settings))
    click.echo(f"{games} games listed")


def rebuild_with_progress(service: Service) -> int:
    """Rebuild the projections under a progress bar; returns how many games there are."""
    from service.cli.progress import counting
    from service.composition import now
    from service.projection.rebuild import rebuild as build

    with counting("game") as show:
        return build(service.log, service.store, show, service.ratings, now())
