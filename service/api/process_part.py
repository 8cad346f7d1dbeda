"""Which requests a process answers: all, all except event streams, or only event streams."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum, auto
from typing import Final

from flask import abort, request

from service.api.errors import StreamsElsewhere
from service.api.rate_limits import UNLIMITED

STREAM: Final = re.compile(r"/api/v1/(?:.+/)?stream/?")
"""The paths of event streams, and of nothing else; proxies use the same rule."""


class Part(Enum):
    """What a process is for; each also reports its state (`/healthz`, `/readyz`, `/metrics`)."""

    WHOLE = auto()
    WITHOUT_STREAMS = auto()
    STREAMS = auto()


def is_stream(path: str) -> bool:
    """Whether a path is that of an event stream."""
    return STREAM.fullmatch(path) is not None


def refuse_others(part: Part) -> Callable[[], None]:
    """A function to call before each request of a process that does not answer them all.

    It refuses those that other processes answer.

    It raises StreamsElsewhere for an event stream, and NotFound (HTTP) for anything else.
    """

    def refuse() -> None:
        if request.path in UNLIMITED:
            return
        if is_stream(request.path) is (part is Part.STREAMS):
            return
        if part is Part.STREAMS:
            abort(404)
        raise StreamsElsewhere

    return refuse
