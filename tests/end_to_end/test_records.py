"""Games go in move by move and as files, and come back byte for byte."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from notation.reader import read
from notation.writer import write
from tests.end_to_end.running import RECORD, Running, movelog
from tests.games import NAMES
from tests.waiting import eventually

CHOICE = re.compile(r"\[(?:White|Black)(?:Infiltrator|Commitment|Nonce) .*\]\n")
every_variant = pytest.mark.parametrize("variant", NAMES)
one_everyday = pytest.mark.parametrize(
    "variant",
    [pytest.param(n, marks=[pytest.mark.everyday] if n == "katruji" else []) for n in NAMES],
)


def games_of(file: Path) -> list[str]:
    with file.open("rb") as stream:
        return [write(verdict.game) for verdict in read(stream)]


def as_played(record: str, original: str) -> str:
    """A record without choice tags, unless the original has them."""
    return record if "Infiltrator" in original else CHOICE.sub("", record)


@one_everyday
def test_games_played_move_by_move_come_back_unchanged(
    shared: Running, data: Path, tmp_path: Path, variant: str
) -> None:
    file = tmp_path / "five.pgn"
    file.write_text("\n".join(games_of(data / "records" / f"{variant}.pgn")[-5:]))
    check_play(shared, file)


@pytest.mark.soak
@every_variant
def test_all_games_played_move_by_move_come_back_unchanged(
    running: Running, data: Path, variant: str
) -> None:
    # Some of the games are played on the shared service, and nobody may use a nonce twice.
    check_play(running, data / "records" / f"{variant}.pgn")


def check_play(running: Running, file: Path) -> None:
    """Games played from a file come back as they are in the file, and are scored."""
    before = {game["id"] for game in running.games()}
    played = movelog("play", file, "--url", running.url, MOVELOG_TOKEN=running.token)
    assert (played.returncode, played.stderr) == (0, "")
    lines = [line.split(" ") for line in played.stdout.splitlines()]
    assert [number for number, _, _ in lines] == [str(n + 1) for n in range(len(lines))]
    games = zip(lines, games_of(file), strict=True)
    records = [as_played(running.record(id), game) for (_, id, _), game in games]
    assert "\n".join(records) == file.read_text()

    def ours() -> list[dict[str, Any]]:
        return [game for game in running.games() if game["id"] not in before]

    eventually(lambda: len(ours()) == len(lines), "every game is listed")
    eventually(lambda: all(game["scored"] for game in ours()), "every game is scored")
    for game in ours():
        whole = running.get(f"/games/{game['id']}")
        points = whole["points"]
        assert whole["score"]["points"] == points == game["points"]
        assert whole["score"]["result"] == game["result"]
        assert whole["score"]["termination"] == game["termination"]


def list_settled(running: Running) -> list[dict[str, Any]]:
    """All games, once the list is up to date and every game is scored."""

    def is_settled() -> bool:
        ready = running.session.get(f"{running.url}/readyz").json()
        return ready["projection_lag"] == 0 and all(game["scored"] for game in running.games())

    eventually(is_settled, "every game is listed and scored")
    return running.games()


def test_games_played_once_more_are_played_once(
    shared: Running, data: Path, tmp_path: Path
) -> None:
    file = tmp_path / "two.pgn"
    file.write_text("\n".join(games_of(data / "records" / "katruji.pgn")[:2]))
    played = movelog("play", file, "--url", shared.url, MOVELOG_TOKEN=shared.token)
    games = list_settled(shared)
    again = movelog("play", file, "--url", shared.url, MOVELOG_TOKEN=shared.token)
    assert again.stdout == played.stdout != ""
    assert shared.games() == games


def test_files_that_are_imported_come_back_unchanged(shared: Running, data: Path) -> None:
    for variant in NAMES:
        file = data / "records" / f"{variant}.pgn"
        answer = shared.session.post(
            f"{shared.url}/api/v1/imports?wait=30",
            data=file.read_bytes(),
            headers={"Content-Type": RECORD, "Idempotency-Key": variant},
        )
        answer.raise_for_status()
        ids = [item["game"] for item in answer.json()["items"]]
        assert [shared.record(id) for id in ids] == games_of(file)
        assert "\n".join(map(shared.record, ids)) == file.read_text()


def test_what_cannot_be_played_is_told_and_the_rest_goes_on(
    shared: Running, data: Path, tmp_path: Path
) -> None:
    running = shared
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


def test_without_a_good_token_nothing_is_played(shared: Running, data: Path) -> None:
    games = list_settled(shared)
    file = data / "records" / "katruji.pgn"
    played = movelog("play", file, "--url", shared.url, "--token", "nonsense")
    assert (played.returncode, played.stdout) == (1, "")
    assert "bad-token" in played.stderr
    assert shared.games() == games
