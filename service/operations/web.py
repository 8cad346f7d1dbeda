"""Gunicorn's settings for the web process: `gunicorn -c python:service.operations.web`.

Gunicorn reads this before gevent patches its worker, so it imports little, and nothing that
opens a connection.
"""

from __future__ import annotations

import os
from typing import Final

from service.operations.lifetime import die_with
from service.settings import read_settings

LISTEN_FD: Final = "MOVELOG_LISTEN_FD"
"""The inherited socket to listen on, where a supervisor holds it open across restarts."""

_settings = read_settings()
_host = f"[{_settings.host}]" if ":" in _settings.host else _settings.host

bind = f"fd://{os.environ[LISTEN_FD]}" if LISTEN_FD in os.environ else f"{_host}:{_settings.port}"
workers = _settings.web_workers
worker_class = "gevent"
worker_connections = 10_000  # an idle stream of events holds one
timeout = 60
graceful_timeout = 3  # streams do not end by themselves, their clients resume
keepalive = 75  # seconds; longer than a proxy keeps its connections, so that none is cut in use
loglevel = "warning"
control_socket_disable = True


def post_fork(server: object, worker: object) -> None:
    """Gunicorn's hook in each new worker: it ends with the process that manages it."""
    die_with(os.getppid())()
