"""Answers to reads that depend on the ETags that the client names (RFC 9110, section 13)."""

from __future__ import annotations

import re
from typing import Final

from flask import Response, request
from werkzeug.http import parse_etags

from service.api.errors import MalformedHeader, OtherTag

READS: Final = ("GET", "HEAD")
ENTITY_TAG: Final = r'(?:W/)?"[!#-~\x80-\xff]*"'
ENTITY_TAGS: Final = re.compile(rf"[ \t,]*{ENTITY_TAG}(?:[ \t]*,[ \t,]*{ENTITY_TAG})*[ \t,]*")


def make_conditional(response: Response, length: int | None = None) -> Response:
    """Turn an answer with an ETag into the one that the request's conditions ask for.

    It becomes a 304 if `If-None-Match` has the ETag. With `length`, the answer's size in bytes, a
    request for a range gets a 206. Raises MalformedHeader and OtherTag.
    """
    environ = request.environ
    if "HTTP_IF_MATCH" in environ and environ["REQUEST_METHOD"] in READS:
        check_if_match(environ["HTTP_IF_MATCH"], response)
        # werkzeug would refuse `*` and a tag that is weak only because an answer was compressed.
        environ = {name: value for name, value in environ.items() if name != "HTTP_IF_MATCH"}
    response.make_conditional(environ, accept_ranges=length is not None, complete_length=length)
    return response


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
