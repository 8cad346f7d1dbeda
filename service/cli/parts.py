"""`movelog web`, `worker`, `projector`: the parts of a service one by one."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from threading import Event

import click

from service.cli.options import settings_with
from service.jobs.duties import DUTIES
from service.settings import Settings

NICENESS = 5
"""How much the projector gives way on a busy machine to whoever is waited for."""


@click.command(short_help="Run a web server alone.")
@click.option("--host", help="The address to listen on [MOVELOG_HOST; default: 127.0.0.1].")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    help="The port to listen on [MOVELOG_PORT; default: 8320].",
)
def web(host: str | None, port: int | None) -> None:
    """Run the web server alone, on the Redis of MOVELOG_REDIS_URL.

    Any number of them may run. MOVELOG_WEB_WORKERS says how many processes each has.
    """
    from service.operations.serving import WEB

    settings = settings_of_a_part(host=host, port=port)
    become(WEB, settings, {"MOVELOG_HOST": settings.host, "MOVELOG_PORT": str(settings.port)})


@click.command(short_help="Run the workers alone.")
@click.option(
    "--only",
    type=click.Choice([duty.name for duty in DUTIES]),
    help="Work on this duty alone [a process for each].",
)
def worker(only: str | None) -> None:
    """Run workers, on the Redis of MOVELOG_REDIS_URL and MOVELOG_QUEUE_URL.

    Any number of them may run. Without --only, a process for every duty is started and kept
    running, so that none waits for another's work.
    """
    from service.operations.serving import WORKER, work

    settings = settings_of_a_part()
    check(settings)
    if only is None:
        work(settings, lambda line: click.echo(f"movelog: {line}", err=True))
    else:
        become((*WORKER, only), settings, {})


@click.command(short_help="Run the projector alone.")
def projector() -> None:
    """Run the projector alone, on the Redis of MOVELOG_REDIS_URL.

    It keeps the lists of games up to date and starts the scoring of ended games. One is enough.
    """
    from service.composition import compose
    from service.reactions.process import run_projector

    os.nice(NICENESS)
    stop = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, frame: stop.set())
    run_projector(compose(settings_of_a_part()), stop)


def settings_of_a_part(**options: object) -> Settings:
    """The settings; a usage error where no Redis is named, since a part runs none."""
    settings = settings_with(**options)
    if settings.embedded_redis:
        raise click.UsageError("MOVELOG_REDIS_URL is not set, and only movelog serve runs a Redis")
    return settings


def check(settings: Settings) -> None:
    """Refuse a store that was begun with other keys; one that is away is waited for later."""
    import redis

    from service.secrets.fingerprints import check_keys

    with suppress(redis.ConnectionError), redis.Redis.from_url(settings.redis_url) as store:
        check_keys(store, settings)


def become(command: tuple[str, ...], settings: Settings, extra: dict[str, str]) -> None:
    """Go on as another program; raises OtherKeys."""
    from service.operations.serving import child_environment

    check(settings)
    sys.stdout.flush()
    os.execve(command[0], command, child_environment(settings) | extra)
