"""The transposition table in memory that other processes write to."""

from __future__ import annotations

from array import array
from random import Random

import pytest

from engine.registry import VARIANTS
from engine.search import Iteration, Limits, Search
from engine.search.helpers import Alone, SameMemory
from engine.search.packing import DEPTH_SHIFT
from engine.search.table import TranspositionTable, count_integers


class Lent(Alone):
    """No helpers, but a table in the given memory."""

    def __init__(self, memory: array[int]) -> None:
        self.memory = memory

    def make_table(self, mebibytes: int) -> TranspositionTable:
        return TranspositionTable(mebibytes, memoryview(self.memory))


def found(name: str, memory: array[int]) -> list[tuple[int, object]]:
    search = Search(VARIANTS[name], table_mebibytes=1, helpers=Lent(memory))
    iterations: list[Iteration] = list(search.iterate(VARIANTS[name].start(), Limits(nodes=2_000)))
    return [(one.nodes, one.lines) for one in iterations]


@pytest.mark.parametrize("name", VARIANTS)
def test_half_an_entry_belongs_to_no_position(name: str) -> None:
    memory = array("q", bytes(8 * count_integers(1)))
    empty = found(name, memory)
    assert any(memory)
    random = Random(1)
    torn = array("q", memory)
    for at, number in enumerate(memory):
        is_entry = at & 4
        if number and not is_entry:
            torn[at] = number ^ random.getrandbits(62)
        elif is_entry:
            torn[at] = random.getrandbits(DEPTH_SHIFT)  # of depth 0, so replaced first
    assert found(name, torn) == empty


@pytest.mark.parametrize("name", VARIANTS)
def test_memory_that_a_search_has_used_is_empty_for_the_next(name: str) -> None:
    same = SameMemory()
    found_each = []
    for size in (1, 1, 2, 1):
        search = Search(VARIANTS[name], table_mebibytes=size, helpers=same)
        iterations = list(search.iterate(VARIANTS[name].start(), Limits(nodes=2_000)))
        found_each.append([(one.nodes, one.lines) for one in iterations])
    alone = Search(VARIANTS[name], table_mebibytes=1)
    expected = list(alone.iterate(VARIANTS[name].start(), Limits(nodes=2_000)))
    assert found_each[0] == found_each[1] == found_each[3]
    assert found_each[0] == [(one.nodes, one.lines) for one in expected]


@pytest.mark.parametrize("mebibytes", [0, -1, 4097])
def test_a_table_has_a_size(mebibytes: int) -> None:
    with pytest.raises(ValueError, match=str(mebibytes)):
        count_integers(mebibytes)
