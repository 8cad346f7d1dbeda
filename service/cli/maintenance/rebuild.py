"""`movelog rebuild`: rebuild the projections from the log."""

from __future__ import annotations

import click

from service.cli.options import data_dir, load_existing_settings
from service.composition.service import Service


@click.command(short_help="Rebuild the lists and search indexes from the log.")
@click.option(
    "--begin-anew",
    "is_new",
    is_flag=True,
    help="Accept that the log was emptied (log-lost): forget all games that were in it.",
)
@data_dir
def rebuild(is_new: bool, data_dir: str | None) -> None:
    """Rebuild the lists, search indexes and ratings from the log.

    The service may be running or stopped. Until the new lists are complete, readers see the old
    ones.
    """
    from service.composition.service import compose
    from service.operations.lost_log import check_lost_log
    from service.operations.reachable_store import reach_store

    with reach_store(load_existing_settings(data_dir)) as settings:
        check_lost_log(settings, is_new=is_new)
        games = rebuild_with_progress(compose(settings))
    click.echo(f"{games} games listed")


def rebuild_with_progress(service: Service) -> int:
    """Rebuild the projections under a progress bar; return the number of games."""
    from service.cli.progress import show_progress
    from service.composition.projector import rebuild as build

    with show_progress("game") as show:
        return build(service, show)
