"""Games on clocks while every process is killed: every clock is right, every flag falls once."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from http import HTTPStatus
from itertools import cycle
from random import Random
from threading import Event, Thread
from typing import Any

import pytest
import requests

from service.game.timekeeping import PATIENCE as AFTER_THE_FALL
from service.game.timekeeping import TIMEKEEPER
from tests.clock_recount import Told, recount
from tests.end_to_end.conftest import Start
from tests.end_to_end.evening import Evening, Game
from tests.end_to_end.running import Running, descendants, kill
from tests.waiting import PATIENCE, eventually

BOUND = 250
"""Milliseconds after its due time within which a flag falls on a quiet machine."""
OUTAGE = 7.0
"""Seconds for which the whole service is down, long enough to count as an outage."""
PARTS = ("web", "timekeeper", "redis", "projector", "scorer")
VARIANTS = ("katruji", "kerak", "katruji")


def now() -> float:
    return time.time() * 1000


class Nemesis:
    """Kills one process after the other, then all at once, over and over."""

    def __init__(self, running: Running, pause: float) -> None:
        self.running = running
        self.pause = pause
        self.stop = Event()
        self.troubles: list[tuple[float, float]] = []
        """Periods in which flags may fall late, in milliseconds since 1970 UTC."""
        self.thread = Thread(target=self.run, daemon=True)

    def run(self) -> None:
        for part in cycle([*PARTS, "everything"]):
            if self.stop.wait(self.pause):
                return
            begun = now()
            if part == "everything":
                self.restart_everything()
            else:
                self.running.kill(part)
                eventually(partial(self.running.pid, part), f"{part} is back")
            eventually(self.answers, "the service answers")
            self.troubles.append((begun, now() + 5000))

    def restart_everything(self) -> None:
        """Take the whole service down, as a power cut would, and start it after the outage."""
        for pid in list(descendants(self.running.process.pid)):
            kill(pid)
        self.running.process.wait(PATIENCE)
        time.sleep(OUTAGE)
        self.running.start_again()

    def answers(self) -> bool:
        try:
            return self.running.session.get(f"{self.running.url}/healthz", timeout=5).ok
        except OSError:
            return False


class Log:
    """The final log of a game, recounted."""

    def __init__(self, running: Running, game: Game) -> None:
        self.game = game
        self.events: list[dict[str, Any]] = []
        while page := running.get(f"/games/{game.id}/events", after=len(self.events), limit=1000)[
            "items"
        ]:
            self.events += page
        self.told: list[Told] = [(e["type"], at_of(e), e["data"]) for e in self.events]
        self.counted = recount(game.variant, None, self.told)
        self.ends = [event for event in self.events if event["type"] == "game-ended/1"]
        self.times = [
            (data["compensation"], data["used"], data["left"])
            for type, _, data in self.told
            if type == "action-played/2"
        ]

    @property
    def flag(self) -> tuple[int, int] | None:
        """When the flag's event was due and when it came; None if the game ended otherwise."""
        (end,) = self.ends
        if end["data"]["termination"] != "time forfeit":
            return None
        assert end["by"] == TIMEKEEPER
        assert self.counted.due is not None
        return self.counted.due + AFTER_THE_FALL, at_of(end)


def at_of(event: dict[str, Any]) -> int:
    return round(datetime.fromisoformat(event["at"]).timestamp() * 1000)


def check_clocks(logs: Sequence[Log]) -> None:
    """Every clock equals the recount; compensation never exceeds the stated lag or its bound."""
    for log in logs:
        assert log.times == log.counted.times, log.game.id
        for (compensation, _, _), stated in zip(log.times, log.game.lags, strict=False):
            assert compensation <= min(stated, 500)
        # A last action may have been accepted without its answer arriving.
        assert len(log.times) - len(log.game.lags) in (0, 1)


def check_credits(logs: Sequence[Log]) -> set[tuple[int, int]]:
    """Each outage is credited once to every clock running at its end; returns the outages."""
    outages = {
        (data["begun"], data["ended"])
        for log in logs
        for type, _, data in log.told
        if type == "outage-credited/1"
    }
    for log in logs:
        for since, until, credited in log.counted.turns:
            expected = Counter((begun, ended) for begun, ended in outages if since < ended <= until)
            assert Counter(credited) == expected, log.game.id
    return outages


def check_flags(logs: Sequence[Log], troubles: Sequence[tuple[float, float]]) -> list[int]:
    """Each game ended once, and no flag fell early; returns how late they fell in quiet times."""
    late = []
    for log in logs:
        assert len(log.ends) == 1, log.game.id
        if log.flag is None:
            continue
        due, fallen = log.flag
        assert fallen >= due, log.game.id
        if not any(begun - 1000 <= due <= ended for begun, ended in troubles):
            late.append(fallen - due)
    return late


def is_over(running: Running, id: str) -> bool:
    """Whether a game has ended; False while the service or its store does not answer."""
    try:
        answer = running.session.get(f"{running.url}/api/v1/games/{id}")
    except requests.RequestException:
        return False
    if answer.status_code == HTTPStatus.SERVICE_UNAVAILABLE:
        return False
    assert answer.ok, answer.text
    return bool(answer.json()["status"] == "finished")


def hold(
    running: Running, games: int, control: str, think: float, play: float, pause: float
) -> None:
    """Play an evening under kills and check all its games."""
    evening = Evening(running, control, think, Random(16))
    evening.seat(games, VARIANTS, players=min(40, 2 * games))
    nemesis = Nemesis(running, pause)
    nemesis.thread.start()
    evening.play(play)
    assert evening.unexpected == []
    acted = [game for game in evening.games if len(game.lags) >= 2]
    longest = time.monotonic() + PATIENCE + 4 * float(control.partition("+")[0])
    remaining = [game.id for game in acted]
    while remaining:
        assert time.monotonic() < longest, f"still on: {remaining}"
        if is_over(running, remaining[-1]):
            remaining.pop()
        else:
            time.sleep(0.2)
        if len(remaining) < len(acted) / 2:
            # Half of the flags fall while processes die, the others in peace.
            nemesis.stop.set()
    nemesis.thread.join(PATIENCE)
    logs = [Log(running, game) for game in acted]
    check_clocks(logs)
    outages = check_credits(logs)
    late = sorted(check_flags(logs, nemesis.troubles))
    fallen = sum(log.flag is not None for log in logs)
    actions = sum(len(log.times) for log in logs)
    print(
        f"\n{len(logs)} games, {actions} actions, {len(nemesis.troubles)} kills,"
        f" {len(outages)} outages credited {sum(len(log.counted.credits) for log in logs)} times,"
        f" {fallen} flags, {len(late)} of them in quiet times, late by ms:"
        f" median {late[len(late) // 2] if late else '-'},"
        f" most {late[-1] if late else '-'}, over {BOUND}: {sum(ms > BOUND for ms in late)}"
    )
    assert len(acted) >= 0.9 * games
    assert fallen
    # A busy machine may add to the service's own delay.
    assert all(ms <= BOUND + 20_000 for ms in late)


@pytest.mark.timeout(600)
def test_games_on_clocks_survive_kills(start: Start) -> None:
    hold(start(), games=10, control="5+1", think=0.7, play=30.0, pause=1.5)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_an_evening_of_blitz_survives_kills(start: Start) -> None:
    """`CLOCKS_GAMES` sets the number of games; the default is 500."""
    games = int(os.environ.get("CLOCKS_GAMES", "500"))
    hold(start(), games=games, control="180+2", think=games / 40, play=150.0, pause=12.0)
