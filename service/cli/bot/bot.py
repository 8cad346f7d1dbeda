"""A bot: it follows a player's stream of tasks, and plays the games with engines."""

from __future__ import annotations

import time
import uuid
from dataclasses import replace
from random import SystemRandom
from typing import TYPE_CHECKING, Any, Final

import click

from engine.position import Position
from engine.registry import find_variant
from engine.search import Limits
from engine.search.time_management import LEAST, TimeLeft, expect_moves
from engine.side import Side
from notation.registry import find_dialect
from service.cli.bot.game_memory import GameMemory, is_behind
from service.cli.bot.task_stream import Task, TaskStream
from service.cli.bot.turn_time import OwnClock, keep_overhead, read_own_clock, share_time
from service.game.errors import NotASeat
from service.game.values import Mode
from service.protocol.process import EngineProcess

if TYPE_CHECKING:
    from service.cli.client import Client

SIDES: Final = ("first", "second")

QUIET: Final = 100
"""Actions without a capture after which the bot offers and accepts a draw in a level game."""
LEVEL: Final = 50
"""The largest score of a level game, in hundredths."""
OFFER_EVERY: Final = 20
"""Actions between two offers of a draw."""

LEAST_OVERHEAD: Final = 0.05
"""The least number of seconds that an action is expected to lose beside thinking."""
TIMES_SLOWEST: Final = 1.5
"""The time kept for an action's overhead, as a multiple of the slowest recent one."""
FORGETTING: Final = 0.95
"""The share of a slow action's overhead that is remembered after another action."""
OF_CLOCK: Final = 0.1
"""The share of the least time on any clock that an action in a game without clocks may take."""


