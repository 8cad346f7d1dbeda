"""Every reader reads the current generation, even if it is replaced meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Connection

from notation.registry import find_dialect
from service.composition.projector import list_projections
from service.composition.service import Service, now
from service.player.actor import Actor
from service.player.scopes import ARBITER
from service.projection.games.query import Query
from service.projection.ratings import Pool
from service.projection.rebuild import Rebuild
from service.tournament.commands import CreateTournament
from tests.service.projection.support import rated_game

VARIANT = "katruji"
START = find_dialect(VARIANT).write_fen(find_dialect(VARIANT).start({}))
LATER = now() + 10**10
"""A time when all periods in which the games of these tests end are over."""


@pytest.fixture(autouse=True)
def listed(service: Service) -> None:
    """List a player, a rated game and a tournament."""
    service.players.unclaimed("Ada", "admin")
    rated_game(service.games, "g" * 16, "ann", "bob", "1-0")
    wish: dict[str, Any] = {"name": "Open", "variant": VARIANT, "kind": "free"}
    command = CreateTournament(**wish, scoring={"name": "standard"})
    service.tournaments.create("t" * 16, command, Actor("anna", frozenset({ARBITER})))
    build(service)


def build(service: Service) -> None:
    built = Rebuild(service.games, service.database, list_projections(service), service.ratings)
    built.run(LATER)


READS: dict[str, Callable[[Service], Any]] = {
    "results": lambda s: s.game_list.results("ann"),
    "players": lambda s: s.player_list.page(s.players.names),
    "tournaments": lambda s: s.tournament_list.page(),
    "ratings": lambda s: s.ratings.of(["ann"], LATER)["ann"],
    "ranking": lambda s: s.ratings.ranking(Pool(VARIANT, "untimed"), LATER, 9),
    "history": lambda s: s.ratings.history("ann"),
    "search": lambda s: s.search.page(Query()),
    "summaries": lambda s: s.search.summaries(["g" * 16]),
    "explorer": lambda s: s.explorer.explore(Query(variant=VARIANT, fen=START)),
}


@pytest.mark.parametrize("name", READS)
def test_a_read_sees_one_generation_that_is_current(
    service: Service, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    expected = READS[name](service)
    assert expected
    read_from = service.database._read_from
    numbers: list[int] = []

    def late(number: int, query: Callable[[Connection], Any]) -> Any:
        if not numbers:
            numbers.append(number)
            monkeypatch.setattr(service.database, "_read_from", read_from)
            # Between choosing the generation and first looking at its tables.
            build(service)
            monkeypatch.setattr(service.database, "_read_from", late)
        else:
            numbers.append(number)
        return read_from(number, query)

    monkeypatch.setattr(service.database, "_read_from", late)
    assert READS[name](service) == expected
    assert service.database.store.current() != numbers[0]
