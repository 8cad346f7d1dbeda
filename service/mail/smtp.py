"""One message, handed to the operator's mail server by SMTP (RFC 5321).

TLS is required unless the operator has said otherwise, and the server's certificate is verified.
All of it has to be done within TIMEOUT seconds. What the server says is quoted nowhere, because it
may repeat the address.
"""

from __future__ import annotations

import re
import smtplib
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from email.message import EmailMessage
from email.policy import SMTP as POLICY
from functools import cache
from threading import Timer
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from service.mail.errors import CannotSend, MayBeSent

TIMEOUT: Final = 12.0
"""Seconds for sending one message; less than a job's lease."""
PORTS: Final = {"smtps": 465, "smtp": 587, "smtp+plain": 25}
"""TLS from the beginning, STARTTLS, and no TLS at all."""
_LEADING_DOT: Final = re.compile(rb"^\.", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class MailServer:
    """Where mail is handed over, and as whom."""

    scheme: str
    host: str
    port: int
    user: str = ""
    password: str = ""


def parse_server(url: str) -> MailServer:
    """The mail server that a setting names."""
    parts = urlsplit(url)
    return MailServer(
        scheme=parts.scheme,
        host=parts.hostname or "",
        port=parts.port or PORTS[parts.scheme],
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
    )


def send_message(
    server: MailServer,
    message: EmailMessage,
    sender: str,
    to: str,
    handing_over: Callable[[], None],
) -> None:
    """Hand a message to the server; raises CannotSend, or MayBeSent.

    `handing_over` is called before the last part is sent, until which the server has accepted
    nothing.
    """
    data = _LEADING_DOT.sub(b"..", message.as_bytes(policy=POLICY))
    handed_over = False
    try:
        with _connect(server, sender.rpartition("@")[2]) as client:
            _expect(client.mail(sender), "MAIL", refused=False)
            _expect(client.rcpt(to), "RCPT")
            _expect(client.docmd("DATA"), "DATA", (354,))
            handing_over()
            handed_over = True
            client.send(data + b".\r\n")
            _expect(client.getreply(), "the message")
    except smtplib.SMTPResponseException as error:
        raise CannotSend(f"the mail server answered {error.smtp_code}") from None
    except (OSError, smtplib.SMTPException) as error:
        reason = f"the mail server cannot be used: {type(error).__name__}"
        if isinstance(error, ssl.SSLError):
            reason = f"the mail server's TLS cannot be trusted: {error.reason or 'failed'}"
        elif isinstance(error, smtplib.SMTPNotSupportedError):
            reason = "the mail server offers no STARTTLS, or no way to sign in"
        if handed_over:
            raise MayBeSent(f"no answer to the message: {type(error).__name__}") from None
        raise CannotSend(reason) from None


@contextmanager
def _connect(server: MailServer, name: str) -> Iterator[smtplib.SMTP]:
    """A client that is ready to send; its connection is cut after TIMEOUT seconds."""
    kind = _SecureClient if server.scheme == "smtps" else _Client
    client = kind(server.host, server.port, local_hostname=name, timeout=TIMEOUT)
    try:
        client.ehlo_or_helo_if_needed()
        if server.scheme == "smtp":
            client.starttls(context=_tls())
        if server.user:
            client.login(server.user, server.password)
        yield client
        with suppress(OSError, smtplib.SMTPException):
            client.quit()
    finally:
        client.close()


def _expect(
    answer: tuple[int, bytes],
    command: str,
    wanted: tuple[int, ...] = (250, 251),
    refused: bool = True,
) -> None:
    """Raise CannotSend unless this is an expected answer to a command."""
    code = answer[0]
    if code not in wanted:
        unknown = command == "RCPT" and 500 <= code < 600
        reason = f"the mail server answered {code} to {command}"
        raise CannotSend(reason, refused=refused, unknown_address=unknown)


class _Client(smtplib.SMTP):
    """A client whose connection is cut after TIMEOUT, however slowly the server goes on."""

    def __init__(
        self, host: str, port: int, *, local_hostname: str, timeout: float, **tls: Any
    ) -> None:
        self.sock: socket.socket | None = None
        self._watch = Timer(timeout, self._hang_up)
        self._watch.daemon = True
        self._watch.start()
        try:
            super().__init__(host, port, local_hostname, timeout=timeout, **tls)
        except BaseException:
            self._watch.cancel()
            raise

    def close(self) -> None:
        """Close the connection."""
        if hasattr(self, "_watch"):
            self._watch.cancel()
        super().close()

    def _hang_up(self) -> None:
        if self.sock is not None:
            with suppress(OSError):
                self.sock.shutdown(socket.SHUT_RDWR)


class _SecureClient(_Client, smtplib.SMTP_SSL):
    """The same with TLS from the beginning."""

    def __init__(self, host: str, port: int, *, local_hostname: str, timeout: float) -> None:
        super().__init__(host, port, local_hostname=local_hostname, timeout=timeout, context=_tls())


@cache
def _tls() -> ssl.SSLContext:
    """The TLS context with the trusted authorities, which is slow to read and so made only once."""
    return ssl.create_default_context()
