"""Bots play each other on a real service."""

from __future__ import annotations

import subprocess

import pytest
import requests

from tests.end_to_end.running import MOVELOG, ROOT, Running, environment
from tests.waiting import PATIENCE, eventually


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
    players = [running.post("/players", {"name": name}).json() for name in ("Fay", "Gus")]
    tokens = [player["token"]["secret"] for player in players]
    with (
        bot(running, tokens[0], games=len(controls), go=()) as one,
        bot(running, tokens[1], games=len(controls), go=()) as other,
    ):
        try:
            for number, control in enumerate(controls):
                play_on_clocks(running, tokens[0], players[1]["id"], control, number)
            for playing in (one, other):
                _, complained = playing.communicate(timeout=PATIENCE)
                assert playing.returncode == 0, complained
        finally:
            one.kill()
            other.kill()


def play_on_clocks(running: Running, token: str, opponent: str, control: str, number: int) -> None:
    """Play a game on these clocks: time is used, but no flag falls."""
    terms: dict[str, object] = {"time_control": control, "tags": {"PlyLimit": "24"}}
    variant = ("katruji", "kerd")[number % 2]
    id = challenge(running, token, opponent, variant=variant, **terms)
    eventually(
        lambda: running.get(f"/games/{id}")["status"] == "finished", f"{control} is over", pause=0.2
    )
    game = running.get(f"/games/{id}")
    thought = [action["elapsed_ms"] for action in game["actions"][2:]]
    assert game["termination"] != "time forfeit", (control, thought)
    assert len(game["actions"]) > 12
    assert sum(thought) > 1_000
