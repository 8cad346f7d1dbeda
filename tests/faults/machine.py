"""The machine under a service: a disk that can be filled, a clock that can be set, slow syncs."""

from __future__ import annotations

import mmap
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SHIM = Path(__file__).with_name("shim.c")
CONTROL = struct.Struct("=qq")
BALLAST = "ballast"


class Clockwork:
    """The wall clock and the disk's speed as every process of a service sees them."""

    def __init__(self, folder: Path) -> None:
        library = folder / "shim.so"
        compiler = shutil.which("cc")
        assert compiler is not None, "a C compiler is needed to build the shim"
        subprocess.run(
            [compiler, "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o", library, SHIM, "-ldl"],
            check=True,
        )
        control = folder / "control"
        control.write_bytes(bytes(CONTROL.size))
        with control.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), CONTROL.size)
        self.environment = {"LD_PRELOAD": str(library), "FAULTS_CONTROL": str(control)}
        """The variables that a process must be started with."""

    def set(self, *, clock_offset: float = 0, sync_delay: float = 0) -> None:
        """Set the wall clock's error and the extra time of each sync, in seconds."""
        self._map[:] = CONTROL.pack(round(clock_offset * 1e9), round(sync_delay * 1e6))

    def now(self) -> float:
        """The time as a process of the service sees it, in seconds since 1970."""
        script = "import time; print(time.time())"
        told = subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ | self.environment,
            capture_output=True,
            check=True,
            text=True,
        )
        return float(told.stdout)

    def close(self) -> None:
        """Close the control file."""
        self._map.close()


class Volume:
    """A file system in memory, of `size` bytes, mounted at `folder`."""

    def __init__(self, folder: Path, size: int) -> None:
        self.folder = folder
        self.size = size

    def free(self) -> int:
        """The free space in bytes."""
        status = os.statvfs(self.folder)
        return status.f_bavail * status.f_frsize

    def fill(self) -> None:
        """Fill the volume to the last byte."""
        with (self.folder / BALLAST).open("wb") as file:
            while (room := self.free()) > 0:
                try:
                    os.posix_fallocate(file.fileno(), file.seek(0, os.SEEK_END), room)
                except OSError:  # others have taken some of the space meanwhile
                    continue

    def empty(self) -> None:
        """Free the space again."""
        (self.folder / BALLAST).unlink(missing_ok=True)


def can_mount() -> bool:
    """Whether this process may mount a file system."""
    return sys.platform == "linux" and os.geteuid() == 0 and shutil.which("mount") is not None


@contextmanager
def mounted(folder: Path, size: int) -> Iterator[Volume]:
    """Create `folder` and mount a volume there."""
    folder.mkdir(mode=0o700)
    options = f"size={size},mode=0700"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], check=True)
    try:
        yield Volume(folder, size)
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)
