"""The archive: finished games that have not been touched for long, kept outside Redis.

`tiered` is the log that reads through both. Many streams lie in one `segment`, an object that never
changes; `directory` says where each stream is, and can be rebuilt from the segments. `archiver`
moves streams out of Redis, and `tiered` moves them back when they are to change; `redis_tier` has
the scripts for both.
"""

from __future__ import annotations

from typing import Final

FILE: Final = "directory.sqlite"
"""The directory's file in the data directory, if it is in SQLite."""
