"""Runs everything on one machine: the embedded Redis, the web, the projector, the workers."""

from __future__ import annotations

import errno
import http.client
import os
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import redis

from service.composition.log_store import borrow_log, check_place, name_servers
from service.environment import FILE
from service.jobs.duties import ALL, ARCHIVE, MAILS
from service.operations.data_dir import explain_refusals, lock_data_dir, run_dir, write_note
from service.operations.errors import CannotListen
from service.operations.forked_process import Module
from service.operations.gunicorn_settings import LISTEN_FD
from service.operations.lost_log import refuse_lost_log
from service.operations.reachable_store import point_settings_at
from service.operations.redis_server import RedisServer, prepare_redis_server
from service.operations.redis_watch import is_full
from service.operations.store_settings import SAFE_SETTINGS, count_replicas, find_unsafe_settings
from service.operations.supervised_program import Program
from service.operations.supervisor import Supervisor
from service.operations.unfinished_restore import refuse_unfinished_restore
from service.records.signer import Signer
from service.secrets.fingerprints import check_keys, refuse_missing_keys
from service.secrets.key_source import find_key_sources
from service.settings import Settings, unknown_settings
from service.storage.connections import open_store
from service.storage.objects import ObjectStore
from service.storage.release import digest_release

ROOT: Final = Path(__file__).parents[2]
"""The folder from which the packages are imported."""

PYTHON: Final = (sys.executable, "-P", "-m")
GUNICORN: Final = (*PYTHON, "gunicorn", "-c", "python:service.operations.gunicorn_settings")
WEB: Final = (*GUNICORN, "service.operations.wsgi:app")
STREAMS: Final = (*GUNICORN, "service.operations.streams_wsgi:app")
WORKER: Final = (*PYTHON, "workers")
"""The parts' command lines; files in the current directory cannot stand in for a package."""
SHARED: Final = (
    "workers.main",
    "service.composition.projector",
    "service.operations.list_progress",
)
"""What the projector and the workers import; for the supervisor's forks, all at once."""
PROJECTOR: Final = Module("service.cli", ("projector",), SHARED)
WEB_DRAINS_WITHIN: Final = 3
"""Seconds that a web process's requests have to finish; the supervisor waits longer."""

Say = Callable[[str], None]


def serve(settings: Settings, started: Callable[[Settings, str], None], say: Say) -> None:
    """Run everything until a signal says to stop, then end it all, Redis last.

    `started` is called with the settings in force and the address once the service answers.
    Raises AlreadyServed, UnusableDataDir, CannotListen, NoRedisServer, KeepsDying,
    RestoreUnfinished, OtherKeys, NoKeys, ObjectsAway.
    """
    with explain_refusals(settings.data_dir):
        is_new = not settings.data_dir.exists()
    if is_new:
        # Not created for a service that cannot listen, or that has its keys elsewhere.
        with listen(settings.host, settings.port):
            pass
        if not settings.embedded_redis:
            with open_store(settings.redis_url) as client:
                refuse_missing_keys(client, find_key_sources(settings))
    # Once for all forks, which would otherwise each read all sources, some of them much later.
    digest_release()
    with ExitStack() as held:
        lock = held.enter_context(lock_data_dir(settings.data_dir))
        listener = held.enter_context(listen(settings.host, settings.port))
        check_objects(settings)
        layers = []
        if settings.embedded_redis:
            server = held.enter_context(prepare_redis_server(settings, say))
            settings = point_settings_at(settings, server.url)
            layers.append([make_store_program(server, settings, lock)])
        else:
            check_store(settings)
            warn_of_unsafe_settings(settings, say)
        address = address_of(listener)
        # A program that ended for lack of room is restarted however often that happens.
        excused = partial(is_full, settings.data_dir)
        notes = {"serve.pid": str(os.getpid()), "url": address}
        leave = partial(leave_notes, run_dir(settings.data_dir), notes)
        above = list_parts(settings, listener, address)
        layers.append([replace(program, excused=excused, watch=leave) for program in above[:1]])
        layers[-1] += [replace(program, excused=excused) for program in above[1:]]

        def announce_start() -> None:
            # By now they are imported, for the parts that are forked.
            from service.composition.service import compose
            from service.operations.admin import make_first_admin

            make_first_admin(compose(settings))
            started(settings, address)

        with publish_notes(run_dir(settings.data_dir), notes):
            Supervisor(layers, run_dir(settings.data_dir), say).run(announce_start)


def make_store_program(server: RedisServer, settings: Settings, lock: int) -> Program:
    """The embedded Redis as a program that is ready when its data may be served."""

    def is_ready() -> bool:
        if not server.is_ready():
            return False
        try:
            check_store(settings)
        except redis.RedisError:
            # It has ended since, and is being restarted.
            return False
        return True

    return replace(server.build_program(os.environ, lock), ready=is_ready)


