"""What a process is called among others, and whether one of this machine has ended.

    alpha:4711 8812345.5d0c3a1f.9b1e

is process 4711 of the machine `alpha`, started 8812345 ticks after the machine, in a namespace of
process ids with the digest `5d0c3a1f`; the last part tells several names of one process apart.
"""

from __future__ import annotations

import os
import re
import secrets
import socket
from hashlib import blake2b
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")
_FORM: Final = re.compile(r"[^ ]*:(\d+) (\d+)\.([0-9a-f]{8})\.[0-9a-f]+")
_STATE: Final = 0
_STARTED: Final = 19
"""Where these two are in /proc/PID/stat, counted from behind the program's name."""
_DEAD: Final = "ZX"
"""The states of a process that has ended, but that its parent has not waited for."""


def make_process_name() -> str:
    """A name for this process that no other process has, or ever will have."""
    pid = os.getpid()
    started = _find_start(pid) or 0
    return f"{socket.gethostname()}:{pid} {started}.{_find_space()}.{secrets.token_hex(2)}"


def shorten_process_name(name: str) -> str:
    """The part of a name by which operators know a process: its machine and number."""
    return name.partition(" ")[0]


def has_ended(name: str) -> bool:
    """Whether a process is known to have ended: one of this machine, whose number is no longer its.

    Nothing is known of processes of other machines, or where there is no /proc.
    """
    form = _FORM.fullmatch(name)
    if form is None or form[2] == "0" or form[3] != _find_space():
        return False
    pid = int(form[1])
    return _find_start(pid) != int(form[2]) and not _is_hidden(pid)


def _is_hidden(pid: int) -> bool:
    """Whether there is a process of another user that /proc hides (its option hidepid)."""
    if (_PROC / str(pid)).exists():
        return False
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except ProcessLookupError:
        return False
    return True


def _find_start(pid: int) -> int | None:
    """When a process that has not ended began, in ticks since the machine's start; else None."""
    try:
        stat = (_PROC / str(pid) / "stat").read_text()
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    return None if fields[_STATE] in _DEAD else int(fields[_STARTED])


def _find_space() -> str:
    """A digest of the machine's start and of the namespace that its process ids belong to."""
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text()
        space = os.readlink(_PROC / "self/ns/pid")
    except OSError:
        boot = space = secrets.token_hex(8)
    return blake2b(f"{boot}{space}".encode(), digest_size=4).hexdigest()
