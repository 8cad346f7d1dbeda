"""Records without what the service adds to them."""

from __future__ import annotations

from service.game.importing import SERVICE_TAGS

STARTS = tuple(f"[{tag} " for tag in SERVICE_TAGS)


def without_service_tags(text: str) -> str:
    """A record or several, without the lines of the tags that the service adds."""
    return "\n".join(line for line in text.split("\n") if not line.startswith(STARTS))
