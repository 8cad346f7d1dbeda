"""The log files of the embedded server, which it replaces while it runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.operations.log_upgrade import LOG_FILE, LOG_FOLDER
from service.operations.redis_loading import log_sizes


def test_the_sizes_are_those_of_either_form_of_log(tmp_path: Path) -> None:
    (tmp_path / LOG_FOLDER).mkdir()
    (tmp_path / LOG_FILE).write_bytes(b"123")
    (tmp_path / LOG_FOLDER / f"{LOG_FILE}.1.incr.aof").write_bytes(b"12345")
    assert log_sizes(tmp_path) == {LOG_FILE: 3, f"{LOG_FILE}.1.incr.aof": 5}


def test_a_file_that_is_replaced_meanwhile_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / LOG_FILE).write_bytes(b"123")
    found = [tmp_path / "replaced", tmp_path / LOG_FILE]
    monkeypatch.setattr(Path, "glob", lambda folder, pattern: found if pattern == LOG_FILE else [])
    assert log_sizes(tmp_path) == {LOG_FILE: 3}
