"""Games of merged players are listed for those they were merged into."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count

import pytest

from service.composition.projector import list_projections, rebuild
from service.composition.service import Service
from service.game.repository import stream_of as game_stream
from service.player.mergers import survivors
from service.player.state import stream_of
from service.projection.games.projection import PreparedGames
from service.projection.games.query import Query
from service.projection.leases.share import Everything
from service.projection.projector import Projector
from service.projection.updates import StreamUpdate
from tests.service.projection.support import create, play, project

NAMES = ("A. Da", "Adda", "Ada")
ADMIN = "admin"


class Given(Everything):
    """A share of these partitions only."""

    def __init__(self, partitions: frozenset[int]) -> None:
        self._partitions = partitions


class Club:
    """A service with three players known from records, each with a game."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.a, self.b, self.c = (service.players.unclaimed(name, ADMIN) for name in NAMES)
        for game, player in zip("xyz", (self.a, self.b, self.c), strict=True):
            create(service.games, game * 16, first=player)
        self.projector = Projector(service.games, service.database, list_projections(service))

    def found(self) -> list[str]:
        """The first letters of the games found for each player."""
        project(self.projector)
        search = self.service.search
        asked = [search.ids(Query(player=player)) for player in (self.a, self.b, self.c)]
        return ["".join(sorted(id[0] for id in ids)) for ids in asked]

    def rebuilt(self) -> list[str]:
        """The same after a rebuild."""
        rebuild(self.service)
        return self.found()


@pytest.fixture
def club(service: Service) -> Club:
    return Club(service)


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


def test_a_merger_during_the_writing_is_not_missed(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Players are merged after their mergers were read, but before the rows are written."""
    assert club.found() == ["x", "y", "z"]
    play(club.service.games, "x" * 16)
    real = club.projector.games.prepare
    asked: list[object] = []

    def merged_behind_its_back(updates: Mapping[str, StreamUpdate]) -> PreparedGames:
        before = real(updates)
        if not asked:
            club.service.players.merge(club.a, club.b, ADMIN)
        asked.append(updates)
        return before

    monkeypatch.setattr(club.projector.games, "prepare", merged_behind_its_back)
    assert club.found() == ["x", "xy", "z"]


def test_a_merger_that_another_process_projects_meanwhile_is_not_missed(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process projects a merger between the reading of mergers and the writing of rows."""
    assert club.found() == ["x", "y", "z"]
    service = club.service
    of_players = {service.log.partition(stream_of(id)) for id in (club.a, club.b, club.c)}
    games = (f"w{number:015d}" for number in count())
    game = next(id for id in games if service.log.partition(game_stream(id)) not in of_players)
    everything = frozenset(range(service.log.partitions))
    mine = frozenset({service.log.partition(game_stream(game))})
    other = Projector(service.games, service.database, list_projections(service))
    other.share = Given(everything - mine)
    club.projector.share = Given(mine)
    real = club.projector.games.prepare

    def merged_behind_its_back(updates: Mapping[str, StreamUpdate]) -> PreparedGames:
        before = real(updates)
        if game in updates:
            service.players.merge(club.a, club.b, ADMIN)
            assert project(other) == 1
        return before

    monkeypatch.setattr(club.projector.games, "prepare", merged_behind_its_back)
    create(service.games, game, first=club.a)
    assert club.found() == ["wx", "wxy", "z"]
