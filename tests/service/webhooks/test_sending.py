from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Any

import pytest

from service.errors import BadValue
from service.webhooks import sending
from service.webhooks.errors import CannotDeliver
from service.webhooks.sending import check_url, normalise_receiver, post
from tests.service.webhooks.receiver import receiving


@pytest.mark.parametrize(
    "url",
    [
        "http://club.example/hook",
        "ftp://club.example",
        "https://",
        "https://user:x@club.example",
        "https://club.example/#x",
        "https://club.example:0",
        "https://club.example:99999",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://localhost/",
        "https://LocalHost.:8443/",
        "https://club.localhost/",
        "https://localhost.localdomain/",
        "https://redis/",
        "https://redis.:6379/",
        "https://127.1/",
        "https://127.0.0.1./",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0177.0.0.1/",
        "https://0x7f.1/",
        "https://0/",
        "https://10.1/",
        "https://[::ffff:127.0.0.1]/",
        "https://256.1.1.1/",
        "https://99999999999/",
        "https://club.example/a b",
        "https://club.example/" + "x" * 2000,
        "nonsense",
    ],
)
def test_what_cannot_be_a_receiver(url: str) -> None:
    with pytest.raises(BadValue) as refused:
        check_url(url, private=False)
    assert refused.value.field == "url"


def test_an_address_that_is_not_public_is_refused_with_the_reason() -> None:
    with pytest.raises(BadValue, match="fec0::/10, site-local, deprecated"):
        check_url("https://[fec0::1]/", private=False)


def test_what_can_be_one() -> None:
    check_url("https://club.example:8443/hook?a=b", private=False)
    check_url("https://8.8.2056/", private=False)
    check_url("https://localhost.club.example/", private=False)
    check_url("http://127.0.0.1:1/", private=True)
    check_url("http://localhost:1/", private=True)
    with pytest.raises(BadValue):
        check_url("http://127.0.0.1:1/", private=False)


def test_a_body_is_posted_once_with_its_headers() -> None:
    with receiving() as receiver:
        assert post(receiver.url, b"{}", {"X-Own": "1"}, private=True) == 204
    ((headers, body),) = receiver.got
    assert (body, headers["X-Own"]) == (b"{}", "1")
    assert headers["Host"] in receiver.url


@pytest.mark.slow
def test_no_redirect_is_followed() -> None:
    with receiving() as other, receiving() as receiver:
        receiver.status, receiver.location = 307, other.url
        assert post(receiver.url, b"{}", {}, private=True) == 307
    assert other.got == []


def test_a_name_that_leads_inside_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """One such address among several is enough."""

    def looked_up(host: str, port: int, **_: Any) -> list[Any]:
        return [(0, 0, 0, "", (ip, port)) for ip in ("8.8.8.8", "10.0.0.1")]

    monkeypatch.setattr(socket, "getaddrinfo", looked_up)
    with pytest.raises(CannotDeliver, match="address is not public"):
        post("https://rebinding.example/", b"", {})


def test_an_attempt_does_not_tell_which_internal_names_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def look_up(host: str, port: int, **_: Any) -> list[Any]:
        asked.append(host)
        if host == "missing.corp.":
            raise socket.gaierror
        return [(0, 0, 0, "", ("10.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    told = []
    for name in ("db", "missing"):
        with pytest.raises(CannotDeliver) as refused:
            post(f"https://{name}.corp/", b"", {})
        told.append(str(refused.value).replace(name, ""))
    assert told[0] == told[1]
    # Looked up as they are, not within the domains in which the machine looks for short names.
    assert asked == ["db.corp.", "missing.corp."]


def test_the_connection_goes_to_the_address_that_was_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    connected: list[Any] = []

    def looked_up(host: str, port: int, **_: Any) -> list[Any]:
        return [(0, 0, 0, "", ("8.8.8.8", port))]

    def connect(address: Any, timeout: float) -> socket.socket:
        connected.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "getaddrinfo", looked_up)
    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(CannotDeliver, match="ConnectionRefusedError"):
        post("https://club.example/", b"", {})
    assert connected == [("8.8.8.8", 443)]


def test_a_name_that_nobody_knows() -> None:
    with pytest.raises(CannotDeliver, match="looked up"):
        post("https://" + "x" * 70 + ".invalid/", b"", {})


def test_a_receiver_that_never_comes_to_an_end_is_hung_up_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sending, "TIMEOUT", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        with pytest.raises(CannotDeliver):
            post(f"http://127.0.0.1:{silent.getsockname()[1]}/", b"", {}, private=True)
        with pytest.raises(CannotDeliver):
            post(f"https://127.0.0.1:{silent.getsockname()[1]}/", b"", {}, private=True)


def test_something_that_does_not_speak_tls() -> None:
    with receiving() as receiver:
        url = receiver.url.replace("http:", "https:")
        with pytest.raises(CannotDeliver, match="TLS"):
            post(url, b"", {}, private=True)


def test_a_name_server_that_does_not_answer_takes_no_longer_than_a_receiver(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answered = Event()
    asked: list[str] = []

    def waiting(host: str, port: int, **_: Any) -> list[Any]:
        asked.append(host)
        answered.wait(60)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", waiting)
    monkeypatch.setattr(sending, "TIMEOUT", 0.2)
    begun = time.monotonic()
    try:
        for _ in range(3):
            with pytest.raises(CannotDeliver, match=r"took longer than 0\.2 s"):
                post("https://slow.example/", b"", {})
        # One lookup serves every request made before it is answered.
        assert asked == ["slow.example."]
        assert time.monotonic() - begun < 30
    finally:
        answered.set()


@pytest.mark.parametrize("head", [b"HTT", b"HTTP/1.1 200 OK\r\nX-Long: "])
def test_an_answer_that_drips_is_cut_off(monkeypatch: pytest.MonkeyPatch, head: bytes) -> None:
    """Each byte comes within the timeout, and the answer never ends."""
    monkeypatch.setattr(sending, "TIMEOUT", 0.3)
    refused = pytest.raises(CannotDeliver, match=r"no answer within 0\.3 s")
    with dripping(head, 0.02) as url, refused:
        post(url, b"", {}, private=True)


@contextmanager
def dripping(head: bytes, pause: float) -> Iterator[str]:
    """The URL of a receiver that answers with `head`, then byte by byte for a minute."""
    over = Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def drip() -> None:
            connection, _ = listener.accept()
            with connection, suppress(OSError):
                end = time.monotonic() + 60
                connection.sendall(head)
                while not over.wait(pause) and time.monotonic() < end:
                    connection.sendall(b"x")

        thread = Thread(target=drip)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        finally:
            over.set()
            thread.join()


@pytest.mark.parametrize(
    "url",
    [
        "https://club.example/hook?x=1",
        "https://CLUB.example:443",
        "https://club.example./other",
    ],
)
def test_a_receiver_is_the_same_however_its_url_is_written(url: str) -> None:
    assert normalise_receiver(url) == "https://club.example:443"


def test_receivers_differ_by_scheme_host_and_port() -> None:
    urls = ("https://a.example", "http://a.example", "https://a.example:8443", "https://b.example")
    assert len({normalise_receiver(url) for url in (*urls, "https://[2606:4700::1111]/")}) == 5
