"""What a worker logs while the store or a disk has no room."""

from __future__ import annotations

import errno
import io
import logging

import pytest
import redis

from workers.main import SILENCE, ShortOfRoom

FULL = [redis.OutOfMemoryError("OOM command not allowed"), OSError(errno.ENOSPC, "full")]


@pytest.fixture
def written() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def log(written: io.StringIO) -> logging.Logger:
    """A logger whose handler is filtered as a worker's is."""
    handler = logging.StreamHandler(written)
    handler.addFilter(ShortOfRoom())
    logger = logging.Logger("tests")
    logger.addHandler(handler)
    return logger


def report(log: logging.Logger, error: Exception) -> None:
    """Log an error as RQ does."""
    try:
        raise error
    except type(error):
        log.error("Worker %s: found an unhandled exception, quitting...", "w", exc_info=True)


@pytest.mark.parametrize("error", FULL, ids=repr)
def test_a_full_store_is_one_line_a_minute_and_no_traceback(
    error: Exception,
    log: logging.Logger,
    written: io.StringIO,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = [1000.0]
    monkeypatch.setattr("workers.main.time.monotonic", lambda: clock[0])
    for _ in range(31):
        report(log, error)
    assert written.getvalue() == "there is no room to work: waiting until there is\n"
    clock[0] += SILENCE
    report(log, error)
    assert written.getvalue().count("\n") == 2


def test_a_fault_of_the_service_keeps_its_traceback(
    log: logging.Logger, written: io.StringIO
) -> None:
    log.warning("job %s goes back", "j")
    report(log, ValueError("a fault"))
    assert written.getvalue().startswith("job j goes back\nWorker w: found an unhandled")
    assert written.getvalue().endswith("ValueError: a fault\n")
