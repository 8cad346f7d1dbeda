"""The outcome of a game's command that was executed before a view was called (`direct_actions`)."""

from __future__ import annotations

from typing import Final, TypeAlias

from flask.globals import request_ctx

from service.api.context import get_service
from service.game.commands import Command
from service.game.state import GameState
from service.log.repository import Done
from service.log.values import Receipt
from service.player.actor import Actor

Outcome: TypeAlias = Done[GameState] | Exception
"""What a command did, or the error that it ended with."""
OUTCOME: Final = "movelog.outcome"
"""The environment key for the outcome of a request's executed command.

No client's header can set it.
"""


def execute_once(
    id: str, command: Command, actor: Actor, expected: int | None, receipt: Receipt | None
) -> Done[GameState]:
    """Execute the request's command on a game, unless that was done already.

    Returns or raises what `Games.execute` does, or did then.
    """
    outcome: Outcome | None = request_ctx.request.environ.get(OUTCOME)
    if outcome is None:
        return get_service().games.execute(id, command, actor, expected, receipt)
    if isinstance(outcome, Exception):
        raise outcome
    return outcome
