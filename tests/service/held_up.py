"""A process that is held up just before it appends, so that others act in the meantime."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from service.log.interface import EventLog
from service.log.values import Append


def hold_up(
    log: EventLog, kind: str, meanwhile: Callable[[Append], object], patch: pytest.MonkeyPatch
) -> None:
    """Call `meanwhile` just before this log appends its next event to a stream of this kind."""
    append = log.append

    def late(request: Append) -> int:
        if request.stream.kind == kind and request.events:
            patch.undo()
            meanwhile(request)
        return append(request)

    patch.setattr(log, "append", late)
