"""A network between servers and their clients that can be cut like a cable."""

from __future__ import annotations

import asyncio
import sys
import threading
from asyncio import StreamReader, StreamWriter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Final

HOST: Final = "127.0.0.1"
"""The address at which all servers are reached, and from which clients connect."""

PIECE: Final = 1 << 16


def has_many_addresses() -> bool:
    """Whether this machine answers at every address of 127.0.0.0/8, as Linux does."""
    return sys.platform == "linux"


class Network:
    """Forwards connections to servers, each of which has its own address.

    A server must also connect from its address, which identifies it to the others. Data sent across
    a cut waits, as in TCP, and arrives once the cut is mended.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._whole = asyncio.Event()
        self._whole.set()
        self._is_cut: Callable[[str, str], bool] = lambda source, target: False
        self._ways: list[asyncio.Server] = []
        self._passing: set[asyncio.Task[None]] = set()

    def lead(self, ports: Sequence[int], address: str) -> None:
        """Forward these ports of HOST to a server's same ports."""
        for port in ports:
            passing = partial(self._pass, address, port)
            begun = asyncio.start_server(passing, HOST, port)
            self._ways.append(asyncio.run_coroutine_threadsafe(begun, self._loop).result())

    def cut_off(self, address: str) -> None:
        """Cut all connections to and from this server."""
        self._cut(lambda source, target: address in (source, target))

    def cut_from_servers(self, address: str) -> None:
        """Cut the connections between this server and the others; clients still reach it."""
        self._cut(lambda source, target: address in (source, target) and source != HOST)

    def mend(self) -> None:
        """Mend the cut: waiting data goes through first."""
        self._loop.call_soon_threadsafe(self._whole.set)

    def _cut(self, is_cut: Callable[[str, str], bool]) -> None:
        self._is_cut = is_cut
        self._loop.call_soon_threadsafe(self._whole.clear)

    async def _pass(
        self, address: str, port: int, reader: StreamReader, writer: StreamWriter
    ) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._passing.add(task)
        source = writer.get_extra_info("peername")[0]
        try:
            await self._wait_for_way(source, address)
            with suppress(OSError):
                answers, onward = await asyncio.open_connection(address, port)
                await self._exchange((reader, onward), (answers, writer), source, address)
        finally:
            writer.close()
            self._passing.discard(task)

    async def _exchange(
        self,
        there: tuple[StreamReader, StreamWriter],
        back: tuple[StreamReader, StreamWriter],
        source: str,
        address: str,
    ) -> None:
        """Forward in both directions until one ends."""
        ways = [asyncio.create_task(self._carry(*way, source, address)) for way in (there, back)]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            there[1].close()
            await asyncio.gather(*ways, return_exceptions=True)

    async def _carry(
        self, reader: StreamReader, writer: StreamWriter, source: str, address: str
    ) -> None:
        piece: bytes | None = None
        while piece != b"":
            piece = await reader.read(PIECE)
            await self._wait_for_way(source, address)
            writer.write(piece)
            await writer.drain()

    async def _wait_for_way(self, source: str, address: str) -> None:
        while not self._whole.is_set() and self._is_cut(source, address):
            await self._whole.wait()

    async def end(self) -> None:
        """Stop forwarding."""
        for way in self._ways:
            way.close()
        passing = list(self._passing)
        for task in passing:
            task.cancel()
        await asyncio.gather(*passing, return_exceptions=True)


@contextmanager
def running_network() -> Iterator[Network]:
    """A network in its own thread, for the duration of the context."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="network", daemon=True)
    thread.start()
    network = Network(loop)
    try:
        yield network
    finally:
        asyncio.run_coroutine_threadsafe(network.end(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
