"""Searching for the computer, in separate processes that give way to everything else.

Questions and answers go through pipes and are never written down, since they hold secrets.
"""

from __future__ import annotations

import logging
import os
import signal
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing import get_context
from multiprocessing.connection import Connection
from time import monotonic
from typing import Final

from engine.registry import find_variant
from engine.side import Side
from notation.registry import find_dialect
from service.computer.agreeing import (
    HOPELESS,
    Standing,
    offers_draw,
    resigns,
    welcomes_draw,
)
from service.computer.choosing import Chooser, Views, judge_position
from service.computer.levels import LEVELS
from service.operations.parent_death import die_with

log = logging.getLogger(__name__)

NICENESS: Final = 19
"""How much a search gives way: all other processes come first."""
JUDGING: Final = 0.1
"""The share of the time that each of the two judgements of the position may take."""
SPAWNING: Final = get_context("spawn")
HURRIED_NODES: Final = 200
"""The nodes of a search that cannot wait for a process."""


@dataclass(frozen=True, slots=True)
class Question:
    """A position of a game, as text, and what is to be decided in it for `side`.

    `public` is what everybody knows, `own` what the side knows; `earlier` is the public position at
    the side's previous turn. `to_act` is False where only a draw offer is to be answered. `quiet`
    is how many actions there were since the last capture.
    """

    variant: str
    level: int
    side: int
    public: str
    own: str
    earlier: str | None
    seed: int
    seconds: float
    quiet: int
    draw_by_points: bool
    draw_offered: bool
    may_offer: bool
    to_act: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """The computer's decision: play `action`, with or without a draw offer, or another command."""

    action: str | None = None
    offer: bool = False
    resign: bool = False
    accept_draw: bool = False


def think(question: Question) -> Answer:
    """Answer a question, within about the seconds given."""
    ends = monotonic() + question.seconds
    standing = find_standing(question)
    if question.draw_offered and welcomes_draw(standing):
        return Answer(accept_draw=True)
    if not question.to_act:
        return Answer()
    if resigns(standing, LEVELS[question.level - 1]):
        return Answer(resign=True)
    offer = question.may_offer and offers_draw(standing)
    return replace(choose(question, ends - monotonic()), offer=offer)


def choose(question: Question, seconds: float, *, hurried: bool = False) -> Answer:
    """Choose an action in `seconds` seconds or, if `hurried`, with few nodes in almost no time."""
    variant, written = find_variant(question.variant), find_dialect(question.variant)
    level = LEVELS[question.level - 1]
    if hurried:
        level = replace(level, nodes=min(level.nodes, HURRIED_NODES))
    views = Views(written.read_fen(question.public), written.read_fen(question.own))
    chooser = Chooser(variant, level, question.draw_by_points)
    return Answer(written.coordinate(chooser.choose(views, question.seed, seconds)))


def find_standing(question: Question) -> Standing:
    """The side's prospects, judged from the public position."""
    variant, written = find_variant(question.variant), find_dialect(question.variant)
    side = Side(question.side)

    def judge(fen: str) -> float:
        position = written.read_fen(fen)
        chance = judge_position(
            variant,
            position,
            question.seed,
            JUDGING * question.seconds,
            draw_by_points=question.draw_by_points,
        )
        return chance if position.side == side else 1 - chance

    chance = judge(question.public)
    hopeless = chance < HOPELESS and question.earlier is not None
    return Standing(
        side,
        chance,
        judge(question.earlier) if hopeless and question.earlier is not None else None,
        question.quiet,
        written.read_fen(question.public).points() if question.draw_by_points else None,
    )


def serve_questions(questions: Connection, parent: int) -> None:
    """Answer questions until the pipe or the parent is gone; None if one cannot be answered."""
    die_with(parent)()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.nice(NICENESS)
    with suppress(EOFError, BrokenPipeError):
        while True:
            question = questions.recv()
            try:
                answer = think(question)
            except Exception as error:
                # Its text may reveal the position.
                log.warning("a search failed: %s", type(error).__name__)
                answer = None
            questions.send(answer)


class Thinker:
    """A search process, which has one question at a time; restarted if it has died."""

    def __init__(self) -> None:
        self.busy_with: str | None = None
        """The game that it thinks about."""
        self._begin()

    def _begin(self) -> None:
        self.pipe, theirs = SPAWNING.Pipe()
        self._process = SPAWNING.Process(
            target=serve_questions, args=(theirs, os.getpid()), name="thinker", daemon=True
        )
        self._process.start()
        theirs.close()

    @property
    def process_id(self) -> int:
        """The process's id in the operating system."""
        return self._process.pid or 0

    def ask(self, game: str, question: Question) -> None:
        """Begin to think about a question; whether the process has died shows in `answer`."""
        self.busy_with = game
        with suppress(BrokenPipeError):
            self.pipe.send(question)

    def answer(self) -> Answer | None:
        """The answer, once the pipe has it; None if there is none, or the process has died.

        A process that has died is restarted.
        """
        self.busy_with = None
        try:
            answer: Answer | None = self.pipe.recv()
        except (EOFError, ConnectionResetError):
            log.warning("a search process has died and is restarted")
            self.close()
            self._begin()
            return None
        return answer

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.join()
        self.pipe.close()
