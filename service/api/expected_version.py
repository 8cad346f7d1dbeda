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
from service.log.values import Recorded

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


def read_missed_events(id: str, expected: int) -> list[Recorded]:
    """The events beyond the version that a client knew."""
    return get_service().log.read(stream_of(id), expected, 1000)


def answer_conflict(id: str, error: WrongExpectedVersion, precondition: bool) -> Response:
    """A 409 or 412 with what the client missed, so that one round trip is enough."""
    events = read_missed_events(id, error.expected)
    members = {
        "expected": error.expected,
        "actual": events[-1].version if events else error.actual,
        "missed": [public_part(stream_of(id), entry) for entry in events],
    }
    if precondition:
        return describe_error(StaleMatch(members))
    return make_problem(409, "The game has moved on", error.code, str(error), members)
