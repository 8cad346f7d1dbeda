"""Creates files of keys that an operator gives to every process, and changes them step by step.

They have the form of the key files of a data directory.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from service.environment import CHOICE_KEY, SECRET_KEY, SIGNING_KEY
from service.operations.data_dir import make_private
from service.operations.errors import KeyBusy, KeyInUse
from service.records.signer import (
    add_signing_key,
    keep_newest_private,
    make_signing_keys,
    read_ring,
)
from service.secrets import keyfile
from service.secrets.fingerprints import list_choice_keys
from service.secrets.key_source import KeyFile
from service.secrets.service_secret import make_service_secret
from service.secrets.stored_keys import StoredKeys
from service.secrets.vault import Vault, join_keys, make_choice_key
from service.settings import Settings
from service.storage.connections import open_store

MAKERS: Final = {
    SECRET_KEY: make_service_secret,
    CHOICE_KEY: lambda: join_keys([make_choice_key()]),
    SIGNING_KEY: make_signing_keys,
}


def make_key_files(folder: Path) -> list[Path]:
    """Create the three key files in a folder (mode 0700); raises FileExistsError, creating none."""
    files = [make_private(folder) / name for name in MAKERS]
    for file in files:
        if file.exists():
            raise FileExistsError(17, "this file already exists", str(file))
    for file in files:
        keyfile.make_once(file, MAKERS[file.name]())
    return files


def add_key(file: Path) -> str:
    """Add a new key before the others in a file; returns its fingerprint.

    Raises BadSetting for a file that is not a key file of this kind, and KeyBusy.
    """
    with _hold(file):
        source = KeyFile(file)
        if _is_signing(file):
            return add_signing_key(source)
        Vault(source).add_key()
        return list_choice_keys(source)[0]


def drop_old_keys(file: Path, settings: Settings) -> int:
    """Drop all keys of a file but the first; returns how many were dropped.

    Raises KeyInUse if the store needs one of them, BadSetting and KeyBusy as `add_key` does.
    """
    with _hold(file), open_store(settings.redis_url) as client:
        source, stored = KeyFile(file), StoredKeys(client)
        if _is_signing(file):
            old = list(read_ring(source).private)[1:]
            _refuse_needed(file, {stored.find_in_use(SIGNING_KEY)} & set(old))
            keep_newest_private(source)
        else:
            vault = Vault(source)
            old = list_choice_keys(source)[1:]
            needed = {*stored.find_sealing(), stored.find_in_use(CHOICE_KEY)}
            _refuse_needed(file, needed & set(old))
            vault.drop_old_keys()
    return len(old)


def _refuse_needed(file: Path, needed: set[Any]) -> None:
    for key in sorted(needed):
        raise KeyInUse(file, key)


@contextmanager
def _hold(file: Path) -> Iterator[None]:
    try:
        with keyfile.hold_file(file):
            yield
    except BlockingIOError as error:
        raise KeyBusy(file) from error


def _is_signing(file: Path) -> bool:
    return file.read_bytes().lstrip().startswith(b"{")
