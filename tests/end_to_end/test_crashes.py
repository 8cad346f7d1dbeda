"""Processes killed at the worst moments: nothing acknowledged is lost or doubled."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import redis

from notation.game import Game
from notation.reader import read
from notation.writer import write
from service.cli.client import Client
from service.cli.play.submission import submit_game
from service.jobs.job import JobState
from service.jobs.redis_layout import BY_STATE
from tests.end_to_end.running import Running, descendants, is_alive, kill, movelog
from tests.waiting import eventually, join


def shortest_game(data: Path, plies: int) -> Game:
    """The shortest finished game with at least `plies` actions."""
    with (data / "records" / "katruji.pgn").open("rb") as stream:
        games = [verdict.game for verdict in read(stream)]
    return min(
        (g for g in games if len(g.moves) >= plies and g.result != "*"),
        key=lambda game: len(game.moves),
    )


def submit_with(running: Running, game: Game, between: Callable[[float], None]) -> str:
    """Play a game, calling `between` after each action; returns the game's id."""
    answer = submit_game(Client(running.url, running.token), game, "crash", between)
    return str(answer["id"])


def check_whole(running: Running, id: str, game: Game) -> None:
    """The game is as it was sent, each action once, and it is listed and scored."""
    assert running.record(id) == write(game)
    events = running.get(f"/games/{id}/events", limit=1000)["items"]
    kinds = [event["type"] for event in events if not event["type"].startswith("game-scored")]
    played = ["action-played/1"] * len(game.moves)
    assert kinds == ["game-created/1", *played, "game-ended/1"]
    eventually(lambda: [g["scored"] for g in running.games()] == [True], "the game is scored")
    events = running.get(f"/games/{id}/events", limit=1000)["items"]
    assert [event["type"] for event in events].count("game-scored/1") == 1


@pytest.mark.parametrize(
    "part", ["web", pytest.param("redis", marks=pytest.mark.everyday), "projector", "scorer"]
)
def test_a_part_killed_between_moves_loses_and_doubles_nothing(
    running: Running, data: Path, part: str
) -> None:
    game = shortest_game(data, plies=10)
    kills = 0

    def kill_part(done: float) -> None:
        nonlocal kills
        if done * 4 > kills:
            kills += 1
            running.kill(part)

    id = submit_with(running, game, kill_part)
    assert kills == 4
    check_whole(running, id, game)
    assert f"{part} ended (killed by SIGKILL); starting it again" in running.log()


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.soak)])
def test_the_process_that_answers_may_die_between_any_two_moves(
    running: Running, data: Path, every: int
) -> None:
    game = shortest_game(data, plies=10)
    acknowledged = killed = 0

    def kill_whoever_answers(done: float) -> None:
        nonlocal acknowledged, killed
        acknowledged += 1
        if acknowledged % every == 0:
            web = running.pid("web")
            for pid in descendants(web):
                if pid != web:
                    kill(pid)
                    killed += 1

    check_whole(running, submit_with(running, game, kill_whoever_answers), game)
    assert killed >= 2


def test_everything_killed_at_once_starts_again_with_all_that_was_acknowledged(
    running: Running, data: Path
) -> None:
    game = shortest_game(data, plies=10)
    acknowledged: list[float] = []

    class PowerCut(Exception):
        pass

    def cut(done: float) -> None:
        acknowledged.append(done)
        if done >= 0.5:
            raise PowerCut

    with pytest.raises(PowerCut):
        submit_with(running, game, cut)
    processes = running.processes()
    running.stop(signal.SIGKILL)
    eventually(lambda: not any(map(is_alive, processes)), "nothing is left")
    running.start_again()
    [listed] = eventually(running.games, "the game is listed")
    assert running.get(f"/games/{listed['id']}")["ply"] == len(acknowledged)
    check_whole(running, submit_with(running, game, lambda done: None), game)


def test_a_worker_killed_during_scoring_is_made_good(running: Running, data: Path) -> None:
    url = (running.data_dir / "run" / "redis.url").read_text().strip()
    caught = threading.Event()
    killed: list[int] = []

    def kill_whoever_scores() -> None:
        with redis.Redis.from_url(url) as store:
            while not caught.is_set():
                if store.zcard(f"{BY_STATE}{JobState.RUNNING}"):
                    killed[:] = descendants(running.pid("scorer"))
                    kill(killed[0])
                    # A job that is still running now has lost its worker.
                    if store.zcard(f"{BY_STATE}{JobState.RUNNING}"):
                        caught.set()

    killer = threading.Thread(target=kill_whoever_scores)
    killer.start()
    try:
        file = data / "records" / "katruji.pgn"
        played = movelog("play", file, "--url", running.url, MOVELOG_TOKEN=running.token)
        assert (played.returncode, played.stderr) == (0, "")
        eventually(caught.is_set, "a worker is killed at its work")
        eventually(lambda: not any(map(is_alive, killed)), "the job's process ends with it")
    finally:
        caught.set()
        join(killer)

    def scored() -> list[Any]:
        return [game["scored"] for game in running.games()]

    eventually(lambda: scored() == [True] * 30, "every game is scored")
    for game in running.games():
        events = running.get(f"/games/{game['id']}/events", limit=1000)["items"]
        assert [event["type"] for event in events].count("game-scored/1") == 1
