"""`movelog export` in every format: a file is written whole, or left as it was."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from service.cli import main
from service.cli.client import Client, ConnectionLost
from service.cli.queries.export_file import open_output
from tests.service.web_server import WebServer
from tests.workers.support import ended_games


@pytest.fixture(scope="module")
def service(server: WebServer) -> tuple[str, list[str]]:
    """The URL of a service, and the ids of its games, newest first."""
    ids = ended_games(server.service, 3)
    assert server.service.checkpoints.wait_until(server.service.log.feed_positions(), 60)
    return server.url, ids[::-1]


def export(service: tuple[str, list[str]], *arguments: object) -> int:
    return main(["export", "--url", service[0], *map(str, arguments)])


@pytest.mark.slow
def test_the_ending_of_the_file_or_an_option_names_the_format(
    service: tuple[str, list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, ids = service
    files = [tmp_path / name for name in ("a.pgn", "a.NDJSON", "a.parquet", "b", "c.pgn")]
    for file in files[:3]:
        assert export(service, "-o", file) == 0
    assert export(service, "-o", files[3], "--format", "parquet") == 0
    assert export(service, "-o", files[4], "--json") == 0
    size = files[2].stat().st_size
    told = ["3 games", "3 games", f"{size} bytes", f"{size} bytes", "3 games"]
    assert capsys.readouterr().err.splitlines() == told
    assert files[0].read_text().count("[MovelogGame") == 3
    assert files[1].read_text() == files[4].read_text()
    assert [json.loads(line)["id"] for line in files[1].read_text().splitlines()] == ids
    for file in files[2:4]:
        assert parquet.read_table(file).column("id").to_pylist() == ids
    assert sorted(tmp_path.iterdir()) == sorted(files)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--format", "parquet"], "give -o FILE"),
        (["-o", "a.parquet", "--after", "a" * 16], "leave out --after"),
        (["--format", "pgn", "--json"], "--json is the same as --format ndjson"),
        (["--format", "csv"], "'csv' is not one of"),
    ],
)
def test_what_does_not_go_together(
    arguments: list[str],
    told: str,
    service: tuple[str, list[str]],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert export(service, *arguments) == 2
    assert told in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("end", [KeyboardInterrupt, ConnectionLost])
@pytest.mark.parametrize("ending", ["pgn", "ndjson", "parquet"])
@pytest.mark.parametrize("before", [None, b"an earlier export"])
def test_an_interrupted_export_leaves_no_half_file(
    service: tuple[str, list[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    end: type[BaseException],
    ending: str,
    before: bytes | None,
) -> None:
    stream = Client.stream

    def interrupted(self: Client, *arguments: str, **sent: Any) -> Iterator[bytes]:
        text = b"".join(stream(self, *arguments, **sent))
        yield text[: len(text) // 2]
        if end is ConnectionLost and ending != "parquet":
            # The export would be resumed for ever.
            raise KeyboardInterrupt
        raise end("for the test")

    monkeypatch.setattr(Client, "stream", interrupted)
    file = tmp_path / f"games.{ending}"
    if before is not None:
        file.write_bytes(before)
    assert export(service, "-o", file) in (1, 130)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == ([before] if before else [])


def test_a_table_is_begun_anew_where_the_connection_is_lost(
    service: tuple[str, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream, begun = Client.stream, []

    def breaking(self: Client, *arguments: str, **sent: Any) -> Iterator[bytes]:
        text = b"".join(stream(self, *arguments, **sent))
        begun.append(len(text))
        yield text[: len(text) // 2]
        if len(begun) < 3:
            raise ConnectionLost("for the test")
        yield text[len(text) // 2 :]

    monkeypatch.setattr(Client, "stream", breaking)
    file = tmp_path / "games.parquet"
    assert export(service, "-o", file) == 0
    assert parquet.read_table(file).num_rows == 3
    assert len(begun) == 3


def test_an_export_through_a_link_and_into_a_pipe(
    service: tuple[str, list[str]], tmp_path: Path
) -> None:
    file, link, pipe = tmp_path / "file.pgn", tmp_path / "link.pgn", tmp_path / "pipe"
    file.touch(mode=0o640)
    link.symlink_to(file)
    assert export(service, "-o", link) == 0
    assert link.is_symlink()
    assert file.stat().st_mode & 0o777 == 0o640
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    assert export(service, "-o", pipe) == 0
    reader.join(60)
    assert got == [file.read_bytes()]
    assert pipe.is_fifo()


def fail_in_the_middle(file: Path) -> None:
    with open_output(file, append=True) as written:
        written.write(b"more")
        raise ZeroDivisionError


@pytest.mark.slow
def test_what_fails_leaves_the_file(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"before")
    with pytest.raises(ZeroDivisionError):
        fail_in_the_middle(file)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"before"]
