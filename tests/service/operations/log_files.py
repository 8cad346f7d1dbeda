"""The append-only files of a Redis or Valkey, whichever the tests run with."""

from __future__ import annotations

from pathlib import Path


def newest_log_file(files: Path) -> Path:
    """The append-only file being written: the only one of Redis 6, the last one of others."""
    parts = sorted(files.glob("appendonlydir/*.incr.aof"), key=lambda f: int(f.name.split(".")[2]))
    return parts[-1] if parts else files / "appendonly.aof"
