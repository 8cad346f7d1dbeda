"""Fingerprints of the service's keys, kept in the store, so that every process has the same keys.

movelog:keys    hash: the name of a key file → the fingerprint of the key in use

A file may hold keys of before beside the one in use. So a process belongs to a store where the key
that the store names is among its own: one whose keys were rotated meanwhile still does, one with
the keys of before the rotation does not any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Final

import redis

from service.secrets.errors import NoKeys, OtherKeys
from service.secrets.service_secret import read_service_secret
from service.secrets.vault import Vault, read_keys
from service.settings import Settings
from service.storage.cache_writes import cache_writes

KEYS: Final = "movelog:keys"

DOMAIN: Final = b"movelog key fingerprint\n"
"""Put before what is digested, so that it is good for nothing else."""


def check_keys(store: redis.Redis, settings: Settings, signing_keys: Sequence[str]) -> None:
    """Compare the keys of the data directory with the store's, and record new ones there.

    `signing_keys` are the ids of the signing keys, the one in use first. The other keys are made if
    there are none yet. Raises OtherKeys, and BadSetting for a damaged file.
    """
    for name, own in compute_fingerprints(settings, signing_keys).items():
        # A store without room notes them another time.
        if not store.hexists(KEYS, name):
            with cache_writes(store) as pipeline:
                pipeline.hsetnx(KEYS, name, own[0])
        stored: Any = store.hget(KEYS, name)
        if stored is None or stored.decode() == own[0]:
            continue
        if stored.decode() not in own:
            raise OtherKeys(str(settings.data_dir / name), stored.decode(), own[0])
        with cache_writes(store) as pipeline:
            pipeline.hset(KEYS, name, own[0])


def refuse_missing_keys(store: redis.Redis, settings: Settings) -> None:
    """Raise NoKeys where the store has a service's keys and the data directory none at all.

    Asked before any key is made, so that a mistyped directory is not filled with new ones.
    """
    begun = store.exists(KEYS)
    if begun and not any(file.exists() for file in settings.key_files):
        raise NoKeys(str(settings.data_dir))


def note_keys(store: redis.Redis, settings: Settings, signing_keys: Sequence[str]) -> None:
    """Record the keys in use in the store, after a rotation; raises RedisError."""
    own = compute_fingerprints(settings, signing_keys)
    store.hset(KEYS, mapping={name: keys[0] for name, keys in own.items()})


def compute_fingerprints(
    settings: Settings, signing_keys: Sequence[str]
) -> dict[str, Sequence[str]]:
    """By the name of its file, the fingerprints of a file's keys, the one in use first."""
    Vault(settings.choice_key_file)
    return {
        settings.secret_file.name: [_fingerprint(read_service_secret(settings))],
        settings.choice_key_file.name: list(map(_fingerprint, read_keys(settings.choice_key_file))),
        settings.signing_key_file.name: signing_keys,
    }


def _fingerprint(key: bytes) -> str:
    return sha256(DOMAIN + key).hexdigest()[:32]
