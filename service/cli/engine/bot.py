"""`movelog bot`: play a player's games on a service with an engine."""

from __future__ import annotations

import json
import sys
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from random import SystemRandom
from typing import TYPE_CHECKING, Any, Final

import click

from service.cli.options import add_player_options

if TYPE_CHECKING:
    from engine.position import Position
    from engine.search import Limits
    from service.cli.client import Client
    from service.protocol.process import EngineProcess

RECONNECT: Final = 2.0
"""Seconds before a lost stream is opened again."""
SIDES: Final = ("first", "second")

QUIET: Final = 100
"""Actions without a capture after which the bot offers and accepts a draw in a level game."""
LEVEL: Final = 50
"""The largest score of a level game, in hundredths."""
OFFER_EVERY: Final = 20
"""Actions between two offers of a draw."""


@click.command(short_help="Play a player's games on a service with an engine.")
@add_player_options
@click.option("--engine", help="The engine's command line [default: `movelog engine`].")
@click.option(
    "--go", default="nodes 100000", help="The engine's limits for each action.", show_default=True
)
@click.option("--games", type=click.IntRange(1), help="Stop after this many finished games.")
def bot(
    service: Client,
    engine: str | None,
    go: str,
    games: int | None,
) -> None:
    """Accept every challenge to a player, and play all the player's games, until interrupted.

    The engine is any program that speaks the protocol of docs/engine-protocol.md. Secret choices
    are made at random. Prints a line `game action` for each action and `game result` for each
    finished game.

    After 100 actions without a capture it offers and accepts draws while its engine's score is
    within half a unit and the draw would not be lost on points (tag DrawByPoints). It declines
    retractions. No game has a repetition rule, so engines that see an advantage may play on for
    ever: set a limit of plies with the tag PlyLimit when you create a game.

    \b
    Example:
      movelog bot --token mlg_… --go "nodes 20000 movetime 1000"
      movelog api POST /games '{"variant": "kerd", "side": "first", "opponent": "…",
        "tags": {"PlyLimit": "200"}}'
    """
    from service.player.names.shown import shown_name
    from service.protocol.commands import read_limits
    from service.protocol.errors import ProtocolError
    from service.protocol.process import check

    try:
        limits = read_limits(go.split())
        if limits is None:
            hint = "without a limit the engine would think forever"
            raise click.BadParameter(hint, param_hint="--go")
        name = shown_name(service.get("/me"))
        command = engine or f"{sys.executable} -m service.cli engine"
        check(command)
        click.echo(f"playing as {name}, waiting for games", err=True)
        Bot(service, command, limits).play(games)
    except ProtocolError as error:
        raise click.ClickException(str(error)) from error


def is_behind(position: Position) -> bool:
    """Whether the side to act has fewer points than the other."""
    points = position.points()
    return points is not None and points[position.side] < points[1 - position.side]


@dataclass(slots=True)
class GameMemory:
    """What a bot remembers of a game.

    `quiet_since` is the ply at which `pieces` first stood on the board, `answered` the version that
    the bot last answered with an action.
    """

    pieces: int
    quiet_since: int
    draw_by_points: bool
    answered: int = 0


