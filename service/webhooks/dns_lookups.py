"""Looks up names without waiting longer for a name server than wanted."""

from __future__ import annotations

import socket
from concurrent.futures import Future
from threading import Lock, Thread


class Lookups:
    """Asks the system's resolver, which cannot be stopped, in threads that may be left behind.

    There is at most one such thread for each host and port: further callers wait for the answer
    that is under way. Safe for threads.
    """

    def __init__(self) -> None:
        self._under_way: dict[tuple[str, int], Future[list[str]]] = {}
        self._lock = Lock()

    def ask(self, host: str, port: int, seconds: float) -> list[str]:
        """The addresses of a host; raises TimeoutError after `seconds` seconds.

        Otherwise raises what the resolver raises: OSError, UnicodeError.
        """
        with self._lock:
            future = self._under_way.get((host, port))
            if future is None:
                future = self._under_way[host, port] = Future()
                Thread(target=self._look_up, args=(host, port, future), daemon=True).start()
        return future.result(seconds)

    def _look_up(self, host: str, port: int, future: Future[list[str]]) -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            future.set_result(list(dict.fromkeys(str(entry[4][0]) for entry in found)))
        except Exception as error:
            future.set_exception(error)
        finally:
            with self._lock:
                del self._under_way[host, port]
