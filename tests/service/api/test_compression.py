"""Answers in the content coding that the client prefers."""

from __future__ import annotations

import gzip
import http.client
import json
import zlib
from collections.abc import Callable, Iterable, Iterator

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.test import TestResponse

from service.api.compression import LEAST, GzipMessages
from service.pages.session import COOKIE
from service.pages.static_files import find_static_path, load_static_files
from service.player.repository import NewPlayer
from tests.service.api.client import Api
from tests.service.api.live import SILENCE
from tests.service.conftest import redis_process, server
from tests.service.web_server import WebServer

__all__ = ["redis_process", "server"]

CODINGS = ("br", "zstd", "gzip")
CHROME = "gzip, deflate, br, zstd"
DECODERS: dict[str | None, Callable[[bytes], bytes]] = {
    None: bytes,
    "br": brotli.decompress,
    # A frame need not say how long its content is.
    "zstd": lambda data: zstandard.ZstdDecompressor().decompress(data, 1 << 24),
    "gzip": gzip.decompress,
}


def ask(api: Api, path: str, accepted: str | None, **headers: str) -> TestResponse:
    """GET a path as a client that accepts these codings."""
    own = {} if accepted is None else {"Accept-Encoding": accepted}
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return api.http.get(path, headers={"Accept": "*/*", **own, **sent})


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        (None, None),
        ("", None),
        ("identity", None),
        ("deflate", None),
        ("gzip", "gzip"),
        ("GZIP", "gzip"),
        ("br", "br"),
        ("zstd", "zstd"),
        (CHROME, "br"),
        ("gzip, deflate", "gzip"),
        ("gzip;q=1, br;q=0.5", "gzip"),
        ("*", "br"),
        ("*;q=0", None),
        ("gzip;q=0", None),
        ("br;q=0, *", "zstd"),
        ("identity, gzip;q=0.5", None),
        ("identity;q=0.5, gzip", "gzip"),
        ("nonsense;;, q", None),
    ],
)
def test_a_client_gets_the_coding_it_likes_best(
    api: Api, accepted: str | None, coding: str | None
) -> None:
    plain = ask(api, "/api/v1/board.svg?variant=kerd", None)
    answer = ask(api, "/api/v1/board.svg?variant=kerd", accepted)
    assert answer.headers.get("Content-Encoding") == coding
    assert DECODERS[coding](answer.data) == plain.data
    assert int(answer.headers["Content-Length"]) == len(answer.data)
    assert (len(answer.data) < len(plain.data) / 3) == (coding is not None)
    assert "Accept-Encoding" in answer.headers.getlist("Vary")


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize(
    "path",
    [
        "/explorer",
        "/api/v1/board.svg?variant=kerak",
        "/static/site.css",
        "/static/page.js",
        "/board.css",
    ],
)
def test_pages_data_scripts_and_styles_are_compressed(api: Api, path: str, coding: str) -> None:
    plain, answer = ask(api, path, None), ask(api, path, coding)
    assert "Content-Encoding" not in plain.headers
    assert answer.headers["Content-Encoding"] == coding
    assert DECODERS[coding](answer.data) == plain.data
    assert len(answer.data) < len(plain.data)
    assert "Accept-Encoding" in plain.headers.getlist("Vary")


def test_refusals_are_compressed_too(api: Api) -> None:
    plain = ask(api, "/nothing", None, Accept="text/html")
    answer = ask(api, "/nothing", CHROME, Accept="text/html")
    assert (answer.status_code, answer.headers["Content-Encoding"]) == (404, "br")
    assert brotli.decompress(answer.data) == plain.data


@pytest.mark.slow
def test_tiny_answers_and_pictures_of_pixels_are_left(api: Api) -> None:
    tiny = ask(api, "/healthz", CHROME)
    assert len(tiny.data) < LEAST
    assert "Content-Encoding" not in tiny.headers
    picture = ask(api, "/api/v1/board.png?variant=kerd", CHROME)
    assert picture.mimetype == "image/png"
    assert "Content-Encoding" not in picture.headers


def test_what_never_changes_is_compressed_as_far_as_it_can_be(api: Api) -> None:
    for coding in CODINGS:
        current = ask(api, "/static/site.css", coding).data
        kept = ask(api, find_static_path("site.css"), coding).data
        assert len(kept) < len(current)
        assert DECODERS[coding](kept) == load_static_files()["site.css"].data


def test_a_compressed_answer_has_a_weak_tag_that_is_known_again(api: Api, ada: NewPlayer) -> None:
    path = f"/api/v1{api.scribed(ada)}/board.svg"
    strong = ask(api, path, None).headers["ETag"]
    assert strong.startswith('"')
    weak = ask(api, path, "gzip").headers["ETag"]
    assert weak == f"W/{strong}"
    for known in (strong, weak):
        again = ask(api, path, "gzip", If_None_Match=known)
        assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", weak)
        assert "Accept-Encoding" in again.headers.getlist("Vary")
        assert "Content-Encoding" not in again.headers
    plain = ask(api, path, None, If_None_Match=weak)
    assert (plain.status_code, plain.headers["ETag"]) == (304, strong)


