"""What a token may be good for."""

from __future__ import annotations

from typing import Final

PLAY: Final = "play"
"""Own games: challenge, accept, play, offer, resign; keep score as a scribe of one's own games."""
ARBITER: Final = "arbiter"
"""Rule on any game, and create games for others to play."""
ADMIN: Final = "admin"
"""Reissue tokens, rename and erase players, import for others."""

SCOPES: Final = (PLAY, ARBITER, ADMIN)
