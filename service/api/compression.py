"""Compresses answers in the coding that the client prefers: Brotli, Zstandard or gzip.

Flask-Compress was tried and rejected: it holds a stream back until its buffer is full, takes
`gzip;q=0` for a request for gzip, changes strong ETags so that `If-Match` and early 304s miss them,
and compresses parts of files (206).
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

import brotli
import zstandard
from flask import Flask, Response, request

from service.api.responses import JSON, NDJSON, PGN, PROBLEM, TEXT
from service.api.server_sent_events import MessageStream

STREAM: Final = "text/event-stream"
COMPRESSED: Final = frozenset(
    {
        *("text/html", "text/css", "text/csv", "text/javascript", "image/svg+xml"),
        *(JSON, NDJSON, PGN, PROBLEM, TEXT, STREAM),
    }
)
"""Media types that become smaller; pictures and tables of other types are compressed already."""
LEAST: Final = 1000
"""The size in bytes below which an answer fits into one packet, compressed or not."""
OWN_SITE: Final = (None, "none", "same-origin")
"""The values of `Sec-Fetch-Site` in requests that no other site's page has caused."""
GZIP_HEAD: Final = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
RAW: Final = -zlib.MAX_WBITS
GZIP: Final = zlib.MAX_WBITS + 16
WINDOW: Final = 1 << zlib.MAX_WBITS
SHARED: Final = 1 << 14
"""The most characters of a stream's message whose compressed form is shared among readers."""


def compress_brotli(data: bytes, quality: int) -> bytes:
    """A body in the coding `br`."""
    packed: bytes = brotli.compress(data, mode=brotli.MODE_TEXT, quality=quality)
    return packed


def compress_zstd(data: bytes, level: int) -> bytes:
    """A body in the coding `zstd`."""
    return zstandard.ZstdCompressor(level).compress(data)


def compress_gzip(data: bytes, level: int) -> bytes:
    """A body in the coding `gzip`."""
    return zlib.compress(data, level, GZIP)


class Effort(NamedTuple):
    """How a body is compressed: the function of its coding, and the levels that it takes.

    `usual` takes 0.1 to 0.2 ms for 20 kB; `best`, for what is compressed once, up to 50 ms.
    """

    encode: Callable[[bytes, int], bytes]
    usual: int
    best: int


CODINGS: Final[Mapping[str, Effort]] = MappingProxyType(
    {
        "br": Effort(compress_brotli, 5, 11),
        "zstd": Effort(compress_zstd, 6, 19),
        "gzip": Effort(compress_gzip, 6, 9),
    }
)
"""The supported codings; of those that a client prefers equally, the first is used."""


def register_compression(app: Flask) -> None:
    """Compress the application's answers; call this before anything else that changes answers."""
    app.after_request(compress_answer)


def compress_answer(response: Response) -> Response:
    """The answer in the coding that the client prefers, with a Vary header if it may be coded.

    An answer that only its reader may know is left as it is if another site's page has requested
    it: its compressed length could reveal its content to that page (the BREACH attack).
    """
    headers = response.headers
    if response.mimetype not in COMPRESSED or "Content-Encoding" in headers:
        return response
    headers.add("Vary", "Accept-Encoding")
    if is_small(response):
        return response
    coding = choose_coding(("gzip",) if response.is_streamed else CODINGS)
    if coding is None or response.direct_passthrough or "Content-Range" in headers or is_lured():
        return response
    if response.status_code == 304:
        weaken_tag(response)
    elif response.is_streamed:
        code_stream(response)
    else:
        code_body(response, coding)
    return response


def is_small(response: Response) -> bool:
    """Whether an answer is too small to be worth compressing."""
    if response.status_code == 304 or response.is_streamed:
        return False
    return (response.content_length or 0) < LEAST


def choose_coding(offered: Iterable[str]) -> str | None:
    """The offered coding that the client prefers, the first among equals; None if it wants none."""
    accepted = request.accept_encodings
    best = max(offered, key=accepted.quality)
    least = dict(accepted).get("identity", 0)
    return best if accepted.quality(best) > 0 and accepted.quality(best) >= least else None


def is_lured() -> bool:
    """Whether another site's page makes its reader's browser request something private."""
    own = "Authorization" in request.headers or "Cookie" in request.headers
    return own and request.headers.get("Sec-Fetch-Site") not in OWN_SITE


def weaken_tag(response: Response) -> None:
    """Make the answer's ETag weak, since the same content has other bytes in other codings."""
    tag, _ = response.get_etag()
    if tag is not None:
        response.set_etag(tag, weak=True)


def code_body(response: Response, coding: str) -> None:
    """Compress an answer whose body is known."""
    data, effort = response.get_data(), CODINGS[coding]
    if response.cache_control.immutable:
        packed = compress_kept(coding, data)
    else:
        packed = effort.encode(data, effort.usual)
    response.set_data(packed)
    response.headers["Content-Encoding"] = coding
    weaken_tag(response)


@lru_cache(maxsize=512)
def compress_kept(coding: str, data: bytes) -> bytes:
    """Compress constant content as far as possible, once for all requests."""
    effort = CODINGS[coding]
    return effort.encode(data, effort.best)


def code_stream(response: Response) -> None:
    """Compress an answer that is generated as it is sent, without holding anything back."""
    if isinstance(response.response, MessageStream):
        response.response.coder = GzipMessages()
    else:
        close = getattr(response.response, "close", None)
        response.response = compress_chunks(response.iter_encoded())
        if close is not None:
            response.call_on_close(close)
    response.headers["Content-Encoding"] = "gzip"
    weaken_tag(response)


def compress_chunks(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """A download in the coding `gzip`, a chunk at a time."""
    packer = zlib.compressobj(6, zlib.DEFLATED, GZIP)
    for chunk in chunks:
        yield packer.compress(chunk) + packer.flush(zlib.Z_SYNC_FLUSH)
    yield packer.flush()


class GzipMessages:
    """Codes an event stream in `gzip`: each message can be read as soon as it arrives.

    Thousands of streams may be open at once, so none holds a compressor (256 KiB) while it waits.
    Each message is compressed by a fresh one, with the previous message as its dictionary. Readers
    of one game, who are sent the same messages, share the result made for the first of them.
    """

    def __init__(self) -> None:
        self._head = GZIP_HEAD
        self._before = b""
        self._check = 0
        self._length = 0

    def encode(self, message: bytes) -> bytes:
        """The next message, coded."""
        before, head = self._before, self._head
        small = len(before) + len(message) <= SHARED
        packed = (deflate_shared if small else deflate)(before, message)
        self._check = zlib.crc32(message, self._check)
        self._length += len(message)
        # A comment that keeps the stream alive is no useful dictionary; the message before it is.
        self._before = (before + message if message.startswith(b":") else message)[-WINDOW:]
        self._head = b""
        return head + packed

    def finish(self) -> bytes:
        """The end of the stream."""
        end = zlib.compressobj(6, zlib.DEFLATED, RAW).flush()
        check = self._check.to_bytes(4, "little")
        return self._head + end + check + (self._length % 2**32).to_bytes(4, "little")


def deflate(before: bytes, message: bytes) -> bytes:
    """A part of a deflated text that directly follows `before`, ending on a byte boundary."""
    packer = zlib.compressobj(6, zlib.DEFLATED, RAW, zdict=before)
    return packer.compress(message) + packer.flush(zlib.Z_SYNC_FLUSH)


deflate_shared = lru_cache(maxsize=256)(deflate)
