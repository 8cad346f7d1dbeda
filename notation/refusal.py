"""Why a token is refused in any game, before the game itself says why."""

from __future__ import annotations

from collections.abc import Sequence

from engine.phrase import phrase
from engine.position import Action, Position
from notation.dialect import Dialect
from notation.errors import AfterTheEnd, AmbiguousMove


def refuse_token(dialect: Dialect, position: Position, token: str, fits: Sequence[Action]) -> None:
    """Refuse a token that does not mean one legal action, if the reason is the same in all games.

    `fits` are the legal actions it may mean. Raises AfterTheEnd or AmbiguousMove. If it returns, no
    legal action fits, and the game has to say why.
    """
    if position.outcome() is not None:
        raise AfterTheEnd(token, phrase("the game has ended before it"))
    if fits:
        candidates = tuple(dialect.san(position, action) for action in fits)
        raise AmbiguousMove(
            token, phrase("fits {count} legal actions", count=len(fits)), candidates
        )
