"""Rotates the key that seals secret choices, while the service runs.

First the new key is put in front and named to the store, so that nothing more is sealed with the
old ones. Then whatever they have sealed is sealed again. The old ones are removed last. Wherever it
is interrupted, all secrets can be opened, and the rotation can be started again.

If the operator gives the keys, they put the new one in front in every process, and later remove the
old ones; the step in between is `seal_with_newest`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Final
from uuid import uuid4

from service.analysis import state as analyses
from service.archive.collector import owns_objects
from service.archive.sealed_objects import Resealed
from service.archive.tiered import TieredEventLog
from service.errors import WrongExpectedVersion
from service.game import repository as games
from service.log.interface import EventLog
from service.log.values import Append, StreamId
from service.operations.errors import KeyBusy
from service.secrets import keyfile
from service.secrets.errors import CannotUnseal, KeysGiven
from service.secrets.fingerprints import list_choice_keys
from service.secrets.key_source import KeyFile
from service.secrets.private_fields import parse_private_version
from service.secrets.stored_keys import StoredKeys
from service.secrets.vault import Vault

PAUSE: Final = 5.0
"""Seconds within which a request that has sealed something with the old key reaches the log."""

ROTATOR: Final = "movelog:key"

KINDS: Final = (games.KIND, analyses.KIND)
"""The streams beside which something may be sealed."""

Progress = Callable[[int, int], None]
"""Called with the number of games and analyses done, and of all of them."""


def rotate(
    log: TieredEventLog, vault: Vault, progress: Progress, stored: StoredKeys, pause: float = PAUSE
) -> Resealed:
    """Replace the key of secret choices, and seal all of them again.

    Raises KeyBusy if another process is doing so, and CannotUnseal for a secret that no key opens;
    then every key is kept. Raises KeysGiven, and DirectoryAway for a lost directory of the archive.
    """
    source = vault.source
    if not isinstance(source, KeyFile):
        raise KeysGiven(source.origin)
    try:
        with keyfile.hold_file(source.path):
            vault.add_key()
            resealed = seal_with_newest(log, vault, progress, stored, pause)
            vault.drop_old_keys()
    except BlockingIOError as error:
        raise KeyBusy(source.path) from error
    return resealed


def seal_with_newest(
    log: TieredEventLog, vault: Vault, progress: Progress, stored: StoredKeys, pause: float = PAUSE
) -> Resealed:
    """Let every process seal with the newest key, and reseal what other keys have sealed.

    Every process must have the key already. Raises CannotUnseal and DirectoryAway as `rotate` does.
    """
    (newest, *_) = list_choice_keys(vault.source)
    stored.note_sealing([newest])
    stored.note({vault.source.name: newest})
    with log.tier.hold() as renew:
        # One that was lost names nothing that the old keys have sealed.
        log.tier.check_directory(log.archive.directory)

        def report(done: int, total: int) -> None:
            renew()
            progress(done, total)

        number = reseal_everywhere(log, vault, report).attributes
        time.sleep(pause)
        while (found := reseal_everywhere(log, vault, report)).attributes:
            number += found.attributes
            time.sleep(pause)
    stored.keep_sealing(newest)
    return replace(found, attributes=number)


def reseal_everywhere(log: TieredEventLog, vault: Vault, progress: Progress) -> Resealed:
    """Reseal in Redis and in the archive.

    Nothing goes into the archive meanwhile, and what comes back from it also remains there. Where
    the objects are this service's, those that killed processes have left are resealed as well.
    """
    number = reseal_all(log.redis, vault, progress)
    try_reseal = partial(try_fresh, vault) if owns_objects(log.archive) else None
    archived = log.archive.sealed.reseal(partial(find_fresh, vault), try_reseal, progress)
    if archived.attributes:
        # So that nobody puts back into Redis what was read before.
        log.tier.set_fences(games.KIND, uuid4().hex)
    return replace(archived, attributes=number + archived.attributes)


def find_fresh(vault: Vault, stream: StreamId, attributes: Mapping[str, str]) -> dict[str, str]:
    """Those of a stream's attributes that another key than the newest has sealed, resealed."""
    fresh = {}
    for name, sealed in attributes.items():
        version = parse_private_version(name)
        again = None if version is None else vault.reseal(stream, version, sealed)
        if again is not None:
            fresh[name] = again
    return fresh


def try_fresh(
    vault: Vault, stream: StreamId, attributes: Mapping[str, str]
) -> dict[str, str] | None:
    """What `find_fresh` returns; None if a key is missing."""
    try:
        return find_fresh(vault, stream, attributes)
    except CannotUnseal:
        return None


def reseal_all(log: EventLog, vault: Vault, progress: Progress) -> int:
    """Reseal with the key in use what another key has sealed; returns the number of secrets."""
    streams = [stream for kind in KINDS for stream in log.streams(kind)]
    resealed = 0
    for done, stream in enumerate(streams, 1):
        resealed += reseal(log, vault, stream)
        progress(done, len(streams))
    return resealed


def reseal(log: EventLog, vault: Vault, stream: StreamId) -> int:
    """The same for one stream, however busy it is."""
    while True:
        fresh = find_fresh(vault, stream, log.all_attributes(stream))
        if not fresh:
            return 0
        request = Append(
            stream=stream,
            expected=log.version(stream),
            events=(),
            at=0,
            by=ROTATOR,
            attributes=fresh,
        )
        try:
            log.append(request)
        except WrongExpectedVersion:
            continue
        return len(fresh)
