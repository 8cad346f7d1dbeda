"""A listening socket that is about to be closed."""

from __future__ import annotations

import ctypes
import socket
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

ATTACH_FILTER: Final = 26
DETACH_FILTER: Final = 27
"""Socket options on Linux, SO_ATTACH_FILTER and SO_DETACH_FILTER."""
DROP_SYN: Final = b"".join(
    struct.pack("HBBI", *instruction)
    for instruction in (
        (0x30, 0, 0, 13),  # load the flags of the TCP header
        (0x45, 0, 1, 0x02),  # SYN?
        (0x06, 0, 0, 0),  # then drop the packet,
        (0x06, 0, 0, 0xFFFFFFFF),  # else keep it
    )
)
"""A filter (classic BPF) that drops packets that begin a connection, and nothing else."""
INSTRUCTION: Final = 8
"""The number of bytes of an instruction."""


@contextmanager
def hold_back_connections(listening: socket.socket) -> Iterator[None]:
    """Let no connection begin on a TCP socket in this context; those that have begun go on.

    To a client, its first packet seems lost. It sends the packet again a second later, which is
    then either accepted or, if the socket is closed, refused: a proxy goes to another server. A
    connection that had begun but was not accepted, however, would be reset when the socket is
    closed, with the request on it. Does nothing if the system has no such filters.
    """
    is_filtered = attach_filter(listening)
    try:
        yield
    finally:
        if is_filtered:
            listening.setsockopt(socket.SOL_SOCKET, DETACH_FILTER, 0)


def attach_filter(listening: socket.socket) -> bool:
    """Drop packets that begin a connection from now on; returns whether that is possible."""
    if sys.platform != "linux" or listening.family not in (socket.AF_INET, socket.AF_INET6):
        return False
    code = ctypes.create_string_buffer(DROP_SYN, len(DROP_SYN))
    program = struct.pack("HP", len(DROP_SYN) // INSTRUCTION, ctypes.addressof(code))
    try:
        listening.setsockopt(socket.SOL_SOCKET, ATTACH_FILTER, program)
    except OSError:  # a sandbox may forbid it
        return False
    return True
