"""The service's keys as operators see them: their fingerprints, and what each is for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import redis

from service.environment import CHOICE_KEY
from service.operations.key_spread import count_holders
from service.records.signer import Signer
from service.secrets.fingerprints import compute_fingerprints
from service.secrets.key_holders import KeyHolders
from service.secrets.key_source import find_key_sources
from service.secrets.stored_keys import StoredKeys
from service.settings import Settings

IN_USE: Final = "in use"
NEXT: Final = "to be used next: rotate when every process has it"
NEEDED: Final = "needed: rotate before you drop it"
SPREAD: Final = " ({having} of {running} running have)"
FREE: Final = "no longer needed"
PUBLIC: Final = "verifies what it has signed"


def list_keys(
    store: redis.Redis, settings: Settings, signer: Signer
) -> Iterator[tuple[str, str, str]]:
    """Each key of these settings: the name of its file, its fingerprint, and what it is for."""
    stored, holders = StoredKeys(store), KeyHolders(store)
    needed = stored.find_sealing()
    for source, own in compute_fingerprints(find_key_sources(settings), signer.key_ids):
        in_use = stored.find_in_use(source.name) or own[0]
        for place, key in enumerate(own):
            if key == in_use:
                state = IN_USE
            elif place < own.index(in_use):
                state = NEXT
                if source.given:
                    having, running = count_holders(holders, key)
                    state += SPREAD.format(having=having, running=running)
            elif source.name != CHOICE_KEY:
                state = PUBLIC
            else:
                state = NEEDED if key in needed else FREE
            yield source.name, key, state
