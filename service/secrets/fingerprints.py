"""Compares a process's keys with the fingerprints in the store, so that all have the same keys.

A process may have keys besides the one in use: earlier ones, and one that is to be used next. So it
belongs to a store if it has the key that the store names, and every key that may have sealed
something. A process that also has the new key still belongs after a rotation; one with only the
keys from before it does not.
"""

from __future__ import annotations

from collections.abc import Sequence

import redis

from service.secrets.errors import KeyStillNeeded, NoKeys, OtherKeys
from service.secrets.key_source import KeySource, KeySources, compute_fingerprint
from service.secrets.service_secret import read_service_secret
from service.secrets.stored_keys import StoredKeys
from service.secrets.vault import Vault, read_keys


def check_keys(store: redis.Redis, sources: KeySources, signing_keys: Sequence[str]) -> None:
    """Compare the process's keys with the store's, and record new ones there.

    `signing_keys` are the ids of the signing keys, the newest first. The other keys are made if
    there are none yet and the operator provides none. Raises OtherKeys, KeyStillNeeded, and
    BadSetting for a damaged file.
    """
    stored = StoredKeys(store)
    for source, own in compute_fingerprints(sources, signing_keys):
        in_use = stored.begin(source.name, own[0])
        if in_use is None or in_use == own[0]:
            continue
        if in_use not in own:
            raise OtherKeys(source.origin, in_use, own[0])
        # `movelog key` changes a file that all processes share; a provided key is used on command.
        if not source.given:
            stored.move(source.name, own[0])
    check_sealing(stored, sources.choice)


def check_sealing(stored: StoredKeys, source: KeySource) -> None:
    """Raise KeyStillNeeded if a choice key that may have sealed something is missing."""
    own = list_choice_keys(source)
    needed = stored.find_sealing()
    if missing := sorted(needed - set(own)):
        raise KeyStillNeeded(source.origin, missing[0])
    # In a store that names none, since an earlier version wrote it, it may be any.
    writing = {stored.find_in_use(source.name) or own[0]} if needed else set(own)
    if new := writing - needed:
        stored.note_sealing(new)


def refuse_missing_keys(store: redis.Redis, sources: KeySources) -> None:
    """Raise NoKeys where the store has a service's keys and this process lacks one of them.

    Called before any key is made, so that no process makes a second one besides the store's.
    """
    stored = StoredKeys(store)
    for source in sources.all:
        if not source.exists() and stored.find_in_use(source.name) is not None:
            raise NoKeys(source.origin)


def compute_fingerprints(
    sources: KeySources, signing_keys: Sequence[str]
) -> list[tuple[KeySource, Sequence[str]]]:
    """Each source with the fingerprints of its keys, the newest first."""
    Vault(sources.choice)
    return [
        (sources.secret, [compute_fingerprint(read_service_secret(sources.secret))]),
        (sources.choice, list_choice_keys(sources.choice)),
        (sources.signing, signing_keys),
    ]


def list_choice_keys(source: KeySource) -> list[str]:
    """The fingerprints of the choice keys, the newest first."""
    return list(map(compute_fingerprint, read_keys(source)))
