"""Which partitions a process of an older version has to leave to newer ones."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import redis

from service.game.repository import KIND as GAME
from service.log.errors import UnknownEvent
from service.log.feed_range import FeedBatch
from service.log.interface import EventLog
from service.log.values import Pointer, StreamRange

log = logging.getLogger(__name__)


def find_unreadable(events: EventLog, batches: Sequence[FeedBatch]) -> set[int]:
    """The partitions in which these batches name events that this version does not know.

    Each is logged. Games are not checked: one with such an event becomes a dead letter, and is
    tried again.
    """
    named = {
        batch.range.partition: [one for one in batch.pointers if one.stream.kind != GAME]
        for batch in batches
    }
    every = [_range_of(pointer) for pointers in named.values() for pointer in pointers]
    if not every or _can_read(events, every):
        return set()
    return {
        partition
        for partition, pointers in named.items()
        if any(not _can_read(events, [_range_of(pointer)]) for pointer in pointers)
    }


def _range_of(pointer: Pointer) -> StreamRange:
    return StreamRange(pointer.stream, pointer.first - 1, pointer.last - pointer.first + 1)


def _can_read(events: EventLog, ranges: Sequence[StreamRange]) -> bool:
    try:
        events.read_ranges(ranges)
    except redis.RedisError:
        raise
    except UnknownEvent as error:
        if len(ranges) == 1:
            log.error("%s cannot be projected by this version: %s", ranges[0].stream, error)
        return False
    except Exception:
        # The reader for the lists logs it.
        return True
    return True
