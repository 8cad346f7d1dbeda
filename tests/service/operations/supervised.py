"""A supervisor in a process of its own: `python -m tests.service.operations.supervised DIR`.

Runs layers of `diarist`s, each of which appends lines to DIR/diary.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from service.operations.forked_process import Module
from service.operations.supervised_program import Program
from service.operations.supervisor import Supervisor

DIARIST = "tests.service.operations.diarist"


def program(name: str, folder: Path) -> Program:
    """A program that notes its start and stop in the diary, and is ready once it has started.

    If its name begins with `forked`, it runs in a fork.
    """
    diary = folder / "diary"
    given = (name, str(diary))
    forked = name.startswith("forked")
    command = Module(DIARIST, given) if forked else (sys.executable, "-m", DIARIST, *given)
    return Program(
        name,
        command,
        {**os.environ, "OWN": name},
        ready=lambda: f"{name} starts\n" in diary.read_text(),
    )


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
