"""The checker finds each planted violation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.faults.checker import Violation, check_game
from tests.faults.history import GameHistory, Outcome, Read, Write

pytestmark = pytest.mark.everyday

Log = list[dict[str, Any]]


def event(version: int, type: str, **data: Any) -> dict[str, Any]:
    return {"version": version, "type": f"{type}/1", "data": data}


def write(*events: dict[str, Any], outcome: Outcome = Outcome.ACKNOWLEDGED, **body: Any) -> Write:
    told = [(e["version"], e["type"], e["data"]) for e in events]
    return Write("g", f"key{events[0]['version'] if events else 0}", body, outcome, told)


CREATED = event(1, "game-created", variant="katruji")
FIRST = event(2, "action-played", ply=1, action="d2d1")
SECOND = event(3, "action-played", ply=2, action="b6a7")
ENDED = event(4, "game-ended", result="0-1")
SCORED = event(5, "game-scored", first=0)


def sound() -> tuple[GameHistory, Log]:
    """The history and the log of a game that was created, played, resigned and scored."""
    writes = [write(CREATED), write(FIRST), write(SECOND), write(ENDED, type="resign")]
    reads = [Read("g", 2, 2), Read("g", 3, 2)]
    history = GameHistory("g", writes, reads, [1, 2, 3, 4, 5], ended=True)
    return history, [CREATED, FIRST, SECOND, ENDED, SCORED]


def test_a_sound_history_passes() -> None:
    check_game(*sound())


def test_a_write_without_an_answer_may_have_happened_or_not() -> None:
    writes = [write(CREATED), write(outcome=Outcome.UNKNOWN, action="d2d1")]
    history = GameHistory("g", writes, watched=[1])
    check_game(history, [CREATED])
    check_game(history, [CREATED, FIRST])


def test_a_watcher_leaves_with_the_score() -> None:
    history, log = sound()
    comment = event(6, "action-annotated", ply=2)
    history.writes.append(write(comment, type="annotate"))
    log.append(comment)
    check_game(history, log)


def lose_an_event(history: GameHistory, log: Log) -> None:
    del log[2:]


def leave_a_gap(history: GameHistory, log: Log) -> None:
    del log[1]


def change_an_event(history: GameHistory, log: Log) -> None:
    log[1] = event(2, "action-played", ply=1, action="d2c1")


def double_an_event(history: GameHistory, log: Log) -> None:
    log[3:] = [event(4, "action-played", ply=2, action="b6a7"), *renumbered(log[3:], 5)]


def append_what_nobody_sent(history: GameHistory, log: Log) -> None:
    history.watched = []
    log.append(event(6, "action-annotated", ply=1))


def score_twice(history: GameHistory, log: Log) -> None:
    history.watched = []
    log.append(event(6, "game-scored", first=0))


def score_never(history: GameHistory, log: Log) -> None:
    history.watched.pop()
    log.pop()


def end_twice(history: GameHistory, log: Log) -> None:
    history.watched = []
    log.append(event(6, "game-ended", result="0-1"))


def read_the_past(history: GameHistory, log: Log) -> None:
    history.reads.append(Read("g", 3, 4))


def tell_a_watcher_twice(history: GameHistory, log: Log) -> None:
    history.watched.insert(2, 2)


def pass_over_a_watcher(history: GameHistory, log: Log) -> None:
    history.watched.remove(3)


def acknowledge_nothing(history: GameHistory, log: Log) -> None:
    history.writes.append(write(action="d2d1"))


def happen_twice_without_an_answer(history: GameHistory, log: Log) -> None:
    history.writes[2:] = [write(outcome=Outcome.UNKNOWN, action="b6a7")]
    history.watched = []
    log[3:] = [event(4, "action-played", ply=2, action="b6a7")]


def renumbered(log: Log, first: int) -> Log:
    return [{**event, "version": version} for version, event in enumerate(log, first)]


@pytest.mark.parametrize(
    "plant",
    [
        lose_an_event,
        leave_a_gap,
        change_an_event,
        double_an_event,
        append_what_nobody_sent,
        score_twice,
        score_never,
        end_twice,
        read_the_past,
        tell_a_watcher_twice,
        pass_over_a_watcher,
        acknowledge_nothing,
        happen_twice_without_an_answer,
    ],
)
def test_a_planted_violation_is_found(plant: Callable[[GameHistory, Log], None]) -> None:
    history, log = sound()
    plant(history, log)
    with pytest.raises(Violation, match=r"^game g: "):
        check_game(history, log)
