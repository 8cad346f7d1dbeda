"""The keys in a backup, and those that the operator gives, of which it only says which they are.

The first line of a backup without keys has `given_keys`: the fingerprint of the service's secret,
and those of the choice keys that may have sealed something in it.
"""

from __future__ import annotations

import base64
from collections.abc import Hashable, Iterable
from itertools import takewhile
from typing import Any, Final

from service.environment import CHOICE_KEY, SECRET_KEY
from service.operations.backup_file import Line
from service.secrets.errors import NoKeys, OtherKeys
from service.secrets.fingerprints import list_choice_keys
from service.secrets.key_source import KeySource, KeySources, compute_fingerprint
from service.secrets.service_secret import read_service_secret
from service.secrets.vault import read_keys

GIVEN: Final = "given_keys"


def describe_given_keys(sources: KeySources) -> dict[str, Any]:
    """What the first line of a backup says about keys that it does not contain."""
    return {GIVEN: _find_fingerprints(sources)} if sources.secret.given else {}


def check_restored_keys(sources: KeySources, about: Line, lines: Iterable[Line]) -> None:
    """Raise OtherKeys or NoKeys if these are not the keys that a backup was made with.

    This is checked before anything is changed. A backup that contains its keys brings them along,
    unless the operator gives keys. `about` is its first line, `lines` are those after it.
    """
    if GIVEN in about:
        expected = about[GIVEN]
    elif sources.secret.given:
        expected = _read_fingerprints(lines)
    else:
        return
    for source in (sources.secret, sources.choice):
        if not source.exists():
            raise NoKeys(source.origin)
    own = _find_fingerprints(sources)
    for source in (sources.secret, sources.choice):
        _compare(source, expected[source.name], own[source.name])


def _compare(source: KeySource, expected: list[str], own: list[str]) -> None:
    for key in expected:
        if key not in own:
            raise OtherKeys(source.origin, key, own[0])


def _find_fingerprints(sources: KeySources) -> dict[str, list[str]]:
    return {
        sources.secret.name: [compute_fingerprint(read_service_secret(sources.secret))],
        sources.choice.name: list_choice_keys(sources.choice),
    }


def _read_fingerprints(lines: Iterable[Line]) -> dict[str, list[str]]:
    """The fingerprints of the keys in a backup: its files come before everything else."""
    files = takewhile(lambda line: "file" in line, lines)
    keys = {line["file"]: base64.b64decode(line["data"]) for line in files}
    return {
        SECRET_KEY: [compute_fingerprint(keys[SECRET_KEY])],
        CHOICE_KEY: list(map(compute_fingerprint, keys.get(CHOICE_KEY, b"").split())),
    }


class SeenKeys:
    """The keys of a source since this object was made, the newest first.

    They may be rotated during a backup: what was copied may be sealed with any of them.
    """

    def __init__(self, source: KeySource) -> None:
        self.keys: list[bytes] = []
        self._source = source
        self._stamp: Hashable = None
        self.look()

    def look(self) -> None:
        """Read the source again if it has changed."""
        stamp = self._source.stamp() if self._source.exists() else None
        if stamp != self._stamp:
            self._stamp = stamp
            self.keys = list(dict.fromkeys([*read_keys(self._source), *self.keys]))
