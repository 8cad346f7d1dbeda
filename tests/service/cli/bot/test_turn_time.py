"""The time left on a bot's clocks, and how much of it the bot gives its engine."""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime
from typing import Any

import pytest

from engine.search import Limits
from engine.search.time_management import TimeLeft
from notation.registry import find_dialect
from notation.time_control import parse_time_control
from service.cli.bot.bot import LEAST_OVERHEAD, Bot
from service.cli.bot.game_memory import GameMemory
from service.cli.bot.task_stream import Task, TaskStream
from service.cli.bot.turn_time import OwnClock, keep_overhead, read_own_clock, share_time
from tests.service.cli.bot.test_bot import ACTION, OVER, Told, turn
from tests.waiting import eventually

SINCE = "2026-03-01T12:00:00.000Z"


def with_clock(
    message: tuple[str, dict[str, Any]], left: int, control: str = "60+1", **changed: object
) -> tuple[str, dict[str, Any]]:
    """The message, in a game on clocks of which the first side's runs."""
    name, told = message
    clocks: dict[str, object] = {"time_control": control, "first_ms": left, "second_ms": 7_000}
    clocks |= {"running": "first", "since": SINCE, "falls_at": None} | changed
    return name, {**told, "clocks": clocks}


def engine() -> str:
    """The command of an engine that prints each `go` on standard error."""
    script = (
        "import sys\nfor line in sys.stdin:\n"
        "    if line == 'isready\\n': print('readyok')\n"
        "    if line[:2] == 'go':\n"
        "        print(line.strip(), file=sys.stderr)\n"
        f"        print('bestmove {ACTION}')"
    )
    return f'{sys.executable} -ISuc "{script}"'


def asked(
    capfd: pytest.CaptureFixture[str],
    *messages: tuple[str, dict[str, Any]],
    limits: Limits | None = None,
    games: int = 1,
) -> list[dict[str, int]]:
    """The numbers by keyword in each `go` that a bot sends its engine on these messages."""
    client = Told(*messages, OVER, tags={})
    Bot(client, engine(), limits, Limits(nodes=77)).play(games)
    lines = [line.split()[1:] for line in capfd.readouterr().err.splitlines()]
    return [dict(zip(words[::2], map(int, words[1::2]), strict=True)) for words in lines]


def test_the_clock_is_told_less_the_way_to_it(capfd: pytest.CaptureFixture[str]) -> None:
    begun = time.monotonic()
    (told,) = asked(capfd, with_clock(turn(0), 9_000))
    passed = time.monotonic() - begun
    assert told["inc"] == 1_000
    most = 9_000 - 1000 * LEAST_OVERHEAD
    assert most - 1000 * passed <= told["time"] <= most
    assert "nodes" not in told


def test_limits_hold_beside_a_clock(capfd: pytest.CaptureFixture[str]) -> None:
    (told,) = asked(capfd, with_clock(turn(0), 9_000), limits=Limits(nodes=5))
    assert (told["nodes"], "time" in told) == (5, True)


@pytest.mark.parametrize(
    "message", [turn(0), with_clock(turn(0), 9_000, control="1/259200")], ids=["none", "days"]
)
def test_without_a_clock_that_presses_limits_are_usual(
    message: tuple[str, dict[str, Any]], capfd: pytest.CaptureFixture[str]
) -> None:
    assert asked(capfd, message) == [{"nodes": 77}]
    assert asked(capfd, message, limits=Limits(nodes=5)) == [{"nodes": 5}]


def test_other_games_bound_a_turn(capfd: pytest.CaptureFixture[str]) -> None:
    """Other games' clocks run while the bot thinks, or will once the opponent has moved."""
    _, waiting = with_clock(turn(0), 2_000, running="second")
    waits = ("waiting", {**waiting, "game": "b", "your_turn": False})
    bounded, free = asked(capfd, waits, with_clock(turn(0), 9_000), turn(2, version=50))
    assert bounded["time"] <= 500
    assert free == {"nodes": 77, "movetime": 200}
    gone = ("game-over", {**waiting, "game": "b", "result": "1-0"})
    (told,) = asked(capfd, waits, gone, with_clock(turn(0), 9_000), games=2)
    assert told["time"] > 500


def clock(control: str, left: int, *, runs: bool = True) -> OwnClock:
    return OwnClock(parse_time_control(control), left, runs, began=100.0)


