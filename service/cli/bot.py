"""`movelog bot`: play a player's games on a service with an engine."""

from __future__ import annotations

import json
import sys
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from engine.position import Position
    from engine.search import Limits
    from service.cli.client import Client
    from service.protocol.process import EngineProcess

RECONNECT: Final = 2.0
"""Seconds before a stream that broke off is opened again."""
SIDES: Final = ("first", "second")

STILL: Final = 100
"""Actions without a capture after which a game that is level is not played on for ever."""
LEVEL: Final = 50
"""What a level game's score is at most, in hundredths."""
OFFER_EVERY: Final = 20
"""Actions between two offers of a draw."""


@click.command(short_help="Play a player's games on a service with an engine.")
@click.option("--url", help="The service [MOVELOG_URL; default: the one running here].")
@click.option("--token", help="The player's bearer token [MOVELOG_TOKEN].")
@click.option(
    "--token-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file with the token.",
)
@click.option("--engine", help="The engine's command line; default: `movelog engine`.")
@click.option("--go", default="nodes 100000", help="Its limits for each action.", show_default=True)
@click.option("--games", type=click.IntRange(1), help="Stop when so many games are over.")
def bot(
    url: str | None,
    token: str | None,
    token_file: Path | None,
    engine: str | None,
    go: str,
    games: int | None,
) -> None:
    """Accept every challenge to a player, and play all of the player's games, until interrupted.

    The engine is any program that speaks the protocol of docs/engine-protocol.md. Secret choices
    are made at random. Prints a line `game action` for each action and `game result` for each
    game that is over.

    After 100 actions without a capture it offers a draw, and accepts one, while its engine's score
    is within half a unit and the draw is not lost by points (tag DrawByPoints); retractions it
    declines. No game has a rule on repetition, and engines
    that see an advantage may still go on for ever: agree on a limit in plies with the tag PlyLimit
    when a game is set up.

    \b
    Example:
      movelog bot --token mlg_… --go "nodes 20000 movetime 1000"
      movelog api POST /games '{"variant": "kerd", "side": "first", "opponent": "…",
        "tags": {"PlyLimit": "200"}}'
    """
    from service.cli.client import Client
    from service.cli.play import usual_token, usual_url
    from service.player.names.shown import shown_name
    from service.protocol.commands import read_limits
    from service.protocol.errors import ProtocolError
    from service.protocol.process import check

    client = Client(url or usual_url(), token or usual_token(token_file))
    try:
        limits = read_limits(go.split())
        if limits is None:
            raise click.BadParameter("without a limit it would think forever", param_hint="--go")
        name = shown_name(client.get("/me"))
        command = engine or f"{sys.executable} -m service.cli engine"
        check(command)
        click.echo(f"playing as {name}, waiting for games", err=True)
        Bot(client, command, limits).play(games)
    except ProtocolError as error:
        raise click.ClickException(str(error)) from error


def is_behind(position: Position) -> bool:
    """Whether the side to act has fewer points than the other."""
    points = position.points()
    return points is not None and points[position.side] < points[1 - position.side]


@dataclass(slots=True)
class Seen:
    """What a bot remembers of a game.

    `still` is how many actions had been played when `pieces` first stood on the board, `played` the
    version that its own last action answered.
    """

    pieces: int
    still: int
    draw_by_points: bool
    played: int = 0


