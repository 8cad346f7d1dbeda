"""`movelog import` against a whole service."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from tests.end_to_end.running import RECORD, Running, descendants, movelog
from tests.service.imports.archive import write_archive
from tests.service.imports.support import GOOD, ILLEGAL
from tests.stopping import stopped
from tests.waiting import eventually


def test_a_packed_archive_goes_in_is_found_and_goes_in_no_second_time(
    shared: Running, tmp_path: Path
) -> None:
    plain = write_archive(tmp_path / "archive.pgn", 300)
    file = tmp_path / "archive.pgn.gz"
    file.write_bytes(gzip.compress(plain.read_bytes()))
    token = {"MOVELOG_TOKEN": shared.token}
    before = len(shared.games())
    first = movelog("import", file, "--url", shared.url, **token)
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout.endswith(" done: 300 accepted\n")
    eventually(lambda: len(shared.games()) == before + 300, "all games are listed")
    second = movelog("import", file, "--json", "--url", shared.url, **token)
    lines = [json.loads(line) for line in second.stdout.splitlines()]
    assert [line["status"] for line in lines[:-1]] == ["duplicate"] * 300
    assert lines[-1]["import"]["counts"] == {"duplicate": 300}


def test_what_is_quarantined_is_told_and_the_status_says_so(
    shared: Running, tmp_path: Path
) -> None:
    file = tmp_path / "mixed.pgn"
    file.write_text(f"{GOOD}\n{ILLEGAL}\n{GOOD}")
    token = {"MOVELOG_TOKEN": shared.token}
    made = movelog("import", file, "--url", shared.url, **token)
    assert made.returncode == 1
    assert made.stdout.endswith(" done: 1 accepted, 1 quarantined, 1 duplicate\n")
    bad, again = made.stderr.splitlines()
    assert bad.startswith(f"{file}: game 2: quarantined: line 13, column 4, ply 1: Pd9: no form")
    assert "; nearest: Pd1" in bad
    assert again.startswith(f"{file}: game 3: duplicate of ")
    strict = movelog("import", file, "--mode", "strict", "--url", shared.url, **token)
    assert strict.returncode == 1
    assert " refused: " in strict.stdout
    kept = movelog("import", file, "--mode", "as-played", "--url", shared.url, **token)
    assert kept.returncode == 0
    assert "game 2: as-played as " in kept.stderr


def test_a_file_without_games_is_told(shared: Running, tmp_path: Path) -> None:
    file = tmp_path / "empty.pgn"
    file.touch()
    token = {"MOVELOG_TOKEN": shared.token}
    made = movelog("import", file, "--json", "--url", shared.url, **token)
    assert (made.returncode, made.stderr) == (0, f"no games in {file}\n")


def test_a_refusal_is_one_line(shared: Running, tmp_path: Path) -> None:
    file = tmp_path / "a.pgn"
    file.write_text(GOOD)
    made = movelog("import", file, "--url", shared.url, MOVELOG_TOKEN="mlg_nobody")
    assert made.returncode == 1
    assert "401 bad-token" in made.stderr


def test_nobody_waits_for_an_import(shared: Running) -> None:
    with stopped(descendants(shared.pid("importer"))):
        address, headers = f"{shared.url}/api/v1/imports", {"Content-Type": RECORD}
        made = shared.session.post(address, data=GOOD, headers=headers).json()
        seats = {"first": {"name": "Ada"}, "second": {"name": "Ben"}}
        game = shared.post("/games", {"variant": "katruji", "mode": "scribe", "players": seats})
        path = f"/games/{game.json()['id']}"
        shared.post(f"{path}/commands", {"type": "resign", "side": "first"})
        eventually(lambda: shared.get(path)["score"], "the game is scored")
        assert shared.get(f"/imports/{made['id']}")["state"] == "queued"
    eventually(lambda: shared.get(f"/imports/{made['id']}")["state"] == "done", "it goes in")
