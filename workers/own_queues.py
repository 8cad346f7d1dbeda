"""The queues from which this process takes work; a forked job reads them here."""

from __future__ import annotations

from collections.abc import Sequence

from service.jobs.duties import Lane

_lanes: Sequence[Lane] | None = None


def assign(lanes: Sequence[Lane]) -> None:
    """Set the queues from which this process takes work; the first one with work comes first."""
    global _lanes
    _lanes = lanes


def list_assigned() -> Sequence[Lane]:
    """The queues from which this process takes work, all of them unless some were assigned."""
    return tuple(Lane) if _lanes is None else _lanes


def share_time() -> bool:
    """Whether the jobs of these queues take turns while they run (`workers.time_sharing`)."""
    return _lanes is not None and Lane.PERSON in _lanes
