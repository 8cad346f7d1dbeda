"""How the files that a process may open are divided."""

from __future__ import annotations

from dataclasses import astuple
from pathlib import Path

import pytest

from service.storage.open_files import (
    MOST_CONNECTIONS,
    ConnectionBounds,
    bound_connections,
    bound_redis_connections,
    limit_connections,
)


@pytest.mark.parametrize("files", [32, 64, 128, 256, 512, 1024, 4096, 20_328, 1 << 20])
@pytest.mark.parametrize("to_redis", [4, 64, 10_000])
@pytest.mark.parametrize("wanted", [1, 1000, 1 << 31])
def test_whatever_one_address_does_the_others_have_files(
    files: int, to_redis: int, wanted: int
) -> None:
    total = limit_connections(files, to_redis)
    redis = bound_redis_connections(files, to_redis)
    others = files - 2 * total - 2 * redis
    # A worker that waits for its first request has twelve files open.
    assert others >= min(200, files // 4)
    bounds = bound_connections(total, wanted)
    assert 1 <= bounds.per_address <= wanted
    left = total - bounds.per_address - bounds.refusals
    assert left >= bounds.refusals
    assert left >= min(25, total // 4)


def test_a_process_that_may_open_many_files_has_the_bounds_of_the_settings() -> None:
    assert limit_connections(20_328, 64) == MOST_CONNECTIONS
    assert limit_connections(1 << 30, 64) == MOST_CONNECTIONS
    assert bound_redis_connections(512, 64) == 64
    assert bound_connections(10_000, 1000) == ConnectionBounds(10_000, 1000, 100)
    assert bound_connections(10_000, 20_000) == ConnectionBounds(10_000, 9000, 100)


def test_the_documented_bounds_are_those() -> None:
    text = (Path(__file__).parents[3] / "docs" / "operations.md").read_text()
    _, _, table = text.partition("| open files | connections |")
    rows = []
    for line in table.partition("\n\n")[0].splitlines()[2:]:
        files, *cells = (
            int(cell.replace(" or more", "").replace(",", ""))
            for cell in line.strip("| ").split("|")
        )
        total = limit_connections(files, 64)
        bounds = bound_connections(total, 1000)
        assert cells == [*astuple(bounds), bound_redis_connections(files, 64)]
        rows.append(files)
    assert rows == [20_328, 4096, 1024, 256]
