"""Plays the computer's games: looks at those with news, has turns thought about, and answers.

Every command states the version of the game that it was decided for, so the computer moves once,
whichever process dies and however many there are. Nothing about a position is ever logged.
"""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import wait
from threading import Event
from time import monotonic
from typing import Final

import redis

from service.composition.service import Service
from service.computer.open_games import NOTHING_DUE
from service.computer.registration import register_computers
from service.errors import ServiceError, WrongExpectedVersion
from service.game.state import GameState
from service.storage.outage_log import OutageLog
from workers.computer.following import GameFollower
from workers.computer.thinking import Answer, Question, Thinker, choose
from workers.computer.turns import (
    Turn,
    choose_immediate_command,
    find_turn,
    is_over,
    list_commands,
    list_computer_sides,
    make_actor,
    make_question,
    order_by_turn,
)

log = logging.getLogger(__name__)

IDLE: Final = 1.0
"""Seconds between two checks whether to stop, while nothing happens."""
PAUSE: Final = 0.2
"""Seconds until a store that is away is tried again."""
RETRY: Final = 30.0
"""Seconds until a game that could not be read or played on is tried again."""
SAVE: Final = 10.0
"""Seconds after which the position in the feed is saved, even if there was no news."""
MARGIN: Final = 30
"""Milliseconds before the answer by which a search has to be done."""
LEAST: Final = 0.05
"""The least seconds of a search, in a game with clocks."""
LEAST_SHARE: Final = 0.25
"""The least share of the level's seconds for a search, in a game without clocks."""
HURRIED: Final = 0.02
"""Seconds of a search that cannot wait any more."""
HURRIED_TOGETHER: Final = 2
"""The most such searches between two looks at what else is to be done."""


