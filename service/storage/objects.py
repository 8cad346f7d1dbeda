"""Files by name in a folder or in an S3 bucket: data that are too large, or too old, for Redis."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from stat import S_ISREG
from typing import IO, TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import unquote, urlsplit
from uuid import uuid4

from service.storage.durable_files import sync_folder
from service.storage.errors import ObjectMissing, ObjectsAway
from service.storage.native_threads import OBJECTS, TookTooLong, call_natively

if TYPE_CHECKING:
    from obstore.store import ClientConfig, LocalStore, RetryConfig, S3Store

T = TypeVar("T")

PATIENCE: Final = 30.0
"""Seconds that one call may take, retries included, except for putting files."""
LONGEST_PUT: Final = 300.0
"""Seconds that putting a file may take, since files may be large."""
CONNECTING: Final = 5.0
"""Seconds of these that reaching the server may take."""
PAGE: Final = 1000
"""Names that are listed at a time."""
PROBE: Final = "probe"
STAGED: Final = re.compile(r".+#\d+")
"""How the client names a file in a folder until it is written whole, and does not list it."""
NO_BUCKET: Final = "NoSuchBucket"


@dataclass(frozen=True, slots=True)
class StoredObject:
    """A name in the store, and its size in bytes."""

    name: str
    size: int


class ObjectStore:
    """Objects by their names, which may contain slashes. Safe for threads and greenlets.

    `url` is `file:///folder` or `s3://bucket/prefix`; endpoint, region and keys of S3 are in the
    usual variables of AWS. What was put is durable when the call returns. Every method raises
    ObjectsAway if the store refuses, or does not answer in time.
    """

    def __init__(self, url: str, patience: float = PATIENCE) -> None:
        self.url = url
        parts = urlsplit(url)
        self._folder = Path(unquote(parts.path)) if parts.scheme == "file" else None
        self._patience = patience
        self._clients: dict[tuple[int, float], LocalStore | S3Store] = {}

    def put(self, name: str, content: bytes | Path | IO[bytes]) -> None:
        """Keep these bytes, or a file's, under a name, in place of what was there."""
        self._put(name, content, "overwrite")

    def put_new(self, name: str, content: bytes) -> bool:
        """Keep these bytes under a new name; False if the name exists, which stays as it is."""
        from obstore.exceptions import AlreadyExistsError

        try:
            self._put(name, content, "create")
        except ObjectsAway as refused:
            if not isinstance(refused.__cause__, AlreadyExistsError):
                raise
            return False
        return True

    def get(self, name: str) -> bytes:
        """All bytes of an object. Raises ObjectMissing."""
        return self._call(name, lambda client: bytes(client.get(name).bytes()))

    def get_range(self, name: str, start: int, length: int) -> bytes:
        """Up to `length` bytes of an object from `start` on. Raises ObjectMissing."""
        if not length:
            return b""
        found = self._call(
            name, lambda client: bytes(client.get_range(name, start=start, length=length))
        )
        if len(found) != length:
            raise self._refuse(f"{name} has {len(found)} of {length} bytes at {start}")
        return found

    def size(self, name: str) -> int | None:
        """The size of an object in bytes; None if there is no such object."""
        with suppress(ObjectMissing):
            return int(self._call(name, lambda client: client.head(name))["size"])
        return None

    def delete(self, name: str) -> None:
        """Remove an object, if there is one."""
        with suppress(ObjectMissing):
            self._call(name, lambda client: client.delete(name))

    def list(self, prefix: str) -> Iterator[StoredObject]:
        """Yield every object below a folder, in no particular order."""
        pages: Any = self._call(prefix, lambda client: client.list(prefix, chunk_size=PAGE))
        while page := self._call(prefix, lambda _: next(pages, None)):
            yield from (StoredObject(found["path"], int(found["size"])) for found in page)

    def remove_staged(self, prefix: str, before: float = math.inf) -> Sequence[StoredObject]:
        """Remove what killed processes left half-written below a folder, and return it.

        Whatever was written to since `before`, in seconds since 1970, stays. A bucket has nothing
        half-written.
        """
        folder = self._folder
        if folder is None:
            return []
        return self._call(prefix, lambda _: _remove_staged(folder, prefix, before), LONGEST_PUT)

    def check(self) -> None:
        """Write, read and remove a test object."""
        name, content = f"{PROBE}/{uuid4().hex}", os.urandom(16)
        self.put(name, content)
        found = self.get(name)
        self.delete(name)
        if found != content:
            raise self._refuse("it does not return what was stored")

    def _put(self, name: str, content: bytes | Path | IO[bytes], mode: Any) -> None:
        self._call(name, lambda client: self._put_durably(client, name, content, mode), LONGEST_PUT)

    def _put_durably(
        self, client: Any, name: str, content: bytes | Path | IO[bytes], mode: Any
    ) -> None:
        client.put(name, content, mode=mode)
        if self._folder is None:
            return
        file = self._folder / name
        with file.open("rb") as written:
            os.fsync(written.fileno())
        for folder in file.relative_to(self._folder).parents:
            sync_folder(self._folder / folder)

    def _call(self, name: str, call: Callable[[Any], T], patience: float | None = None) -> T:
        """Return what a call of the client returns; the client is made here, after any fork."""
        from obstore.exceptions import BaseError, NotFoundError

        limit = self._patience if patience is None else patience
        made = partial(self._call_client, call, limit)
        try:
            # The client gives up by itself sooner; a folder that hangs does not.
            return call_natively(made, limit + CONNECTING, OBJECTS)
        except (NotFoundError, FileNotFoundError) as error:
            if patience is not None or NO_BUCKET in str(error):
                raise self._refuse(str(error)) from error
            raise ObjectMissing(name) from error
        except TookTooLong as error:
            raise self._refuse(f"no answer in {limit:g} s") from error
        except (BaseError, OSError, ValueError) as error:
            raise self._refuse(str(error)) from error

    def _call_client(self, call: Callable[[Any], T], limit: float) -> T:
        return call(self._client(limit))

    def _client(self, limit: float) -> LocalStore | S3Store:
        known = (os.getpid(), limit)
        if known not in self._clients:
            self._clients[known] = self._connect(limit)
        return self._clients[known]

    def _connect(self, limit: float) -> LocalStore | S3Store:
        from obstore.store import LocalStore, S3Store

        if self._folder is not None:
            # Private, like the data directory; the client would use the default mode.
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return LocalStore(self._folder)
        options: ClientConfig = {
            "allow_http": _is_plain_endpoint(),
            "connect_timeout": timedelta(seconds=CONNECTING),
            "timeout": timedelta(seconds=limit),
        }
        retries: RetryConfig = {"max_retries": 3, "retry_timeout": timedelta(seconds=limit / 2)}
        return S3Store.from_url(self.url, client_options=options, retry_config=retries)

    def _refuse(self, reason: str) -> ObjectsAway:
        # The client's errors have a page of details after the first line.
        return ObjectsAway(self.url, reason.strip().partition("\n")[0])


def _remove_staged(folder: Path, prefix: str, before: float) -> list[StoredObject]:
    removed = []
    for file in (folder / prefix).rglob("*#*"):
        # One that is missing has just got its final name.
        with suppress(FileNotFoundError):
            status = file.lstat()
            is_old = S_ISREG(status.st_mode) and status.st_mtime < before
            if is_old and STAGED.fullmatch(file.name):
                file.unlink()
                removed.append(StoredObject(str(file.relative_to(folder)), status.st_size))
    return removed


def _is_plain_endpoint() -> bool:
    """Whether the endpoint is the operator's own S3 server, without TLS."""
    names = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
    return any(os.environ.get(name, "").startswith("http://") for name in names)