class Bot:
    """A player that follows its stream of tasks and plays them with engines."""

    def __init__(self, service: Client, command: str, limits: Limits) -> None:
        self._service = service
        self._command = command
        self._limits = limits
        self._engines: dict[tuple[str, bool], EngineProcess] = {}
        self._memories: dict[str, GameMemory] = {}

    def play(self, games: int | None) -> None:
        """Play until this many games are over; raises ProtocolError, Refused."""
        over: set[str] = set()
        try:
            for event, message in self._read_stream():
                if event == "challenge":
                    self._send(message, "commands", {"type": "accept"})
                elif event == "choose":
                    self._choose(message)
                elif event == "retraction-offered":
                    self._send(message, "commands", {"type": "decline-retraction"})
                elif event in ("your-turn", "draw-offered") and message["your_turn"]:
                    self._act(message)
                elif event == "game-over" and message["game"] not in over:
                    # Events after the end, such as a score, report the game as over again.
                    click.echo(f"{message['game']} {message['result']}")
                    self._memories.pop(message["game"], None)
                    over.add(message["game"])
                    if len(over) == games:
                        return
        finally:
            for engine in self._engines.values():
                engine.close()

    def _read_stream(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the player's tasks, then changes, as event and data; reopens a lost stream."""
        import requests

        while True:
            event = ""
            try:
                for line in self._service.stream_lines("/me/stream", "text/event-stream"):
                    name, _, value = line.partition(": ")
                    if name == "event":
                        event = value
                    elif name == "data" and event == "reconnect":
                        break
                    elif name == "data":
                        yield event, json.loads(value)
                if event == "reconnect":
                    # This process of the service is about to end, and another one answers.
                    continue
            except requests.RequestException:
                pass  # a stream may be lost; the next one reports everything again
            time.sleep(RECONNECT)

    def _send(
        self, message: dict[str, Any], to: str, body: dict[str, Any]
    ) -> dict[str, Any] | None:
        """Post to a game and return it; None if the game has moved on, which the stream reports."""
        from service.cli.client import RequestRefused

        try:
            answer = self._service.post(f"/games/{message['game']}/{to}", body, str(uuid.uuid4()))
        except RequestRefused as refusal:
            if refusal.status != 409:
                raise
            return None
        changed: dict[str, Any] = answer["game"]
        return changed

    def _choose(self, message: dict[str, Any]) -> None:
        from engine.side import Side
        from notation.registry import find_dialect

        written = find_dialect(message["variant"])
        if written.sealing is None:
            raise TypeError(f"nothing is chosen in {message['variant']}")
        side = Side(SIDES.index(message["side"]))
        square = SystemRandom().choice(
            written.sealing.choices(written.read_fen(message["fen"]), side)
        )
        self._send(message, "commands", {"type": "choose", "square": square})

    def _act(self, message: dict[str, Any]) -> None:
        from notation.registry import find_dialect

        memory = self._remember(message)
        if message["version"] <= memory.answered:
            return
        engine = self._start_engine(message["variant"], memory.draw_by_points)
        written = find_dialect(message["variant"])
        position = written.read_fen(message["fen"])
        action = engine.choose(position, self._limits)
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
            click.echo(f"{message['game']} {text}")

    def _start_engine(self, name: str, draw_by_points: bool) -> EngineProcess:
        """The engine for games of a variant with this agreement, started on first use."""
        from engine.registry import find_variant
        from service.protocol.process import EngineProcess

        key = name, draw_by_points
        if key not in self._engines:
            self._engines[key] = EngineProcess(
                self._command, find_variant(name), draw_by_points=draw_by_points
            )
        return self._engines[key]

    def _remember(self, message: dict[str, Any]) -> GameMemory:
        """The memory of a game, brought up to date with a message about it."""
        pieces = sum(map(str.isalpha, message["fen"].split()[0]))
        if message["game"] not in self._memories:
            by_points = self._has_draw_by_points(message)
            self._memories[message["game"]] = GameMemory(pieces, message["ply"], by_points)
        memory = self._memories[message["game"]]
        if memory.pieces != pieces or message["ply"] < memory.quiet_since:
            memory.pieces, memory.quiet_since = pieces, message["ply"]
        return memory

    def _has_draw_by_points(self, message: dict[str, Any]) -> bool:
        """Whether the players agreed that a draw goes to the side with more points."""
        from engine.registry import find_variant
        from notation.agreement import Agreement

        if not find_variant(message["variant"]).draw_by_points:
            return False
        tags = self._service.get(f"/games/{message['game']}")["tags"]
        return Agreement.from_tags(find_variant(message["variant"]), tags).draw_by_points
