"""The version of a game that a change expects, and the answer if the game has moved on."""

from __future__ import annotations

import re
from typing import Final

from flask import Response, request

from service.api.context import get_service
from service.api.errors import MalformedHeader, StaleMatch
from service.api.problems import describe_error, make_problem
from service.errors import WrongExpectedVersion
from service.game.repository import stream_of
from service.log.chain import public_part

MISSED: Final = 1000
"""The most missed events that are sent in answer to a stale request."""
TAG: Final = re.compile(r'(?:W/)?"([0-9]{1,9})(?:-[!#-~]*)?"')


def parse_if_match() -> int | None:
    """The version that the request's `If-Match` demands; raises MalformedHeader."""
    return parse_tag(request.environ.get("HTTP_IF_MATCH"))


def parse_tag(tag: str | None) -> int | None:
    """The version that an `If-Match` demands, None for any; raises MalformedHeader."""
    if tag is None or tag == "*":
        return None
    # Proxies that compress make a tag weak; the version in it stays true.
    found = TAG.fullmatch(tag)
    if found is None:
        raise MalformedHeader("If-Match", "one ETag of this game")
    return int(found[1])


def answer_conflict(id: str, error: WrongExpectedVersion, precondition: bool) -> Response:
    """A 409 or 412 with what the client missed, so that one round trip is usually enough."""
    events = get_service().log.read_page(stream_of(id), error.expected, MISSED).events
    members = {
        "expected": error.expected,
        # The game may have gone on since then, and have more events than are sent.
        "actual": max([error.actual, *(entry.version for entry in events)]),
        "missed": [public_part(stream_of(id), entry) for entry in events],
    }
    if precondition:
        return describe_error(StaleMatch(members))
    return make_problem(409, "The game has moved on", error.code, str(error), members)