class Bot:
    """A player that follows its stream of tasks and plays them with engines.

    `limits` apply to every action; with None, only the clock limits it. `usual` applies to an
    action that neither `limits` nor a clock bounds.
    """

    def __init__(self, service: Client, command: str, limits: Limits | None, usual: Limits) -> None:
        self._service = service
        self._command = command
        self._limits = limits
        self._usual = usual
        self._engines: dict[tuple[str, bool], EngineProcess] = {}
        self._memories: dict[str, GameMemory] = {}
        self._clocks: dict[str, OwnClock] = {}
        self._overhead = LEAST_OVERHEAD
        self._tasks = TaskStream(service)

    def play(self, games: int | None) -> None:
        """Play until `games` games are over; raises ProtocolError, Refused."""
        over: set[str] = set()
        try:
            for task in self._tasks:
                if task.message.get("mode") == Mode.SCRIBE:
                    continue  # the scribe acts for both sides
                self._carry_out(task)
                game = task.message.get("game")
                if task.event == "game-over" and game not in over:
                    # Events after the end, such as a score, report the game as over again.
                    click.echo(f"{game} {task.message['result']}")
                    over.add(str(game))
                    if len(over) == games:
                        return
        finally:
            for engine in self._engines.values():
                engine.close()

    def _carry_out(self, task: Task) -> None:
        """Do what a task asks for, and remember what it reports."""
        event, message = task.event, task.message
        self._note_clock(task)
        if event == "challenge":
            self._send(message, "commands", {"type": "accept"})
        elif event == "choose":
            self._choose(message)
        elif event == "retraction-offered":
            self._send(message, "commands", {"type": "decline-retraction"})
        elif event in ("your-turn", "draw-offered") and message["your_turn"]:
            self._act(message)
        elif event == "game-over":
            self._memories.pop(message["game"], None)

    def _note_clock(self, task: Task) -> None:
        """Remember the player's clock in each game that goes on."""
        game = task.message.get("game")
        if game is None:
            return
        clock = read_own_clock(task.message, task.began) if task.event != "game-over" else None
        if clock is None:
            self._clocks.pop(game, None)
        else:
            self._clocks[game] = clock

    def _send(
        self, message: dict[str, Any], to: str, body: dict[str, Any]
    ) -> dict[str, Any] | None:
        """Post to a game and return it; None if the game has moved on, which the stream reports.

        None also if somebody else acts for the player's side.
        """
        from service.cli.client import RequestRefused

        try:
            answer = self._service.post(f"/games/{message['game']}/{to}", body, str(uuid.uuid4()))
        except RequestRefused as refusal:
            if refusal.status != 409 and refusal.code != NotASeat.code:
                raise
            return None
        changed: dict[str, Any] = answer["game"]
        return changed

    def _choose(self, message: dict[str, Any]) -> None:
        written = find_dialect(message["variant"])
        if written.sealing is None:
            raise TypeError(f"nothing is chosen in {message['variant']}")
        side = Side(SIDES.index(message["side"]))
        square = SystemRandom().choice(
            written.sealing.choices(written.read_fen(message["fen"]), side)
        )
        self._send(message, "commands", {"type": "choose", "square": square})

    def _act(self, message: dict[str, Any]) -> None:
        memory = self._remember(message)
        if message["version"] <= memory.answered:
            return
        engine = self._start_engine(message["variant"], memory.draw_by_points)
        written = find_dialect(message["variant"])
        position = written.read_fen(message["fen"])
        limits, left = self._find_limits(message, memory, position)
        begun = time.monotonic()
        action = engine.choose(position, limits, left)
        thought = time.monotonic() - begun
        quiet = message["ply"] - memory.quiet_since
        version = message["version"]
        level = engine.score is not None and abs(engine.score) <= LEVEL
        if quiet >= QUIET and level and not (memory.draw_by_points and is_behind(position)):
            if message["draw_offer"] is not None and message["draw_offer"] != message["side"]:
                self._send(message, "commands", {"type": "accept-draw"})
                return
            # The bot plays every second action, so one of two successive plies is its own.
            if quiet % OFFER_EVERY < 2:
                offered = self._send(message, "commands", {"type": "offer-draw"})
                version = version if offered is None else offered["version"]
        text = written.coordinate(action)
        if self._send(message, "actions", {"action": text, "expected_version": version}):
            memory.answered = version
            self._note_overhead(message["game"], thought)
            click.echo(f"{message['game']} {text}")

    def _note_overhead(self, game: str, thought: float) -> None:
        """Note how long the turn of the action just sent took beside the thinking."""
        clock = self._clocks.get(game)
        if clock is None or not clock.runs:
            return
        lost = TIMES_SLOWEST * (time.monotonic() - clock.began - thought)
        self._overhead = max(LEAST_OVERHEAD, lost, FORGETTING * self._overhead)

    def _find_limits(
        self, message: dict[str, Any], memory: GameMemory, position: Position
    ) -> tuple[Limits | None, TimeLeft | None]:
        """The limits for an action, and the time the clock leaves for it, None without a clock."""
        game, now = message["game"], time.monotonic()
        times = {
            id: clock.find_time(0, now).left for id, clock in self._clocks.items() if id != game
        }
        if game in self._clocks:
            left = self._clocks[game].find_time(memory.count_made(position), now)
            left = share_time(left, self._count_waiting() + 1, times.values())
            moves = expect_moves(find_variant(message["variant"]).usual_moves, position.number - 1)
            return self._limits, keep_overhead(left, self._overhead, moves)
        limits = self._limits or self._usual
        if not times:
            return limits, None
        seconds = max(LEAST, OF_CLOCK * min(times.values()) / 1000)
        return replace(limits, seconds=min(seconds, limits.seconds or seconds)), None

    def _count_waiting(self) -> int:
        """The number of games in which a turn on a clock has come that was not handled yet."""
        return len(
            {
                task.message["game"]
                for task in self._tasks.list_waiting()
                if task.message.get("your_turn") and "clocks" in task.message
            }
        )

    def _start_engine(self, name: str, draw_by_points: bool) -> EngineProcess:
        """The engine for games of a variant with this agreement, started on first use."""
        key = name, draw_by_points
        if key not in self._engines:
            self._engines[key] = EngineProcess(
                self._command, find_variant(name), draw_by_points=draw_by_points
            )
        return self._engines[key]

    def _remember(self, message: dict[str, Any]) -> GameMemory:
        """The memory of a game, brought up to date with a message about it."""
        if message["game"] not in self._memories:
            game = self._find_game(message)
            self._memories[message["game"]] = GameMemory.begin(message, game)
        memory = self._memories[message["game"]]
        memory.update(message)
        return memory

    def _find_game(self, message: dict[str, Any]) -> dict[str, Any]:
        """The whole game, if more must be known than its messages say; else nothing."""
        counts_moves = "/" in (message.get("clocks") or {}).get("time_control", "")
        if counts_moves or find_variant(message["variant"]).draw_by_points:
            return self._service.get(f"/games/{message['game']}")
        return {}
