"""Messages are handed to a real mail server, over verified TLS and within a time limit."""

from __future__ import annotations

import ipaddress
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from threading import Thread

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from service.mail import smtp
from service.mail.errors import CannotSend, MayBeSent
from service.mail.smtp import parse_server, send_message
from tests.service.mail.mail_server import MailServer, serving_mail

TO = "ada@home.example"


def make_message() -> EmailMessage:
    message = EmailMessage()
    message["Subject"] = "Żółw"
    message["From"], message["To"] = "games@club.example", TO
    message.set_content("first\n.\n..second\n")
    return message


def send(url: str) -> int:
    """Send a message; return how often the handover was reported."""
    said: list[int] = []
    send_message(
        parse_server(url), make_message(), "games@club.example", TO, lambda: said.append(1)
    )
    return len(said)


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A self-signed certificate for localhost with its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path / "certificate.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    file.write_bytes(made.public_bytes(serialization.Encoding.PEM) + private)
    return file


@contextmanager
def secure_server(certificate: Path, scheme: str) -> Iterator[MailServer]:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate)
    smtp._tls.cache_clear()
    with serving_mail(tls, scheme) as server:
        yield server
    smtp._tls.cache_clear()


def test_a_message_arrives_as_it_is() -> None:
    with serving_mail() as server:
        assert send(server.url) == 1
    ((to, message),) = server.got
    assert to == TO
    assert message["Subject"] == "Żółw"
    assert message.get_content().replace("\r\n", "\n") == "first\n.\n..second\n"


@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
def test_tls_is_used_and_verified(
    certificate: Path, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    with secure_server(certificate, scheme) as server:
        url = server.url.replace("//", "//games:p%40ss%2Fword@") if scheme == "smtp" else server.url
        with pytest.raises(CannotSend, match="TLS cannot be trusted"):
            send(url)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        smtp._tls.cache_clear()
        assert send(url) == 1
    assert len(server.got) == 1
    # The server's own flag is for STARTTLS; with smtps there is no connection without TLS.
    assert server.encrypted == [scheme == "smtp"]
    assert server.signed_in == (["games"] if scheme == "smtp" else [])


def test_a_server_without_tls_gets_nothing_unless_that_is_allowed() -> None:
    with serving_mail() as server, pytest.raises(CannotSend, match="no STARTTLS"):
        send(server.url.replace("smtp+plain", "smtp"))
    assert server.got == []


@pytest.mark.slow
def test_with_a_wrong_password_nothing_is_sent(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    # The client tries several mechanisms, and this server does not answer the last one.
    monkeypatch.setattr(smtp, "TIMEOUT", 1.0)
    with secure_server(certificate, "smtp") as server, pytest.raises(CannotSend) as refused:
        send(server.url.replace("//", "//games:hush@"))
    assert "hush" not in str(refused.value)
    assert (server.got, server.signed_in) == ([], [])


def test_what_the_server_refuses_is_told_without_its_words() -> None:
    with serving_mail() as server:
        server.to_data = f"554 5.7.1 no mail for <{TO}>"
        with pytest.raises(CannotSend) as refused:
            send(server.url)
        assert str(refused.value) == "the mail server answered 554 to the message"
        assert (refused.value.refused, refused.value.unknown_address) == (True, False)
        server.to_rcpt = f"550 5.1.1 <{TO}> unknown"
        with pytest.raises(CannotSend) as unknown:
            send(server.url)
        assert (unknown.value.refused, unknown.value.unknown_address) == (True, True)
        server.to_rcpt = "450 4.2.1 later"
        with pytest.raises(CannotSend) as later:
            send(server.url)
        assert (later.value.refused, later.value.unknown_address) == (True, False)


def test_a_server_that_refuses_the_sender_accepts_no_message() -> None:
    with serving_mail() as server:
        server.to_mail = "530 5.7.0 authentication required"
        with pytest.raises(CannotSend, match="answered 530 to MAIL") as error:
            send(server.url)
        assert not error.value.refused


def test_a_server_that_refuses_the_connection_accepts_no_message() -> None:
    with socket.create_server(("127.0.0.1", 0)) as bound:

        def refuse() -> None:
            connection, _ = bound.accept()
            with connection:
                connection.sendall(b"421 4.3.2 not now\r\n")
                connection.recv(100)

        thread = Thread(target=refuse, daemon=True)
        thread.start()
        with pytest.raises(CannotSend, match="answered 421") as error:
            send(f"smtp+plain://127.0.0.1:{bound.getsockname()[1]}")
        assert not error.value.refused
        thread.join(30)


def test_a_server_that_hangs_up_at_the_end_may_have_taken_the_message() -> None:
    with serving_mail() as server:
        server.silent = True
        with pytest.raises(MayBeSent):
            send(server.url)


def test_a_server_that_is_not_there_has_refused_no_message() -> None:
    with socket.create_server(("127.0.0.1", 0)) as bound:
        port = bound.getsockname()[1]
    with pytest.raises(CannotSend) as error:
        send(f"smtp+plain://127.0.0.1:{port}")
    assert not error.value.refused


def test_a_server_that_drips_its_greeting_is_left_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smtp, "TIMEOUT", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as bound:

        def drip() -> None:
            connection, _ = bound.accept()
            with connection:
                try:
                    while True:
                        connection.sendall(b"2")
                        time.sleep(0.05)
                except OSError:
                    return

        thread = Thread(target=drip, daemon=True)
        thread.start()
        with pytest.raises(CannotSend):
            send(f"smtp+plain://127.0.0.1:{bound.getsockname()[1]}")
        thread.join(30)
        assert not thread.is_alive()
