"""perft, replay and position: the commands that need no service."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from service.cli import main
from tests.every_game.table import TABLE, PerftLine
from tests.games import DATA

BROKEN = sorted((DATA / "broken").glob("*.pgn"))
SHORT = [line for line in TABLE if line.count <= 20_000]


@pytest.mark.parametrize("line", SHORT[:20], ids=str)
def test_perft_prints_the_count_last(line: PerftLine, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perft", line.variant, str(line.depth), "--fen", line.fen]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == str(line.count)


def test_perft_divides(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perft", "katruji", "3", "--divide"]) == 0
    *split, total = capsys.readouterr().out.splitlines()
    assert len(split) == 14
    assert sum(int(line.split(" ")[1]) for line in split) == int(total)


def test_perft_of_no_depth_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perft", "katruji", "0", "--divide"]) == 0
    assert capsys.readouterr().out == "1\n"


@pytest.mark.parametrize("file", BROKEN, ids=lambda file: file.stem)
def test_replay_says_what_is_wrong_line_for_line(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = file.with_suffix(".expected").read_text()
    failed = "quarantined" in expected
    assert main(["replay", str(file)]) == (1 if failed else 0)
    written = capsys.readouterr()
    assert written.out == expected
    assert written.err.count("\n") == expected.count("quarantined")


def test_replay_names_several_files(capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(DATA / "records" / "katruji.pgn"), str(DATA / "broken" / "empty.pgn")]
    assert main(["replay", *files]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"# {files[0]}"
    assert lines[1] == "1 ok"
    assert lines[-1] == f"# {files[1]}"


def test_replay_reads_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    record = (DATA / "broken" / "wrong-result.pgn").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(record)))
    assert main(["replay", "-"]) == 1
    assert capsys.readouterr().out == (DATA / "broken" / "wrong-result.expected").read_text()


def test_position_describes_each_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "positions.txt"
    file.write_bytes(
        b"katruji\tstart\nchess\tstart\n\xff\xfe\nkatruji\tnonsense\r\n\nkatruji\tstart"
    )
    assert main(["position", str(file)]) == 0
    first, *bad, last = map(json.loads, capsys.readouterr().out.splitlines())
    assert first == last
    assert list(first) == ["fen", "legal", "san", "outcome", "points"]
    assert first["legal"] == sorted(first["san"])
    assert [answer["error"]["code"] for answer in bad] == [
        "unknown-variant",
        "syntax",
        "bad-fen",
        "syntax",
    ]
    assert all(set(answer["error"]) == {"code", "field", "reason"} for answer in bad)
