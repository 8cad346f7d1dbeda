"""A program that notes its start and stop in a diary: `python -m … NAME DIARY`."""

from __future__ import annotations

import os
import signal
import sys
import time
from types import FrameType


def main(name: str, diary: str) -> None:
    """Note in the diary what happens to this process until it ends."""

    def write(what: str) -> None:
        with open(diary, "a") as file:
            file.write(f"{name} {what}\n")

    def stop(number: int, frame: FrameType | None) -> None:
        write("stops")
        sys.exit()

    def ignore(number: int, frame: FrameType | None) -> None:
        write("ignores")

    if name == "failing":
        sys.exit("it fails")
    signal.signal(signal.SIGTERM, ignore if name == "stubborn" else stop)
    if name.startswith("forked"):
        files = sorted(map(int, os.listdir("/proc/self/fd")))[:-1]
        write(f"leads {os.getsid(0) == os.getpid()} has {files} knows {os.environ.get('OWN')}")
    write("starts")
    while True:
        time.sleep(60)


if __name__ == "__main__":
    main(*sys.argv[1:])
