"""What is read while a rebuild swaps generations: all of one that is current, never of one gone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from notation.registry import find_dialect
from service.composition import Service, compose, now
from service.player.actor import Actor
from service.player.scopes import ARBITER
from service.projection.query import Query
from service.projection.rebuild import rebuild
from service.settings import read_settings
from service.tournament.commands import CreateTournament
from tests.service.projection.support import rated_game
from tests.service.redis_server import RedisServer

VARIANT = "katruji"
START = find_dialect(VARIANT).write_fen(find_dialect(VARIANT).start({}))
LATER = now() + 10**10
"""When all periods in which games of these tests end are over."""


@pytest.fixture
def service(redis_server: RedisServer) -> Service:
    """A service with a player, a rated game and a tournament, all of them listed."""
    service = compose(read_settings({"MOVELOG_REDIS_URL": redis_server.url}))
    service.players.unclaimed("Ada", "admin")
    rated_game(service.games, "g" * 16, "ann", "bob", "1-0")
    wish: dict[str, Any] = {"name": "Open", "variant": VARIANT, "kind": "free"}
    command = CreateTournament(**wish, scoring={"name": "standard"})
    service.tournaments.create("t" * 16, command, Actor("anna", frozenset({ARBITER})))
    build(service)
    return service


def build(service: Service) -> None:
    rebuild(service.log, service.store, ratings=service.ratings, now=LATER)


READS: dict[str, tuple[str, Callable[[Service], Any]]] = {
    "results": ("pipeline", lambda s: s.game_list.results("ann")),
    "players": ("zrangebylex", lambda s: s.player_list.page(s.players.names)),
    "tournaments": ("zrevrangebylex", lambda s: s.tournament_list.page()),
    "ratings": ("pipeline", lambda s: s.ratings.of(["ann"], LATER)["ann"]),
    "ranking": ("pipeline", lambda s: s.ratings.current(VARIANT, LATER)),
    "history": ("pipeline", lambda s: s.ratings.history(VARIANT, "ann")),
    "search": ("zrevrangebylex", lambda s: s.search.page(Query())),
    "summaries": ("pipeline", lambda s: s.search.summaries(["g" * 16])),
    "explorer": ("pipeline", lambda s: s.explorer.at(VARIANT, START).results),
}
"""The first that each needs of the store, and the read."""


@pytest.mark.parametrize("name", READS)
def test_a_read_sees_one_generation_that_is_current(
    service: Service, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    command, read = READS[name]
    expected = read(service)
    assert expected
    run = getattr(service.store, command)

    def late(*arguments: Any, **options: Any) -> Any:
        monkeypatch.setattr(service.store, command, run)
        build(service)
        return run(*arguments, **options)

    monkeypatch.setattr(service.store, command, late)
    assert read(service) == expected
    assert getattr(service.store, command) is run