def test_a_move_may_rest_on_the_tag_of_a_compressed_answer(api: Api, ada: NewPlayer) -> None:
    path = api.scribed(ada)
    weak = ask(api, f"/api/v1{path}/board.svg", "gzip").headers["ETag"]
    assert weak.startswith("W/")
    action = {"action": "c2d1"}
    assert api.post(f"{path}/actions", action, ada, If_Match=weak).status_code == 200
    assert api.post(f"{path}/actions", action, ada, If_Match=weak).status_code == 412


def test_another_sites_page_learns_nothing_from_lengths(api: Api, ada: NewPlayer) -> None:
    lured = {"Sec_Fetch_Site": "cross-site"}
    assert "Content-Encoding" in ask(api, "/explorer", CHROME, **lured).headers
    api.http.set_cookie(COOKIE, ada.token.secret)
    for site in ("cross-site", "same-site"):
        answer = ask(api, "/explorer", CHROME, Sec_Fetch_Site=site)
        assert "Content-Encoding" not in answer.headers
        assert b"Ada" in answer.data
    for site in ("same-origin", "none"):
        answer = ask(api, "/explorer", CHROME, Sec_Fetch_Site=site)
        assert answer.headers["Content-Encoding"] == "br"


def test_a_part_of_a_file_is_sent_as_it_is(api: Api, ada: NewPlayer) -> None:
    record = b'[Variant "kerak"]\n[Result "*"]\n\n*\n\n' * 100
    made = api.send("POST", "/imports", ada, record, "application/x-chess-pgn")
    assert made.json is not None
    path = f"/api/v1/imports/{made.json['id']}/original"
    bearer = {"Authorization": f"Bearer {ada.token.secret}"}
    part = ask(api, path, CHROME, Range="bytes=10-2009", **bearer)
    assert (part.status_code, part.data) == (206, record[10:2010])
    assert "Content-Encoding" not in part.headers
    part.close()


def test_an_export_is_compressed_as_it_is_made(api: Api, ada: NewPlayer) -> None:
    for _ in range(3):
        api.scribed(ada)
    api.project()
    plain = ask(api, "/api/v1/export", None, Accept="application/x-ndjson")
    answer = ask(api, "/api/v1/export", CHROME, Accept="application/x-ndjson")
    assert "Content-Length" not in answer.headers
    assert answer.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(answer.data) == plain.data
    assert len(answer.data) < len(plain.data)


def read_each(parts: Iterator[bytes]) -> Iterator[bytes]:
    """What a client can read after each part of a compressed stream."""
    reader = zlib.decompressobj(zlib.MAX_WBITS + 16)
    for part in parts:
        yield reader.decompress(part)
    assert reader.eof
    assert reader.unused_data == b""


def code_messages(messages: Iterable[bytes]) -> Iterator[bytes]:
    """What a stream of these messages sends, part by part."""
    coder = GzipMessages()
    yield from map(coder.encode, messages)
    yield coder.finish()


@pytest.mark.slow
@given(st.lists(st.binary(max_size=200) | st.sampled_from([b": x\n\n", b"a" * 70000, b"b" * 9000])))
def test_each_message_of_a_stream_can_be_read_when_it_has_come(messages: list[bytes]) -> None:
    assert list(read_each(code_messages(messages))) == [*messages, b""]
    assert gzip.decompress(b"".join(code_messages(messages))) == b"".join(messages)


def test_a_message_like_the_one_before_takes_next_to_nothing() -> None:
    """A repeated message adds next to nothing, even after a comment that kept the stream alive."""
    legal = [{"action": f"a{n}b{n * 7 % 12}", "san": f"N{n}b", "kind": "move"} for n in range(90)]
    message = f"id: 7\ndata: {json.dumps({'legal': legal})}\n\n".encode()
    sent = [message, b": keep-alive\n\n", message]
    first, comment, second, _ = map(len, code_messages(sent))
    assert comment < 40
    assert second < first / 4


@pytest.mark.slow
def test_an_event_comes_compressed_as_soon_as_it_is_told(server: WebServer) -> None:
    players = server.service.players
    ada, brahim = (players.register(name, None) for name in ("Ada", "Brahim"))
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SILENCE)

    def send(path: str, body: object, by: NewPlayer) -> dict[str, str]:
        own = {"Authorization": f"Bearer {by.token.secret}", "Content-Type": "application/json"}
        connection.request("POST", f"/api/v1{path}", json.dumps(body), own)
        with connection.getresponse() as answer:
            found: dict[str, str] = json.load(answer)
            assert answer.status < 300, found
        return found

    wish = {"variant": "katruji", "side": "first", "opponent": brahim.id}
    path = f"/games/{send('/games', wish, ada)['id']}"
    send(f"{path}/commands", {"type": "accept"}, brahim)
    follower = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SILENCE)
    follower.request("GET", f"/api/v1{path}/stream", headers={"Accept-Encoding": CHROME})
    with follower.getresponse() as stream:
        assert stream.headers["Content-Encoding"] == "gzip"
        reader, text = zlib.decompressobj(zlib.MAX_WBITS + 16), b""

        def read_until(wanted: bytes) -> None:
            nonlocal text
            while wanted not in text:
                text += reader.decompress(stream.read1())

        read_until(b"event: caught_up\n")
        for action, by in (("Pd1", ada), ("Pa7", brahim), ("Pd2", ada)):
            send(f"{path}/actions", {"action": action}, by)
            read_until(f'"{action}"'.encode())
    follower.close()
    connection.close()
