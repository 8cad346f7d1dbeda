"""An S3 endpoint on loopback that tests start themselves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

BUCKET: Final = "movelog"
PROGRAM: Final = """
import json, logging, os, signal, sys
from moto.server import ThreadedMotoServer
logging.getLogger("werkzeug").setLevel(logging.ERROR)
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
print(json.dumps(f"http://{host}:{port}"), flush=True)
sys.stdin.read()
os._exit(0)
"""


class S3Server:
    """A `moto` server at `endpoint`, in a process of its own, with a bucket."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.endpoint: str = json.loads(self.process.stdout.readline())

    @property
    def environment(self) -> dict[str, str]:
        """The variables that lead clients to it."""
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "movelog",
            "AWS_SECRET_ACCESS_KEY": "movelog",
        }

    def make_bucket(self) -> None:
        """Make the bucket that tests use."""
        import requests

        answer = requests.put(f"{self.endpoint}/{BUCKET}", timeout=30)
        assert answer.status_code == 200, answer.text

    def stop(self) -> None:
        """End its process."""
        self.process.kill()
        self.process.communicate()


@contextmanager
def running_s3() -> Iterator[S3Server]:
    """A server with its bucket; its variables are set while the context lasts."""
    server = S3Server()
    before = dict(os.environ)
    try:
        server.make_bucket()
        os.environ.update(server.environment)
        yield server
    finally:
        os.environ.clear()
        os.environ.update(before)
        server.stop()
