"""Asking for the games that a stretch of the feed names to be scored."""

from __future__ import annotations

from dataclasses import asdict

from service.ids import derived_id
from service.jobs.kinds import SCORING
from service.jobs.queue import JobQueue
from service.projection.stretch import Stretch


def ask_for_scoring(queue: JobQueue, stretch: Stretch) -> None:
    """Have the ended games of this stretch scored; asking twice gives one job."""
    # The id is no secret: it only has to be the same each time.
    id = derived_id(b"", SCORING, str(stretch.partition), stretch.after, stretch.upto)
    queue.submit(id, SCORING, asdict(stretch))
