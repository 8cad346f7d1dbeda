"""Counts of many games are estimates within a fifth, and say so."""

from __future__ import annotations

import pytest

from service.projection.database.database import Database
from service.projection.games import search as searching
from service.projection.games.query import PlayerName, Query
from service.projection.games.search import Count, Search
from tests.service.projection.games.brute_force import find, gather
from tests.service.projection.games.synthetic import MERGED, NAMED, make_states, write_people
from tests.service.projection.games.test_questions import fill

QUERIES = (
    Query(variant="kerak"),
    Query(result="1-0"),
    Query(player="p3"),
    Query(opponent=PlayerName(("king",))),
    Query(since="2000.01.01", until="2019.12.31"),
    Query(plies=(9, None)),
    Query(rating=(1500, None), computer=False),
    Query(tags=(("Event", "Open"),)),
)
"""Queries for large and small parts of the games, and for parts that depend on several columns."""


@pytest.mark.slow
def test_estimates_are_within_a_fifth(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "SAMPLED", 1500)
    monkeypatch.setattr(searching, "COUNTED", 200)
    states = list(make_states(2500, seed=17))
    database.write(write_people)
    fill(database, states)
    facts, search = gather(states, MERGED), Search(database, budget=60)
    monkeypatch.setattr("service.projection.games.walk.NARROW", 50)
    for query in QUERIES:
        expected = len(find(facts, query, people=NAMED))
        counted = search.count(query)
        assert not counted.exact, query
        assert abs(counted.games - expected) <= expected / 5, query
    few = Query(variant="kerak", termination="abandoned", result="0-1")
    assert search.count(few) == Count(len(find(facts, few, people=NAMED)), exact=True)
