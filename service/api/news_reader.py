"""Reads the events of appends from the log, once for all streams that are sent them."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence

from service.api.subscriptions import News
from service.log.errors import LogError
from service.log.interface import EventLog
from service.log.values import Pointer, Recorded, StreamId, StreamRange

logger = logging.getLogger(__name__)


def read_news(
    log: EventLog, pointers: Sequence[Pointer], followed: Collection[StreamId]
) -> tuple[list[News], list[StreamId]]:
    """The news of each pointer, with its events if its stream is among the `followed`.

    Also returns the streams of which events could not be read or were not found. One that cannot be
    read does not keep the others from being read. Raises RedisError if the store is away.
    """
    wanted = [pointer for pointer in pointers if pointer.stream in followed]
    ranges = [
        StreamRange(pointer.stream, pointer.first - 1, pointer.last - pointer.first + 1)
        for pointer in wanted
    ]
    try:
        found = log.read_ranges(ranges)
    except LogError:
        found = [_read_alone(log, range) for range in ranges]
    lacking = [
        range.stream
        for range, recorded in zip(ranges, found, strict=True)
        if len(recorded) < range.limit
    ]
    for stream in lacking:
        logger.warning("%s lacks events, so its followers have to come back for them", stream)
    read = iter(found)
    news = [News(each, next(read) if each.stream in followed else ()) for each in pointers]
    return news, lacking


def _read_alone(log: EventLog, range: StreamRange) -> list[Recorded]:
    """The events of a range; none if they cannot be read."""
    try:
        return log.read(range.stream, range.after, range.limit)
    except LogError:
        logger.exception("%s cannot be followed", range.stream)
        return []
