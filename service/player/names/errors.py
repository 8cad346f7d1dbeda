"""Why a name cannot be chosen.

BadValue
├── ReservedName    looks like a name of the service itself     reserved-name
└── MixedScripts    a word in letters of several scripts        mixed-scripts
"""

from __future__ import annotations

from collections.abc import Sequence

from service.errors import BadValue


class ReservedName(BadValue):
    """The name is one of the service's own or looks like it; `reserved` says which."""

    code = "reserved-name"

    def __init__(self, reserved: str, reason: str) -> None:
        super().__init__("name", reason)
        self.reserved = reserved


class MixedScripts(BadValue):
    """A `word` of the name is written in several `scripts`, so that it can pass for another."""

    code = "mixed-scripts"

    def __init__(self, word: str, scripts: Sequence[str]) -> None:
        *others, last = scripts or ["scripts"]
        told = f"{', '.join(others)} and {last}" if others else f"{last} with another script"
        super().__init__("name", f"{word!r} mixes {told}; write each word in one script")
        self.word = word
        self.scripts = list(scripts)