class Bot:
    """A player who follows the stream of what waits for it."""

    def __init__(self, client: Client, command: str, limits: Limits) -> None:
        self._client = client
        self._command = command
        self._limits = limits
        self._engines: dict[tuple[str, bool], EngineProcess] = {}
        self._seen: dict[str, Seen] = {}

    def play(self, games: int | None) -> None:
        """Do what waits, until so many games are over; raises ProtocolError, Refused."""
        over: set[str] = set()
        try:
            for event, told in self._messages():
                if event == "challenge":
                    self._send(told, "commands", {"type": "accept"})
                elif event == "choose":
                    self._choose(told)
                elif event == "retraction-offered":
                    self._send(told, "commands", {"type": "decline-retraction"})
                elif event in ("your-turn", "draw-offered") and told["your_turn"]:
                    self._act(told)
                elif event == "game-over" and told["game"] not in over:
                    # What happens to it after its end, a score for one, is told as well.
                    click.echo(f"{told['game']} {told['result']}")
                    self._seen.pop(told["game"], None)
                    over.add(told["game"])
                    if len(over) == games:
                        return
        finally:
            for engine in self._engines.values():
                engine.close()

    def _messages(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """What waits for the player, then what changes; the stream is opened again if need be."""
        import requests

        while True:
            event = ""
            try:
                for line in self._client.lines("/me/stream", "text/event-stream"):
                    name, _, value = line.partition(": ")
                    if name == "event":
                        event = value
                    elif name == "data":
                        yield event, json.loads(value)
            except requests.RequestException:
                pass  # a stream may break off; all is told again on the next one
            time.sleep(RECONNECT)

    def _send(self, told: dict[str, Any], to: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """The game as a request has left it; None where it had moved on, as the stream tells."""
        from service.cli.client import Refused

        try:
            answer = self._client.post(f"/games/{told['game']}/{to}", body, str(uuid.uuid4()))
        except Refused as refusal:
            if refusal.status != 409:
                raise
            return None
        game: dict[str, Any] = answer["game"]
        return game

    def _choose(self, told: dict[str, Any]) -> None:
        from engine.side import Side
        from notation.registry import dialect

        written = dialect(told["variant"])
        if written.sealing is None:
            raise TypeError(f"nothing is chosen in {told['variant']}")
        side = Side(SIDES.index(told["side"]))
        square = SystemRandom().choice(written.sealing.choices(written.read_fen(told["fen"]), side))
        self._send(told, "commands", {"type": "choose", "square": square})

    def _act(self, told: dict[str, Any]) -> None:
        from notation.registry import dialect

        seen = self._look(told)
        if told["version"] <= seen.played:
            return
        engine = self._engine(told["variant"], seen.draw_by_points)
        written = dialect(told["variant"])
        position = written.read_fen(told["fen"])
        action = engine.choose(position, self._limits)
        still = told["ply"] - seen.still
        version = told["version"]
        level = engine.score is not None and abs(engine.score) <= LEVEL
        if still >= STILL and level and not (seen.draw_by_points and is_behind(position)):
            if told["draw_offer"] is not None and told["draw_offer"] != told["side"]:
                self._send(told, "commands", {"type": "accept-draw"})
                return
            # The bot acts at every second action: one of two that follow each other is its own.
            if still % OFFER_EVERY < 2:
                offered = self._send(told, "commands", {"type": "offer-draw"})
                version = version if offered is None else offered["version"]
        text = written.coordinate(action)
        if self._send(told, "actions", {"action": text, "expected_version": version}):
            seen.played = version
            click.echo(f"{told['game']} {text}")

    def _engine(self, name: str, draw_by_points: bool) -> EngineProcess:
        """The engine that plays games of a variant with such an agreement."""
        from engine.registry import variant
        from service.protocol.process import EngineProcess

        key = name, draw_by_points
        if key not in self._engines:
            self._engines[key] = EngineProcess(
                self._command, variant(name), draw_by_points=draw_by_points
            )
        return self._engines[key]

    def _look(self, told: dict[str, Any]) -> Seen:
        """What is remembered of a game, with what is told of it now."""
        pieces = sum(map(str.isalpha, told["fen"].split()[0]))
        if told["game"] not in self._seen:
            by_points = self._draw_by_points(told)
            self._seen[told["game"]] = Seen(pieces, told["ply"], by_points)
        seen = self._seen[told["game"]]
        if seen.pieces != pieces or told["ply"] < seen.still:
            seen.pieces, seen.still = pieces, told["ply"]
        return seen

    def _draw_by_points(self, told: dict[str, Any]) -> bool:
        """Whether the players of a game agreed that a draw goes to the side with more points."""
        from engine.registry import variant
        from notation.agreement import Agreement

        if not variant(told["variant"]).draw_by_points:
            return False
        tags = self._client.get(f"/games/{told['game']}")["tags"]
        return Agreement.from_tags(variant(told["variant"]), tags).draw_by_points
