"""`movelog web`, `streams`, `worker`, `projector`: run one part of a service."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from threading import Event

import click

from service.cli.options import make_settings
from service.cli.serve.serve import report
from service.jobs.duties import ALL
from service.settings import Settings
from service.tracing.wishes import wants_traces

NICENESS = 5
"""The projector's niceness: on a busy machine, requests come first."""


def add_address_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command options for the address that it listens on."""
    port = click.option(
        "--port",
        type=click.IntRange(1, 65535),
        help="The port to listen on [MOVELOG_PORT; default: 8320].",
    )
    host = click.option(
        "--host", help="The address to listen on [MOVELOG_HOST; default: 127.0.0.1]."
    )
    return host(port(command))


@click.command(short_help="Run only a web server.")
@add_address_options
def web(host: str | None, port: int | None) -> None:
    """Run only the web server, on the Redis of MOVELOG_REDIS_URL.

    Any number of them can run. MOVELOG_WEB_WORKERS sets the number of processes of each. With
    MOVELOG_STREAMS_APART=yes it leaves event streams to `movelog streams`.
    """
    from service.operations.serving import WEB

    listen_with(WEB, host, port)


@click.command(short_help="Run only a server of event streams.")
@add_address_options
def streams(host: str | None, port: int | None) -> None:
    """Run a server that answers only event streams, on the Redis of MOVELOG_REDIS_URL.

    Any number of them can run. A proxy passes them the paths under /api/v1 that end in /stream,
    and `movelog web` everything else. MOVELOG_WEB_WORKERS sets the number of processes of each.
    """
    from service.operations.serving import STREAMS

    listen_with(STREAMS, host, port)


def listen_with(command: tuple[str, ...], host: str | None, port: int | None) -> None:
    """Replace this process by a program that listens; raises the errors of `replace_process`."""
    settings = load_part_settings(host=host, port=port)
    replace_process(
        command, settings, {"MOVELOG_HOST": settings.host, "MOVELOG_PORT": str(settings.port)}
    )


@click.command(short_help="Run only the workers.")
@click.option(
    "--only",
    type=click.Choice([duty.name for duty in ALL]),
    help="Work only on this duty [default: a process for each that the settings call for].",
)
def worker(only: str | None) -> None:
    """Run workers, on the Redis of MOVELOG_REDIS_URL and MOVELOG_QUEUE_URL.

    Any number of them can run. Without --only, a process for each duty is started and restarted
    when it dies, so that no duty waits for another; for mail only with MOVELOG_SMTP_URL, and for
    archive only with MOVELOG_ARCHIVE_AFTER_DAYS or MOVELOG_ARCHIVE_ABOVE.
    """
    from service.operations.serving import WORKER, work

    settings = load_part_settings()
    if only is None:
        check_reachable_store(settings)
        work(settings, report)
    else:
        replace_process((*WORKER, only), settings, {})


@click.command(short_help="Run only a projector.")
def projector() -> None:
    """Run only a projector, on the Redis of MOVELOG_REDIS_URL.

    It keeps the lists and indexes up to date and starts background work, such as scoring
    finished games. Any number of them can run: they share the work.
    """
    from service.composition.key_telling import tell_keys
    from service.composition.projector import compose_projector_process
    from service.composition.service import compose
    from service.operations.list_progress import ListProgress
    from service.tracing.tracing import begin_tracing

    settings = load_part_settings()
    os.nice(NICENESS)
    stop = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, frame: stop.set())
    check_reachable_store(settings)
    begin_tracing("projector")
    service = compose(settings)
    tell_keys(settings, "projector")
    lists = ListProgress(partial(service.checkpoints.count_behind, service.log), report)
    compose_projector_process(service, lists.watch, lists.follow_rebuild).run(stop)


def load_part_settings(**options: object) -> Settings:
    """The settings; raises click.UsageError without a Redis, which a part does not run itself.

    Raises BadSetting, also for the settings of traces.
    """
    settings = make_settings(**options)
    wants_traces()
    if settings.embedded_redis:
        raise click.UsageError(
            "MOVELOG_REDIS_URL is not set; only movelog serve runs a Redis of its own"
        )
    return settings


def check_reachable_store(settings: Settings) -> None:
    """Check the stores; raises OtherKeys, NoKeys, UnusableDataDir and RestoreUnfinished.

    Raises ObjectsAway for an object store that cannot be written, and RedisError for a Redis that
    cannot be used. Warns about a store whose configuration may lose the log.
    """
    from service.operations.data_dir import explain_refusals
    from service.operations.serving import (
        check_objects,
        check_store,
        warn_of_unsafe_settings,
    )

    check_objects(settings)
    with explain_refusals(settings.data_dir):
        check_store(settings)
    warn_of_unsafe_settings(settings, report)


def replace_process(command: tuple[str, ...], settings: Settings, extra: dict[str, str]) -> None:
    """Replace this process by another program; raises the errors of `check_reachable_store`."""
    from service.operations.serving import make_child_environment

    check_reachable_store(settings)
    sys.stdout.flush()
    os.execve(command[0], command, make_child_environment(settings) | extra)
