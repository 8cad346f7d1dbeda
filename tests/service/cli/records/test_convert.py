"""`movelog convert`: records in canonical form, without a service."""

from __future__ import annotations

import gzip
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from engine.registry import VARIANTS
from service.cli import main
from tests.games import DATA
from tests.notation.test_kerd_records import claimed
from tests.service.imports.support import GOOD, ILLEGAL

LOOSE = '[Variant "katruji"][South "A"]\n1.Pd1!(1.Pd2 {why not}) Pa7 *'


@pytest.mark.parametrize("variant", VARIANTS)
def test_canonical_text_stays_as_it_is(variant: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = DATA / "records" / f"{variant}.pgn"
    assert main(["convert", str(file)]) == 0
    assert capsys.readouterr().out == file.read_text(encoding="utf-8")


def test_what_is_loosely_written_is_put_in_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.pgn"
    file.write_text(LOOSE)
    assert main(["convert", str(file)]) == 0
    out = capsys.readouterr().out
    assert out.startswith('[Event "?"]\n[Site "?"]\n')
    assert out.endswith("\n\n1. Pd1 $1 (1. Pd2 {why not}) 1... Pa7 *\n")


def test_ndjson_has_the_moves_in_both_forms(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.pgn"
    file.write_text(LOOSE)
    assert main(["convert", str(file), "--to", "ndjson"]) == 0
    game = json.loads(capsys.readouterr().out)
    assert (game["variant"], game["result"], game["tags"]["South"]) == ("katruji", "*", "A")
    first, second = game["moves"]
    variation = [{"action": "c3d2", "san": "Pd2", "comments": ["why not"]}]
    assert first == {"action": "c2d1", "san": "Pd1", "nags": [1], "variations": [variation]}
    assert second["san"] == "Pa7"


def test_ndjson_marks_a_claimed_mate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As the canonical text does (R32)."""
    file = tmp_path / "a.pgn"
    file.write_text(claimed("0-1", "mate"))
    assert main(["convert", str(file)]) == 0
    assert "9... Hc11# 0-1" in capsys.readouterr().out
    assert main(["convert", str(file), "--to", "ndjson"]) == 0
    [move] = json.loads(capsys.readouterr().out)["moves"]
    assert move["san"] == "Hc11#"


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["convert"], "1. Pd1 1-0\n"),
        (["replay"], "1 ok\n"),
        (["verify"], "no RecordHash; its 1 actions are legal\n"),
        (["analyse", "--nodes", "1"], "accuracy:"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_packed_files(
    command: list[str],
    told: str,
    pack: Callable[[bytes], bytes],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = tmp_path / "a.pgn.packed"
    file.write_bytes(pack(GOOD.encode()))
    main([*command, str(file)])
    assert told in capsys.readouterr().out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(file.read_bytes())))
    main([*command, "-"])
    assert told in capsys.readouterr().out
    file.write_bytes(pack(GOOD.encode())[:-6])
    assert main([*command, str(file)]) == 1
    assert "cannot be unpacked" in capsys.readouterr().err


def test_bad_games_are_left_out_and_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.pgn"
    file.write_text(f"{GOOD}\n{ILLEGAL}\n{GOOD}")
    assert main(["convert", str(file)]) == 1
    told = capsys.readouterr()
    assert told.out.count("[Event ") == 2
    assert f"{file}: game 2: line 13, column 4, ply 1: Pd9" in told.err
