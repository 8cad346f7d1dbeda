"""Players by name, as a query for games names them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from service.player.state import PlayerState
from service.projection.database.database import Database
from service.projection.errors import AmbiguousName
from service.projection.games.named_players import MOST, find_named
from service.projection.games.query import Query, parse_player
from service.projection.players import write_players


def write_names(database: Database, names: Sequence[str]) -> None:
    players = [(PlayerState(f"p{number}", 1), name) for number, name in enumerate(names)]
    database.write(lambda connection: write_players(connection, players))


def find(database: Database, text: str) -> set[str]:
    query = Query(opponent=parse_player("opponent", text))
    found = database.read(lambda connection: find_named(connection, query))
    assert found.player is None
    assert found.opponent is not None
    return set(found.opponent)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("king", {"p0", "p1", "p3"}),
        ("KING, Émile", {"p1"}),
        ("ada king", {"p0", "p3"}),
        ("ada king smith", {"p3"}),
        ("ada smith", set()),
        ("kin", set()),
        ("kings", set()),
        ("aaaaaaaaaaaaaaaa", {"aaaaaaaaaaaaaaaa"}),
        ("Aaaaaaaaaaaaaaaa", set()),
    ],
)
def test_whole_words_that_follow_one_another(
    database: Database, text: str, expected: set[str]
) -> None:
    write_names(database, ["Ada King", "King, Emile", "Kingsley", "Ada King-Smith"])
    assert find(database, text) == expected


def test_a_name_that_too_many_have(database: Database) -> None:
    write_names(database, [f"Ann Lee {number}" for number in range(MOST)])
    assert len(find(database, "lee")) == MOST
    write_names(database, [f"Ann Lee {number}" for number in range(MOST + 1)])
    with pytest.raises(AmbiguousName) as refused:
        find(database, "ann  LEE")
    assert (refused.value.name, refused.value.limit) == ("ann lee", MOST)
    assert find(database, "lee 7") == {"p7"}
