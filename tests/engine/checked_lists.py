"""Runs a variant's perft lines, legality checks and searches with bounds-checked lists.

    MOVELOG_PURE=1 python -m tests.engine.checked_lists VARIANT

A list counts a negative index from its end and truncates an overlong slice; a C array reads memory
beyond its bounds. Kernels are loaded from source, and all lists of their modules and objects
replaced. Prints how many nodes were counted, actions checked and nodes searched.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, SupportsIndex

from engine.perft import perft
from engine.position import Action, Position
from engine.registry import VARIANTS
from engine.search import Limits, Search
from engine.source import PURE_VARIABLE
from notation.registry import find_dialect
from tests.every_game.table import TABLE

MOST = 300_000
BUDGET = 150_000
"""Maximum nodes counted, by the cheapest lines first."""
SEARCHED = 250
"""Nodes searched from each sampled position."""
POSITIONS = 4


class CheckedList(list[Any]):
    """A list that refuses any index or slice beyond its bounds."""

    def check(self, index: SupportsIndex | slice) -> None:
        last = len(self)
        if isinstance(index, slice):
            bounds = [bound for bound in (index.start, index.stop) if bound is not None]
            if not all(0 <= bound <= last for bound in bounds):
                raise IndexError(f"slice {bounds} of {last}")
        elif not 0 <= int(index) < last:
            raise IndexError(f"index {int(index)} of {last}")

    def __getitem__(self, index: SupportsIndex | slice) -> Any:
        self.check(index)
        return super().__getitem__(index)

    def __setitem__(self, index: SupportsIndex | slice, value: Any) -> None:
        self.check(index)
        size = len(self)
        super().__setitem__(index, value)
        if len(self) != size:
            raise IndexError(f"{size} elements became {len(self)}")


def setattr_checked(instance: object, name: str, value: object) -> None:
    object.__setattr__(instance, name, CheckedList(value) if type(value) is list else value)


def kernels(package: str) -> list[ModuleType]:
    """The loaded modules of a package and of the search that can be compiled."""
    return [
        module
        for name, module in sys.modules.items()
        if name.startswith((f"{package}.", "engine.search.", "engine.tree"))
        and Path(str(module.__file__)).with_suffix(".pxd").exists()
    ]


def check_lists(kernel: ModuleType) -> None:
    """Replace the lists of a kernel module and of its objects with checked ones."""
    for name, value in vars(kernel).copy().items():
        if type(value) is list:
            setattr(kernel, name, CheckedList(value))
        elif isinstance(value, type) and value.__module__ == kernel.__name__:
            value.__setattr__ = setattr_checked  # type: ignore[assignment]


def main(variant: str) -> None:
    package = type(VARIANTS[variant].start()).__module__.rpartition(".")[0]
    loaded = kernels(package)
    if not loaded:
        raise SystemExit(f"{package} is compiled: set {PURE_VARIABLE}")
    for kernel in loaded:
        check_lists(kernel)
    nodes = 0
    for line in sorted(TABLE, key=lambda line: line.count):
        if line.variant == variant and line.count <= MOST and nodes + line.count <= BUDGET:
            found = perft(find_dialect(variant).read_fen(line.fen), line.depth)
            if found != line.count:
                raise AssertionError(f"{found} instead of {line}")
            nodes += found
    print(nodes, judge(variant), search(variant))


def some_positions(variant: str) -> Iterator[Position]:
    """Yield a sample of the perft table's positions."""
    fens = list(dict.fromkeys(line.fen for line in TABLE if line.variant == variant))
    for fen in fens[:: max(1, len(fens) // POSITIONS)]:
        yield find_dialect(variant).read_fen(fen)


def judge(variant: str) -> int:
    """Check `is_legal` on legal and random actions, and SAN; returns how many it checked."""
    written = find_dialect(variant)
    random = Random(1)
    judged = 0
    for position in some_positions(variant):
        legal = position.legal()
        numbers = [*legal, *(Action(random.getrandbits(random.randint(1, 32))) for _ in range(999))]
        for number in numbers:
            if position.is_legal(number) != (number in legal):
                raise AssertionError(number)
        for action in legal:
            if written.resolve(position, written.san(position, action)) != action:
                raise AssertionError(action)
        judged += len(numbers)
    return judged


def search(variant: str) -> int:
    """Search some positions of a variant; returns the number of nodes."""
    nodes = 0
    for position in some_positions(variant):
        searching = Search(VARIANTS[variant], table_mebibytes=1)
        for iteration in searching.iterate(position, Limits(nodes=SEARCHED)):
            last = iteration.nodes
        nodes += last
    return nodes


if __name__ == "__main__":
    main(sys.argv[1])
