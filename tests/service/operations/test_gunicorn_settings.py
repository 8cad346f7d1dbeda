"""How many files a web process may open, and so how many connections it accepts."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

CHILD = """
import json, resource, sys
soft, hard = map(int, sys.argv[1:])
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
from service.operations.gunicorn_settings import worker_connections
print(json.dumps([*resource.getrlimit(resource.RLIMIT_NOFILE), worker_connections]))
"""


@pytest.mark.parametrize(
    ("soft", "hard", "connections"),
    [
        (256, 1024, (1024 - 200 - 2 * 64) // 2),
        (1024, 1024, (1024 - 200 - 2 * 64) // 2),
        (64, 64, (64 - 16 - 2 * 8) // 2),
        (64, 200, (200 - 50 - 2 * 25) // 2),
        (256, 20_000, (20_000 - 200 - 2 * 64) // 2),
    ],
)
def test_the_limit_of_open_files_is_raised_and_bounds_the_connections(
    soft: int, hard: int, connections: int
) -> None:
    command = [sys.executable, "-c", CHILD, str(soft), str(hard)]
    child = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert child.returncode == 0, child.stderr
    assert json.loads(child.stdout) == [hard, hard, connections]
