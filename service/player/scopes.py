"""The scopes of tokens."""

from __future__ import annotations

from typing import Final

PLAY: Final = "play"
"""Own games: challenge, accept, play, offer, resign; record games as their scribe."""
ARBITER: Final = "arbiter"
"""Rule on any game, and create games for others to play."""
ADMIN: Final = "admin"
"""Reissue tokens, rename and erase players, import for others."""

SCOPES: Final = (PLAY, ARBITER, ADMIN)
