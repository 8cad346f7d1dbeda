"""Analyses on a whole service: followed, stopped, prioritized, and never done twice."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
import requests

from engine.random_play import random_play
from engine.registry import VARIANTS
from notation.game import Game, Move
from notation.registry import find_dialect
from notation.writer import write
from service.cli import main
from tests.end_to_end.running import RECORD, Running, descendants, kill
from tests.waiting import PATIENCE, eventually, patiently

QUICK = {"nodes": 2000}
LONG = {"seconds": 600}
PLIES = 60
NODES = 100_000


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One service for all tests of the module."""
    running = Running(tmp_path_factory.mktemp("a") / "data")
    yield running
    running.close()


def random_game(variant: str, plies: int) -> Game:
    """A random game of exactly `plies` actions."""
    texts = find_dialect(variant)
    for seed in range(1000):
        actions = [action for action, _ in random_play(texts.start({}), Random(seed), plies + 1)]
        if len(actions) > plies:
            return Game(variant, {}, tuple(Move(action) for action in actions[:plies]))
    raise AssertionError(f"no game of {variant} lasts {plies} actions")


def taken_in(running: Running, game: Game) -> str:
    """Import a game and return its id."""
    answer = running.session.post(
        f"{running.url}/api/v1/imports?wait=30",
        data=write(game).encode(),
        headers={"Content-Type": RECORD},
    )
    assert answer.status_code == 200, answer.text
    return str(answer.json()["items"][0]["game"])


def ask(running: Running, **wish: Any) -> str:
    """Request an analysis and return its id."""
    answer = running.post("/analyses", {"limits": QUICK} | wish)
    assert answer.status_code in (200, 202), answer.text
    return str(answer.json()["id"])


def state(running: Running, id: str) -> str:
    """The state of an analysis."""
    return str(running.get(f"/analyses/{id}")["state"])


def position(seed: int = 0, variant: str = "katruji") -> dict[str, Any]:
    """A request for the analysis of a variant's first position."""
    texts = find_dialect(variant)
    return {"variant": variant, "fen": texts.write_fen(texts.start({})), "seed": seed}


def delete(running: Running, id: str) -> dict[str, Any]:
    """Stop an analysis and return what is left of it."""
    answer = running.session.delete(f"{running.url}/api/v1/analyses/{id}")
    assert answer.status_code == 200, answer.text
    stopped: dict[str, Any] = answer.json()
    return stopped


def test_a_game_is_analysed_by_a_worker_and_followed(
    running: Running, capsys: pytest.CaptureFixture[str]
) -> None:
    game = taken_in(running, random_game("katruji", 6))
    own = ["--url", running.url, "--token", running.token]
    assert main(["analyse", "--game", game, "--nodes", "2000", *own]) == 0
    head, table, *rows, accuracy = capsys.readouterr().out.splitlines()
    assert head.endswith(": 7 positions, with no secret choices")
    assert table.split()[0] == "action"
    assert [row.split()[0] for row in rows] == list("123456")
    assert accuracy.startswith("accuracy: South ")
    assert main(["analyse", "--game", game, "--ply", "3", "--depth", "2", "--json", *own]) == 0
    [line] = capsys.readouterr().out.splitlines()
    assert json.loads(line)["finding"]["depth"] == 2
    assert main(["analyse", "--stale", *own]) == 0
    assert " of 2 analyses will be redone" in capsys.readouterr().out
    assert main(["export", game, "--analysis", *own]) == 0
    # A line of the record may break within a comment.
    assert " ".join(capsys.readouterr().out.split()).count("[%eval ") == 6


def test_a_stream_tells_of_a_search_while_it_goes_on(running: Running) -> None:
    id = ask(running, **position(), limits=LONG)
    url = f"{running.url}/api/v1/analyses/{id}/stream"
    depths, events = [], []
    with running.session.get(url, stream=True, timeout=PATIENCE) as stream:
        for line in stream.iter_lines(decode_unicode=True):
            if line.startswith("event: "):
                events.append(line.removeprefix("event: "))
            elif line.startswith("data: ") and events[-1] == "under_way":
                depths.append(json.loads(line.removeprefix("data: "))["finding"]["depth"])
                if len(depths) == 2:
                    delete(running, id)
    assert depths[0] < depths[1]
    assert events[0] == "caught_up"
    assert events[-2:] == ["position", "ended"]


