"""Reports of players are what a scan of every game's log counts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random

import pytest

from engine.registry import VARIANTS
from service.game.repository import Games
from service.openings.values import OpeningTable
from service.projection.database.database import Database
from service.projection.errors import BadCursor
from service.projection.games.query import Query
from service.projection.games.rows import is_listed, make_rows
from service.projection.games.search import Search
from service.projection.games.terms import Speed
from service.projection.games.writer import GameWriter
from service.projection.openings import Classification, write_edition
from service.projection.player_games import Selection
from service.projection.player_reports import GROUPS, Opponent, PlayerReports
from service.projection.scores import Score
from tests.service.projection import counted_reports as counted
from tests.service.projection.games.brute_force import gather
from tests.service.projection.games.named import choose_openings, name_games
from tests.service.projection.games.synthetic import PLAYERS, make_games, read_states
from tests.service.projection.support import memory_games

MERGERS = {"p3": ["p7"], "p4": ["p3", "p7"], "p9": ["p10"]}
"""Whom players were merged into; some games are between two who are one person now."""

OPENINGS = 40
"""How many openings are named."""


@pytest.fixture(scope="module")
def played() -> tuple[Games, list[str]]:
    games = memory_games()
    return games, list(make_games(games, 200, seed=3))


@pytest.fixture
def reports(database: Database, played: tuple[Games, list[str]]) -> PlayerReports:
    fill(database, *played)
    return PlayerReports(database, budget=60)


def fill(database: Database, games: Games, ids: list[str]) -> None:
    table = OpeningTable(1, choose_openings(gather(read_states(games, ids), {}), OPENINGS))
    database.write(partial(write_edition, table))
    Classification(database).run()
    rows = [make_rows(state, MERGERS) for state in read_states(games, ids) if is_listed(state)]
    writer = GameWriter(lambda id, version: None)
    database.write(lambda connection: writer.write(connection, rows))


def select(random: Random) -> Selection:
    """A few random filters."""
    year = random.randrange(1990, 2026)
    parts = {
        "variant": random.choice(sorted(VARIANTS)),
        "side": random.randrange(2),
        "opponent": random.choice(PLAYERS),
        "speed": random.choice(list(Speed)).value,
        "since": f"{year}.01.01",
        "until": f"{year + random.randrange(15)}.12.31",
    }
    names = random.sample(sorted(parts), random.choice((0, 0, 1, 1, 2)))
    return Selection(**{name: parts[name] for name in names})  # type: ignore[arg-type]


def plain(score: Score) -> dict[str, int]:
    return {"won": score.won, "drawn": score.drawn, "lost": score.lost, "unclear": score.unclear}


def meet(reports: PlayerReports, player: str, wanted: Selection, limit: int) -> Iterator[Opponent]:
    """The opponents on all pages."""
    cursor = None
    while True:
        page = reports.opponents(player, wanted, cursor, limit)
        assert len(page.opponents) <= limit
        assert not page.partial
        yield from page.opponents
        cursor = page.next_cursor
        if cursor is None:
            return


def assert_report(
    reports: PlayerReports, found: list[counted.Seat], player: str, wanted: Selection
) -> None:
    """Compare a player's report with what was counted."""
    report = reports.report(player, GROUPS, wanted)
    assert not report.partial
    for by in GROUPS:
        groups: dict[str, list[counted.Seat]] = {}
        for seat in found:
            groups.setdefault(counted.group(seat, by), []).append(seat)
        assert list(report.scores[by]) == sorted(groups), (player, wanted, by)
        for name, score in report.scores[by].items():
            assert plain(score) == counted.score(groups[name]), (player, wanted, by, name)
            told = {kind: (one.longest, one.current) for kind, one in score.streaks.items()}
            assert told == counted.streaks(groups[name]), (player, wanted, by, name)


@pytest.mark.parametrize("questions", [25, pytest.param(250, marks=pytest.mark.slow)])
def test_reports_are_those_of_a_look_at_every_game(
    reports: PlayerReports, played: tuple[Games, list[str]], questions: int
) -> None:
    random = Random(questions)
    facts = gather(read_states(*played), MERGERS)
    everything = counted.seats(name_games(facts, choose_openings(facts, OPENINGS)))
    games = 0
    for n in range(questions):
        player = PLAYERS[n % len(PLAYERS)]
        wanted = select(random)
        found = counted.of_player(everything, player, wanted)
        assert_report(reports, found, player, wanted)
        met = list(meet(reports, player, wanted, random.choice((1, 3, 50))))
        assert [(one.id, plain(one.score)) for one in met] == counted.opponents(found, player)
        variant = random.choice(sorted(VARIANTS))
        begun, partial = reports.openings(player, variant, wanted)
        told = {(one.side, one.action): plain(one.score) for one in begun}
        assert told == counted.openings(found, variant)
        assert not partial
        assert [one.score.games for one in begun] == sorted(
            (one.score.games for one in begun), reverse=True
        )
        games += len(found)
    assert games > 5 * questions


@pytest.mark.slow
def test_what_is_counted_is_what_the_query_lists(reports: PlayerReports) -> None:
    search = Search(reports.database, budget=60)
    # Players merged into an opponent may have met themselves, which gives two seats in one game.
    for player in sorted(set(PLAYERS) - set(MERGERS))[:12]:
        for one in reports.opponents(player).opponents[:5]:
            score = reports.report(player, ["all"], Selection(opponent=one.id)).scores["all"]["all"]
            listed = search.count(Query(player=player, opponent=one.id, status="finished"))
            assert plain(score) == plain(one.score)
            assert listed.games == score.games


def test_more_games_than_are_counted_make_a_partial_report(
    database: Database, reports: PlayerReports
) -> None:
    [everything] = reports.report("p7", ["all"]).scores["all"].values()
    few = PlayerReports(database, most=20, budget=60)
    report = few.report("p7", ["all"])
    assert report.partial
    assert 0 < report.scores["all"]["all"].games < 20 < everything.games
    assert few.opponents("p7").partial
    assert few.openings("p7", "katruji")[1]
    assert not PlayerReports(database, most=1000, budget=60).opponents("p7").partial


def test_a_report_that_takes_too_long_counts_fewer_games(
    database: Database, reports: PlayerReports
) -> None:
    slow = PlayerReports(database, most=100, budget=0)
    report = slow.report("p7", ["all"])
    assert report.partial
    assert report.scores == PlayerReports(database, most=10, budget=60).report("p7", ["all"]).scores
    assert slow.opponents("p7").partial
    assert slow.openings("p7", "kerd")[1]


def test_a_player_without_games_has_an_empty_report(reports: PlayerReports) -> None:
    assert reports.report("nobody", GROUPS).scores == {by: {} for by in GROUPS}
    assert reports.opponents("nobody") == ([], None, False)
    assert reports.openings("nobody", "kerd") == ([], False)


def test_a_cursor_goes_on_with_its_own_question_alone(reports: PlayerReports) -> None:
    cursor = reports.opponents("p1", limit=1).next_cursor
    assert cursor is not None
    assert reports.opponents("p1", cursor=cursor, limit=1).opponents
    for player, wanted, bad in (
        ("p2", Selection(), cursor),
        ("p1", Selection(side=0), cursor),
        ("p1", Selection(), "x"),
        ("p1", Selection(), f"{cursor} "),
    ):
        with pytest.raises(BadCursor):
            reports.opponents(player, wanted, bad)
