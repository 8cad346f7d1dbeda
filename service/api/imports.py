"""`/api/v1/imports`: files of records in, a verdict on each game out."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, BinaryIO, Final, cast

from flask import Blueprint, Response, request, send_file

from engine.phrase import phrase
from service.api import request_data
from service.api.conditional_answers import make_conditional
from service.api.context import (
    check_same,
    choose_id,
    get_service,
    read_receipt,
    require,
    require_bearer,
    require_owner_or_admin,
)
from service.api.errors import MalformedHeader, WrongMediaType
from service.api.responses import (
    JSON,
    NDJSON,
    PGN,
    TEXT,
    choose_media_type,
    make_page,
    respond_json,
    write_ndjson_line,
)
from service.api.schemas.queries import (
    MOST_VERDICTS,
    VERDICTS,
    ImportListSchema,
    UploadSchema,
    VerdictSchema,
)
from service.errors import MissingScope, NotFound
from service.imports.decompression import Packing
from service.imports.events import RECORD, RecordKept
from service.imports.repository import KIND
from service.imports.state import ImportMode, ImportState
from service.imports.uploads import digest_stream
from service.imports.verdicts import VerdictStatus
from service.log.chain import when
from service.log.errors import AlreadyDone
from service.log.values import Receipt, StreamId
from service.player.actor import Actor
from service.player.scopes import ADMIN, PLAY

imports = Blueprint("imports", __name__, url_prefix="/api/v1")

MEDIA: Final = {
    Packing.NONE: PGN,
    Packing.GZIP: "application/gzip",
    Packing.ZSTD: "application/zstd",
}
"""The media type of a returned original."""
UPLOADED: Final = (PGN, TEXT, MEDIA[Packing.GZIP], MEDIA[Packing.ZSTD])
UPLOAD: Final = UploadSchema()
LIST: Final = ImportListSchema()
SHOWN: Final = VerdictSchema()
POLL: Final = 0.03
"""Seconds between two looks at an import that is waited for."""


@imports.post("/imports")
def begin() -> Response:
    """Take a file of any size: 202 with the import, which is carried out by a worker.

    With `wait`, answers 200 with the first verdicts if it ends within that many seconds.
    """
    actor = require(PLAY).actor
    found = request_data.read_query(UPLOAD)
    mode, wait = ImportMode(found["mode"]), found["wait"]
    if request.mimetype not in UPLOADED:
        raise WrongMediaType(UPLOADED)
    request.max_content_length = get_service().settings.max_upload
    # The body is read later; the id depends only on the key.
    unread = read_receipt(actor.player, 202, digest="")
    id = choose_id(KIND, unread)
    try:
        get_service().imports.check_receipt(id, unread)
        state = receive_upload(id, mode, actor)
    except AlreadyDone as error:
        state = repeat_upload(id, mode, actor, error.receipt)
    return answer_upload(wait_for_import(state, wait), wait)


def receive_upload(id: str, mode: ImportMode, actor: Actor) -> ImportState:
    """The request's body as a new import; raises TooManyImports and UploadQuotaUsed."""
    parts = get_service().imports
    body, exempt = cast(BinaryIO, request.stream), ADMIN in actor.scopes
    with (
        parts.quota.meter(actor.player, id, body, exempt=exempt) as metered,
        parts.uploads.receive(metered) as received,
    ):
        check_packing(received.packing)
        asked = read_receipt(actor.player, 202, digest=f"{mode} {received.sha256}")
        try:
            state = parts.begin(id, received, mode, actor.player, asked)
            metered.kept = True
        except AlreadyDone as error:
            # The same request has come twice, and the other one was faster.
            check_same(error.receipt, asked or error.receipt)
            state = parts.load(id)
    return state


def repeat_upload(id: str, mode: ImportMode, actor: Actor, seen: Receipt) -> ImportState:
    """The import that an earlier request with this key began; raises KeyReused.

    Nothing of the body is kept, so it counts towards no bound.
    """
    state = get_service().imports.load(id)
    sha256 = digest_stream(cast(BinaryIO, request.stream), state.begun.size)
    asked = read_receipt(actor.player, 202, digest=f"{mode} {sha256}")
    check_same(seen, asked or seen)
    check_packing(Packing(state.begun.packing))
    return state


def check_packing(packing: Packing) -> None:
    """Raise MalformedHeader for a file that is not packed as its Content-Encoding says."""
    said = request.headers.get("Content-Encoding", packing).strip().lower()
    if said != packing:
        raise MalformedHeader(
            "Content-Encoding",
            phrase("the body is {packing}, not {said}", packing=packing, said=said),
        )


