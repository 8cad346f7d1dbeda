"""Publishes which keys a process has, so that no key is used before all processes have it."""

from __future__ import annotations

from itertools import chain

from service.records.signer import Signer
from service.secrets.fingerprints import compute_fingerprints
from service.secrets.key_holders import KeyHolders
from service.secrets.key_source import find_key_sources
from service.settings import Settings
from service.storage.connections import connect


def tell_keys(settings: Settings, process: str) -> None:
    """Let `movelog key` know from now on which keys this process has, if keys are given to it."""
    if settings.given_keys is None:
        return
    sources = find_key_sources(settings)
    found = compute_fingerprints(sources, Signer(sources.signing).key_ids)
    keys = list(chain.from_iterable(own for _, own in found))
    KeyHolders(connect(settings.redis_url, settings)).start(process, keys)
