"""Gunicorn's gevent worker, with deadlines for clients and problems in place of its pages."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext, suppress
from typing import TYPE_CHECKING, Any

from gevent import GreenletExit
from gunicorn.http import errors
from gunicorn.workers.ggevent import GeventWorker
from werkzeug.exceptions import RequestTimeout, default_exceptions

from service.api.errors import TooManyConnections
from service.operations.connections_per_address import Connections
from service.operations.socket_deadline import ClientSocket, read_patience
from service.settings import read_settings
from service.storage.open_files import bound_connections

if TYPE_CHECKING:
    from flask import Response

REFUSED: dict[type[Exception], int] = {
    errors.ConfigurationProblem: 500,
    errors.InvalidResponseHeader: 500,
    errors.InvalidResponseHeaderName: 500,
    RequestTimeout: 408,
    errors.LimitRequestLine: 414,
    errors.LimitRequestHeaders: 431,
    errors.ExpectationFailed: 417,
    errors.UnsupportedTransferCoding: 501,
    errors.ParseException: 400,
}
"""What gunicorn finds wrong, and the status it is answered with: the first that fits."""


class WebWorker(GeventWorker):  # type: ignore[misc]
    """Each connection is a ClientSocket; what a client does leaves no traceback in the log."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        settings = read_settings()
        self.patience = read_patience(settings)
        self.bounds = bound_connections(self.worker_connections, settings.connections_per_address)
        self.connections = Connections(self.bounds.per_address, settings.trusted_proxies)
        self.refusing = 0

    def timeout_ctx(self) -> AbstractContextManager[None]:
        """No deadline but those of the connection itself."""
        return nullcontext()

    def handle(self, listener: Any, client: Any, addr: Any) -> None:
        """Answer the requests of one connection."""
        connection = ClientSocket(client, self.patience)
        try:
            with self.connections.hold(addr):
                super().handle(listener, connection, addr)
        except TooManyConnections as error:
            self.refuse(connection, error)

    def refuse(self, connection: ClientSocket, error: TooManyConnections) -> None:
        """Say why a connection is not taken, and close it; of too many at once, close it alone."""
        from service.api.problems import describe_error

        self.refusing += 1
        try:
            if self.refusing <= self.bounds.refusals:
                send_problem(connection, describe_error(error))
        finally:
            self.refusing -= 1
            connection.close()

    def handle_request(self, listener_name: Any, req: Any, sock: ClientSocket, addr: Any) -> None:
        """Answer one request whose head has come."""
        sock.await_body(req)
        try:
            super().handle_request(listener_name, req, sock, addr)
        finally:
            sock.await_request()

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Answer a request that gunicorn could not read, or that failed outside the application."""
        if isinstance(exc, GreenletExit):
            return
        status = next((REFUSED[kind] for kind in REFUSED if isinstance(exc, kind)), 500)
        if status == 500:
            self.log.error("a request failed outside the application", exc_info=exc)
        # The application is imported once gevent has patched what it is made of.
        from service.api.problems import describe_http_error

        send_problem(client, describe_http_error(default_exceptions[status]()))


def send_problem(client: ClientSocket, answer: Response) -> None:
    """Answer a client with a problem, as the last thing on its connection."""
    from service.api.responses import CONFINED

    head = [f"HTTP/1.1 {answer.status}", "Connection: close"]
    head += [f"{name}: {value}" for name, value in {**CONFINED, **answer.headers}.items()]
    data = "\r\n".join([*head, "", ""]).encode("latin-1") + answer.get_data()
    with suppress(OSError, RequestTimeout):
        client.sendall(data)
        client.linger()
