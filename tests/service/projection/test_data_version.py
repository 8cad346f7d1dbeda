"""The data version: it changes whenever what answers are made from does."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from notation.registry import find_dialect
from service.game.repository import Games
from service.openings.values import Opening, OpeningTable
from service.player.state import PlayerState
from service.projection.data_version import read_data_version
from service.projection.database.database import Database
from service.projection.games.explorer import Explorer
from service.projection.games.explorer_cache import ExplorerCache
from service.projection.games.query import Query
from service.projection.games.seats import write_seats
from service.projection.openings import Classification, write_edition
from service.projection.players import write_players
from tests.service.projection.games.test_writer import write
from tests.service.projection.support import correct, create, end, play, reopen, score

START = find_dialect("katruji").write_fen(find_dialect("katruji").start({}))
ASKED = Query(variant="katruji", fen=START)
TABLE = OpeningTable(1, [Opening("katruji", "First Step", ("c2d1",))])


@pytest.fixture
def archive(database: Database, games: Games) -> Database:
    """A finished game and a running one."""
    for id in ("over", "on"):
        create(games, id)
        play(games, id, 2)
    end(games, "over", "1-0")
    write(database, games, "over", "on")
    return database


def correct_result(database: Database, games: Games) -> None:
    correct(games, "over", "0-1")
    write(database, games, "over")


def reopen_game(database: Database, games: Games) -> None:
    reopen(games, "over")
    write(database, games, "over")


def count_points(database: Database, games: Games) -> None:
    score(games, "over")
    write(database, games, "over")


def end_another(database: Database, games: Games) -> None:
    end(games, "on")
    write(database, games, "on")


def register(database: Database, games: Games) -> None:
    database.write(lambda c: write_players(c, [(PlayerState("ann", 1), "Ann")]))


def merge(database: Database, games: Games) -> None:
    database.write(lambda c: write_seats(c, "ann", lambda ids: {"ann": ["anna"]}))


def load_openings(database: Database, games: Games) -> None:
    database.write(lambda c: write_edition(TABLE, c))
    Classification(database).run()


CHANGES: list[Callable[[Database, Games], None]] = [
    correct_result, reopen_game, count_points, end_another, register, merge, load_openings,
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_what_answers_depend_on_changes_the_number_and_what_is_kept(
    archive: Database, games: Games, change: Callable[[Database, Games], None]
) -> None:
    kept = ExplorerCache(Explorer(archive))
    before, known = kept.read_version(), kept.explore(ASKED)
    assert kept.explore(ASKED) is known
    change(archive, games)
    assert kept.read_version() > before
    assert kept.explore(ASKED) == Explorer(archive).explore(ASKED)


def test_what_only_a_running_game_changes_leaves_the_number(
    archive: Database, games: Games
) -> None:
    before = archive.read(read_data_version)
    play(games, "on", 1)
    write(archive, games, "on")
    write(archive, games, "over")
    assert archive.read(read_data_version) == before > 0


def test_it_does_not_matter_in_how_many_transactions_changes_are_written(
    archive: Database, games: Games, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.projection.data_version.secrets.token_bytes", bytes)
    at_once = archive.build()
    for _ in range(3):
        before = archive.read(read_data_version)
        correct(games, "over", "0-1")
        write(archive, games, "over")
        correct(games, "over", "1-0")
        write(archive, games, "over")
        assert archive.read(read_data_version) == before + 2
    write(at_once, games, "over", "on")
    again = archive.build()
    for _ in range(2):
        write(again, games, "over")
    assert again.read(read_data_version) == games.load("over").version


def test_a_player_who_is_written_again_as_before_leaves_the_number(database: Database) -> None:
    def write_ann(name: str, version: int = 1) -> int:
        player = PlayerState("ann", version)
        database.write(lambda connection: write_players(connection, [(player, name)]))
        return database.read(read_data_version)

    first = write_ann("Ann")
    assert write_ann("Ann") == first
    assert write_ann("Anna") == first + 1
    assert write_ann("Anna", 3) == first + 3


def test_so_many_answers_are_kept_those_asked_for_last(archive: Database) -> None:
    kept = ExplorerCache(Explorer(archive), most=2)
    version = kept.read_version()
    queries = [Query(variant="katruji", fen=START, result=result) for result in ("1-0", "0-1", "*")]
    first, second = (kept.explore(query, version) for query in queries[:2])
    assert kept.explore(queries[0], version) is first
    kept.explore(queries[2], version)
    assert kept.explore(queries[0], version) is first
    assert kept.explore(queries[1], version) is not second


def test_a_partial_answer_is_not_kept(archive: Database) -> None:
    explorer = Explorer(archive, budget=-600)
    kept = ExplorerCache(explorer)
    query = Query(variant="katruji", fen=START, result="1-0")
    first = kept.explore(query)
    assert first.partial
    assert kept.explore(query) is not first


def test_tables_that_are_built_anew_have_other_numbers(archive: Database, games: Games) -> None:
    built = archive.build()
    write(built, games, "over", "on")
    assert built.read(read_data_version) != archive.read(read_data_version)
