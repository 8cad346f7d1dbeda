"""Notifying webhooks of imports that have ended."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

import redis

from service.imports.repository import KIND, Imports
from service.imports.state import ImportState
from service.log.values import Pointer
from service.reactions.notices import OLD, Announcer, Notice
from service.webhooks.webhook import IMPORT_FINISHED

log = logging.getLogger(__name__)


class FinishedImportFollower:
    """Follows the feed and announces each import that has ended within the last day."""

    kind: Final = KIND

    def __init__(self, imports: Imports, announcer: Announcer) -> None:
        self.imports = imports
        self.announcer = announcer

    def follow(self, pointers: Sequence[Pointer]) -> None:
        """Announce those of these imports that are news; doing it again changes nothing."""
        for id in dict.fromkeys(pointer.stream.id for pointer in pointers):
            try:
                state = self.imports.load(id)
                if self._is_news(state):
                    self.announcer.announce(self._notice(state))
            except redis.RedisError:
                raise
            except Exception:
                log.exception("import %s cannot be read: no webhook is notified of it", id)

    def _is_news(self, state: ImportState) -> bool:
        """Whether an import has ended, and not long ago."""
        return state.ended_at is not None and self.imports.clock() - state.ended_at <= OLD

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
