"""Large files of records: the recorded games of all variants, repeated as other rounds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from engine.registry import VARIANTS
from tests.games import DATA

ROUND = re.compile(r'\[Round "([^"]*)"\]')


def recorded(*variants: str) -> list[str]:
    """The recorded games of these variants, or of all."""
    found: list[str] = []
    for variant in variants or VARIANTS:
        text = (DATA / "records" / f"{variant}.pgn").read_text(encoding="utf-8")
        found += [f"[Event {part}".rstrip() + "\n" for part in text.split("[Event ")[1:]]
    return found


def many(number: int, *variants: str) -> Iterator[str]:
    """This many different games of these variants, or of all, made from the recorded ones."""
    records = recorded(*variants)
    for index in range(number):
        again, which = divmod(index, len(records))
        yield ROUND.sub(rf'[Round "\1.{again}"]', records[which], count=1)


def write_archive(path: Path, number: int, *variants: str) -> Path:
    """Write this many games to a file; return its path."""
    with path.open("w", encoding="utf-8") as file:
        for index, text in enumerate(many(number, *variants)):
            file.write(f"\n{text}" if index else text)
    return path
