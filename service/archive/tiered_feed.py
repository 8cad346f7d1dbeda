"""The partitions' feeds over both tiers: trimmed pointers are read from the archive.

A feed is trimmed and its mark set in one step. So if the mark, read after the feed, is not beyond
the requested position, nothing is missing from what was read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from service.archive.feed_archive import FeedArchive
from service.archive.outages import ArchiveAway, raise_as_outage
from service.archive.redis_feeds import RedisFeeds, decode_marks, name_mark
from service.log.feed_range import parse_position
from service.log.interface import FEED_START
from service.log.redis import RedisEventLog
from service.log.values import Pointer
from service.log.wake import Wake

PAGE: Final = 500
"""The most trimmed pointers of a partition that `wait` returns at once."""

MISSING: Final = (
    "the archive's directory has nothing that follows {at} in feed {partition}:"
    " run movelog archive --make-directory"
)


class TieredFeed:
    """The feeds of a log whose beginnings may be in the archive (see the interface).

    `check_directory` raises DirectoryAway for a directory that was lost.
    """

    def __init__(
        self, hot: RedisEventLog, archive: FeedArchive, check_directory: Callable[[], None]
    ) -> None:
        self.redis = hot
        self.archive = archive
        self.feeds = RedisFeeds(hot)
        self._check_directory = check_directory

    def feed(self, partition: int, after: str = FEED_START, limit: int = 500) -> list[Pointer]:
        """Up to `limit` pointers of a partition beyond a position, oldest first."""
        return self.feed_each({partition: after}, limit)[partition]

    def feed_each(self, after: Mapping[int, str], limit: int) -> dict[int, list[Pointer]]:
        """Up to `limit` pointers of each of these partitions beyond its position."""
        if not after:
            return {}
        found = self.redis.feed_each(after, limit)
        behind = list_behind(after, self.feeds.marks(after))
        return found | self._read_trimmed(behind, limit) if behind else found

    def wait(
        self, after: Mapping[int, str], timeout: float, wake: Wake | None = None
    ) -> list[tuple[int, Pointer]]:
        """Wait for pointers beyond the positions given by partition."""
        came, marks = self.redis.waits.wait(after, timeout, wake, name_mark)
        # A feed that was trimmed has newer pointers, so none that did not answer lacks any.
        behind = list_behind({p: after[p] for p in marks}, decode_marks(marks))
        if not behind:
            return came
        trimmed = self._read_trimmed(behind, PAGE)
        kept = [(p, pointer) for p, pointer in came if p not in behind]
        return kept + [(p, pointer) for p, found in trimmed.items() for pointer in found]

    def _read_trimmed(self, behind: Mapping[int, str], limit: int) -> dict[int, list[Pointer]]:
        """Up to `limit` pointers beyond positions that lie in the archive."""
        found: dict[int, list[Pointer]] = {partition: [] for partition in behind}
        at = dict(behind)
        while at:
            ended = {}
            for partition, pointers in self._ask_archive(at).items():
                if pointers:
                    found[partition] += pointers
                    at[partition] = pointers[-1].position
                elif found[partition]:
                    ended[partition] = at.pop(partition)
                else:
                    raise ArchiveAway(MISSING.format(at=at[partition], partition=partition))
            for partition, pointers in self.feed_each(ended, limit).items():
                found[partition] += pointers
            at = {p: position for p, position in at.items() if len(found[p]) < limit}
        return {partition: pointers[:limit] for partition, pointers in found.items()}

    def _ask_archive(self, at: Mapping[int, str]) -> dict[int, list[Pointer]]:
        with raise_as_outage():
            self._check_directory()
            return self.archive.read(at)


def list_behind(after: Mapping[int, str], marks: Mapping[int, str]) -> dict[int, str]:
    """Those of these positions that lie before the marks: pointers beyond them were trimmed."""
    return {p: at for p, at in after.items() if parse_position(marks[p]) > parse_position(at)}
