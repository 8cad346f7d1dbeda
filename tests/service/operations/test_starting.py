"""What `movelog serve` imports and which processes it starts before it answers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from service.operations.forked_process import Module
from service.operations.serving import list_workers
from service.settings import read_settings

NEEDED = {
    "cffi_backend",
    "click",
    "cryptography",
    "engine",
    "hiredis",
    "openssl",
    "redis",
    "service",
}
"""The packages needed to start the store and the web process."""
OF_REDIS = {"opentelemetry", "typing_extensions", "packaging", "jwt"}
"""Packages that redis-py imports if they are installed."""


def list_imports(module: str) -> set[str]:
    """The modules that importing this one imports, except those of the standard library."""
    names = f"import sys; old = {{*sys.modules}}; import {module}; print(*{{*sys.modules}} - old)"
    run = subprocess.run([sys.executable, "-c", names], capture_output=True, text=True, check=True)
    packages = sys.stdlib_module_names
    return {name for name in run.stdout.split() if name.partition(".")[0] not in packages}


def test_serve_imports_little_before_it_starts_the_web() -> None:
    loaded = list_imports("service.operations.serving")
    packages = {name.partition(".")[0].lstrip("_") for name in loaded}
    assert {name for name in packages - NEEDED - OF_REDIS if "cython" not in name} == set()
    assert "service.composition.service" not in loaded


@pytest.mark.slow
def test_a_service_imports_nothing_that_few_requests_need() -> None:
    late = {"authlib", "joserfc", "webauthn", "babel.messages", "sqlalchemy.dialects.postgresql"}
    assert late & list_imports("service.composition.service") == set()


def test_workers_share_what_is_imported(tmp_path: Path) -> None:
    programs = list_workers(read_settings({"MOVELOG_DATA_DIR": str(tmp_path)}), os.environ)
    assert len(programs) > 5
    for program in programs:
        assert isinstance(program.command, Module)
        assert "workers.main" in program.command.imports
