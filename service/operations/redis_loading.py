"""Reads what the embedded server reports while it loads its log at the start."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from service.operations.errors import DamagedLog, WrittenByNewer
from service.operations.log_upgrade import LOG_FILE, LOG_FOLDER, find_writer
from service.operations.server_program import ServerProgram

TRUNCATING: Final = re.compile(r"Truncating the AOF (?:(\S+) )?at offset (\d+)")

UNREADABLE: Final = re.compile(
    r"(?:# |=== )((?:Bad file format reading the append only"
    r"|Unexpected end of file reading the append"
    r"|Internal error in RDB|Short read or OOM loading DB|Error reading the RDB"
    r"|Invalid AOF manifest|Fatal error loading|Unknown command .* reading the append only"
    r"|The AOF .* doesn't exist|Wrong signature|.*handle RDB format"
    r"|(?:REDIS|VALKEY) BUG REPORT START).*)"
)
"""How Redis 6.2, Redis 7 and Valkey 9 report that they cannot read a log, or crash over it."""

OTHER_FORMAT: Final = re.compile(r"handle RDB format|Wrong signature trying to load")

MOST_SAID: Final = 1 << 20
"""How many bytes of its newest messages are read."""


class Loading:
    """One start of a server on the log in `files`; its messages go to `messages`."""

    def __init__(self, files: Path, messages: Path, program: ServerProgram) -> None:
        self.files = files
        self.program = program
        self._messages = messages
        self._offset = messages.stat().st_size if messages.exists() else 0
        self._sizes = log_sizes(files)

    def describe_dropped(self) -> Iterator[str]:
        """A sentence for each file from whose end the server has dropped a part."""
        for found in TRUNCATING.finditer(self._read_output()):
            name, offset = found[1] or LOG_FILE, int(found[2])
            size = self._sizes.get(name, offset)
            yield (
                f"the log {name} ended in the middle of an entry: the last {size - offset} of its"
                f" {size} bytes were dropped. After a power cut or a full disk they were never"
                " acknowledged; otherwise compare with a backup"
            )

    def refuse_damage(self) -> None:
        """Raise DamagedLog or WrittenByNewer if the server could not read the log."""
        found = UNREADABLE.search(self._read_output())
        if found is None:
            return
        if OTHER_FORMAT.search(found[1]):
            folder = self.files / LOG_FOLDER
            raise WrittenByNewer(folder, find_writer(folder), str(self.program))
        raise DamagedLog(self.files, found[1].partition(": make a backup")[0])

    def _read_output(self) -> str:
        """Return the server's output since it was started."""
        try:
            with self._messages.open("rb") as file:
                size = file.seek(0, 2)
                file.seek(max(self._offset, size - MOST_SAID))
                return file.read().decode(errors="replace")
        except FileNotFoundError:
            return ""


def log_sizes(files: Path) -> dict[str, int]:
    """The bytes of each file of a log, by its name.

    They are the one file of Redis 6, or those in the folder of Redis 7 and Valkey. A running server
    replaces the latter: a file that disappears meanwhile is left out.
    """
    sizes = {}
    for file in (*files.glob(LOG_FILE), *files.glob(f"{LOG_FOLDER}/{LOG_FILE}*")):
        with suppress(FileNotFoundError):
            sizes[file.name] = file.stat().st_size
    return sizes
