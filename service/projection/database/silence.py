"""Connections to a PostgreSQL server that notice when it falls silent.

A server whose machine, network or processes hang accepts connections and questions but never
answers. A question that has waited for a while checks on a second connection whether the server
answers at all. If it does, the question merely takes long. If it does not, every question of the
process is refused at once until the server is seen to answer again.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import partial
from time import monotonic
from typing import Any, Final, TypeVar

import psycopg

from service.storage.native_threads import start_natively

C = TypeVar("C", bound=psycopg.Connection[Any])

LISTENING: Final = 2.0
"""Seconds without an answer after which a question checks whether the server still answers."""
CONNECTING: Final = 3
"""Seconds that making a connection may take."""
LATE: Final = 0.5
"""Seconds by which a timeout comes too late if it was this process that stood still: the driver
looks ten times a second."""
LOOKING: Final = 1.0
"""Seconds between two checks of a silent server."""


class ServerSilent(psycopg.OperationalError):
    """The server has not answered for a while, and nobody waits for it any more."""

    def __init__(self) -> None:
        super().__init__("the server does not answer")


class Silence:
    """What a process knows about whether its server answers; `connect` makes a connection to it."""

    def __init__(self, connect: Callable[[], psycopg.Connection[Any]]) -> None:
        self._connect = partial(_connect_in_time, connect)
        self._silent = False
        self._next_look = 0.0

    def check(self) -> None:
        """Raise ServerSilent at once where the server was silent at the last check."""
        if not self._silent:
            return
        if monotonic() >= self._next_look:
            self._next_look = monotonic() + CONNECTING + LOOKING
            start_natively(self._look)
        raise ServerSilent

    def ask(self) -> None:
        """Check on another connection whether the server answers; raises ServerSilent."""
        self._look()
        self.check()

    def note_timeout(self) -> None:
        """Remember that the server did not accept a connection in time."""
        self._next_look = monotonic() + LOOKING
        self._silent = True

    def _look(self) -> None:
        try:
            self._connect().close()
        except psycopg.errors.ConnectionTimeout:
            self.note_timeout()
            return
        except psycopg.Error:
            # A server that refuses is there.
            pass
        self._silent = False


class AttentiveConnection(psycopg.Connection[Any]):
    """A connection that waits for its server only as long as the server answers anybody."""

    silence: Silence | None = None

    def wait(self, gen: Generator[Any, Any, Any], *given: Any, **options: Any) -> Any:
        """Let the driver wait for an answer. Raises ServerSilent, and is then closed."""
        if self.silence is None:
            return super().wait(gen, *given, **options)
        return super().wait(self._listen(gen, self.silence), *given, **options)

    def _listen(self, gen: Generator[Any, Any, Any], silence: Silence) -> Generator[Any, Any, Any]:
        """The driver's waiting; between its steps it checks whether the server still answers."""
        patience = LISTENING
        listening_since = monotonic()
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if not ready:
                    try:
                        silence.check()
                        if monotonic() - listening_since > patience:
                            silence.ask()
                            # The checks get rarer the longer a question takes.
                            patience *= 2
                    except ServerSilent:
                        self.pgconn.finish()
                        raise
                wanted = gen.send(ready)
        except StopIteration as ended:
            return ended.value


def connect_attentively(silence: Silence, *given: Any, **options: Any) -> AttentiveConnection:
    """Connect as psycopg does. Raises ServerSilent at once while the server is known to be so."""
    silence.check()
    try:
        connection = _connect_in_time(partial(AttentiveConnection.connect, *given, **options))
    except psycopg.errors.ConnectionTimeout:
        silence.note_timeout()
        raise
    connection.silence = silence
    return connection


def _connect_in_time(connect: Callable[[], C]) -> C:
    """Connect, once more if the first try ended because this process stood still."""
    begun = monotonic()
    try:
        return connect()
    except psycopg.errors.ConnectionTimeout as error:
        # Each address has its time, and the message a line for each where there are several.
        addresses = max(1, str(error).count("\n- "))
        if monotonic() - begun < CONNECTING * addresses + LATE:
            raise
    return connect()
