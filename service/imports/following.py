"""Telling webhooks of imports that have ended, from the feed: however and by whomever they were."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

import redis

from service.imports.imports import KIND, Imports
from service.imports.state import ImportState
from service.jobs.store import Jobs
from service.log.values import Pointer
from service.webhooks.notices import Notice, announce
from service.webhooks.store import Webhooks
from service.webhooks.webhook import IMPORT_FINISHED

log = logging.getLogger(__name__)


class ImportFollower:
    """A follower of the projector (`service.projection.projector.Follower`)."""

    kind: Final = KIND

    def __init__(self, imports: Imports, jobs: Jobs, webhooks: Webhooks) -> None:
        self.imports = imports
        self.jobs = jobs
        self.webhooks = webhooks

    def follow(self, pointers: Sequence[Pointer]) -> None:
        """Announce the ended imports among these; announcing again changes nothing."""
        for id in dict.fromkeys(pointer.stream.id for pointer in pointers):
            try:
                state = self.imports.load(id)
                if state.ended is not None:
                    announce(self.jobs, self.webhooks, self._notice(state))
            except redis.RedisError:
                raise
            except Exception:
                log.exception("nobody is told of import %s", id)

    def _notice(self, state: ImportState) -> Notice:
        assert state.ended is not None
        assert state.ended_at is not None
        data = {
            "import": state.id,
            "state": state.ended.state,
            "counts": dict(self.imports.counts(state)),
            "reason": state.ended.reason,
        }
        return Notice(IMPORT_FINISHED, state.id, state.ended_at, [state.by], data)
