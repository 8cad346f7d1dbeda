"""A client's connection: what is sent on it, and when."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from service.operations.socket_deadline import ClientSocket, Patience

HEAD = b"HTTP/1.1 200 OK\r\n\r\n"
PATIENCE = Patience(idle=60, head=60, body=60, rate=1)


@pytest.fixture
def pair() -> Iterator[tuple[ClientSocket, socket.socket]]:
    """A connection, and its non-blocking client."""
    client, accepted = socket.socketpair()
    client.setblocking(False)
    with ClientSocket(accepted, PATIENCE) as connection, client:
        yield connection, client


def test_the_head_of_an_answer_comes_with_its_body(
    pair: tuple[ClientSocket, socket.socket],
) -> None:
    connection, client = pair
    connection.await_body(None)
    connection.sendall(HEAD)
    with pytest.raises(BlockingIOError):
        client.recv(100)
    connection.sendall(b"body")
    assert client.recv(100) == HEAD + b"body"
    connection.sendall(b", more of it")
    assert client.recv(100) == b", more of it"


def test_an_answer_without_a_body_is_sent_when_it_ends(
    pair: tuple[ClientSocket, socket.socket],
) -> None:
    connection, client = pair
    connection.await_body(None)
    connection.sendall(HEAD)
    connection.await_request()
    assert client.recv(100) == HEAD


def test_a_file_is_sent_behind_its_head(
    pair: tuple[ClientSocket, socket.socket], tmp_path_factory: pytest.TempPathFactory
) -> None:
    connection, client = pair
    path = tmp_path_factory.mktemp("files") / "file"
    path.write_bytes(b"text")
    connection.await_body(None)
    connection.sendall(HEAD)
    with path.open("rb") as file:
        connection.sendfile(file)
    assert client.recv(len(HEAD)) == HEAD
    assert client.recv(100) == b"text"
