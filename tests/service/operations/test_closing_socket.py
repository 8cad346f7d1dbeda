"""No connection begins on a listening socket that is about to close."""

from __future__ import annotations

import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from service.operations.closing_socket import hold_back_connections

linux = pytest.mark.skipif(sys.platform != "linux", reason="the filter is one of Linux")


@linux
@pytest.mark.parametrize(
    ("family", "address"),
    [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")],
    ids=["IPv4", "IPv6"],
)
def test_connections_begin_before_and_after(family: socket.AddressFamily, address: str) -> None:
    with (
        socket.create_server((address, 0), family=family) as listening,
        socket.socket(family) as before,
        socket.socket(family) as during,
    ):
        at = listening.getsockname()[:2]
        before.connect(at)
        with hold_back_connections(listening):
            during.settimeout(0.2)
            with pytest.raises(TimeoutError):
                during.connect(at)
            before.sendall(b"request")
            accepted, _ = listening.accept()
            with accepted:
                assert accepted.recv(100) == b"request"
        with socket.create_connection(at, timeout=10), listening.accept()[0]:
            pass


@linux
def test_one_that_was_held_back_is_refused_once_the_socket_is_closed() -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    with listening, socket.socket() as client, ThreadPoolExecutor() as pool:
        client.settimeout(10)
        with hold_back_connections(listening):
            connecting = pool.submit(client.connect, listening.getsockname())
            with pytest.raises(TimeoutError):
                connecting.result(timeout=0.2)
        listening.close()
        with pytest.raises(ConnectionRefusedError):
            connecting.result(timeout=10)


def test_a_socket_of_the_file_system_is_left_alone(tmp_path: Path) -> None:
    at = str(tmp_path / "socket")
    with socket.socket(socket.AF_UNIX) as listening, socket.socket(socket.AF_UNIX) as client:
        listening.bind(at)
        listening.listen()
        with hold_back_connections(listening):
            client.connect(at)
            listening.accept()[0].close()
