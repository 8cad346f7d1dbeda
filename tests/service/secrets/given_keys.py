"""Keys that the operator gives, in files that every machine has."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from service.composition.service import Service, compose
from service.operations.given_key_files import make_key_files
from service.settings import read_settings
from tests.service.redis_server import RedisServer

VARIABLES = {
    "MOVELOG_SECRET_KEY": "secret.key",
    "MOVELOG_CHOICE_KEYS": "choice.key",
    "MOVELOG_SIGNING_KEYS": "signing.key",
}

Start = Callable[[str], Service]


def name_files(folder: Path) -> dict[str, str]:
    return {f"{name}_FILE": str(folder / file) for name, file in VARIABLES.items()}


@pytest.fixture
def mounted(tmp_path: Path) -> Path:
    """A folder with the key files that every machine is given."""
    make_key_files(tmp_path / "mounted")
    return tmp_path / "mounted"


@pytest.fixture
def environment(mounted: Path, redis_server: RedisServer) -> dict[str, str]:
    given = {"MOVELOG_REDIS_URL": redis_server.url, "MOVELOG_RATE_LIMIT": ""}
    return given | name_files(mounted)


@pytest.fixture
def start(environment: dict[str, str], tmp_path: Path) -> Start:
    """A function that starts a process on a machine with a data directory of its own."""

    def start(machine: str) -> Service:
        return compose(read_settings({**environment, "MOVELOG_DATA_DIR": str(tmp_path / machine)}))

    return start
