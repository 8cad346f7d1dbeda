"""`movelog bot`: the command."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import click

from service.cli.options import add_player_options

if TYPE_CHECKING:
    from engine.search import Limits
    from service.cli.client import Client

WITHOUT_CLOCK: Final = "nodes 100000"
"""The limits for an action that nothing else limits."""


@click.command(short_help="Play a player's games on a service with an engine.")
@add_player_options
@click.option("--engine", help="The engine's command line [default: `movelog engine`].")
@click.option(
    "--go",
    help="The engine's limits for each action, beside the game's clock"
    f" [default: none in a game on clocks, else {WITHOUT_CLOCK}].",
)
@click.option("--games", type=click.IntRange(1), help="Stop after this many finished games.")
def bot(
    service: Client,
    engine: str | None,
    go: str | None,
    games: int | None,
) -> None:
    """Accept every challenge to a player, and play all the player's games, until interrupted.

    The engine is any program that speaks the protocol of docs/engine-protocol.md. In a game on
    clocks it gets the time left on the clock, less the time that sending an action takes; games
    played at the same time share it. Secret choices are made at random. Prints a line
    `game action` for each action and `game result` for each finished game.

    After 100 actions without a capture it offers and accepts draws while its engine's score is
    within half a unit and the draw would not be lost on points (tag DrawByPoints). It declines
    retractions. No game has a repetition rule, so engines that see an advantage may play on for
    ever: set a limit of plies with the tag PlyLimit when you create a game.

    \b
    Example:
      movelog bot --token mlg_… --go "nodes 20000 movetime 1000"
      movelog api POST /games '{"variant": "kerd", "side": "first", "opponent": "…",
        "time_control": "180+2", "tags": {"PlyLimit": "200"}}'
    """
    from service.cli.bot.bot import Bot
    from service.player.names.shown import shown_name
    from service.protocol.errors import ProtocolError
    from service.protocol.process import check

    try:
        limits, usual = None if go is None else read_go_option(go), read_go_option(WITHOUT_CLOCK)
        name = shown_name(service.get("/me"))
        command = engine or f"{sys.executable} -m service.cli engine"
        check(command)
        click.echo(f"playing as {name}, waiting for games", err=True)
        Bot(service, command, limits, usual).play(games)
    except ProtocolError as error:
        raise click.ClickException(str(error)) from error


def read_go_option(text: str) -> Limits:
    """The limits of `--go`; raises BadParameter if there are none, BadCommand for a bad one."""
    from service.protocol.go import read_limits

    limits = read_limits(text.split())
    if limits is None:
        hint = "without a limit the engine would think forever"
        raise click.BadParameter(hint, param_hint="--go")
    return limits
