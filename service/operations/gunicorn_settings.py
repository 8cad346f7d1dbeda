"""Gunicorn's settings for the web process.

It is read by `gunicorn -c python:service.operations.gunicorn_settings` before gevent patches its
worker, so it imports little, and nothing that opens a connection.
"""

from __future__ import annotations

import os
from typing import Final

from service.operations.parent_death import die_with
from service.settings import read_settings
from service.storage.open_files import limit_connections, raise_file_limit

LISTEN_FD: Final = "MOVELOG_LISTEN_FD"
"""The inherited socket to listen on, if a supervisor holds it open across restarts."""

_settings = read_settings()
_host = f"[{_settings.host}]" if ":" in _settings.host else _settings.host

bind = f"fd://{os.environ[LISTEN_FD]}" if LISTEN_FD in os.environ else f"{_host}:{_settings.port}"
workers = _settings.web_workers
worker_class = "service.operations.web_worker.WebWorker"
worker_connections = limit_connections(raise_file_limit(), _settings.redis_connections)
timeout = 60
# A little more than the worker itself takes (`service.operations.web_worker`).
graceful_timeout = _settings.drain_notice + _settings.drain_timeout + 3
keepalive = 75  # on; MOVELOG_IDLE_TIMEOUT says how long an idle connection is kept
# The application decides whether to believe what proxies say (MOVELOG_TRUSTED_PROXIES).
forwarded_allow_ips = ""
secure_scheme_headers: dict[str, str] = {}
loglevel = "warning"
control_socket_disable = True


def post_fork(server: object, worker: object) -> None:
    """Gunicorn's hook in each new worker: let it end with the process that manages it."""
    die_with(os.getppid())()
