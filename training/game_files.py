"""The files of played games: each has several games, is compressed, and never changes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

import zstandard

from engine.registry import VARIANTS
from engine.search import build_id
from training.errors import NoGames, OtherBuild, OtherPlan
from training.plan import Plan
from training.played_game import PlayedGame

SUFFIX = ".jsonl.zst"
PLAN = "plan.json"


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a file: what made its games, and how many positions they have.

    `positions` are those with a score; `build` is that of the search (`engine.search.build_id`).
    """

    variant: str
    rules: str
    build: str
    number: int
    games: int
    positions: int


@dataclass(frozen=True, slots=True)
class GameFile:
    """A file of games as it was read."""

    header: Header
    games: Sequence[PlayedGame]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a whole file."""
        header, *games = read_lines(path)
        return cls(Header(**json.loads(header)), [PlayedGame.from_json(line) for line in games])


class GameFolder:
    """A folder with the games of one plan: `VARIANT/NUMBER.jsonl.zst`, and the plan itself."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def begin(self, plan: Plan) -> None:
        """Record the plan in a new folder.

        Raises OtherPlan if the folder has another plan, and OtherBuild if it has games that another
        build of the search has played.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        noted = self.path / PLAN
        if noted.exists() and (found := self.read_plan()) != plan:
            raise OtherPlan(self.path, found)
        if others := self.list_builds() - {build_id()}:
            raise OtherBuild(self.path, ", ".join(sorted(others)), build_id())
        if not noted.exists():
            write_bytes(noted, json.dumps(asdict(plan)).encode())

    def read_plan(self) -> Plan:
        """The plan of a folder in which games have been begun."""
        return Plan(**json.loads((self.path / PLAN).read_bytes()))

    def files(self, variant: str) -> list[Path]:
        """The files of a variant, by number."""
        return sorted((self.path / variant).glob(f"*{SUFFIX}"))

    def list_variants(self) -> list[str]:
        """The variants of which there are games."""
        return [name for name in VARIANTS if self.files(name)]

    def choose_variants(self, wanted: Sequence[str]) -> Sequence[str]:
        """The `wanted` variants, or all of which there are games if none is named.

        Raises NoGames if there are none of a wanted variant, or of any.
        """
        found = self.list_variants()
        if missing := [name for name in wanted if name not in found]:
            raise NoGames(self.path, missing[0])
        if not found:
            raise NoGames(self.path, "any variant")
        return wanted or found

    def list_builds(self) -> set[str]:
        """The builds of the search that have played the games."""
        return {header.build for name in VARIANTS for header in self.headers(name)}

    def numbers(self, variant: str) -> set[int]:
        """The numbers of a variant's files."""
        return {int(path.name.removesuffix(SUFFIX)) for path in self.files(variant)}

    def headers(self, variant: str) -> Iterator[Header]:
        """The first lines of a variant's files, by number."""
        for path in self.files(variant):
            with path.open("rb") as file:
                first = zstandard.ZstdDecompressor().stream_reader(file).read(1024)
            yield Header(**json.loads(first.partition(b"\n")[0]))

    def write(self, header: Header, games: Sequence[PlayedGame]) -> None:
        """Write a file atomically: it exists as a whole or not at all."""
        path = self.path / header.variant / f"{header.number:06}{SUFFIX}"
        path.parent.mkdir(exist_ok=True)
        lines = [json.dumps(asdict(header)), *(game.to_json() for game in games)]
        write_lines(path, lines)


def read_lines(path: Path) -> list[str]:
    """The lines of a compressed file."""
    return zstandard.ZstdDecompressor().decompress(path.read_bytes()).decode().splitlines()


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write a compressed file atomically."""
    text = "".join(f"{line}\n" for line in lines)
    write_bytes(path, zstandard.ZstdCompressor(level=12).compress(text.encode()))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file atomically: it exists as a whole or not at all."""
    with replaced(path) as part:
        part.write_bytes(content)


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """The path of a new file, which replaces the one at `path` once it is written."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    yield part
    part.replace(path)
