"""Results of searches on file, which compiled and pure kernels must both reproduce.

    python -m tests.engine.search.expected > tests/data/searches.txt

updates the file after a change of the search or of an evaluation.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.registry import VARIANTS
from engine.search import Limits, Search
from notation.registry import find_dialect
from tests.engine.search.minimax import positions
from tests.games import DATA

FILE = DATA / "searches.txt"
NODES = 400
COUNT = 4


def found(name: str, fen: str) -> str:
    """The depth, the nodes and the two best lines of a search."""
    written = find_dialect(name)
    search = Search(VARIANTS[name], table_mebibytes=1, seed=1)
    *_, last = search.iterate(written.read_fen(fen), Limits(nodes=NODES), lines=2)
    lines = [
        " ".join([str(line.score), *map(written.coordinate, line.actions)]) for line in last.lines
    ]
    return "; ".join([f"{last.depth} {last.selective_depth} {last.nodes}", *lines])


def rows() -> Iterator[str]:
    """Yield a row for each position: variant, search result, position."""
    for name in VARIANTS:
        for position in positions(name, COUNT, seed=11):
            fen = find_dialect(name).write_fen(position)
            yield f"{name} | {found(name, fen)} | {fen}"


if __name__ == "__main__":
    print("\n".join(rows()))
