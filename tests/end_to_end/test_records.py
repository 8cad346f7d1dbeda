"""Games go in move by move and as files, and come back byte for byte."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from notation.reader import read
from notation.writer import write
from tests.end_to_end.running import RECORD, Running, eventually, movelog
from tests.games import NAMES

CHOICE = re.compile(r"\[(?:White|Black)(?:Infiltrator|Commitment|Nonce) .*\]\n")
every_variant = pytest.mark.parametrize("variant", NAMES)


def games_of(file: Path) -> list[str]:
    with file.open("rb") as stream:
        return [write(verdict.game) for verdict in read(stream)]


def as_played(record: str, original: str) -> str:
    """A record without choices that the original does not tell in tags (but in its FEN)."""
    return record if "Infiltrator" in original else CHOICE.sub("", record)


@every_variant
def test_games_played_move_by_move_come_back_unchanged(
    running: Running, data: Path, variant: str
) -> None:
    file = data / "records" / f"{variant}.pgn"
    played = movelog("play", file, "--url", running.url, MOVELOG_TOKEN=running.token)
    assert (played.returncode, played.stderr) == (0, "")
    lines = [line.split(" ") for line in played.stdout.splitlines()]
    assert [number for number, _, _ in lines] == [str(n + 1) for n in range(len(lines))]
    games = zip(lines, games_of(file), strict=True)
    records = [as_played(running.record(id), game) for (_, id, _), game in games]
    assert "\n".join(records) == file.read_text()

    again = movelog("play", file, "--url", running.url, MOVELOG_TOKEN=running.token)
    assert again.stdout == played.stdout
    eventually(lambda: len(running.games()) == len(lines), "every game is listed")
    eventually(lambda: all(g["scored"] for g in running.games()), "every game is scored")
    for game in running.games():
        whole = running.get(f"/games/{game['id']}")
        points = whole["points"]
        assert whole["score"]["points"] == points == game["points"]
        assert whole["score"]["result"] == game["result"]
        assert whole["score"]["termination"] == game["termination"]


@every_variant
def test_a_file_that_is_imported_comes_back_unchanged(
    running: Running, data: Path, variant: str
) -> None:
    file = data / "records" / f"{variant}.pgn"
    answer = running.session.post(
        f"{running.url}/api/v1/imports?wait=30",
        data=file.read_bytes(),
        headers={"Content-Type": RECORD, "Idempotency-Key": "import"},
    )
    answer.raise_for_status()
    ids = [item["game"] for item in answer.json()["items"]]
    assert "\n".join(map(running.record, ids)) == file.read_text()
    assert [running.record(id) for id in ids] == games_of(file)


def test_what_cannot_be_played_is_told_and_the_rest_goes_on(
    running: Running, data: Path, tmp_path: Path
) -> None:
    file = tmp_path / "mixed.pgn"
    good = games_of(data / "records" / "katruji.pgn")[-1]
    bad = (data / "broken" / "wrong-result.pgn").read_text()
    file.write_text(f"{bad}\n{good}")
    played = movelog("play", file, "--url", running.url, MOVELOG_TOKEN=running.token)
    assert played.returncode == 1
    assert played.stderr.startswith(f"{file}: game 1: ")
    number, id, result = played.stdout.split()
    assert (number, result) == ("2", "0-1")
    assert running.record(id) == good


def test_without_a_good_token_nothing_is_played(running: Running, data: Path) -> None:
    file = data / "records" / "katruji.pgn"
    played = movelog("play", file, "--url", running.url, "--token", "nonsense")
    assert (played.returncode, played.stdout) == (1, "")
    assert "bad-token" in played.stderr
    assert running.games() == []
