"""Random queries: the database finds what a scan of every game finds, in the same order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import islice
from random import Random

import pytest

from service.game.state import GameState
from service.openings.values import Opening, OpeningTable
from service.projection.database.chunks import batched
from service.projection.database.database import Database
from service.projection.games import continuations, walk
from service.projection.games.explorer import SHOWN, Explorer
from service.projection.games.query import Query, Sort
from service.projection.games.rows import is_listed, make_rows
from service.projection.games.search import Count, Search
from service.projection.games.writer import GameWriter
from service.projection.openings import Classification, write_edition
from service.projection.summary import NamedOpening
from tests.service.projection.games.brute_force import Facts, explore, find, gather, show
from tests.service.projection.games.named import choose_openings, name_games
from tests.service.projection.games.questions import ask
from tests.service.projection.games.synthetic import BATCH, MERGED, NAMED, make_states, write_people

SEED = 7
PAGED = 400
"""Results of up to this many games are always read page by page to the end."""
PAGES = 3
"""The pages that are read of larger results, except for a tenth of the queries."""
PAGES_OF_ANY = 10
"""The page size is chosen so that a result has at most this many pages, where possible."""


@dataclass
class Answered:
    """How many games were found, read from pages and explored; how many counts were estimates."""

    found: int = 0
    paged: int = 0
    explored: int = 0
    estimated: int = 0


@lru_cache(maxsize=1)
def look_at_games(number: int) -> Sequence[Facts]:
    """The facts of `number` games, computed once for all databases."""
    facts = gather(make_states(number, SEED), MERGED)
    return name_games(facts, list_openings(facts))


def list_openings(facts: Sequence[Facts]) -> list[Opening]:
    """A table of openings for these games."""
    return choose_openings(facts, min(len(facts) // 2, 300))


def fill(database: Database, states: Iterable[GameState]) -> None:
    """Write the rows of these games, a batch at a time."""
    writer = GameWriter(lambda id, version: None)
    for some in batched(states, BATCH):
        rows = [make_rows(state, MERGED) for state in some if is_listed(state)]
        database.write(lambda connection, rows=rows: writer.write(connection, rows))  # type: ignore[misc]


def fill_and_name(database: Database, states: Iterator[GameState], facts: Sequence[Facts]) -> None:
    """Write the games: some before the table of openings is loaded, some while it is applied."""
    openings = list_openings(facts)
    third = len(facts) // 3
    database.write(write_people)
    fill(database, islice(states, third))
    write_openings(database, 1, openings[: len(openings) // 2])
    Classification(database).run()
    write_openings(database, 2, openings)
    Classification(database).step()
    fill(database, states)
    Classification(database).run()


def write_openings(database: Database, version: int, openings: Sequence[Opening]) -> None:
    """Write a table of openings, without classifying games by it."""
    database.write(partial(write_edition, OpeningTable(version, openings)))


def compare_openings(search: Search, facts: Sequence[Facts]) -> None:
    """Fail unless the lists have the opening of every game, and many games have one."""
    for some in batched(facts, BATCH):
        told = search.summaries([one.id for one in some])
        for game, one in zip(told, some, strict=True):
            assert game is not None
            expected = one.opening and NamedOpening(one.opening.name, one.opening.code)
            assert game.opening == expected, one.id
    assert sum(one.opening is not None for one in facts) > len(facts) / 4


def read_pages(search: Search, query: Query, sort: Sort, limit: int) -> Iterator[list[str]]:
    """The ids on each page."""
    cursor = None
    while True:
        page = search.page(query, cursor, limit, sort)
        assert len(page.games) <= limit
        yield [game.id for game in page.games]
        cursor = page.next_cursor
        if cursor is None:
            return


class Battery:
    """Asks a database random queries and compares each answer with the facts."""

    def __init__(self, database: Database, facts: Sequence[Facts], random: Random) -> None:
        self.search = Search(database, budget=60)
        self.explorer = Explorer(database, budget=60)
        self.facts = facts
        self.random = random
        self.answered = Answered()

    def ask(self) -> None:
        """Ask one query."""
        query, sort = ask(self.facts, self.random)
        expected = find(self.facts, query, sort, NAMED)
        self.compare_pages(query, sort, expected)
        self.compare_count(query, len(expected))
        if query.fen is not None:
            self.compare_explored(replace(query, at_ply=(None, None)))
            self.compare_explored(Query(variant=query.variant, fen=query.fen))
        self.answered.found += len(expected)

    def compare_pages(self, query: Query, sort: Sort, expected: list[str]) -> None:
        """Compare all pages, or of most large results the first pages and then every id."""
        limits = [limit for limit in (1, 7, 50, 200) if len(expected) <= PAGES_OF_ANY * limit]
        limit = self.random.choice(limits or [200])
        whole = len(expected) <= PAGED or self.random.random() < 0.1
        pages = read_pages(self.search, query, sort, limit)
        found = [id for page in (pages if whole else islice(pages, PAGES)) for id in page]
        assert found == (expected if whole else expected[: PAGES * limit]), (query, sort)
        self.answered.paged += len(found)
        if not whole:
            newest_first = (
                expected if sort is Sort.CREATED else find(self.facts, query, people=NAMED)
            )
            assert list(self.search.ids(query)) == newest_first, query

    def compare_count(self, query: Query, expected: int) -> None:
        """Compare a count: either exact, or an estimate of many games within a fifth."""
        counted = self.search.count(query)
        if counted.exact:
            assert counted == Count(expected, exact=True), query
        else:
            assert abs(counted.games - expected) <= expected / 5, query
            assert expected > 8_000
            self.answered.estimated += 1

    def compare_explored(self, query: Query) -> None:
        """Compare what was played from a position, and the games that are shown."""
        answer = self.explorer.explore(query)
        told = tuple([game.id for game in games] for games in (answer.recent, answer.top))
        assert told == show(self.facts, query, SHOWN, NAMED), query
        tallies = {one.action: one.tally for one in answer.continuations} | {"": answer.ended}
        results = {
            action: {result: games for result, games in tally.results.items() if games}
            for action, tally in tallies.items()
            if tally.games
        }
        assert results == explore(self.facts, query, NAMED), query
        self.answered.explored += sum(tally.games for tally in tallies.values())


@pytest.mark.slow
@pytest.mark.parametrize("narrow", [walk.NARROW, 3])
def test_answers_are_those_of_a_look_at_every_game(
    database: Database, monkeypatch: pytest.MonkeyPatch, narrow: int
) -> None:
    if narrow == 3:
        monkeypatch.setattr(walk, "NARROW", 3)
        monkeypatch.setattr(walk, "WINDOWS", (5, 40))
        monkeypatch.setattr(continuations, "SHARED", 5)
    ask_many(database, games=120, questions=100)


@pytest.mark.parametrize(
    ("games", "questions"),
    [
        pytest.param(1500, 250, marks=pytest.mark.slow),
        pytest.param(5000, 2000, marks=pytest.mark.soak),
    ],
)
def test_answers_about_thousands_of_games(database: Database, games: int, questions: int) -> None:
    answered = ask_many(database, games, questions)
    assert not answered.estimated


@pytest.mark.soak
def test_answers_about_a_whole_archive(database: Database) -> None:
    answered = ask_many(database, games=200_000, questions=2000)
    assert answered.estimated > 50


def ask_many(database: Database, games: int, questions: int) -> Answered:
    """Ask random queries about synthetic games, many of which must be found and explored."""
    facts = look_at_games(games)
    fill_and_name(database, make_states(games, SEED), facts)
    battery = Battery(database, facts, Random(questions))
    compare_openings(battery.search, facts)
    for _ in range(questions):
        battery.ask()
    assert battery.answered.found > games
    assert battery.answered.explored > games / 10
    print(f"{questions} questions about {games} games: {battery.answered}")
    return battery.answered
