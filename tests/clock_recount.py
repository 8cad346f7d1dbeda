"""Recounts clocks from a game's log, sharing no code with the service but its rules of play.

This module keeps main time and periods apart and counts stages down; the service keeps a single
number and a count of moves. So the two agree only if both are right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from notation.registry import find_dialect
from service.game.importing import first_position

Told = tuple[str, int, Mapping[str, Any]]
"""An event as a recount reads it: stored name, time of the append, data."""


@dataclass
class Hand:
    """One side's clock as an arbiter would keep it on paper, in milliseconds."""

    control: str
    main: int = 0
    periods: int = 0
    within: int = 0
    to_go: int | None = None
    stage: int = -1
    begun: bool = False
    quota: int = 2000
    texts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.texts = self.control.split(":")
        self.enter_next_stage()

    def enter_next_stage(self) -> None:
        self.stage = min(self.stage + 1, len(self.texts) - 1)
        text = self.texts[self.stage]
        moves, slash, rest = text.rpartition("/")
        self.to_go = int(moves) if slash else None
        self.main += 1000 * int(re.split(r"[+d]", rest)[0])
        if "(" in rest:
            self.periods += int(rest.partition("(")[2].rstrip(")"))

    @property
    def rest(self) -> str:
        return self.texts[self.stage].rpartition("/")[2]

    @property
    def period(self) -> int:
        return 1000 * int(self.rest.split("+")[2].partition("(")[0]) if "(" in self.rest else 0

    @property
    def increment(self) -> int:
        return 1000 * int(self.rest.split("+")[1]) if "+" in self.rest else 0

    @property
    def delay(self) -> int:
        return 1000 * int(self.rest.partition("d")[2] or 0)

    @property
    def left(self) -> int:
        return self.main + self.periods * self.period - self.within

    def use(self, used: int, *, passes: bool) -> int:
        """Deduct the time used, complete the move if the turn passes, and return the time left."""
        if self.begun:
            spent = max(0, used - self.delay)
            if self.periods and spent >= self.main:
                self.within += spent - self.main
                self.main = 0
                while self.within >= self.period:
                    # A period has run out; the used part of the next is given back after the move.
                    self.within -= self.period
                    self.periods -= 1
            else:
                self.main -= spent
            if passes:
                self.within = 0
                self.main += self.increment
        if passes:
            if self.to_go is not None:
                self.to_go -= 1
                if self.to_go == 0:
                    self.enter_next_stage()
            if re.fullmatch(r"1/\d{5,}", self.control):
                self.main = 1000 * int(self.control[2:])
        self.begun = True
        return self.left


@dataclass
class Recount:
    """Both clocks of a game, recounted from its log."""

    times: list[tuple[int, int, int]] = field(default_factory=list)
    """Compensation, time used and time left, for each action in the log."""
    due: int | None = None
    """When the running flag falls, or would have fallen if the game had not ended."""
    credits: list[tuple[int, int]] = field(default_factory=list)
    """For each credited outage, when it began and when the turn that it is credited to began."""
    turns: list[tuple[int, int, list[tuple[int, int]]]] = field(default_factory=list)
    """The turns in which a clock ran: start, end, and the outages credited."""


def recount(
    variant: str, fen: str | None, told: Sequence[Told], lags: Iterable[int] | None = None
) -> Recount:
    """Recount the clocks of the game with these events.

    `lags` are the lags that clients stated, one per action; without them, the recorded
    compensation is used.
    """
    texts = find_dialect(variant)
    control = next(data["control"] for name, _, data in told if name == "time-control-agreed/1")
    position = first_position(variant, fen, {})
    actions: list[Any] = []
    hands = [Hand(control), Hand(control)]
    counted, since, credit = Recount(), 0, 0
    credited: list[tuple[int, int]] = []
    stated = None if lags is None else iter(lags)
    for name, at, data in told:
        if name == "action-played/2":
            side = int(position.side)
            action = texts.resolve(position, data["action"])
            position.play(action)
            actions.append(action)
            hand = hands[side]
            if hand.begun:
                counted.turns.append((since, at, credited))
            gone = max(0, data["received"] - since - credit) if hand.begun else 0
            told_lag = data["compensation"] if stated is None else next(stated)
            compensation = min(told_lag, 500, hand.quota, gone)
            hand.quota = min(2000, hand.quota - compensation + 100)
            left = hand.use(gone - compensation, passes=position.side != side)
            counted.times.append((compensation, gone - compensation, left))
            since, credit, credited = at, 0, []
        elif name == "outage-credited/1":
            assert data["credited"] == data["ended"] - max(data["begun"], since)
            counted.credits.append((data["begun"], since))
            credited.append((data["begun"], data["ended"]))
            credit += data["credited"]
        elif name == "game-ended/1" and hands[int(position.side)].begun:
            counted.turns.append((since, at, credited))
        elif name in ("actions-retracted/1", "clocks-set/1", "game-reopened/1"):
            raise AssertionError(f"{name} is not recounted here")
    hand = hands[int(position.side)]
    if hand.begun:
        counted.due = since + credit + hand.delay + hand.left
    return counted
