"""A supervisor in a process of its own: `python -m tests.service.operations.supervised DIR`.

Runs two layers of `python -c` programs, each of which appends lines to DIR/diary.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from service.operations.supervised_program import Program
from service.operations.supervisor import Supervisor

DIARIST = """
import os, signal, sys, time
name, diary = sys.argv[1:]
def write(what):
    with open(diary, "a") as file:
        file.write(f"{name} {what}\\n")
def stop(number, frame):
    write("stops")
    sys.exit()
def ignore(number, frame):
    write("ignores")
signal.signal(signal.SIGTERM, ignore if name == "stubborn" else stop)
write("starts")
while True:
    time.sleep(60)
"""


def program(name: str, folder: Path) -> Program:
    """A program that notes in the diary that it starts and stops, and is ready once it has."""
    diary = folder / "diary"
    command = (sys.executable, "-c", DIARIST, name, str(diary))
    return Program(name, command, os.environ, ready=lambda: f"{name} starts\n" in diary.read_text())


def main() -> None:
    """Run the layers named on the command line: `DIR low,low high,high`."""
    folder, *layers = Path(sys.argv[1]), *sys.argv[2:]
    (folder / "diary").touch()
    programs = [[program(name, folder) for name in layer.split(",")] for layer in layers]
    Supervisor(programs, folder, lambda line: print(line, file=sys.stderr)).run(
        lambda: print("ready", flush=True)
    )


if __name__ == "__main__":
    main()
