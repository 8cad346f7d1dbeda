"""A client that leaves its event stream frees its place at once."""

from __future__ import annotations

import socket

import gevent
import pytest

from service.operations.socket_deadline import ClientSocket, Patience
from service.player.repository import NewPlayer
from tests.service.api.client import Api

PATIENCE = Patience(idle=60, head=60, body=60, rate=1)
LOOKS = 100
"""How often gevent polls its sockets until it must have noticed that one was closed."""


@pytest.mark.parametrize("query", [{}, {"view": "board"}], ids=str)
def test_a_stream_ends_when_its_client_has_left(
    api: Api, ada: NewPlayer, brahim: NewPlayer, query: dict[str, str]
) -> None:
    """The stream ends long before the next comment would be written to the closed connection."""
    path = api.running(ada, brahim)
    client, accepted = socket.socketpair()
    with ClientSocket(accepted, PATIENCE) as connection:
        answer = api.http.get(
            f"/api/v1{path}/stream",
            query_string=query,
            environ_overrides={"gunicorn.socket": connection},
        )
        messages = answer.iter_encoded()
        assert b"data: " in next(messages)
        client.close()
        for _ in range(LOOKS):
            gevent.idle()
        assert not any(one.startswith(b":") for one in messages)
        answer.close()
