"""Gunicorn's settings for the web process.

Read by `gunicorn -c python:service.operations.gunicorn_settings`, before gevent patches
its worker: so it imports little, and nothing that opens a connection.
"""

from __future__ import annotations

import os
import resource
from typing import Final

from service.operations.parent_death import die_with
from service.settings import read_settings

LISTEN_FD: Final = "MOVELOG_LISTEN_FD"
"""The inherited socket to listen on, where a supervisor holds it open across restarts."""

MOST_CONNECTIONS: Final = 10_000
"""Of a worker: an idle stream of events holds one."""
OTHER_FILES: Final = 200
"""Files that a worker has open beside its connections: the store's, modules, uploads."""


def raise_file_limit() -> int:
    """Let this process open as many files as the system allows it; returns how many."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return MOST_CONNECTIONS + OTHER_FILES if hard == resource.RLIM_INFINITY else hard


def limit_connections(files: int, to_redis: int) -> int:
    """How many connections a worker takes; more wait in the listening socket's queue.

    One that could not be opened for want of a file would fail instead.
    """
    return max(1, min(MOST_CONNECTIONS, files - OTHER_FILES - 2 * to_redis))


_settings = read_settings()
_host = f"[{_settings.host}]" if ":" in _settings.host else _settings.host

bind = f"fd://{os.environ[LISTEN_FD]}" if LISTEN_FD in os.environ else f"{_host}:{_settings.port}"
workers = _settings.web_workers
worker_class = "service.operations.web_worker.WebWorker"
worker_connections = limit_connections(raise_file_limit(), _settings.redis_connections)
timeout = 60
graceful_timeout = 3  # streams do not end by themselves, their clients resume
keepalive = 75  # on; how long an idle connection is kept says MOVELOG_IDLE_TIMEOUT
# What proxies say is the application's to believe (MOVELOG_TRUSTED_PROXIES).
forwarded_allow_ips = ""
secure_scheme_headers: dict[str, str] = {}
loglevel = "warning"
control_socket_disable = True


def post_fork(server: object, worker: object) -> None:
    """Gunicorn's hook in each new worker: it ends with the process that manages it."""
    die_with(os.getppid())()
