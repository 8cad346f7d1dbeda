"""Access to a service's store from another command, whether the service is running or not."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from service.operations.data_dir import address_file, check_owner, explain_refusals, lock_data_dir
from service.operations.errors import AlreadyServed, NotServing, RedisEnded
from service.operations.parent_death import die_with
from service.operations.redis_server import RedisServer, prepare_redis_server
from service.operations.unfinished_restore import refuse_unfinished_restore
from service.settings import Settings
from service.storage.connections import open_store


@contextmanager
def reach_store(settings: Settings, *, restoring: bool = False) -> Iterator[Settings]:
    """The settings with a Redis that answers.

    That is the configured one, that of a running service, or an embedded one started for as long as
    the context lasts. Raises RestoreUnfinished for a store that holds part of a backup; NotServing,
    NoRedisServer or RedisEnded if no Redis is available. Only with `restoring` may the store hold
    part of a backup; then no other process may hold the data directory (AlreadyServed). Raises
    OwnedByAnother and UnusableDataDir.
    """
    with explain_refusals(settings.data_dir), ExitStack() as held:
        check_owner(settings.data_dir)
        reached = settings
        if restoring and not settings.embedded_redis:
            held.enter_context(lock_data_dir(settings.data_dir))
        if settings.embedded_redis:
            try:
                lock = held.enter_context(lock_data_dir(settings.data_dir))
            except AlreadyServed:
                if restoring:
                    raise
                reached = point_settings_at(settings, find_running_address(settings))
            else:
                server = held.enter_context(prepare_redis_server(settings))
                held.enter_context(start_store(server, lock))
                reached = point_settings_at(settings, server.url)
        if not restoring:
            with open_store(reached.redis_url) as store:
                refuse_unfinished_restore(store)
        yield reached


def point_settings_at(settings: Settings, url: str) -> Settings:
    """Point the settings to the embedded Redis's real address, but not those of another queue."""
    queue_url = url if settings.queue_url == settings.redis_url else settings.queue_url
    return replace(settings, redis_url=url, queue_url=queue_url)


def find_running_address(settings: Settings) -> str:
    """Return the address of a running service's Redis; raises NotServing."""
    try:
        return address_file(settings.data_dir).read_text().strip()
    except FileNotFoundError:
        raise NotServing(settings.data_dir) from None


@contextmanager
def start_store(server: RedisServer, lock: int) -> Iterator[None]:
    """Start an embedded Redis, wait until it answers, and end it with the context.

    Raises RedisEnded, DamagedLog, NoRedisServer, WrittenByNewer.
    """
    program, attendant = server.prepare()
    process = subprocess.Popen(
        [*server.build_command(program), *attendant.prepare()],
        stdin=subprocess.DEVNULL,
        stdout=2,
        pass_fds=(lock,),
        start_new_session=True,
        preexec_fn=die_with(os.getpid()),
    )
    try:
        while not server.is_ready():
            if (status := process.poll()) is not None:
                attendant.is_excused()
                raise RedisEnded(status, server.log)
            time.sleep(0.05)
        attendant.watch()
        yield
    finally:
        process.terminate()
        process.wait()
