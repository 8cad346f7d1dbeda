"""Registers who reads on in the feed, so that what they have not read stays in Redis."""

from __future__ import annotations

import logging
from socket import gethostname
from typing import Final

from service.archive.errors import DirectoryAway
from service.archive.feed_readers import FeedReader
from service.composition.service import Service, now
from service.projection.reacted import StoredReacted

logger = logging.getLogger(__name__)

EVERY: Final = 10.0
"""Seconds between two notes of how far the readers are."""
REACTIONS: Final = "reactions"


def note_readers(service: Service) -> None:
    """Note how far the lists of this database are, and what follows from events.

    The lists are named by their data directory or PostgreSQL, which a machine may lend another.
    """
    try:
        name = f"lists-{service.log.archive.directory.identity()[:8]}"
    except DirectoryAway as error:
        logger.warning("the readers of the feed are not noted: %s", error)
        return
    partitions, where = service.log.partitions, gethostname()
    for reader, positions in (
        (name, service.checkpoints.load(partitions)),
        (REACTIONS, StoredReacted(service.store).load(partitions)),
    ):
        service.feed_readers.note(FeedReader(reader, now(), where, positions))
