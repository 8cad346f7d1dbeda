"""Bots play each other on a real service."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest
import requests

from tests.end_to_end.running import MOVELOG, ROOT, Running, environment
from tests.stalls import measured_stalls
from tests.waiting import PATIENCE

MOST_GAMES = 3
"""Games on the same clocks, all but the last of which may be lost while the machine stands still.
"""
STANDSTILL = 1.0
"""Seconds for which the machine must have stood still for a flag to fall by that."""


def bot(
    running: Running, token: str, games: int, go: tuple[str, ...] = ("--go", "nodes 40")
) -> subprocess.Popen[str]:
    """Start a bot that stops after this many games."""
    options = ["--url", running.url, "--token", token, *go, "--games", str(games)]
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
    # A short game, in which both first have to choose an infiltrator.
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


@pytest.mark.parametrize(
    "controls",
    [
        ("8+1", "5/8"),
        # Sudden death, delay, byo-yomi, stages.
        pytest.param(("20", "8d2", "4+0+3(3)", "4/10+1:20"), marks=pytest.mark.soak),
    ],
)
def test_bots_on_fast_clocks_never_lose_on_time(
    running: Running, controls: tuple[str, ...]
) -> None:
    for number, control in enumerate(controls):
        game = play_undisturbed(running, control, ("katruji", "kerd")[number % 2])
        thought = [action["elapsed_ms"] for action in game["actions"][2:]]
        assert game["termination"] != "time forfeit", (control, thought)
        assert len(game["actions"]) > 12
        assert sum(thought) > 1_000


def play_undisturbed(running: Running, control: str, variant: str) -> dict[str, Any]:
    """A game on these clocks that was not lost on time because the machine stood still."""
    for _ in range(MOST_GAMES):
        with measured_stalls() as stalled:
            game = play_on_clocks(running, control, variant)
        if game["termination"] != "time forfeit" or stalled() < STANDSTILL:
            break
        print(f"{control} was lost on time; the machine stood still for {stalled():.1f} s")
    return game


def play_on_clocks(running: Running, control: str, variant: str) -> dict[str, Any]:
    """Let two new bots play a game on these clocks; returns the game."""
    players = [running.post("/players", {"name": name}).json() for name in ("Fay", "Gus")]
    tokens = [player["token"]["secret"] for player in players]
    with (
        bot(running, tokens[0], games=1, go=()) as one,
        bot(running, tokens[1], games=1, go=()) as other,
    ):
        try:
            terms: dict[str, object] = {"time_control": control, "tags": {"PlyLimit": "24"}}
            id = challenge(running, tokens[0], players[1]["id"], variant=variant, **terms)
            for playing in (one, other):
                _, complained = playing.communicate(timeout=PATIENCE)
                assert playing.returncode == 0, complained
        finally:
            one.kill()
            other.kill()
    game: dict[str, Any] = running.get(f"/games/{id}")
    return game
