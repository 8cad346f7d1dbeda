"""Erasing a player: the name in the log, and everything that is kept beside it."""

from __future__ import annotations

from service.composition.service import Service, now
from service.player.commands import Principal
from service.storage.erasures import note_erasure


def erase_player(service: Service, id: str, by: Principal) -> None:
    """Remove a player's name, tokens and all other data; raises what `Players.erase` raises."""
    service.players.erase(id, by)
    forget_player(service, id)


def forget_player(service: Service, id: str) -> None:
    """Remove what is kept about a player beside the log."""
    service.accounts.erase(id)
    service.webhooks.remove_of(id)
    service.subscriptions.remove(id)
    at = now()
    service.outbox.forget(id, at)
    note_erasure(service.store, at)
