"""Opens the sealed choices of a game's events with what was disclosed at its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.errors import UnknownVariant
from engine.registry import find_variant
from notation.registry import find_dialect
from service.game import events
from service.log.values import Recorded
from service.verification.errors import Location, Wrong


def insert_disclosures(entries: Sequence[Recorded]) -> list[Recorded]:
    """Add to sealed choices what later events disclose.

    Raises Wrong if the two disagree, and for a game of an unknown variant.
    """
    disclosures = [
        (e.event.side, e) for e in entries if isinstance(e.event, events.ChoiceDisclosed)
    ]
    disclosed = dict(disclosures)
    variant = find_stated_variant(entries)
    known = []
    for entry in entries:
        event = entry.event
        if isinstance(event, events.ChoiceSealed) and variant and event.side in disclosed:
            event = open_choice(variant, event, disclosed.pop(event.side))
        known.append(replace(entry, event=event))
    for entry in disclosed.values():
        raise Wrong("a choice that nobody made is disclosed", Location(event=entry.version))
    if len(dict(disclosures)) < len(disclosures):
        _, again = disclosures[-1]
        raise Wrong("a choice is disclosed a second time", Location(event=again.version))
    return known


def find_stated_variant(entries: Sequence[Recorded]) -> str | None:
    """The variant that the first event states, if it does; raises Wrong for an unknown one."""
    variant = getattr(entries[0].event, "variant", None) if entries else None
    if variant is not None:
        try:
            find_variant(variant)
        except UnknownVariant as error:
            raise Wrong(str(error), Location(event=entries[0].version)) from error
    return variant


def open_choice(variant: str, event: events.ChoiceSealed, told: Recorded) -> events.ChoiceSealed:
    """Add the disclosed choice to a sealed one; raises Wrong unless it matches the commitment."""
    disclosed = told.event
    assert isinstance(disclosed, events.ChoiceDisclosed)
    sealing = find_dialect(variant).sealing
    place = Location(event=told.version)
    if sealing is None:
        raise Wrong("nobody chooses in secret in this game", place)
    if not sealing.is_nonce(disclosed.nonce):
        raise Wrong("the nonce is not at least 32 lowercase hex digits", place)
    choice, nonce = disclosed.choice, disclosed.nonce
    if not choice.isascii() or sealing.commitment(choice, nonce) != event.commitment:
        raise Wrong("choice and nonce do not make the commitment", place)
    return replace(event, choice=disclosed.choice, nonce=disclosed.nonce)
