"""A stream's log over HTTP: the whole of it, signed, or a page of its events."""

from __future__ import annotations

from itertools import chain, islice

from flask import Response

from service.api.context import get_service
from service.api.responses import JSON, NDJSON, choose_media_type, make_page, respond_json
from service.log.chain import public_part
from service.log.pages import read_pages
from service.log.values import LogPage, StreamId
from service.records.export import write_part_of_log, write_whole_log


def answer_whole_log(stream: StreamId, until: int | None = None) -> Response:
    """All events of a stream, or those up to version `until`, and their signed head, as NDJSON.

    They are read as they are sent; only the first page is read here, so that an unreadable log is
    answered as for any other request.
    """
    pages = read_pages(get_service().log, stream, until=until)
    first = list(islice(pages, 1))
    lines = write_whole_log(stream, chain(first, pages), get_service().signer)
    return Response(lines, headers={"Vary": "Accept"}, mimetype=NDJSON)


def answer_log_page(stream: StreamId, page: LogPage, after: int) -> Response:
    """A page of the events after version `after`, as JSON or NDJSON.

    X-Next-Cursor, and in JSON `next_cursor`, say where the next page begins, if there may be one.
    """
    cursor = str(page.events[-1].version) if page and page.more else None
    headers = {"Vary": "Accept"} | ({"X-Next-Cursor": cursor} if cursor else {})
    if choose_media_type(JSON, NDJSON) == NDJSON:
        lines = write_part_of_log(stream, page.events, after)
        return Response(b"".join(lines), headers=headers, mimetype=NDJSON)
    views = [public_part(stream, entry) for entry in page.events]
    return respond_json(make_page(views, cursor), headers=headers)
