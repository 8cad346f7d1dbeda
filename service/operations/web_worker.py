"""Gunicorn's gevent worker: client deadlines, problems instead of its pages, graceful shutdown."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext, suppress
from errno import ECONNRESET, ENOTCONN, EPIPE
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import gevent
from gevent import GreenletExit
from gevent.event import Event
from gevent.pool import Pool
from gevent.server import StreamServer
from gunicorn.http import errors
from gunicorn.workers.ggevent import GeventWorker
from werkzeug.exceptions import RequestTimeout, default_exceptions

from service.api.errors import TooManyConnections
from service.operations.closing_socket import hold_back_connections
from service.operations.connections_per_address import Connections
from service.operations.plain_answer import (
    PlainAnswer,
    make_base,
    make_environ,
    remember_settings,
    send_answer,
)
from service.operations.plain_request import PlainParser, PlainRequest
from service.operations.socket_deadline import ClientSocket, read_patience
from service.settings import read_settings
from service.storage.open_files import bound_connections

if TYPE_CHECKING:
    from collections.abc import Callable

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
"""Gunicorn's errors and the status with which they are answered; the first that fits counts."""


GONE: Final = (EPIPE, ECONNRESET, ENOTCONN)
"""The system's errors when a client has left."""
NOTIFY: Final = 1.0
"""Seconds between two reports of the worker to gunicorn that it is alive."""
LOOK: Final = 0.05
"""Seconds between two checks of the connections that are still open at shutdown."""
SETTLING: Final = 0.05
"""Seconds within which a connection that was beginning comes to wait for acceptance."""


class Listening:
    """Replaces a listening socket, which may be closed before its last connection is handled."""

    def __init__(self, name: object) -> None:
        self._name = name

    def getsockname(self) -> object:
        """The address on which the socket listened."""
        return self._name


