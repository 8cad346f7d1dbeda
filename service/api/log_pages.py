"""A stream's log over HTTP: the whole of it, signed, or a page of its events."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Response

from service.api.context import get_service
from service.api.responses import JSON, NDJSON, choose_media_type, make_page, respond_json
from service.log.chain import public_part
from service.log.values import Recorded, StreamId
from service.records.export import write_part_of_log, write_whole_log


def answer_whole_log(stream: StreamId, recorded: Sequence[Recorded]) -> Response:
    """All events of a stream that may be shown, and their signed head, as NDJSON."""
    lines = write_whole_log(stream, recorded, get_service().signer)
    return Response(b"".join(lines), headers={"Vary": "Accept"}, mimetype=NDJSON)


def answer_log_page(
    stream: StreamId, recorded: Sequence[Recorded], after: int, limit: int
) -> Response:
    """At most `limit` events after version `after`, as JSON or NDJSON.

    X-Next-Cursor, and in JSON `next_cursor`, say where the next page begins, if there may be one.
    """
    cursor = str(recorded[-1].version) if len(recorded) == limit else None
    headers = {"Vary": "Accept"} | ({"X-Next-Cursor": cursor} if cursor else {})
    if choose_media_type(JSON, NDJSON) == NDJSON:
        lines = write_part_of_log(stream, recorded, after)
        return Response(b"".join(lines), headers=headers, mimetype=NDJSON)
    views = [public_part(stream, entry) for entry in recorded]
    return respond_json(make_page(views, cursor), headers=headers)