def test_what_has_passed_since_the_turn_began_is_gone() -> None:
    assert clock("60+1", 9_000).find_time(0, 102.5) == TimeLeft(6_500, increment=1_000)
    assert clock("60+1", 9_000).find_time(0, 120.0).left == 0
    assert clock("60d2", 9_000).find_time(0, 101.5) == TimeLeft(9_000, delay=500)
    assert clock("60d2", 9_000).find_time(0, 103.0) == TimeLeft(8_000)
    assert clock("60+1", 9_000, runs=False).find_time(0, 150.0).left == 9_000


def test_stages_are_those_of_the_move() -> None:
    assert clock("3/60:10d5", 9_000).find_time(1, 100.0).moves_to_go == 2
    assert clock("3/60:10d5", 9_000).find_time(3, 100.0) == TimeLeft(9_000, delay=5_000)


def test_a_clock_is_read_for_the_own_side() -> None:
    _, told = with_clock(turn(0), 9_000)
    own = read_own_clock(told, 5.0)
    assert own == OwnClock(parse_time_control("60+1"), 9_000, True, 5.0)
    other = read_own_clock({**told, "side": "second"}, 5.0)
    assert other == OwnClock(parse_time_control("60+1"), 7_000, False, 5.0)
    assert read_own_clock({**told, "side": None}, 5.0) is None


def test_waiting_games_share_the_time_of_a_turn() -> None:
    time = TimeLeft(8_000, increment=400)
    assert share_time(time, 1, []) == time
    assert share_time(time, 2, []) == TimeLeft(4_000, increment=200)
    assert share_time(time, 2, [2_000, 90_000]) == TimeLeft(500, increment=200)


@pytest.mark.parametrize(
    ("time", "left"),
    [
        (TimeLeft(8_000, increment=400), 7_900),
        (TimeLeft(8_000, increment=40), 8_000 - 100 - 20 * 60),
        (TimeLeft(8_000), 8_000 - 100 - 20 * 100),
        (TimeLeft(8_000, moves_to_go=5), 8_000 - 100 - 5 * 100),
        (TimeLeft(500), 0),
    ],
)
def test_what_actions_lose_beside_thinking_is_kept(time: TimeLeft, left: int) -> None:
    assert keep_overhead(time, 0.1, 20).left == left


@pytest.mark.parametrize(
    ("first", "then", "made"),
    [("s", "s 0-0 - 0 4", 3), ("n", "s 0-0 - 0 4", 2), ("n", "n 0-0 - 0 4", 3)],
)
def test_moves_are_counted_from_the_first_position(first: str, then: str, made: int) -> None:
    dialect = find_dialect("katruji")
    board = "1SOO/1PSO/1PPS/4/4/SPP1/OSP1/OOS1"
    _, told = turn(0)
    memory = GameMemory.begin(told, {"initial_fen": f"{board} {first} 0-0 - 0 1"})
    assert memory.count_made(dialect.read_fen(f"{board} {then}")) == made
    assert GameMemory.begin(told, {}).count_made(dialect.read_fen(f"{board} {then}")) == 0


def read_tasks(client: Told, number: int) -> list[Task]:
    tasks = iter(TaskStream(client))
    return [next(tasks) for _ in range(number)]


def test_a_turn_began_when_it_was_first_told() -> None:
    first, again = with_clock(turn(0), 9_000), with_clock(turn(0, version=41), 9_000)
    later = with_clock(turn(2), 8_000, since="2026-03-01T12:00:09.000Z")
    caught_up: tuple[str, dict[str, object]] = ("caught_up", {"games": 0})
    tasks = read_tasks(Told(caught_up, first, again, later), 4)
    assert tasks[1].began == tasks[2].began <= tasks[3].began
    assert abs(time.monotonic() - tasks[1].began) < 30


def test_a_turn_that_is_only_listed_began_before() -> None:
    """When the stream begins, the clock has already been running by the service's own time."""
    client = Told(with_clock(turn(0), 9_000))
    started = datetime.fromisoformat(SINCE).astimezone(UTC).timestamp()
    client.find_latest_time = lambda: started + 90.0  # type: ignore[method-assign]
    (task,) = read_tasks(client, 1)
    assert 90 <= time.monotonic() - task.began < 150


def test_what_has_come_is_known_before_its_turn() -> None:
    stream = TaskStream(Told(turn(0), turn(2)))
    eventually(lambda: len(stream.list_waiting()) == 2, "both tasks have come")
    assert next(iter(stream)).message["ply"] == 0
    assert [task.message["ply"] for task in stream.list_waiting()] == [2]
