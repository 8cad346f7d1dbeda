"""Opens the uploads of a service in the place that its settings name."""

from __future__ import annotations

from typing import Final

import redis

from service.imports.files import ImportFiles
from service.imports.local_files import LocalFiles
from service.imports.stored_files import StoredFiles
from service.imports.uploads import Uploads
from service.settings import Settings
from service.storage.objects import LONGEST_PUT, ObjectStore

LOCK: Final = "movelog:{imports}:lock:"
LOCK_S: Final = 2 * LONGEST_PUT
"""Seconds after which the lock of a process that died is released."""


def open_uploads(settings: Settings, store: redis.Redis) -> Uploads:
    """Open the uploads, in the data directory or in the object store that machines share."""
    folder = settings.data_dir / "imports"
    files: ImportFiles = LocalFiles(folder)
    if settings.shares_objects:
        objects = ObjectStore(settings.objects_url)
        files = StoredFiles(objects, lambda id: store.lock(f"{LOCK}{id}", LOCK_S))
    return Uploads(folder, files, settings.max_upload, settings.upload_reserve)
