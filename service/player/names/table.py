"""The facts of Unicode by which names are judged, from `unicode.txt`."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

FILE: Final = Path(str(files("service.player.names"))) / "unicode.txt"


@dataclass(frozen=True, slots=True)
class UnicodeTable:
    """What is known about characters in one version of Unicode.

    `prototypes` is for `str.translate`: the prototype of each confusable character, None for an
    invisible one. `script_names` are the long names of scripts by their short ones.
    """

    version: str
    prototypes: Mapping[int, str | None]
    ignorable: frozenset[int]
    script_names: Mapping[str, str]
    spans: Sequence[tuple[int, int, frozenset[str]]]

    def scripts(self, char: str) -> frozenset[str]:
        """The scripts that a character is used in (Script_Extensions); none for all of them."""
        point = ord(char)
        at = bisect_right(self.spans, point, key=lambda span: span[0]) - 1
        if at < 0 or point > self.spans[at][1]:
            return frozenset()
        return self.spans[at][2]


@cache
def unicode_table() -> UnicodeTable:
    """The table that comes with the service."""
    version = ""
    prototypes: dict[int, str | None] = {}
    ignorable: set[int] = set()
    names: dict[str, str] = {}
    spans: list[tuple[int, int, frozenset[str]]] = []
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        kind, value, *rest = line.split(" ")
        match kind:
            case "version":
                version = value
            case "script":
                names[value] = rest[0]
            case "confusable":
                prototype = "".join(chr(int(point, 16)) for point in value.split("+"))
                for first, last in _ranges(rest):
                    prototypes |= dict.fromkeys(range(first, last + 1), prototype)
            case "used-in":
                scripts = frozenset(value.split("+"))
                spans += [(first, last, scripts) for first, last in _ranges(rest)]
            case "ignorable":
                ignorable |= {p for first, last in _ranges(rest) for p in range(first, last + 1)}
    prototypes |= dict.fromkeys(ignorable)
    return UnicodeTable(version, prototypes, frozenset(ignorable), names, sorted(spans, key=_first))


def _first(span: tuple[int, int, frozenset[str]]) -> int:
    return span[0]


def _ranges(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    for text in texts:
        first, _, last = text.partition("-")
        yield int(first, 16), int(last or first, 16)
