"""Puzzles found in games, projected: listed beside those that come with the service."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import permutations

import pytest

from service.composition.service import CODEC
from service.errors import NotFound
from service.log.memory import MemoryEventLog
from service.log.values import Pointer
from service.projection.database.database import Database
from service.projection.puzzles.attempts import AttemptProjection
from service.projection.puzzles.found import FoundPuzzleProjection
from service.projection.puzzles.puzzle_list import PuzzleList, PuzzleSource
from service.projection.puzzles.puzzles import write_collection
from service.projection.puzzles.ratings import PuzzleRatings
from service.projection.short_heads import shorten_head
from service.puzzles.attempts.commands import AttemptPuzzle
from service.puzzles.attempts.repository import Solvers
from service.puzzles.collection import load_collection
from service.puzzles.found.commands import RecordPuzzles
from service.puzzles.found.found_puzzle import FoundPuzzle
from service.puzzles.found.repository import FoundPuzzles
from service.puzzles.found.state import KIND, stream_of
from tests.service.projection.puzzles.support import PERIOD, TABLES, Clock
from tests.service.projection.support import dump
from tests.service.puzzles.planted import PLANTED, find_planted
from tests.service.puzzles.solvers import count_own_themes, find_own

OWN = next(load_collection().list_puzzles("katruji"))
HARDER = replace(PLANTED, rating=1800, themes=("quiet", "advantage", "short"))
ALL = (*TABLES, "found_puzzle", "searched_game")


@dataclass
class Finder:
    """Finds puzzles in games, in a log of its own."""

    database: Database
    clock: Clock = field(default_factory=Clock)
    log: MemoryEventLog = field(default_factory=lambda: MemoryEventLog(CODEC))
    analyses: int = 0

    def find(self, game: str, *puzzles: FoundPuzzle) -> None:
        """Record what was found in a game, a second after the last finding."""
        self.clock.now += 1000
        self.analyses += 1
        command = RecordPuzzles(
            analysis=f"a{self.analyses}", variant="katruji", puzzles=tuple(puzzles), most=9
        )
        FoundPuzzles(self.log, self.clock).record(game, command)

    def project(self, *games: str, database: Database | None = None) -> None:
        """Project what was found in these games, one after the other."""
        for game in games:
            pointer = Pointer("1-0", stream_of(game), 1, 1, ())
            change = FoundPuzzleProjection(self.log).prepare([pointer])
            (database or self.database).write(change)


@pytest.fixture
def finder(database: Database) -> Finder:
    write_collection(database)
    return Finder(database)


@pytest.fixture
def puzzles(database: Database) -> PuzzleList:
    return PuzzleList(database)


def test_a_found_puzzle_is_listed_with_its_game(finder: Finder, puzzles: PuzzleList) -> None:
    finder.find("g", find_planted(3))
    finder.project("g")
    listed = puzzles.find(PLANTED.id)
    assert (listed.puzzle, listed.attempts) == (PLANTED, 0)
    assert puzzles.find_source(PLANTED.id) == PuzzleSource("g", 3)
    themes = {(one.variant, one.theme): one.puzzles for one in puzzles.count_themes()}
    assert themes["katruji", "trap"] == 1 + count_own_themes("katruji")["trap"]
    assert puzzles.find_source(OWN.id) is None
    before = dump(finder.database, *ALL)
    finder.project("g", "g")
    write_collection(finder.database)
    assert dump(finder.database, *ALL) == before


def test_a_game_without_puzzles_is_noted(finder: Finder) -> None:
    finder.find("g")
    finder.project("g")
    found = dump(finder.database, *ALL)
    assert (len(found["searched_game"]), found["found_puzzle"]) == (1, [])


@pytest.mark.slow
def test_of_several_games_the_first_is_told_in_whatever_order_they_come(
    finder: Finder, puzzles: PuzzleList
) -> None:
    finder.find("c", find_planted(4))
    finder.find("a", FoundPuzzle(2, HARDER))
    finder.find("b", FoundPuzzle(6, HARDER))
    dumps = []
    for order in permutations("abc"):
        built = finder.database.build()
        write_collection(built)
        finder.project(*order, database=built)
        dumps.append(dump(built, *ALL))
        assert PuzzleList(built).find_source(PLANTED.id) == PuzzleSource("c", 4)
        assert PuzzleList(built).find(PLANTED.id).puzzle == PLANTED
        built.discard()
    assert all(one == dumps[0] for one in dumps)


def test_what_comes_with_the_service_stays_as_it_is(finder: Finder, puzzles: PuzzleList) -> None:
    finder.find("g", FoundPuzzle(5, replace(OWN, rating=2222)))
    finder.project("g")
    assert puzzles.find(OWN.id).puzzle == OWN
    assert puzzles.find_source(OWN.id) == PuzzleSource("g", 5)


def test_what_another_version_brings_takes_the_place_of_what_was_found(
    finder: Finder, puzzles: PuzzleList, monkeypatch: pytest.MonkeyPatch
) -> None:
    finder.find("g", find_planted())
    finder.project("g")
    known = load_collection()
    monkeypatch.setitem(known._by_id, HARDER.id, HARDER)
    write_collection(finder.database)
    assert puzzles.find(HARDER.id).puzzle == HARDER
    monkeypatch.delitem(known._by_id, HARDER.id)
    write_collection(finder.database)
    assert puzzles.find(PLANTED.id).puzzle == PLANTED


def test_attempts_at_a_found_puzzle_are_rated_whatever_comes_first(finder: Finder) -> None:
    finder.find("g", find_planted())
    finder.project("g")
    solvers = Solvers(finder.log, finder.clock)
    solvers.attempt("ada", AttemptPuzzle(puzzle=PLANTED, actions=find_own(PLANTED)))
    attempts = AttemptProjection(finder.log)
    pointer = Pointer("1-0", solvers.stream("ada"), 1, 1, ())
    dumps = []
    for first in (True, False):
        built = finder.database.build()
        write_collection(built)
        if first:
            finder.project("g", database=built)
        built.write(attempts.prepare([pointer]))
        PuzzleRatings(built, PERIOD).rate()
        finder.project("g", database=built)
        dumps.append(dump(built, *ALL))
        rated = PuzzleList(built).find(PLANTED.id)
        assert rated.attempts == 1
        assert rated.rating.rating < PLANTED.rating
        built.discard()
    assert dumps[0] == dumps[1]


def test_what_the_log_has_lost_is_mended(finder: Finder, puzzles: PuzzleList) -> None:
    finder.find("a", find_planted(2))
    finder.find("b", FoundPuzzle(6, HARDER))
    finder.project("a", "b")
    projection = FoundPuzzleProjection(finder.log)
    heads = {game: shorten_head(finder.log.head(stream_of(game))) for game in "ab"}
    assert finder.database.read(lambda one: projection.find_stale(one, heads)) == set()
    # The log has lost the first game.
    lost = {"b": heads["b"]}
    assert finder.database.read(lambda one: projection.find_stale(one, lost)) == {"a"}
    finder.database.write(projection.mend(["a"], []))
    assert puzzles.find(PLANTED.id).puzzle == HARDER
    assert puzzles.find_source(PLANTED.id) == PuzzleSource("b", 6)
    finder.database.write(projection.mend(["b"], []))
    assert puzzles.find_source(PLANTED.id) is None
    with pytest.raises(NotFound):
        puzzles.find(PLANTED.id)
    finder.database.write(projection.mend(["a", "b"], ["a", "b"]))
    assert puzzles.find_source(PLANTED.id) == PuzzleSource("a", 2)


def test_a_game_that_cannot_be_read_holds_up_no_other(
    finder: Finder, puzzles: PuzzleList, monkeypatch: pytest.MonkeyPatch
) -> None:
    finder.find("a", find_planted())
    finder.find("b", find_planted(8))
    read = finder.log.read

    def fail(stream: object, *rest: int) -> object:
        if stream == stream_of("a"):
            raise ValueError(stream)
        return read(stream, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(finder.log, "read", fail)
    finder.project("a", "b")
    assert puzzles.find_source(PLANTED.id) == PuzzleSource("b", 8)
    assert FoundPuzzleProjection(finder.log).kind == KIND
