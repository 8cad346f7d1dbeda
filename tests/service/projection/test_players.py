"""The list of players, and the results of their games."""

from __future__ import annotations

import pytest

from service.composition.projector import list_projections, rebuild
from service.composition.service import Service
from service.log.values import Append
from service.player.commands import Principal
from service.player.names.words import WORDS
from service.player.state import stream_of
from service.projection.errors import BadCursor
from service.projection.game_list import Results
from service.projection.projector import Projector
from service.tournament.events import TournamentFinished
from tests.service.projection.support import correct, create, dump, end, project

ADMIN = "admin"


class Club:
    """A service whose players are known only from records."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.projector = Projector(service.games, service.database, list_projections(service))

    def add(self, *names: str) -> list[str]:
        return [self.service.players.unclaimed(name, ADMIN) for name in names]

    def project(self) -> None:
        project(self.projector)

    def found(self, name: str = "", limit: int = 50) -> list[str]:
        """The names on all pages."""
        self.project()
        listed, cursor = self.page(name, None, limit)
        while cursor is not None:
            names, cursor = self.page(name, cursor, limit)
            listed += names
        return listed

    def page(self, name: str, cursor: str | None, limit: int) -> tuple[list[str], str | None]:
        names = self.service.players.names
        players, cursor = self.service.player_list.page(names, name, cursor, limit)
        assert len(players) <= limit
        return [player.name for player in players], cursor


@pytest.fixture
def club(service: Service) -> Club:
    return Club(service)


def test_players_are_listed_by_name_page_by_page(club: Club) -> None:
    club.add("Zoë", "ada", "Brahim Łuk", "Ada King", "李 明", "🙂")
    expected = ["ada", "Ada King", "Brahim Łuk", "Zoë", "李 明", "🙂"]
    assert club.found() == expected
    assert club.found(limit=1) == expected


def test_a_player_is_found_by_any_word(club: Club) -> None:
    many = " ".join(f"w{n}" for n in range(WORDS + 1))
    club.add("King, Ada", "Adam Adams", "d'Été", many)
    assert club.found("ada") == ["King, Ada", "Adam Adams"]
    assert club.found("ADAM a") == ["Adam Adams"]
    assert club.found("king ada") == ["King, Ada"]
    assert club.found("ete") == ["d'Été"]
    assert club.found("dam") == []
    assert club.found(f"w{WORDS - 1}") == [many]
    assert club.found(f"w{WORDS}") == []
    assert club.found("Adam", limit=1) == ["Adam Adams"]


def test_a_new_name_is_found_and_the_old_one_is_not(club: Club) -> None:
    [id] = club.add("Ada Mary King")
    assert club.found("mary") == ["Ada Mary King"]
    club.service.players.rename(id, "Eve", ADMIN)
    assert club.page("ada", None, 9) == ([], None)  # before it is projected
    assert club.found("mary") == club.found("king") == []
    assert club.found("eve") == ["Eve"]


def test_who_was_erased_or_merged_is_not_listed(club: Club) -> None:
    # A shorter name might occur in somebody's id by chance.
    ada, adda, eva = club.add("Ada", "Adda", "Evangelina")
    assert club.found("evangelina") == ["Evangelina"]
    assert "evangelina" in kept(club)
    club.service.players.merge(adda, ada, ADMIN)
    club.service.players.erase(eva, Principal(ADMIN, None))
    assert club.page("evangelina", None, 9) == ([], None)
    assert club.found() == ["Ada"]
    assert "evangelina" not in kept(club)
    club.service.players.part(adda, ADMIN)
    assert club.found() == ["Ada", "Adda"]


def kept(club: Club) -> str:
    """Everything that is stored for the list, in lower case."""
    return str(dump(club.service.database, "player", "player_word", "namesake")).lower()


def test_a_player_who_cannot_be_read_hinders_no_other(
    club: Club, caplog: pytest.LogCaptureFixture
) -> None:
    ada, _ = club.add("Ada", "Eve")
    events = club.service.log
    unknown = TournamentFinished()
    events.append(Append(stream=stream_of(ada), expected=1, events=[unknown], at=0, by=ADMIN))
    assert club.found() == ["Eve"]
    assert "cannot be read" in caplog.text


def test_a_page_goes_on_at_a_cursor_alone(club: Club) -> None:
    club.add("Ada", "Adam")
    club.project()
    _, cursor = club.page("ad", None, 1)
    assert club.page("ad", cursor, 1) == (["Adam"], None)
    for bad in ("nobody", "", cursor):
        with pytest.raises(BadCursor):
            club.page("", bad, 9)


def test_how_games_went_is_counted(club: Club) -> None:
    ada, eve, adda = club.add("Ada", "Eve", "Adda")
    games = club.service.games
    for game, first, second in (("x", ada, eve), ("y", adda, eve), ("z", eve, ada)):
        create(games, game * 16, first, second)
    results = club.service.game_list.results
    club.project()
    assert results(ada) == {}
    for game, result in (("x", "1-0"), ("y", "0-1"), ("z", "1/2-1/2")):
        end(games, game * 16, result)
    club.project()
    assert results(ada) == {"katruji": Results(1, 1, 0)}
    assert results(eve) == {"katruji": Results(1, 1, 1)}
    correct(games, "x" * 16, "0-1")
    club.service.players.merge(adda, ada, ADMIN)
    club.project()
    assert results(ada) == {"katruji": Results(0, 1, 2)}
    assert results(adda) == {"katruji": Results(0, 0, 1)}
    assert results(eve) == {"katruji": Results(2, 1, 0)}


def test_a_rebuild_lists_and_counts_the_same(club: Club) -> None:
    ada, eve, adda = club.add("Ada King", "Eve", "Adda")
    create(club.service.games, "x" * 16, ada, eve)
    end(club.service.games, "x" * 16, "1-0")
    club.service.players.rename(eve, "Eva", ADMIN)
    club.service.players.merge(adda, ada, ADMIN)
    club.project()
    tables = ("player", "player_word", "namesake", "seat")
    before = dump(club.service.database, *tables)
    assert all(before.values())
    rebuild(club.service)
    assert dump(club.service.database, *tables) == before
