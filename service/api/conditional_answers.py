"""Answers to reads that depend on the ETags or the range that the client names (RFC 9110)."""

from __future__ import annotations

import re
from typing import Final

from flask import Response, request
from werkzeug.http import parse_etags, parse_range_header

from service.api.errors import MalformedHeader, OtherTag

READS: Final = ("GET", "HEAD")
ENTITY_TAG: Final = r'(?:W/)?"[!#-~\x80-\xff]*"'
ENTITY_TAGS: Final = re.compile(rf"[ \t,]*{ENTITY_TAG}(?:[ \t]*,[ \t,]*{ENTITY_TAG})*[ \t,]*")


def make_conditional(response: Response, length: int | None = None) -> Response:
    """Turn an answer with an ETag into the one that the request's conditions ask for.

    It becomes a 304 if `If-None-Match` has the ETag. With `length`, the answer's size in bytes, a
    GET of a range gets a 206. Raises MalformedHeader, OtherTag, and werkzeug's error 416 for a
    range beyond the end; then the answer is closed.
    """
    environ, settled = request.environ, set[str]()
    try:
        if "HTTP_IF_MATCH" in environ and environ["REQUEST_METHOD"] in READS:
            check_if_match(environ["HTTP_IF_MATCH"], response)
            # werkzeug would refuse `*`, and a tag that is weak because an answer was compressed.
            settled.add("HTTP_IF_MATCH")
        # Ranges are defined for GET alone (section 14.2).
        asked = environ.get("HTTP_RANGE", "") if environ["REQUEST_METHOD"] == "GET" else ""
        if length is not None and not is_one_range(asked, length):
            settled.add("HTTP_RANGE")
        if settled:
            environ = {name: value for name, value in environ.items() if name not in settled}
        response.make_conditional(environ, accept_ranges=length is not None, complete_length=length)
    except Exception:
        response.close()
        raise
    return response


def is_one_range(header: str, length: int) -> bool:
    """Whether a `Range` asks for one part of an answer of this length, in bytes.

    Any other is ignored, so that it gets the whole answer (section 14.2): units other than bytes,
    several ranges, an invalid one, and more of the last bytes than there are.
    """
    asked = parse_range_header(header)
    if asked is None or asked.units != "bytes" or len(asked.ranges) != 1:
        return False
    return asked.ranges[0][0] >= -length


def check_if_match(header: str, response: Response) -> None:
    """Raise OtherTag unless an `If-Match` names an answer's ETag, MalformedHeader if it is none.

    A weak tag names it too, as in changes of a game: compressing an answer makes its tag weak. A
    range, however, must be of the same bytes as the part that the client has.
    """
    if header.strip() == "*":
        return
    if not ENTITY_TAGS.fullmatch(header):
        raise MalformedHeader("If-Match", "ETags as they were sent, in double quotes, or *")
    tags, (tag, _) = parse_etags(header), response.get_etag()
    assert tag is not None
    if not (tags.is_strong(tag) if "HTTP_RANGE" in request.environ else tags.contains_weak(tag)):
        raise OtherTag(f'"{tag}"')
