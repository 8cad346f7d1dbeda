"""A whole service finds, explores and exports games, and notifies of them."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from notation.reader import read
from tests.end_to_end.running import Running, movelog
from tests.service.webhooks.receiver import receiving
from tests.waiting import eventually

Start = Callable[..., Running]


def level_explorer(running: Running) -> Any:
    """What the explorer says, once nothing is left to be projected."""
    if running.session.get(f"{running.url}/readyz").json()["projection_lag"]:
        return None
    explored = running.get("/explorer", variant="katruji")
    return None if explored["lag"] else explored


def test_games_are_found_explored_exported_and_told_of(
    start: Start, data: Path, tmp_path: Path
) -> None:
    running = start(MOVELOG_PRIVATE_WEBHOOKS="yes")
    with receiving() as receiver:
        wish = {"url": receiver.url, "events": ["game-finished"], "everybody": True}
        hook = running.post("/webhooks", wish).json()
        file = data / "records" / "katruji.pgn"
        given = {"MOVELOG_TOKEN": running.token, "MOVELOG_URL": running.url}
        played = movelog("play", file, **given)
        assert played.returncode == 0, played.stderr
        ids = [line.split()[1] for line in played.stdout.splitlines()]
        eventually(lambda: len(receiver.got) >= len(ids), "every game is told of")
    told = {json.loads(body)["data"]["game"] for _, body in receiver.got}
    assert told == set(ids)
    log = running.get(f"/webhooks/{hook['id']}/deliveries", limit=200)["items"]
    assert all(attempt["delivered"] for attempt in log)

    found = movelog("search", "--variant", "katruji", "--json", **given)
    assert [json.loads(line)["id"] for line in found.stdout.splitlines()] == ids[::-1]
    explored = movelog("explore", "--variant", "katruji", "--json", **given)
    results = json.loads(explored.stdout)["results"]
    with file.open("rb") as stream:
        games = [verdict.game for verdict in read(stream)]
    usual = [game for game in games if "FEN" not in game.tags]
    assert sum(results.values()) >= len(usual)
    left = movelog("explore", "--game", ids[0], "--json", **given)
    novelty = json.loads(left.stdout)["novelty"]
    assert (novelty["ply"], novelty["games"]) == (1, 0)
    later = movelog("explore", "--game", ids[-1], **given).stdout.splitlines()
    assert later[0].startswith(("left with action ", "never left the archive: "))
    assert later[1].split()[0] == "action"

    out = tmp_path / "out.pgn"
    exported = movelog("export", "--variant", "katruji", "-o", out, **given)
    assert exported.stderr.splitlines()[-1] == f"{len(ids)} games"
    verdicts = list(read(io.BytesIO(out.read_bytes())))
    assert [verdict.game.actions for verdict in verdicts] == [g.actions for g in games[::-1]]

    eventually(lambda: all(game["scored"] for game in running.games()), "every game is scored")
    before = eventually(lambda: level_explorer(running), "the lists are level")
    rebuilt = movelog("rebuild", "--data-dir", running.data_dir)
    assert rebuilt.returncode == 0, rebuilt.stderr
    assert running.get("/explorer", variant="katruji") == before