def test_what_is_stopped_keeps_what_there_is_and_lets_its_worker_go(running: Running) -> None:
    id = ask(running, **position(1), limits=LONG)
    eventually(
        lambda: running.get(f"/analyses/{id}")["under_way"] is not None, "something is found"
    )
    stopped = delete(running, id)
    [looked] = stopped["findings"]
    assert (stopped["state"], looked["cut"]) == ("cancelled", True)
    assert looked["finding"]["lines"]
    begun = time.monotonic()
    other = ask(running, **position(2), limits={"depth": 1})
    eventually(lambda: state(running, other) == "done", "the worker does something else")
    print(f"\nstopped, and another done: {time.monotonic() - begun:.2f} s")


def test_a_person_goes_before_a_batch(running: Running) -> None:
    game = taken_in(running, random_game("kerak", 20))
    batch = ask(running, game=game, limits={"seconds": 1}, batch=True)
    # Its turn comes after the person's, and lasts long enough for the check below.
    waiting = ask(running, game=game, limits=LONG, batch=True)
    eventually(lambda: running.get(f"/analyses/{batch}")["progress"]["done"] > 0, "it runs")
    person = ask(running, **position(3))
    eventually(lambda: state(running, person) == "done", "the person has an answer")
    left = [running.get(f"/analyses/{id}")["progress"]["done"] for id in (batch, waiting)]
    assert left[0] < 10
    assert left[1] == 0
    for id in (batch, waiting):
        delete(running, id)


class Followed:
    """Polls an analysis until it ends, even while the service does not answer."""

    def __init__(self, running: Running, id: str) -> None:
        self.running = running
        self.id = id
        self.done = 0
        self.state = "queued"

    def until(self, done: int) -> None:
        """Poll until `done` positions are done, or the analysis has ended."""
        for _ in patiently(f"{done} positions are done"):
            if self.done >= done or self.state not in ("queued", "running"):
                return
            time.sleep(0.05)
            try:
                view = self.running.get(f"/analyses/{self.id}")
            except requests.ConnectionError:
                continue
            self.done, self.state = view["progress"]["done"], view["state"]


def kill_while_it_searches(running: Running) -> None:
    """Kill the searching process, as a crash would; its worker survives."""
    worker = running.pid("analyst")
    horses = [pid for pid in descendants(worker) if pid != worker]
    assert horses
    for pid in horses:
        kill(pid)


@pytest.mark.soak
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_game_is_whole_though_its_worker_is_killed_twice(
    running: Running, variant: str, capfd: pytest.CaptureFixture[str]
) -> None:
    game = taken_in(running, random_game(variant, PLIES))
    begun = time.monotonic()
    id = ask(running, game=game, limits={"nodes": NODES})
    followed = Followed(running, id)
    for share, strike in ((1 / 3, kill_while_it_searches), (2 / 3, lambda r: r.kill("analyst"))):
        followed.until(round(share * PLIES))
        assert followed.state == "running"
        strike(running)
    followed.until(PLIES + 2)
    assert followed.state == "done"
    took = time.monotonic() - begun
    view = running.get(f"/analyses/{id}")
    assert [looked["index"] for looked in view["findings"]] == list(range(PLIES + 1))
    assert all(looked["finding"] is not None for looked in view["findings"])
    assert in_the_log(running, id) == ["analysis-begun/1", *found_once(), "analysis-ended/1"]
    with capfd.disabled():
        nodes = sum(looked["finding"]["nodes"] for looked in view["findings"])
        print(f"\n{variant}: {nodes:,} nodes, worker killed twice: {took:.0f} s")


def found_once() -> list[str]:
    """The events of a whole game's positions, each once and in order."""
    return [f"position-analysed/1 {index}" for index in range(PLIES + 1)]


def in_the_log(running: Running, id: str) -> list[str]:
    """An analysis's events in the log: their names, with the positions' indices."""
    import redis

    url = (Path(running.data_dir) / "run" / "redis.url").read_text().strip()
    with redis.Redis.from_url(url) as store:
        [key] = list(store.scan_iter(match=f"movelog:{{p*}}:analysis:{id}"))
        entries: Any = store.xrange(key)
    told = [(fields[b"e"].decode(), json.loads(fields[b"d"])) for _, fields in entries]
    return [f"{name} {data['index']}" if "index" in data else name for name, data in told]
