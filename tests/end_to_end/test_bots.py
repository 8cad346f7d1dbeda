"""Bots that play each other on a real service."""

from __future__ import annotations

import subprocess

import requests

from tests.end_to_end.running import MOVELOG, ROOT, Running, environment
from tests.waiting import PATIENCE


def bot(running: Running, token: str, games: int) -> subprocess.Popen[str]:
    """A bot that stops after so many games."""
    options = ["--url", running.url, "--token", token, "--go", "nodes 40", "--games", str(games)]
    return subprocess.Popen(
        [*MOVELOG, "bot", *options],
        env=environment(),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def challenge(running: Running, token: str, opponent: str, **game: object) -> str:
    answer = requests.post(
        f"{running.url}/api/v1/games",
        json={"side": "first", "opponent": opponent, **game},
        headers={"Authorization": f"Bearer {token}"},
        timeout=PATIENCE,
    )
    answer.raise_for_status()
    return str(answer.json()["id"])


def test_bots_accept_choose_and_play_to_the_end(running: Running) -> None:
    players = [running.post("/players", {"name": name}).json() for name in ("Ada", "Bee")]
    tokens = [player["token"]["secret"] for player in players]
    katruji = challenge(running, tokens[0], players[1]["id"], variant="katruji")
    # A short game, before which both have to choose an infiltrator.
    kerd = challenge(running, tokens[0], players[1]["id"], variant="kerd", tags={"PlyLimit": "6"})
    with bot(running, tokens[0], games=2) as one, bot(running, tokens[1], games=2) as other:
        for playing in (one, other):
            try:
                said, complained = playing.communicate(timeout=PATIENCE)
            finally:
                playing.kill()
            assert playing.returncode == 0, complained
            assert f"{katruji} " in said
            assert f"{kerd} " in said
    for id in (katruji, kerd):
        game = running.get(f"/games/{id}")
        assert game["result"] != "*"
        assert len(game["actions"]) >= 6
