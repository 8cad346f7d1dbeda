"""Removes the objects of the archive that nothing refers to any more.

A segment is superseded when all its games were changed and archived again; other objects were
written by a process that died before it noted them. They are removed if every look within a grace
time has found nothing that refers to them.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from service.archive.archive import Archive
from service.archive.errors import ObjectsOfAnother
from service.archive.redis_tier import DIRECTORY, RedisTier
from service.archive.steps import Step
from service.archive.unnamed import FOLDERS, condemn
from service.storage.errors import ObjectMissing
from service.storage.objects import ObjectStore

GRACE: Final = 7 * 24 * 3600 * 1000
"""Milliseconds for which an object must have been unreferenced."""
BACKUP_LOCK: Final = "movelog:{archive}:backup"
"""Held by a process that copies the archive's objects: nothing is removed meanwhile."""
OWNER: Final = "archive-owner"
"""The object that names the directory which may remove objects: others may share the store."""


@dataclass(frozen=True, slots=True)
class Collected:
    """What was removed: the number of objects, and of their bytes.

    `is_complete` is False if nothing was looked at, since a backup copied the objects.
    """

    objects: int = 0
    bytes: int = 0
    is_complete: bool = True


class Collector:
    """Removes unreferenced objects. `clock` is in milliseconds since 1970 UTC."""

    def __init__(
        self,
        tier: RedisTier,
        archive: Archive,
        clock: Callable[[], int],
        grace: int = GRACE,
        step: Step = lambda done: None,
    ) -> None:
        self.tier = tier
        self.archive = archive
        self.clock = clock
        self.grace = grace
        self._step = step

    def run(self) -> Collected:
        """Examine all objects once; removes nothing if nothing was ever archived.

        Nothing is removed while a backup copies them either. Raises ObjectsAway, DirectoryAway, and
        ObjectsOfAnother.
        """
        with self.tier.hold() as renew:
            noted: Any = self.tier.log.client.get(DIRECTORY)
            if noted is None:
                return Collected()
            if self.tier.log.client.exists(BACKUP_LOCK):
                return Collected(is_complete=False)
            self.check_owner(self.tier.check_directory(self.archive.directory).identity)
            sizes: dict[str, int] = {}
            for folder in FOLDERS:
                for found in self.archive.objects.list(folder):
                    sizes[found.name] = found.size
                    renew()
            self._step("listed")
            at = self.clock()
            judge = partial(condemn, sizes, at, at - self.grace)
            condemned = self.archive.directory.call(judge, writing=True)
            self._step("condemned")
            for name in sorted(condemned):
                self.archive.objects.delete(name)
                self._step("collected")
                renew()
            return Collected(len(condemned), sum(sizes[name] for name in condemned))

    def check_owner(self, identity: str) -> None:
        """Raise ObjectsOfAnother unless this directory may remove objects."""
        objects = self.archive.objects
        if not objects.put_new(OWNER, identity.encode()) and find_owner(objects) != identity:
            raise ObjectsOfAnother(objects.url)

    def own(self) -> None:
        """Make this directory the one that removes objects from now on."""
        state = self.tier.check_directory(self.archive.directory)
        self.archive.objects.put(OWNER, state.identity.encode())


def owns_objects(archive: Archive) -> bool:
    """Whether no other directory removes the objects of an archive."""
    return find_owner(archive.objects) in (None, archive.directory.identity())


def find_owner(objects: ObjectStore) -> str | None:
    """The identity of the directory that removes objects from a store; None if none has yet."""
    with suppress(ObjectMissing):
        return objects.get(OWNER).decode()
    return None
