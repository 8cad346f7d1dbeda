"""What the computer draws by lot: from the service's own secret, so that nobody can draw it again.

The same game and place in it always draw the same, whichever process plays and however often.
"""

from __future__ import annotations

from collections.abc import Sequence

from service.ids import keyed_digest


def draw_action_seed(secret: bytes, game: str, ply: int) -> int:
    """The seed of the choice of an action: 64 bits."""
    return int(keyed_digest(secret, "computer-action", game, str(ply))[:16], 16)


def draw_choice(secret: bytes, game: str, side: int, choices: Sequence[str]) -> str:
    """One of the things that a side may choose in secret, each as likely as another."""
    number = int(keyed_digest(secret, "computer-choice", game, str(side)), 16)
    return choices[number % len(choices)]


def draw_nonce(secret: bytes, game: str, side: int) -> str:
    """The nonce that keeps the commitment to the choice from being guessed."""
    return keyed_digest(secret, "computer-nonce", game, str(side))
