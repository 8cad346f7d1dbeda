"""Saved queries: their text form, and that they match the games that the database finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from notation.registry import find_dialect
from service.composition.service import CODEC
from service.errors import BadValue
from service.game.begin import find_initial_position
from service.game.state import GameState
from service.ids import derived_id
from service.log.memory import MemoryEventLog
from service.openings.repository import Openings
from service.openings.values import Opening
from service.projection.database.database import Database
from service.projection.games.filters import read_query, write_query
from service.projection.games.matching import GameFacts, matches
from service.projection.games.query import Query
from service.projection.games.rows import is_listed, make_rows
from service.projection.games.saved_queries import NamedPositions
from service.projection.games.search import Search
from tests.service.projection.games.brute_force import gather
from tests.service.projection.games.named import name_games
from tests.service.projection.games.questions import ask
from tests.service.projection.games.synthetic import MERGED, NAMED, make_states
from tests.service.projection.games.test_questions import fill_and_name, list_openings


def facts_of(states: Sequence[GameState], openings: Sequence[Opening] = ()) -> list[GameFacts]:
    table = Openings(MemoryEventLog(CODEC), lambda: 0)
    table.replace(openings, "operator")
    positions = NamedPositions(table)
    rows = [make_rows(state, MERGED) for state in states if is_listed(state)]
    return [GameFacts(one, NAMED, positions.names_of(one.play)) for one in rows]


@pytest.mark.parametrize("number", [150, pytest.param(1000, marks=pytest.mark.slow)])
def test_a_game_fits_if_the_database_finds_it(database: Database, number: int) -> None:
    states = list(make_states(number, seed=11))
    known = gather(states, MERGED)
    openings = list_openings(known)
    fill_and_name(database, iter(states), known)
    known, games = name_games(known, openings), facts_of(states, openings)
    search, random = Search(database, budget=60), Random(number)
    found = 0
    for _ in range(150):
        query, _ = ask(known, random)
        expected = set(search.ids(query))
        assert {one.rows.id for one in games if matches(query, one)} == expected, query
        found += len(expected)
    assert found > number


def test_a_text_is_read_as_the_query_that_it_was_written_of() -> None:
    known = gather(make_states(60, seed=12), MERGED)
    random = Random(5)
    texts: dict[str, Query] = {}
    for _ in range(400):
        query, _ = ask(known, random)
        # The synthetic players' ids do not have the form by which a text is recognised as an id.
        if isinstance(query.player, str):
            query = replace(query, player=derived_id(b"", query.player))
        if isinstance(query.opponent, str):
            query = replace(query, opponent=derived_id(b"", query.opponent))
        text = write_query(query)
        assert read_query(text) == query
        assert texts.setdefault(text, query) == query
    assert len(texts) > 200


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("colour=white", "filter"),
        ("variant", "filter"),
        ("variant=%ff", "filter"),
        ("fen=x", "variant"),
        ("&".join(["tag=a:b"] * 101), "filter"),
    ],
)
def test_a_text_that_no_query_was_written_as(text: str, field: str) -> None:
    with pytest.raises(BadValue) as refused:
        read_query(text)
    assert refused.value.field == field


def test_nothing_that_was_played_in_a_running_game_fits() -> None:
    states = make_states(800, seed=13)
    running = [state for state in states if state.status == "running" and state.played]
    assert len(running) > 3
    for state, facts in zip(running, facts_of(running), strict=True):
        first = find_initial_position(state)
        fen = find_dialect(state.variant).write_fen(first)
        material = find_dialect(state.variant).material(fen)
        of_variant = Query(variant=state.variant, plies=(1, None))
        assert matches(of_variant, facts)
        for asked in (
            replace(of_variant, actions=(state.played[0].coordinate,)),
            replace(of_variant, fen=fen),
            replace(of_variant, material=material),
            replace(of_variant, points=(0, None)),
            replace(of_variant, result="*"),
        ):
            assert not matches(asked, facts)