def check_store(settings: Settings) -> None:
    """Raise RestoreUnfinished for part of a backup, LogLost for a log that was emptied.

    Also raises OtherKeys or NoKeys for a store with other keys, and what `connect_log` raises.
    """
    with open_store(settings.redis_url) as client:
        refuse_unfinished_restore(client)
        with borrow_log(settings, client) as keeping:
            check_place(keeping, client)
            refuse_lost_log(settings, keeping)
        keys = find_key_sources(settings)
        refuse_missing_keys(client, keys)
        check_keys(client, keys, Signer(keys.signing).key_ids)


def check_objects(settings: Settings) -> None:
    """Raise ObjectsAway if the operator's object store cannot be written.

    The data directory's own folder is not tried: games can still be read on a full disk.
    """
    if settings.shares_objects:
        ObjectStore(settings.objects_url).check()


def warn_of_unsafe_settings(settings: Settings, say: Say) -> None:
    """Warn of an operator's Redis that may lose the log because of its configuration.

    Also warn if it has fewer replicas than are waited for.
    """
    with open_store(settings.redis_url) as client, borrow_log(settings, client) as log:
        keeping = name_servers(log, client, replicas=True)
        for name, store in (name_servers(client, client) | keeping).items():
            if unsafe := find_unsafe_settings(store):
                needed = ", ".join(f"{name} {SAFE_SETTINGS[name][0]}" for name in unsafe)
                found = ", ".join(f"{name} {value}" for name, value in unsafe.items())
                say(f"warning: {name} may lose games ({found}); it must run with {needed}")
        for name, store in keeping.items():
            if (missing := settings.replicas - count_replicas(store)) > 0:
                say(f"warning: {name} refuses writes: it needs {missing} more of MOVELOG_REPLICAS")


def list_parts(settings: Settings, listener: socket.socket, address: str) -> list[Program]:
    """The programs above the store."""
    environment = make_child_environment(settings)
    # One process answers everything: there is no proxy in front of it that could separate streams,
    # or send requests elsewhere while it shuts down.
    web = {
        LISTEN_FD: str(listener.fileno()),
        "MOVELOG_STREAMS_APART": "no",
        "MOVELOG_DRAIN_NOTICE": "0",
        "MOVELOG_DRAIN_TIMEOUT": str(WEB_DRAINS_WITHIN),
    }
    return [
        Program(
            "web",
            WEB,
            environment | web,
            # Not /readyz: games can be played while the lists' database is unavailable.
            ready=lambda: has_answer(address, "/healthz"),
            inherited=(listener.fileno(),),
        ),
        Program("projector", PROJECTOR, environment),
        *list_workers(settings, environment),
    ]


def list_workers(settings: Settings, environment: Mapping[str, str]) -> list[Program]:
    """A process for every duty, so that none waits for another's work.

    Mail is sent only with a mail server, and games are archived only if the settings say so.
    """
    idle = [*([] if settings.sends_mail else [MAILS]), *([] if settings.archives else [ARCHIVE])]
    duties = [duty for duty in ALL if duty not in idle]
    return [
        Program(duty.process, Module("workers", (duty.name,), SHARED), environment)
        for duty in duties
    ]


def work(settings: Settings, say: Say) -> None:
    """Run a worker for every duty until a signal says to stop. Raises KeepsDying."""
    with TemporaryDirectory(prefix="movelog-") as folder:
        # Any number of these may share a data directory: their processes' notes are separate.
        programs = list_workers(settings, make_child_environment(settings))
        Supervisor([programs], Path(folder), say).run(lambda: None)


def make_child_environment(settings: Settings) -> dict[str, str]:
    """The environment from which a part reads the same settings."""
    given = {
        "MOVELOG_DATA_DIR": str(settings.data_dir),
        "MOVELOG_REDIS_URL": settings.redis_url,
        "MOVELOG_QUEUE_URL": settings.queue_url,
    }
    # Settings without effect have been reported once; the parts do not report them again.
    known = os.environ.keys() - {name for name, _ in unknown_settings()}
    known -= {name + FILE for name in given}
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    inherited = {name: os.environ[name] for name in known}
    return inherited | given | {"PYTHONPATH": os.pathsep.join(paths)}


@contextmanager
def listen(host: str, port: int) -> Iterator[socket.socket]:
    """A listening socket; port 0 takes a free one. Raises CannotListen."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        reason = (error.strerror or str(error)).partition(" (")[0]
        of_port = error.errno in (errno.EADDRINUSE, errno.EACCES)
        raise CannotListen(host, port, reason, "port" if of_port else "host") from error
    with listener:
        yield listener


def address_of(listener: socket.socket) -> str:
    """The URL at which this machine reaches a listening socket."""
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def has_answer(address: str, path: str) -> bool:
    """Whether a GET request gets a 200 response within a second."""
    connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=1)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def leave_notes(directory: Path, notes: Mapping[str, str]) -> None:
    """Write small files, unless they already say the same, as far as the disk has room."""
    for name, text in notes.items():
        write_note(directory / name, f"{text}\n")


@contextmanager
def publish_notes(directory: Path, notes: Mapping[str, str]) -> Iterator[None]:
    """Keep small files by which others find the service, for as long as the context lasts."""
    leave_notes(directory, notes)
    try:
        yield
    finally:
        for name in notes:
            (directory / name).unlink(missing_ok=True)
