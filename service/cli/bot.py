"""`movelog bot`: play a player's games on a service with an engine."""

from __future__ import annotations

import json
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from engine.search import Limits
    from service.cli.client import Client
    from service.protocol.process import EngineProcess

RECONNECT: Final = 2.0
"""Seconds before a stream that broke off is opened again."""
SIDES: Final = ("first", "second")


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

    \b
    Example:
      movelog bot --token mlg_… --go "nodes 20000 movetime 1000"
    """
    from service.cli.client import Client
    from service.cli.play import usual_token, usual_url
    from service.protocol.commands import read_limits
    from service.protocol.errors import ProtocolError

    client = Client(url or usual_url(), token or usual_token(token_file))
    try:
        limits = read_limits(go.split())
        if limits is None:
            raise click.BadParameter("without a limit it would think forever", param_hint="--go")
        Bot(client, engine or f"{sys.executable} -m service.cli engine", limits).play(games)
    except ProtocolError as error:
        raise click.ClickException(str(error)) from error


class Bot:
    """A player who follows the stream of what waits for it."""

    def __init__(self, client: Client, command: str, limits: Limits) -> None:
        self._client = client
        self._command = command
        self._limits = limits
        self._engines: dict[str, EngineProcess] = {}

    def play(self, games: int | None) -> None:
        """Do what waits, until so many games are over; raises ProtocolError, Refused."""
        over: set[str] = set()
        try:
            for event, told in self._messages():
                if event == "challenge":
                    self._send(told, "commands", {"type": "accept"})
                elif event == "choose":
                    self._choose(told)
                elif event == "your-turn":
                    self._act(told)
                elif event == "game-over" and told["game"] not in over:
                    # What happens to it after its end, a score for one, is told as well.
                    click.echo(f"{told['game']} {told['result']}")
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

    def _send(self, told: dict[str, Any], to: str, body: dict[str, Any]) -> None:
        """Send a request; that the game has moved on meanwhile is told by the stream."""
        from service.cli.client import Refused

        try:
            self._client.post(f"/games/{told['game']}/{to}", body, str(uuid.uuid4()))
        except Refused as refusal:
            if refusal.status != 409:
                raise

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
        from engine.registry import variant
        from notation.registry import dialect
        from service.protocol.process import EngineProcess

        name = told["variant"]
        if name not in self._engines:
            self._engines[name] = EngineProcess(self._command, variant(name))
        written = dialect(name)
        action = self._engines[name].choose(written.read_fen(told["fen"]), self._limits)
        text = written.coordinate(action)
        self._send(told, "actions", {"action": text, "expected_version": told["version"]})
        click.echo(f"{told['game']} {text}")
