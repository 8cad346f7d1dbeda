"""Which segments a restored log had from its backup: an object of the archive, of JSON.

They may name the log that the backup is of, and lie in the object store beside others of that log.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from contextlib import suppress
from typing import Final

from service.storage.errors import ObjectMissing
from service.storage.objects import ObjectStore

RESTORED: Final = "restored"
"""The folder of these objects, each named by its log's id."""


def note_restored(objects: ObjectStore, log: str, digests: Collection[str]) -> None:
    """Note the segments that a log was restored with. Raises ObjectsAway."""
    text = json.dumps(sorted(digests), separators=(",", ":"))
    objects.put(f"{RESTORED}/{log}", text.encode())


def read_restored(objects: ObjectStore, log: str) -> set[str] | None:
    """The digests of the segments that a log was restored with; None if none were noted.

    Raises ObjectsAway.
    """
    with suppress(ObjectMissing):
        return set(json.loads(objects.get(f"{RESTORED}/{log}")))
    return None