class WebWorker(GeventWorker):  # type: ignore[misc]
    """Each connection is a ClientSocket; nothing that a client does leaves a traceback in the log.

    When told to stop (SIGTERM), it first reports that it is not ready (`/readyz`) and goes on for a
    while. Then it stops listening, finishes what it has begun, and tells streams to connect
    elsewhere.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        settings = read_settings()
        self.patience = read_patience(settings)
        self.bounds = bound_connections(self.worker_connections, settings.connections_per_address)
        self.connections = Connections(self.bounds.per_address, settings.trusted_proxies)
        self.refusing = 0
        self.notice = settings.drain_notice
        self.longest_drain = settings.drain_timeout
        self.open: set[ClientSocket] = set()
        self.stopping = Event()

    def init_process(self) -> None:
        """Gunicorn's hook that sets up a worker, which then runs."""
        remember_settings(self.cfg)
        self.base = make_base(self.cfg)
        # What operators may request of gunicorn (GUNICORN_CMD_ARGS) works only for its own answers.
        asked = self.cfg.accesslog, self.cfg.statsd_host, self.cfg.max_requests
        self.answers_itself = not any(asked) and "SCRIPT_NAME" not in os.environ
        super().init_process()

    def handle_exit(self, sig: int, frame: object) -> None:
        """Gunicorn's handler of SIGTERM."""
        super().handle_exit(sig, frame)
        self.stopping.set()

    def run(self) -> None:
        """Accept connections until told to stop, and then end without cutting any off."""
        servers = [self.listen(listener) for listener in self.sockets]
        while self.alive:
            self.notify()
            self.stopping.wait(NOTIFY)
        from service.api.context import EXTENSION

        parts = self.wsgi.extensions[EXTENSION]
        parts.drain.begin()
        self.go_on_for(self.notice)
        for server in servers:
            take_queue(server)
        leaving = gevent.spawn(parts.hub.drain)
        self.go_on_for(self.longest_drain, self.end_idle_connections)
        leaving.kill()
        if self.open:
            self.log.warning("connections that were cut off at the end: %d", len(self.open))
        for server in servers:
            server.stop(timeout=1)

    def listen(self, listener: Any) -> StreamServer:
        """Accept the connections of a listening socket."""
        listener.setblocking(1)
        pool = Pool(self.worker_connections)
        listening = Listening(listener.getsockname())
        server = StreamServer(listener, handle=partial(self.handle, listening), spawn=pool)
        if self.cfg.workers > 1:
            server.max_accept = 1
        server.start()
        return server

    def go_on_for(self, seconds: float, ended: Callable[[], bool] = lambda: False) -> None:
        """Answer requests for `seconds` seconds, or until `ended` returns true."""
        deadline = monotonic() + seconds
        while monotonic() < deadline and not ended():
            self.notify()
            gevent.sleep(LOOK)

    def end_idle_connections(self) -> bool:
        """End idle connections; returns whether no connections are left."""
        for connection in list(self.open):
            connection.end_if_idle()
        return not self.open

    def timeout_ctx(self) -> AbstractContextManager[None]:
        """No deadline other than those of the connection itself."""
        return nullcontext()

    def handle(self, listener: Any, client: Any, addr: Any) -> None:
        """Answer the requests of one connection."""
        connection = ClientSocket(client, self.patience)
        self.open.add(connection)
        try:
            with self.connections.hold(addr):
                self.answer_requests(listener.getsockname(), connection, addr)
        except TooManyConnections as error:
            self.refuse(connection, error)
        finally:
            self.open.discard(connection)

    def refuse(self, connection: ClientSocket, error: TooManyConnections) -> None:
        """Say why a connection is refused, and close it; if there are too many, only close it."""
        from service.api.problems import describe_error

        self.refusing += 1
        try:
            if self.refusing <= self.bounds.refusals:
                send_problem(connection, describe_error(error))
        finally:
            self.refusing -= 1
            connection.close()

    def answer_requests(self, server: Any, connection: ClientSocket, addr: Any) -> None:
        """Answer requests until there are no more, and close the connection."""
        parser = PlainParser(self.cfg, connection, addr)
        request: PlainRequest | None = None
        proxied: dict[str, Any] = {}
        try:
            while True:
                request = None
                request = next(parser)
                # A proxy names its client once, before the first request.
                proxied = request.proxy_protocol_info = request.proxy_protocol_info or proxied
                self.handle_request(server, request, connection, addr)
        except (StopIteration, errors.NoMoreData):
            # The connection ends, perhaps in the middle of a head.
            pass
        except OSError as error:
            if error.errno not in GONE:
                self.log.exception("a connection failed")
        except BaseException as error:
            self.handle_error(request, connection, addr, error)
        finally:
            connection.close()

    def handle_request(self, listener_name: Any, req: PlainRequest, sock: Any, addr: Any) -> None:
        """Answer one request whose head has arrived."""
        sock.await_body(req)
        try:
            if req.fields is None or not self.answers_itself or not isinstance(addr, tuple):
                super().handle_request(listener_name, req, sock, addr)
            else:
                self.answer_plain(listener_name, req, sock, addr)
        finally:
            sock.await_request()

    def answer_plain(self, server: Any, request: PlainRequest, sock: Any, addr: Any) -> None:
        """Answer a plain request; raises StopIteration if the connection ends with it."""
        answer = PlainAnswer(request, sock, self.cfg)
        if not self.alive or not self.cfg.keepalive:
            answer.force_close()
        environ = make_environ(self.base, request, sock, addr, server)
        try:
            send_answer(self.wsgi, environ, answer)
        except (OSError, GreenletExit):
            raise
        except Exception:
            if not answer.headers_sent:
                raise
            # An answer that was begun cannot be replaced by another.
            self.log.exception("Error handling request")
            raise StopIteration from None
        if answer.should_close():
            raise StopIteration

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Answer a request that gunicorn could not read, or that failed outside the application."""
        if isinstance(exc, GreenletExit):
            return
        status = next((REFUSED[kind] for kind in REFUSED if isinstance(exc, kind)), 500)
        if status == 500:
            self.log.error("a request failed outside the application", exc_info=exc)
        # The application is imported only after gevent has patched what it uses.
        from service.api.problems import describe_http_error

        send_problem(client, describe_http_error(default_exceptions[status]()))


def take_queue(server: StreamServer) -> None:
    """Accept what waits in the system's queue, and stop listening.

    A connection that is in the queue when the socket is closed is reset, although its client may
    already have sent a request.
    """
    with hold_back_connections(server.socket):
        gevent.sleep(SETTLING)
        server.stop_accepting()
        while not server.pool.full() and (accepted := server.do_read()) is not None:
            server.do_handle(*accepted)
    server.close()


def send_problem(client: ClientSocket, answer: Response) -> None:
    """Answer a client with a problem, which is the last answer on its connection."""
    from service.api.responses import CONFINED

    head = [f"HTTP/1.1 {answer.status}", "Connection: close"]
    head += [f"{name}: {value}" for name, value in {**CONFINED, **answer.headers}.items()]
    data = "\r\n".join([*head, "", ""]).encode("latin-1") + answer.get_data()
    with suppress(OSError, RequestTimeout):
        client.sendall(data)
        client.linger()
