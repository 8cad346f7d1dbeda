"""Checks a history against the log: nothing acknowledged is lost, doubled or out of order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.faults.history import GameHistory, Outcome, Write

Event = Mapping[str, Any]

CONSEQUENCES = ("choice-disclosed/1", "game-begun/1", "game-ended/1")
"""Events that a request's own event may cause."""

SCORED = "game-scored/1"


class Violation(AssertionError):
    """A guarantee that the service broke, with the game that shows it."""

    def __init__(self, game: str, what: str) -> None:
        super().__init__(game, what)
        self.game = game
        self.what = what

    def __str__(self) -> str:
        return f"game {self.game}: {self.what}"


def check_game(history: GameHistory, log: Sequence[Event]) -> None:
    """Raise Violation unless the log holds what the history says, once and in order."""
    check_versions(history.id, log)
    told = [event for event in log if event["type"] != SCORED]
    remaining = iter(told)
    for write in history.writes:
        if write.outcome is Outcome.ACKNOWLEDGED:
            check_acknowledged(history.id, write, log)
            for _ in write.events:
                next(remaining, None)
    extra = list(remaining)
    pending = [write for write in history.writes if write.outcome is Outcome.UNKNOWN]
    if extra and not pending:
        raise Violation(history.id, f"events that nobody sent: {summary(extra)}")
    if extra and not is_result_of(pending[-1], extra):
        raise Violation(history.id, f"not what was sent last: {summary(extra)}")
    check_reads(history)
    check_watched(history, log)
    check_score(history.id, log)


def check_versions(game: str, log: Sequence[Event]) -> None:
    """The log's versions count from 1 without gaps."""
    versions = [event["version"] for event in log]
    if versions != list(range(1, len(log) + 1)):
        raise Violation(game, f"versions {versions}")


def check_acknowledged(game: str, write: Write, log: Sequence[Event]) -> None:
    """The log has the acknowledged events at their versions, unchanged."""
    if not write.events:
        raise Violation(game, f"{write.body} was acknowledged without an event")
    for version, type, data in write.events:
        if version > len(log):
            raise Violation(game, f"version {version} ({type}) was acknowledged and is lost")
        kept = log[version - 1]
        if kept["type"] != type or not data.items() <= kept["data"].items():
            raise Violation(game, f"version {version} was {type} {data} and is {kept}")


def is_result_of(write: Write, events: Sequence[Event]) -> bool:
    """Whether a single request could have caused these events."""
    own = [event for event in events if event["type"] not in CONSEQUENCES]
    ending = [event["type"] for event in events].count("game-ended/1")
    return len(own) <= 1 and ending <= 1 and (bool(own) or write.body.get("type") == "resign")


def check_reads(history: GameHistory) -> None:
    """No client read a version older than one that it already knew."""
    for read in history.reads:
        if read.version < read.known:
            raise Violation(history.id, f"read at version {read.version} after {read.known}")


def check_watched(history: GameHistory, log: Sequence[Event]) -> None:
    """A watcher who resumed after each break was sent every event once, in order.

    Watchers leave with the score; without one, they may have missed the last events.
    """
    types = [event["type"] for event in log]
    until = types.index(SCORED) + 1 if SCORED in types else len(history.watched)
    if history.watched != [event["version"] for event in log[:until]]:
        raise Violation(history.id, f"a stream of {until} events told {history.watched}")


def check_score(game: str, log: Sequence[Event]) -> None:
    """A finished game is scored once, after its end; an unfinished one is not scored."""
    types = [event["type"] for event in log]
    ended, scored = types.count("game-ended/1"), types.count(SCORED)
    if ended > 1:
        raise Violation(game, f"ended {ended} times")
    if scored != ended:
        raise Violation(game, f"ended {ended} times and scored {scored} times")
    if scored and types.index(SCORED) < types.index("game-ended/1"):
        raise Violation(game, "scored before its end")


def summary(events: Sequence[Event]) -> list[tuple[int, str]]:
    """The events' versions and types."""
    return [(event["version"], event["type"]) for event in events]
