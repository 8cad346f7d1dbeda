"""Games of merged players stand in the lists of those they were merged into."""

from __future__ import annotations

import pytest

from service.composition import Service, compose
from service.player.mergers import survivors
from service.projection.mergers import MergerFollower
from service.projection.projector import Projector
from service.projection.query import Query
from service.projection.rebuild import rebuild
from service.projection.search import Search
from service.settings import read_settings
from tests.service.projection.support import create, play
from tests.service.redis_server import RedisServer

NAMES = ("A. Da", "Adda", "Ada")
ADMIN = "admin"


class Club:
    """A service with three players known from records, and a game of each."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.a, self.b, self.c = (service.players.unclaimed(name, ADMIN) for name in NAMES)
        for game, player in zip("xyz", (self.a, self.b, self.c), strict=True):
            create(service.games, game * 16, first=player)
        follower = MergerFollower(service.games, service.store)
        self.projector = Projector(
            service.games, service.store, lambda stretch: None, followers=[follower]
        )

    def found(self) -> list[str]:
        """The games found of each player, by their first letters."""
        while self.projector.step(0.001):
            pass
        search = Search(self.service.store)
        asked = [search.ids(Query(player=player)) for player in (self.a, self.b, self.c)]
        return ["".join(sorted(id[0] for id in ids)) for ids in asked]

    def rebuilt(self) -> list[str]:
        """The same after a rebuild."""
        rebuild(self.service.log, self.service.store)
        return self.found()


@pytest.fixture
def club(redis_server: RedisServer) -> Club:
    return Club(compose(read_settings({"MOVELOG_REDIS_URL": redis_server.url})))


def test_the_survivor_has_the_games_of_the_merged(club: Club) -> None:
    assert club.found() == ["x", "y", "z"]
    club.service.players.merge(club.a, club.b, ADMIN)
    assert club.found() == ["x", "xy", "z"]
    assert club.rebuilt() == ["x", "xy", "z"]


def test_mergers_go_on_and_can_be_taken_back(club: Club) -> None:
    players = club.service.players
    players.merge(club.a, club.b, ADMIN)
    assert club.found() == ["x", "xy", "z"]
    players.merge(club.b, club.c, ADMIN)
    assert survivors(club.service.log, [club.a, club.b, club.c]) == {
        club.a: [club.b, club.c],
        club.b: [club.c],
    }
    assert club.found() == ["x", "xy", "xyz"]
    players.part(club.b, ADMIN)
    assert club.found() == ["x", "xy", "z"]
    players.part(club.a, ADMIN)
    assert club.found() == club.rebuilt() == ["x", "y", "z"]


def test_a_game_that_goes_on_stays_where_it_is_found(club: Club) -> None:
    club.service.players.merge(club.a, club.c, ADMIN)
    assert club.found() == ["x", "y", "xz"]
    play(club.service.games, "x" * 16)
    create(club.service.games, "w" * 16, first=club.a)
    assert club.found() == ["wx", "y", "wxz"]


def test_a_merger_during_the_writing_is_not_missed(club: Club) -> None:
    """As a rebuild would meet it, which reads whom players are merged into and then writes."""
    assert club.found() == ["x", "y", "z"]
    index, real = club.projector.index, club.projector.index.survivors
    asked: list[object] = []

    def merged_behind_its_back(ids: object) -> object:
        before = real(ids)  # type: ignore[arg-type]
        if not asked:
            club.service.players.merge(club.a, club.b, ADMIN)
        asked.append(ids)
        return before

    index.survivors = merged_behind_its_back  # type: ignore[assignment]
    index.write([club.service.games.load("x" * 16)])
    search = Search(club.service.store)
    assert sorted(search.ids(Query(player=club.b))) == ["x" * 16, "y" * 16]
