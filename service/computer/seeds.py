"""The computer's random draws, which depend on the service's secret, so nobody can repeat them.

The same place in the same game always gives the same draw, in any process and at any time.
"""

from __future__ import annotations

from collections.abc import Sequence

from service.ids import keyed_digest


def draw_action_seed(secret: bytes, game: str, ply: int) -> int:
    """The seed for the choice of an action: 64 bits."""
    return int(keyed_digest(secret, "computer-action", game, str(ply))[:16], 16)


def draw_choice(secret: bytes, game: str, side: int, choices: Sequence[str]) -> str:
    """One of the things that a side may choose in secret, each as likely as another."""
    number = int(keyed_digest(secret, "computer-choice", game, str(side)), 16)
    return choices[number % len(choices)]


def draw_nonce(secret: bytes, game: str, side: int) -> str:
    """The nonce that keeps the commitment to the choice from being guessed."""
    return keyed_digest(secret, "computer-nonce", game, str(side))
