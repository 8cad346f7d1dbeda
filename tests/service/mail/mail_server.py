"""A real mail server on this machine (`aiosmtpd`), which a test controls."""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
from asyncio import AbstractServer
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP as Server
from aiosmtpd.smtp import AuthResult, Envelope, LoginPassword, Session

SENDER = "Movelog <games@club.example>"
PUBLIC_URL = "https://club.example"


@dataclass
class MailServer:
    """The messages that it was sent, and how it answers the next ones.

    `to_mail`, `to_rcpt` and `to_data` replace its own answers. If `silent`, it takes a message and
    hangs up without an answer. `signed_in` lists the users who have signed in.
    """

    port: int = 0
    scheme: str = "smtp+plain"
    got: list[tuple[str, EmailMessage]] = field(default_factory=list)
    to_mail: str | None = None
    to_rcpt: str | None = None
    to_data: str | None = None
    silent: bool = False
    signed_in: list[str] = field(default_factory=list)
    encrypted: list[bool] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"{self.scheme}://localhost:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """The variables that make a service send its mail here."""
        return {
            "MOVELOG_SMTP_URL": self.url,
            "MOVELOG_MAIL_FROM": SENDER,
            "MOVELOG_PUBLIC_URL": PUBLIC_URL,
        }

    async def handle_MAIL(
        self, server: Server, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.to_mail is not None:
            return self.to_mail
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(
        self, server: Server, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.to_rcpt is not None:
            return self.to_rcpt
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Server, session: Session, envelope: Envelope) -> str:
        if self.to_data is not None:
            return self.to_data
        assert isinstance(envelope.content, bytes)
        message = message_from_bytes(envelope.content, policy=default)
        assert isinstance(message, EmailMessage)
        self.got.append((envelope.rcpt_tos[0], message))
        self.encrypted.append(session.ssl is not None)
        if self.silent:
            assert isinstance(server.transport, asyncio.Transport)
            server.transport.abort()
            await asyncio.sleep(0)
        return "250 OK"

    def authenticate(
        self, server: Server, session: Session, envelope: Envelope, mechanism: str, data: Any
    ) -> AuthResult:
        good = isinstance(data, LoginPassword) and data.password == b"p@ss/word"
        if good:
            self.signed_in.append(data.login.decode())
        return AuthResult(success=good)


class OnFreePort(Controller):
    """A controller that serves on a port already bound, so that nobody else takes it."""

    def __init__(self, handler: MailServer, **options: Any) -> None:
        self.bound = socket.create_server(("127.0.0.1", 0))
        port = self.bound.getsockname()[1]
        super().__init__(handler, hostname="127.0.0.1", port=port, **options)

    def _create_server(self) -> Coroutine[Any, Any, AbstractServer]:
        return self.loop.create_server(self._factory_invoker, sock=self.bound, ssl=self.ssl_context)


@contextmanager
def serving_mail(
    tls: ssl.SSLContext | None = None, scheme: str = "smtp+plain"
) -> Iterator[MailServer]:
    """A mail server while the context lasts; `smtp` with TLS requires STARTTLS and a password."""
    mail = MailServer(scheme=scheme)
    options: dict[str, Any] = {}
    if scheme == "smtps":
        options["ssl_context"] = tls
    elif scheme == "smtp" and tls is not None:
        options |= {"tls_context": tls, "require_starttls": True, "auth_required": True}
        options["authenticator"] = mail.authenticate
    controller = OnFreePort(mail, **options)
    controller.start()
    mail.port = controller.port
    try:
        yield mail
    finally:
        controller.stop()


def text_of(message: EmailMessage, kind: str = "plain") -> str:
    """The text of a message, in one of its forms."""
    part = message.get_body((kind,))
    assert part is not None
    content = part.get_content()
    assert isinstance(content, str)
    return content


def find_link(message: EmailMessage, purpose: str) -> str:
    """The path of the link with this purpose in a message."""
    found = re.search(rf"{PUBLIC_URL}(/[a-z-]+/{purpose}/\S+)", text_of(message))
    assert found is not None, text_of(message)
    return found[1]
