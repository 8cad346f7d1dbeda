"""Requests and answers are the same as gunicorn's, whatever reads and writes them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from gunicorn.config import Config
from gunicorn.http import wsgi
from gunicorn.http.errors import InvalidResponseHeader, NoMoreData, ParseException
from gunicorn.http.message import Request
from gunicorn.http.parser import RequestParser
from hypothesis import example, given
from hypothesis import strategies as st

from service.operations.plain_answer import (
    PlainAnswer,
    make_base,
    make_environ,
    remember_settings,
    send_answer,
)
from service.operations.plain_request import PlainParser, PlainRequest

CLIENT, SERVER = ("192.0.2.7", 4711), ("127.0.0.1", 8000)
POST = b"POST /api/v1/games/a%2Fb/actions?x=1&y HTTP/1.1\r\nHost: club.example:81\r\n"
GET = b"GET /healthz HTTP/1.1\r\nHost: club.example\r\nAccept:  text/plain\t\r\n"
ODD = (
    b"Transfer-Encoding: chunked\r\n",
    b"Transfer-Encoding: gzip\r\n",
    b"Transfer-Encoding: strange\r\n",
    b"Expect: 100-continue\r\n",
    b"Content-Length: 2\r\nContent-Length: 2\r\n",
    b"Content-Length: -2\r\n",
    b"Content-Length: 2,2\r\n",
    b"Content-Length: \xb2\r\n",
    b"Content-Length: +2\r\n",
    b"Host: second.example\r\n",
    b"X-Twice: 1\r\nX-Twice: 2\r\n",
    b"X_Forwarded_For: 1\r\n",
    b"Script-Name: /x\r\n",
    b" folded: 1\r\n",
    b"X-No-Colon\r\n",
    b"X-Space : 1\r\n",
    b"X-Nul: a\0b\r\n",
    b"X-Bare: a\nb\r\n",
    b"X-Return: a\rb\r\n",
    b"X-Latin: \xe9\xff\r\n",
    b"X-Empty:\r\n",
    b"Connection: close\r\n",
    b"Connection: keep-alive\r\n",
    b"Connection: upgrade\r\nUpgrade: h2c\r\n",
    b"X-Long: " + b"x" * 9000 + b"\r\n",
    b"X-Longer: " + b"x" * 4100 + b"\r\n",
    b"".join(b"X-%d: 1\r\n" % index for index in range(101)),
    b"X-Forwarded-Proto: https\r\n",
)
LINES = (
    b"GET //host/path?q HTTP/1.1\r\n",
    b"GET /a#b?c HTTP/1.1\r\n",
    b"GET /a?b#c HTTP/1.1\r\n",
    b"GET /a?b?c HTTP/1.1\r\n",
    b"GET /? HTTP/1.1\r\n",
    b"GET /a\xc3\xa9 HTTP/1.1\r\n",
    b"GET /%C3%A9;p=[1]\\ HTTP/1.1\r\n",
    b"GET http://club.example/a HTTP/1.1\r\n",
    b"GET /a HTTP/1.0\r\n",
    b"GET /a HTTP/2.0\r\n",
    b"GET /a HTTP/1.1 \r\n",
    b"GET  /a HTTP/1.1\r\n",
    b"get /a HTTP/1.1\r\n",
    b"BREW /a HTTP/1.1\r\n",
    b"OPTIONS * HTTP/1.1\r\n",
    b"CONNECT club.example:1 HTTP/1.1\r\n",
    b"\r\nGET /a HTTP/1.1\r\n",
    b"GET /" + b"a" * 5000 + b" HTTP/1.1\r\n",
    b"GET /a HTTP/1.1\n",
)


@pytest.fixture(scope="module")
def settings() -> Config:
    found = Config()
    found.set("forwarded_allow_ips", "")
    found.set("secure_scheme_headers", {})
    remember_settings(found)
    return found


def tell(request: Request) -> tuple[object, ...]:
    """Everything that is known of a request, including its body."""
    body = request.body.read()
    line = request.method, request.uri, request.path, request.query or "", request.fragment or ""
    ends = request.should_close()
    return *line, request.version, list(request.headers), request.scheme, body, ends


def read_all(parser: type[RequestParser], settings: Config, parts: list[bytes]) -> list[object]:
    """What a parser makes of bytes that arrive in these parts, and the error that ends it."""
    found: list[object] = []
    requests = parser(settings, iter(parts), CLIENT)
    try:
        for request in requests:
            found.append(tell(request))
    except (ParseException, NoMoreData) as error:
        found.append(type(error))
    return found


def differ(settings: Config, sent: bytes, *cuts: int) -> None:
    """Fail unless both parsers read the same."""
    places = [0, *sorted(cuts), len(sent)]
    parts = [sent[a:b] for a, b in pairwise(places) if a < b]
    ours, theirs = (read_all(kind, settings, parts) for kind in (PlainParser, RequestParser))
    assert ours == theirs


def test_what_almost_every_client_sends_is_read_at_once(settings: Config) -> None:
    sent = POST + b"Content-Length: 4\r\n\r\nbody" + GET + b"\r\n"
    first, second = PlainParser(settings, iter([sent]), CLIENT), None
    request = next(first)
    assert request.fields is not None
    assert request.body.read(3) == b"bod"
    second = next(first)
    assert (second.path, second.fields["ACCEPT"]) == ("/healthz", "text/plain")


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("begun", [POST, GET])
def test_fields_are_read_as_gunicorn_reads_them(settings: Config, begun: bytes, odd: bytes) -> None:
    sent = begun + odd + b"\r\n2\r\nab\r\n0\r\n\r\n" + GET + b"\r\n"
    differ(settings, sent)
    differ(settings, sent, len(begun) + 3)


@pytest.mark.parametrize("line", LINES)
def test_request_lines_are_read_as_gunicorn_reads_them(settings: Config, line: bytes) -> None:
    differ(settings, line + b"Host: club.example\r\n\r\n" + GET + b"\r\n")


def test_a_request_line_without_fields_is_read(settings: Config) -> None:
    differ(settings, b"GET / HTTP/1.1\r\n\r\n")
    differ(settings, b"")


PIPELINED = POST + b"Content-Length: 12\r\n\r\n" + b"0123456789ab" + GET + b"\r\n" + GET + b"\r\n"


@given(st.lists(st.integers(0, len(PIPELINED)), max_size=4), st.integers(0, len(PIPELINED) - 1))
@example([], 5)
def test_requests_are_read_wherever_they_are_cut_and_whatever_is_damaged(
    cuts: list[int], at: int
) -> None:
    found = Config()
    differ(found, PIPELINED, *cuts)
    for damage in (b"\n", b"\r", b"\0", b" ", b":", b"_", b"\xe9", b""):
        differ(found, PIPELINED[:at] + damage + PIPELINED[at + 1 :], *cuts)


class Written:
    """A fake connection, which keeps what is written to it."""

    def __init__(self) -> None:
        self.data = b""

    def sendall(self, data: bytes) -> None:
        self.data += data


@pytest.mark.parametrize("begun", [POST, GET])
def test_the_environment_is_gunicorns(settings: Config, begun: bytes) -> None:
    data = begun + b"Content-Type: text/plain\r\nContent-Length: 2\r\nX-A-B: 1\r\n\r\nok"
    ours = next(PlainParser(settings, iter([data]), CLIENT))
    theirs = next(RequestParser(settings, iter([data]), CLIENT))
    theirs.proxy_protocol_info = {}
    made = make_environ(make_base(settings), ours, "socket", CLIENT, SERVER)
    _, expected = wsgi.create(theirs, "socket", CLIENT, SERVER, settings)
    apart = {"wsgi.input", "wsgi.errors", "wsgi.early_hints", "wsgi.multithread"}
    assert {k: v for k, v in made.items() if k not in apart} == {
        k: v for k, v in expected.items() if k not in apart
    }
    assert made["wsgi.multithread"] is True


def write(kind: type[wsgi.Response], settings: Config, request: Any, *given: Any) -> bytes:
    """The bytes of an answer with this status, headers and body parts, without the Date header."""
    status, headers, parts = given
    connection = Written()
    answer = kind(request, connection, settings)

    def application(environ: object, start: Any) -> list[bytes]:
        start(status, headers)
        return list(parts)

    send_answer(application, {}, answer)
    lines = connection.data.split(b"\r\n")
    return b"\r\n".join(line for line in lines if not line.startswith(b"Date: "))


@pytest.mark.parametrize(
    "begun", [GET, GET.replace(b"GET", b"HEAD"), GET + b"Connection: close\r\n"]
)
@pytest.mark.parametrize(
    ("status", "headers", "parts"),
    [
        ("200 OK", [("Content-Type", "a/b"), ("Content-Length", "4")], [b"ab", b"cd"]),
        ("200 OK", [("content-length", "3")], [b"ab", b"cd"]),
        ("200 OK", [("X-A", "1"), ("X-A", "2")], [b"ab", b"", b"cd"]),
        ("200 OK", [("Connection", "close"), ("Server", "own"), ("X-A", "1")], [b"x"]),
        ("201 CREATED", [("Location", "/é"), ("Content-Length", "0")], []),
        ("204 NO CONTENT", [("Content-Length", "0")], []),
        ("304 NOT MODIFIED", [("ETag", '"a"'), ("Content-Length", "7")], []),
    ],
)
def test_answers_are_gunicorns(
    settings: Config, begun: bytes, status: str, headers: list[tuple[str, str]], parts: list[bytes]
) -> None:
    request = next(PlainParser(settings, iter([begun + b"\r\n"]), CLIENT))
    assert isinstance(request, PlainRequest)
    ours = write(PlainAnswer, settings, request, status, headers, parts)
    assert ours == write(wsgi.Response, settings, request, status, headers, parts)


@pytest.mark.parametrize(
    "header",
    [("X-A", "1\r\nX-B: 2"), ("X-A", "1\n2"), ("X-A: 1\r\nX-B", "2"), ("X-A", "1\0"), ("X A", "1")],
)
def test_no_header_becomes_two(settings: Config, header: tuple[str, str]) -> None:
    request = next(PlainParser(settings, iter([GET + b"\r\n"]), CLIENT))
    with pytest.raises((InvalidResponseHeader, wsgi.InvalidResponseHeaderName)):
        write(PlainAnswer, settings, request, "200 OK", [header], [])
