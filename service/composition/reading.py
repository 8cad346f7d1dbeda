"""Registers the readers of the feed, so that what they have not read stays in Redis."""

from __future__ import annotations

import logging
from socket import gethostname
from typing import Final

from service.archive.errors import DirectoryAway
from service.archive.feed_readers import FeedReader
from service.composition.service import Service, now
from service.projection.reaction_progress import StoredReactionProgress

logger = logging.getLogger(__name__)

EVERY: Final = 10.0
"""Seconds between two records of how far the readers are."""
REACTIONS: Final = "reactions"


def note_readers(service: Service) -> None:
    """Record how far the lists of this database and the reactions to events have read.

    The lists are named by their data directory or PostgreSQL, which machines may share.
    """
    try:
        name = f"lists-{service.log.archive.directory.identity()[:8]}"
    except DirectoryAway as error:
        logger.warning("the readers of the feed are not recorded: %s", error)
        return
    partitions, where = service.log.partitions, gethostname()
    for reader, positions in (
        (name, service.checkpoints.load(partitions)),
        (REACTIONS, StoredReactionProgress(service.store).load(partitions)),
    ):
        service.feed_readers.note(FeedReader(reader, now(), where, positions))
