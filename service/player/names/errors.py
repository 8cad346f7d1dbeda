"""Why a name cannot be chosen.

BadValue
├── ReservedName    looks like a name of the service itself     reserved-name
└── MixedScripts    a word in letters of several scripts        mixed-scripts
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field as dataclass_field

from engine.phrase import phrase
from service.errors import BadValue


class ReservedName(BadValue):
    """The name is one of the service's own or looks like it; `reserved` says which."""

    code = "reserved-name"
    field: str = dataclass_field(default="name", init=False)
    reserved: str


class MixedScripts(BadValue):
    """A `word` of the name is written in several `scripts`, so that it can pass for another."""

    code = "mixed-scripts"
    field: str = dataclass_field(default="name", init=False)
    reason: str = dataclass_field(init=False)
    word: str
    scripts: Sequence[str]

    def __post_init__(self) -> None:
        super().__post_init__()
        *others, last = self.scripts or ["scripts"]
        mixed = f"{', '.join(others)} and {last}" if others else f"{last} with another script"
        self.reason = phrase(
            "{word!r} mixes {mixed}; write each word in one script", word=self.word, mixed=mixed
        )