def wait_for_import(state: ImportState, wait: int) -> ImportState:
    """The import once it has ended, or as it is after `wait` seconds."""
    end = time.monotonic() + wait
    while state.ended is None and time.monotonic() < end:
        time.sleep(POLL)
        state = get_service().imports.load(state.id)
    return state


def answer_upload(state: ImportState, wait: int) -> Response:
    """The answer to an upload."""
    view = get_service().imports.view(state)
    location = {"Location": f"/api/v1/imports/{state.id}"}
    if state.ended is None or not wait:
        return respond_json(view, 202, location)
    items, cursor = get_service().imports.verdicts(state).page(frozenset(), 0, MOST_VERDICTS)
    return respond_json(view | make_page(items, cursor), headers=location)


@imports.get("/imports")
def index() -> Response:
    """One's own imports, newest first; for an admin those of a player, or all."""
    found = request_data.read_query(LIST)
    who = require_bearer().actor
    every = ADMIN in who.scopes
    by = found.get("by", None if every else who.player)
    if by != who.player and not every:
        raise MissingScope(ADMIN)
    ids, cursor = get_service().import_list.page(by, found.get("cursor"), found["limit"])
    states = get_service().imports.load_each(ids)
    return respond_json(make_page(list(map(get_service().imports.listed, states)), cursor))


def load_own_import(id: str) -> ImportState:
    """An import of the request's player, or any for an admin; raises NotFound or MissingScope."""
    require_bearer()
    state = get_service().imports.load(id)
    require_owner_or_admin(state.by)
    return state


@imports.get("/imports/<id:id>")
def read(id: str) -> Response:
    """Answer with an import: its progress and counts."""
    request_data.read_query()
    return respond_json(get_service().imports.view(load_own_import(id)))


@imports.delete("/imports/<id:id>")
def cancel(id: str) -> Response:
    """End an import before its time; what is in stays in, and the answer says so."""
    request_data.read_query()
    load_own_import(id)
    return respond_json(get_service().imports.view(get_service().imports.cancel(id)))


@imports.get("/imports/<id:id>/verdicts")
def list_verdicts(id: str) -> Response:
    """The verdicts so far: a page as JSON, all of them as NDJSON."""
    found = request_data.read_query(SHOWN)
    status, limit, after = found.get("status"), found.get("limit"), int(found.get("cursor", 0))
    kind = choose_media_type(JSON, NDJSON)
    file = get_service().imports.verdicts(load_own_import(id))
    statuses = frozenset([status] if status else [])
    if kind == NDJSON and limit is None:
        return Response(
            write_verdict_lines(id, statuses, after), headers={"Vary": "Accept"}, mimetype=NDJSON
        )
    items, cursor = file.page(statuses, after, limit or VERDICTS)
    headers = {"Vary": "Accept"} | ({"X-Next-Cursor": cursor} if cursor else {})
    if kind == NDJSON:
        return Response("".join(map(write_ndjson_line, items)), headers=headers, mimetype=NDJSON)
    return respond_json(make_page(items, cursor), headers=headers)


def write_verdict_lines(id: str, statuses: frozenset[str], after: int) -> Iterator[str]:
    """Every verdict of these statuses, a line each."""
    found = get_service().imports.uploads.verdicts(id).lines(after)
    return (write_ndjson_line(v) for v, _ in found if not statuses or v["status"] in statuses)


@imports.get("/imports/<id:id>/original")
def download_original(id: str) -> Response:
    """The file as it came, byte by byte."""
    request_data.read_query()
    state = load_own_import(id)
    file, size = get_service().imports.uploads.open_original(id)
    media_type, sha256 = MEDIA[Packing(state.begun.packing)], state.begun.sha256
    answer = send_file(file, mimetype=media_type, etag=sha256, conditional=False)
    answer.content_length = size
    return make_conditional(answer, length=size)


@imports.get("/records/<id:id>")
def get_kept_record(id: str) -> Response:
    """An illegal record that was kept as it was played: what is wrong with it, or its text."""
    request_data.read_query()
    kind = choose_media_type(JSON, PGN, TEXT)
    stream = StreamId(RECORD, id)
    recorded = get_service().log.read(stream, limit=1)
    if not recorded:
        raise NotFound(RECORD, id)
    entry = recorded[0]
    assert isinstance(entry.event, RecordKept)
    text = get_service().log.attributes([(stream, "text")])[0] or ""
    if kind != JSON:
        return Response(text, headers={"Vary": "Accept"}, mimetype=kind)
    shown: dict[str, Any] = {
        "id": id,
        "status": VerdictStatus.AS_PLAYED,
        "import": entry.event.source,
        "number": entry.event.number,
        "at": when(entry.at),
        "by": entry.by,
        "error": dict(entry.event.error),
        "text": text,
    }
    return respond_json(shown, headers={"Vary": "Accept"})
