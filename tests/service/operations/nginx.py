"""The system's nginx, started by tests in a folder of its own."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pytest

from tests.project.tree import ROOT

PATIENCE: Final = 60.0
"""Seconds for nginx to start or to stop."""
PLACES: Final = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin"))
CONFIGURATION: Final = """\
daemon off;
{user}
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
{http}
}}
"""


def find_nginx() -> str:
    """The path of nginx; skips the test if there is none."""
    program = shutil.which("nginx", path=PLACES)
    if program is None:
        pytest.skip("no nginx: install your system's package nginx")
    return program


def configure(port: int, web: Iterable[int], streams: Iterable[int]) -> str:
    """The directives of `deploy/` for this port, with the web and streams parts on these ports.

    The upstreams are as in docs/operations.md.
    """
    server = (ROOT / "deploy" / "nginx.conf").read_text().replace("listen 80", f"listen {port}")
    upstreams = []
    for name, ports in (("web", web), ("streams", streams)):
        server = server.replace(f"//{name}:8320", f"//{name}")
        servers = " ".join(f"server 127.0.0.1:{each} max_fails=0;" for each in ports)
        upstreams.append(f"upstream {name} {{ {servers} }}")
    return "\n".join((*upstreams, server))


class Nginx:
    """An nginx with these directives in its `http` block; once constructed, it listens."""

    def __init__(self, folder: Path, http: str, port: int) -> None:
        self.folder = folder
        # Otherwise its workers could not write to the test's folder.
        user = "user root;" if os.getuid() == 0 else ""
        file = folder / "nginx.conf"
        file.write_text(CONFIGURATION.format(user=user, folder=folder, http=http))
        self.process = subprocess.Popen(
            [find_nginx(), "-p", str(folder), "-c", str(file)], stderr=subprocess.DEVNULL
        )
        self._wait_for(port)

    def _wait_for(self, port: int) -> None:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return
            except ConnectionRefusedError:
                assert self.process.poll() is None, self.log()
                assert time.monotonic() < deadline, self.log()
                time.sleep(0.05)

    def log(self) -> str:
        """The errors in its log."""
        file = self.folder / "nginx.log"
        return file.read_text() if file.exists() else ""

    def close(self) -> None:
        """Stop it."""
        self.process.terminate()
        self.process.wait(PATIENCE)
