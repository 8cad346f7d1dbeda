"""The archive: finished games that nobody has touched for long, out of Redis.

`tiered` is the log that reads through both. Many streams lie in one `segment`, an object that never
changes; `directory` says where each stream is, and can be made again from the segments. `archiver`
moves streams out of Redis, and `tiered` back when they are to change; `redis_tier` has the scripts
that do so.
"""

from __future__ import annotations

from typing import Final

FILE: Final = "directory.sqlite"
"""The directory's file in the data directory, where it is in SQLite."""
