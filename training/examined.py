"""What was examined for puzzles, so that nothing is examined twice in the same way."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Self

from engine.search import build_id
from service.puzzles import finding
from training.game_files import write_bytes


@dataclass(frozen=True, slots=True)
class Examined:
    """The games and the puzzles that were examined by a `finder` (`identify_finder`).

    `games` has the number of games, from the first, that were examined of each file, which is named
    by its digest. `puzzles` has the ids of those that were found, or examined again.
    """

    finder: str
    games: dict[str, int] = field(default_factory=dict)
    puzzles: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path) -> Self:
        """What the present finder has examined: nothing if the file is another finder's."""
        if path.exists():
            found = cls(**json.loads(path.read_bytes()))
            if found.finder == identify_finder():
                return found
        return cls.begin()

    @classmethod
    def begin(cls) -> Self:
        """What the present finder has examined when it begins: nothing."""
        return cls(identify_finder())

    def write(self, path: Path) -> None:
        """Write what `read` reads."""
        write_bytes(path, json.dumps(asdict(self)).encode())


@cache
def identify_finder() -> str:
    """A digest over what decides which positions are puzzles: the search, and `service/puzzles`."""
    digest = sha256(build_id().encode())
    for path in sorted(Path(finding.__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def name_file(path: Path) -> str:
    """The name of a file of games in `Examined.games`: the same for the same games."""
    return sha256(path.read_bytes()).hexdigest()[:16]