class ComputerGames:
    """The computer's games, and the processes that think about them; one object in each process."""

    def __init__(self, service: Service, thinkers: int) -> None:
        self.service = service
        self.games = service.games
        self.open_games = service.open_games
        self.thinkers = [Thinker() for _ in range(thinkers)]
        self.turns: dict[str, Turn] = {}
        self.answers: dict[str, Answer] = {}
        self._known: set[str] = set()
        self._again: dict[str, float] = {}
        self._saved = float("-inf")
        self._outages = OutageLog(log)
        self._follower: GameFollower | None = None

    @property
    def follower(self) -> GameFollower:
        """Finds the games with news, from where the last process left off."""
        if self._follower is None:
            self._known = self.open_games.load()
            self._follower = GameFollower(self.service.log, self.open_games.load_positions())
            self._follower.add(self._known)
            self._follower.start()
        return self._follower

    def run(self, stop: Event) -> None:
        """Play until `stop` is set; a store that is away is waited for."""
        while not stop.is_set():
            try:
                self.step()
                self._outages.note_success()
            except redis.RedisError as error:
                self._outages.note(error)
                stop.wait(PAUSE)

    def close(self) -> None:
        """End the processes that think, and stop following."""
        for thinker in self.thinkers:
            thinker.close()
        if self._follower is not None:
            self._follower.close()

    def step(self) -> None:
        """Wait at most IDLE seconds for something to happen, and do what is to be done."""
        busy = [thinker.pipe for thinker in self.thinkers if thinker.busy_with is not None]
        wait([self.follower.pipe, *busy], self._find_pause())
        self._look_at_news()
        self._take_answers()
        self._begin_searches()
        self._give_answers()

    def _find_pause(self) -> float:
        """The seconds until the next answer is due, or a game is tried again."""
        now = self.games.clock()
        times = [
            turn.answer_at if game in self.answers else turn.hurry_at
            for game, turn in self.turns.items()
        ]
        pauses = [(at - now) / 1000 for at in times if at is not None]
        pauses += [at - monotonic() for at in self._again.values()]
        return max(0.0, min([IDLE, *pauses]))

    def _look_at_news(self) -> None:
        """Look at the games with news, and save how far the feed has been read."""
        news, positions = self.follower.take()
        news |= {game for game, at in self._again.items() if at <= monotonic()}
        try:
            is_open = {game: self._look_at(game) for game in news}
            due = {
                game: turn.answer_at if (turn := self.turns.get(game)) else NOTHING_DUE
                for game in news
                if is_open[game]
            }
            closed = self._known & (news - due.keys())
            if news or monotonic() - self._saved > SAVE:
                self.open_games.save(due, closed, positions, self.games.clock())
                self._saved = monotonic()
        except redis.RedisError:
            self.follower.add(news)
            raise
        self._known = (self._known | due.keys()) - closed

    def _look_at(self, game: str) -> bool:
        """Do what needs no thinking in a game, and find what does; returns whether it is open."""
        self._again.pop(game, None)
        with self._put_off_if_broken(game):
            state = self.games.find(game)
            if state is None or is_over(state) or not list_computer_sides(state):
                self._drop(game)
                return False
            self._carry_on(state)
        return True

    def _carry_on(self, state: GameState) -> None:
        """Do what needs no thinking, and plan what does."""
        immediate = choose_immediate_command(state, self.service.secret)
        if immediate is not None:
            command, actor = immediate
            with suppress(ServiceError):
                # A command that is refused is out of date; the feed brings the game's new state.
                state = self.games.execute(state.id, command, actor, state.version).state
                self.follower.add([state.id])
        # A turn that is already being thought about goes on.
        turn = find_turn(state, self.games.clock())
        known = self.turns.get(state.id)
        if turn is None or known is None or turn.key != known.key:
            self._drop(state.id)
        if turn is not None:
            self.turns[state.id] = turn

    @contextmanager
    def _put_off_if_broken(self, game: str) -> Iterator[None]:
        """Leave a game alone for a while if something is wrong with it, so others can go on.

        The error's text may reveal the position, so it is not logged.
        """
        try:
            yield
        except (redis.RedisError, WrongExpectedVersion):
            raise
        except Exception as error:
            log.warning("game %s cannot be played on: %s", game, type(error).__name__)
            self._drop(game)
            self._again[game] = monotonic() + RETRY

    def _drop(self, game: str) -> None:
        """Forget a game's turn, and what was found for it."""
        self.turns.pop(game, None)
        self.answers.pop(game, None)
        for thinker in self.thinkers:
            if thinker.busy_with == game:
                # It goes on thinking, for at most its seconds, and its answer is ignored.
                thinker.busy_with = ""

    def _take_answers(self) -> None:
        """Collect what the thinkers have found."""
        for thinker in self.thinkers:
            game = thinker.busy_with
            if game is None or not thinker.pipe.poll():
                continue
            answer = thinker.answer()
            if game in self.turns:
                # If the search has failed, an answer is found here, with few nodes.
                with self._put_off_if_broken(game):
                    self.answers[game] = answer or self._hurry(self.turns[game])

    def _begin_searches(self) -> None:
        """Give idle thinkers turns to think about."""
        free = [thinker for thinker in self.thinkers if thinker.busy_with is None]
        busy = {thinker.busy_with for thinker in self.thinkers} - {None}
        under_way = [self.turns[game] for game in busy if game in self.turns]
        waiting = [
            turn
            for game, turn in self.turns.items()
            if game not in self.answers and game not in busy
        ]
        ordered = order_by_turn(waiting, under_way)
        for thinker, (turn, sharing) in zip(free, ordered, strict=False):
            seconds = self._find_seconds(turn, sharing)
            with self._put_off_if_broken(turn.game):
                thinker.ask(turn.game, self._make_question(turn, seconds))

    def _make_question(self, turn: Turn, seconds: float) -> Question:
        """The question for a thinker, from the game as it was at the turn."""
        state = self.games.at_version(turn.game, turn.version)
        return make_question(state, turn, self.service.secret, seconds)

    def _find_seconds(self, turn: Turn, sharing: int) -> float:
        """How long to think about a turn whose time is that of `sharing` turns, itself included.

        On a clock they share it, so that every answer is in time; else answers may be late.
        """
        window = (turn.answer_at - MARGIN - self.games.clock()) / 1000
        if turn.hurry_at is None:
            return max(window, LEAST_SHARE * turn.level.seconds)
        rounds = -(-sharing // len(self.thinkers))
        return max(window / rounds, LEAST)

    def _give_answers(self) -> None:
        """Give the answers that are due, and some of those that cannot wait any longer."""
        for game, turn in list(self.turns.items()):
            if game in self.answers and self.games.clock() >= turn.answer_at:
                self._send(turn, self.answers[game])
        now = self.games.clock()
        overdue = [
            turn
            for game, turn in self.turns.items()
            if game not in self.answers and turn.hurry_at is not None and now >= turn.hurry_at
        ]
        for turn, _ in order_by_turn(overdue, ())[:HURRIED_TOGETHER]:
            with self._put_off_if_broken(turn.game):
                self._send(turn, self._hurry(turn))

    def _hurry(self, turn: Turn) -> Answer:
        """An answer found here and now, with few nodes."""
        if not turn.to_act:
            return Answer()
        return choose(self._make_question(turn, HURRIED), HURRIED, hurried=True)

    def _send(self, turn: Turn, answer: Answer) -> None:
        """Send the command of an answer; the feed then brings the game's new state."""
        version = turn.version
        try:
            with self._put_off_if_broken(turn.game):
                for command in list_commands(turn, answer):
                    actor = make_actor(turn.player)
                    version = self.games.execute(turn.game, command, actor, version).state.version
                self._drop(turn.game)
        except WrongExpectedVersion:
            # Something else was written: look at the game again; the finding may still hold.
            pass
        finally:
            # Also if the store's answer was lost: then it shows whether it was carried out.
            self.follower.add([turn.game])


def count_thinkers() -> int:
    """How many processes think at once: half of this machine's cores, at least one."""
    return max(1, (os.cpu_count() or 1) // 2)


def play_computer_games(service: Service) -> None:
    """Play until SIGTERM or SIGINT."""
    stop = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, frame: stop.set())
    register_computers(service.players)
    playing = ComputerGames(service, count_thinkers())
    try:
        playing.run(stop)
    finally:
        playing.close()
