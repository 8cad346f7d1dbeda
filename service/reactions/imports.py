"""Listing imports, and telling webhooks of those that have ended, from the feed."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

import redis

from service.imports.repository import KIND, Imports
from service.imports.state import ImportState
from service.jobs.store import Jobs
from service.log.values import Pointer
from service.player.admins import Admins
from service.projection.imports import ImportList
from service.reactions.notices import Notice, announce
from service.webhooks.store import Webhooks
from service.webhooks.webhook import IMPORT_FINISHED

log = logging.getLogger(__name__)


class ImportFollower:
    """A follower of the projector (`service.projection.projector.Follower`)."""

    kind: Final = KIND

    def __init__(
        self,
        imports: Imports,
        listed: ImportList,
        jobs: Jobs,
        webhooks: Webhooks,
        admins: Admins,
    ) -> None:
        self.imports = imports
        self.list = listed
        self.jobs = jobs
        self.webhooks = webhooks
        self.admins = admins

    def follow(self, pointers: Sequence[Pointer]) -> None:
        """List these imports and announce those that have ended; again, it changes nothing."""
        for id in dict.fromkeys(pointer.stream.id for pointer in pointers):
            try:
                state = self.imports.load(id)
                self.list.write([state])
                if state.ended is not None:
                    announce(self.jobs, self.webhooks, self.admins, self._notice(state))
            except redis.RedisError:
                raise
            except Exception:
                log.exception("import %s cannot be read: it is not listed, and nobody is told", id)

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
