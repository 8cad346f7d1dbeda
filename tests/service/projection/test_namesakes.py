"""The marks that distinguish players of one name."""

from __future__ import annotations

import pytest

from service.composition.projector import list_projections, rebuild
from service.composition.service import Service
from service.player.commands import Principal
from service.player.names.shown import ShownName
from service.projection.errors import DatabaseAway
from service.projection.namesakes import digests
from service.projection.projector import Projector
from tests.service.projection.support import dump, project

ADMIN = "admin"


class Club:
    """A service whose players are projected before their names are read."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.projector = Projector(service.games, service.database, list_projections(service))

    def add(self, name: str) -> str:
        return self.service.players.register(name, None).id

    def old(self, name: str, id: str | None = None) -> str:
        """A player of an old archive, under any name."""
        return self.service.players.register(name, None, id=id, reserved=True).id

    def shown(self, *ids: str) -> list[str]:
        project(self.projector)
        names = self.service.namesakes.shown(ids)
        return [str(names[id]) for id in ids]


@pytest.fixture
def club(service: Service) -> Club:
    return Club(service)


def mark(id: str) -> str:
    return f"#{id[:4].upper()}"


def test_a_name_of_its_own_has_no_mark(club: Club) -> None:
    ann, bob = club.add("Ann Lee"), club.add("Bob")
    assert club.shown(ann, bob) == ["Ann Lee", "Bob"]
    assert club.service.namesakes.shown([None]) == {}


@pytest.mark.parametrize("other", ["Victim", "VICTIM", "victim", "VlCTlM", "Ⅴictim"])
def test_names_that_look_alike_are_marked_also_where_the_first_was_long_there(
    club: Club, other: str
) -> None:
    victim = club.add("Victim")
    assert club.shown(victim) == ["Victim"]
    impostor = club.add(other)
    assert club.shown(victim, impostor) == [f"Victim {mark(victim)}", f"{other} {mark(impostor)}"]


def test_a_mark_goes_with_its_reason(club: Club) -> None:
    players = club.service.players
    first, second, third = (club.add("Ann Lee") for _ in range(3))
    assert club.shown(first, second, third) == [
        f"Ann Lee {mark(id)}" for id in (first, second, third)
    ]
    players.rename(third, "Ann Leigh", third)
    assert club.shown(first, third) == [f"Ann Lee {mark(first)}", "Ann Leigh"]
    players.erase(second, Principal(second, None))
    assert club.shown(first, second, third) == ["Ann Lee", "?", "Ann Leigh"]
    players.rename(third, "ANN LEE", third)
    assert club.shown(first, third) == [f"Ann Lee {mark(first)}", f"ANN LEE {mark(third)}"]


def test_a_player_of_records_is_told_from_one_who_is_registered(club: Club) -> None:
    """The marks stay until an admin merges the two."""
    players = club.service.players
    ann, recorded = club.add("Ann Lee"), players.unclaimed("Ann Lee", ADMIN)
    assert club.shown(ann, recorded) == [f"Ann Lee {mark(ann)}", f"Ann Lee {mark(recorded)}"]
    players.merge(recorded, ann, ADMIN)
    assert club.shown(ann, recorded) == ["Ann Lee", "Ann Lee"]
    third = club.add("Ann Lee")
    assert club.shown(recorded, third) == [f"Ann Lee {mark(ann)}", f"Ann Lee {mark(third)}"]


@pytest.mark.parametrize(
    "name", ["admin", "movelog:scorer", "Vіctim", "?", "Ann #K7QF", "a\u202eb"]
)
def test_who_could_not_choose_the_name_today_is_always_marked(club: Club, name: str) -> None:
    """Such a name may come from an old archive or from records."""
    id = club.old(name)
    assert club.shown(id) == [f"{name} {mark(id)}"]


def test_the_operators_own_admin_is_not_marked_and_everybody_else_of_the_name_is(
    club: Club,
) -> None:
    operator = club.service.players.register(
        "admin", Principal("movelog:operator", None), reserved=True
    ).id
    assert club.shown(operator) == ["admin"]
    other = club.old("Admin")
    assert club.shown(operator, other) == [f"admin {mark(operator)}", f"Admin {mark(other)}"]


def test_no_two_players_of_a_name_have_the_same_mark(club: Club) -> None:
    ids = ["abcd" * 4, "abcdef" + "a" * 10, "abcdeg" + "a" * 10, "z" * 16]
    for id in ids:
        club.old("Ann Lee", id)
    assert club.shown(*ids) == [f"Ann Lee #{m}" for m in ("ABCDA", "ABCDEF", "ABCDEG", "ZZZZ")]
    # The ids of players with other names do not count.
    club.old("Bob", "z" * 15 + "a")
    assert club.shown(ids[-1]) == ["Ann Lee #ZZZZ"]


def test_two_capitals_of_another_script_are_found_by_either_key(club: Club) -> None:
    small, capital = club.add("Βετα"), club.add("ΒΕΤΑ")
    assert len(digests("ΒΕΤΑ")) == 2
    latin = club.add("BETA")
    assert club.shown(small, capital, latin) == [
        f"Βετα {mark(small)}", f"ΒΕΤΑ {mark(capital)}", f"BETA {mark(latin)}"
    ]  # fmt: skip


def test_a_rebuild_marks_the_same_and_an_erased_name_leaves_nothing(club: Club) -> None:
    ann, other, gone = club.add("Ann Lee"), club.add("ANN LEE"), club.add("Evangelina")
    expected = club.shown(ann, other, gone)
    [digest] = digests("Evangelina")
    database = club.service.database
    rows = dump(database, "namesake", "player")
    assert digest in str(rows)
    rebuild(club.service)
    assert dump(database, "namesake", "player") == rows
    assert club.shown(ann, other, gone) == expected
    club.service.players.erase(gone, Principal(ADMIN, None))
    assert club.shown(gone) == ["?"]
    left = str(dump(database))
    assert digest not in left
    assert "Evangelina" not in left


def test_a_name_not_projected_yet_is_marked_where_another_stands(club: Club) -> None:
    ann = club.add("Ann Lee")
    assert club.shown(ann) == ["Ann Lee"]
    other = club.add("Ann Lee")
    assert club.service.namesakes.shown([other]) == {other: ShownName("Ann Lee", mark(other)[1:])}


def test_while_the_database_is_away_every_name_is_marked(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = club.add("Ann Lee")
    assert club.shown(ann) == ["Ann Lee"]

    def refuse(query: object, patience: float) -> None:
        raise DatabaseAway("it is being moved")

    monkeypatch.setattr(club.service.database, "read", refuse)
    assert str(club.service.namesakes.shown([ann])[ann]) == f"Ann Lee {mark(ann)}"
