"""What a search takes over from a helper that was faster."""

from __future__ import annotations

import time
from functools import partial

import pytest

from engine.position import Action
from engine.registry import find_variant
from engine.search import WIN, Iteration, Limits, Search, winning_chance
from engine.search.helpers import Alone, Finding
from engine.search.iteration import ScoredLine
from engine.search.limit_watch import LimitWatch, never_stop
from engine.search.root_search import RootSearch
from engine.search.time_management import TimeManager

VARIANT = find_variant("katruji")


class Faster(Alone):
    """A helper that has found an action at depth 30."""

    def __init__(self, score: int, action: Action) -> None:
        self.finding = Finding(30, score, action)

    def find_deepest(self) -> Finding:
        """What it has found."""
        return self.finding


def test_what_a_helper_has_found_deeper_is_taken_over() -> None:
    position = VARIANT.start()
    for action in position.legal()[:3]:
        search = Search(VARIANT, table_mebibytes=1, helpers=Faster(7, action))
        *_, last = search.iterate(position, Limits(depth=2, nodes=10**6), depths=[1, 2])
        assert last.depth == 2
        *_, last = search.iterate(position, Limits(nodes=10**6), depths=[1, 2])
        assert (last.depth, last.lines[0].score, last.lines[0].actions[0]) == (30, 7, action)


@pytest.mark.parametrize(
    ("own", "other", "takes"),
    [
        (WIN - 9, 700, False),
        (WIN - 9, WIN - 11, False),
        (WIN - 9, WIN - 7, True),
        (700, 7, True),
        (12 - WIN, 14 - WIN, True),
    ],
)
def test_a_decided_score_gives_way_only_to_a_better_one(
    own: int, other: int, *, takes: bool
) -> None:
    position = VARIANT.start()
    best, found, *_ = position.legal()
    search = Search(VARIANT, table_mebibytes=1)
    limits = Limits(depth=40)
    manager = TimeManager(limits, partial(winning_chance, VARIANT))
    helpers = Faster(other, found)
    watch = LimitWatch(limits, manager, time.monotonic, helpers, never_stop)
    root = RootSearch(search, position, watch, 1, None)
    last = Iteration(5, 5, 100, 0.1, (ScoredLine(own, (best,)),), complete=True)
    deeper = root.take_over(last, None)
    assert (deeper is not None) == takes
    root.release()
