"""What a tournament's tables and headings show: progress, points, byes, ratings, places."""

from __future__ import annotations

import re
from html import unescape

import pytest

from service.pages import tournaments
from service.player.repository import NewPlayer
from tests.service.api.client import Api
from tests.service.api.tournaments import Desk
from tests.service.pages.visitor import Visitor

PLAYERS = {"Ada": 1850, "Brahim": None, "Carla": 1500, "Dan": None, "Eva": None}


@pytest.fixture
def organiser(api: Api) -> NewPlayer:
    """A player with an ordinary token."""
    return api.player("Olga")


@pytest.fixture
def desk(api: Api, organiser: NewPlayer) -> Desk:
    """A Swiss of five over the board, of two rounds, not begun; two players have ratings."""
    wish = {"name": "Evening", "variant": "kerak", "rounds": 2, "over_the_board": True}
    desk = Desk(api, organiser, players=0, rated=False, **wish)
    for name, rating in PLAYERS.items():
        desk.do("enter", name=name, **({} if rating is None else {"rating": rating}))
    return desk


def enter(desk: Desk, round: int, *results: str) -> None:
    """Enter the results of a round's first boards."""
    listed = [{"board": board, "result": result} for board, result in enumerate(results, 1)]
    desk.do("results", round=round, results=listed)


def read(page: str) -> str:
    """The text of a page, in one line."""
    return " ".join(unescape(re.sub("<.*?>", "", page)).split())


def read_heading(page: str) -> str:
    """The first heading of a page."""
    found = re.search("<h1.*?</h1>", page, re.DOTALL)
    assert found is not None
    return read(found[0])


def read_rows(page: str, kind: str) -> list[list[str]]:
    """The cells of a table of this class, row by row, beginning with its head."""
    _, _, rest = page.partition(f'<table class="{kind}')
    rows = re.findall("<tr>(.*?)</tr>", rest.partition("</table>")[0], re.DOTALL)
    return [
        [read(cell) for cell in re.findall("<t[hd].*?</t[hd]>", row, re.DOTALL)] for row in rows
    ]


def test_ratings_are_in_the_list_of_players_and_in_the_standings(api: Api, desk: Desk) -> None:
    rows = read_rows(Visitor(api).open(desk.path), "ranks")
    assert rows[0] == ["No.", "Player", "Rating"]
    assert rows[1:4] == [["1", "Ada", "1850"], ["2", "Carla", "1500"], ["3", "Brahim", ""]]
    desk.pair()
    rows = read_rows(Visitor(api).open(f"{desk.path}/standings"), "ranks")
    assert rows[0][:4] == ["Place", "Player", "Rating", "Match points"]
    assert {row[1]: row[2] for row in rows[1:]}["Ada"] == "1850"


def test_a_list_without_ratings_has_no_column_for_them(api: Api, organiser: NewPlayer) -> None:
    desk = Desk(api, organiser, players=0, name="Unrated", rated=False)
    desk.do("enter", name="Ada")
    assert read_rows(Visitor(api).open(desk.path), "ranks")[0] == ["No.", "Player"]


@pytest.mark.slow
def test_pages_say_how_far_the_tournament_is(api: Api, desk: Desk, organiser: NewPlayer) -> None:
    def look() -> tuple[str, str, str]:
        visitor = Visitor(api, organiser)
        told = re.search(r"5 players · ([^·]*) ·", read(visitor.open(desk.path)))
        assert told is not None
        standings = read_heading(visitor.open(f"{desk.path}/standings"))
        return told[1], standings, read_heading(visitor.open(f"{desk.path}/cross-table"))

    assert look() == ("2 rounds", "Standings", "Cross table")
    desk.pair()
    assert look() == (
        "round 1 of 2",
        "Standings during round 1",
        "Cross table during round 1",
    )
    enter(desk, 1, "1-0", "1/2-1/2")
    assert look() == (
        "1 of 2 rounds played",
        "Standings after round 1",
        "Cross table after round 1",
    )
    desk.pair()
    enter(desk, 2, "1-0", "1-0")
    assert "Standings" in read_rows_heading(api, desk)
    desk.do("finish")
    assert look() == ("2 rounds", "Final standings", "Final cross table")
    assert "Final standings" in read_rows_heading(api, desk)


def read_rows_heading(api: Api, desk: Desk) -> str:
    """The heading of the standings on the tournament's own page."""
    found = re.search(r'<h2 id="standings">(.*?)</h2>', Visitor(api).open(desk.path))
    assert found is not None
    return found[1]


def test_what_is_missing_is_said_in_place_of_the_question(
    api: Api, desk: Desk, organiser: NewPlayer
) -> None:
    visitor = Visitor(api, organiser)
    desk.pair()
    enter(desk, 1, "1-0")
    page = visitor.open(desk.path)
    assert "Before the tournament can be finished: enter the results of round 1, 1 is missing." in (
        read(page)
    )
    assert 'name="type" value="finish"' not in page
    desk.do("results", round=1, results=[{"board": 2, "result": "0-1"}])
    page = visitor.open(desk.path)
    assert "1 of 2 rounds played: finishing now leaves out the rest." in read(page)
    assert 'name="type" value="finish"' in page


def test_the_cross_table_has_rounds_points_and_places(api: Api, desk: Desk) -> None:
    desk.pair()
    enter(desk, 1, "1/2-1/2", "+/-")
    page = Visitor(api).open(f"{desk.path}/cross-table")
    above, head, *rows = read_rows(page, "cross")
    assert above == ["", "Round", ""]
    assert head == ["No.", "Player", "1", "Points", "Place"]
    cells = {row[1]: (row[2], row[3], row[4]) for row in rows}
    free = next(name for name, cell in cells.items() if cell[0] == "bye 1")
    assert cells[free][1] == "1"
    assert sorted(cell[1] for cell in cells.values()) == ["0", "1", "1", "½", "½"]
    # Opponents are given by number, sides by their first letter, forfeits by a sign.
    played = sorted(re.sub(r"^\d", "n", cell[0]) for cell in cells.values())
    assert played == ["bye 1", "nb 0−", "nb ½", "nr 1+", "nr ½"]
    assert "(r Red, b Blue)" in read(page)
    assert '<abbr title="won by forfeit">+</abbr>' in page
    assert [row[-1] for row in rows] == sorted(row[-1] for row in rows)


def test_the_cross_table_of_a_large_tournament_is_a_page_of_its_own(
    api: Api, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.pair()
    visitor = Visitor(api)
    small = visitor.open(desk.path)
    assert '<a href="#cross-table">Cross table</a>' in small
    assert read_rows(small, "cross")
    monkeypatch.setattr(tournaments, "LARGE", 4)
    large = visitor.open(desk.path)
    assert f'<a href="{desk.path}/cross-table">Cross table</a><a href="#take-away">' in large
    assert 'id="cross-table"' not in large
    assert len(read_rows(large, "ranks")) == 1 + len(PLAYERS)


def test_points_are_written_with_halves_but_not_for_programs(
    api: Api, desk: Desk, organiser: NewPlayer
) -> None:
    desk.pair()
    enter(desk, 1, "1/2-1/2", "1/2-1/2")
    visitor = Visitor(api, organiser)
    player = desk.get("/standings")["standings"][1]["player"]["id"]
    explained = f"{desk.path}?player={player}&term=match-points"
    for path in (desk.path, explained, f"{desk.path}/standings", f"{desk.path}/cross-table"):
        page = read(visitor.open(path).partition("<main")[2])
        assert "½" in page
        assert not re.search(r"\d\.5\b|1/2", page), path
    assert desk.get("/standings")["standings"][1]["values"]["match-points"] == "0.5"
    assert "0.5" in visitor.open(f"{desk.path}/standings.csv")


def test_byes_have_the_names_that_players_know(api: Api, desk: Desk, organiser: NewPlayer) -> None:
    visitor = Visitor(api, organiser)
    ids = {one["name"]: one["id"] for one in desk.get()["players"]}
    for name, bye in (("Ada", "half-bye"), ("Brahim", "zero-bye")):
        desk.do("grant-bye", player=ids[name], round=1, bye=bye)
    desk.pair()
    for path in ("", "/rounds/1", "/cross-table"):
        page = visitor.open(desk.path + path)
        assert "half-point bye" in page
        assert "zero-point bye" in page
        assert not re.search("half-bye|zero-bye|pairing-bye", read(page)), path


def test_a_score_sheet_is_signed_by_both_sides_by_name(api: Api, desk: Desk) -> None:
    desk.pair()
    page = Visitor(api).open(f"{desk.path}/rounds/1/score-sheets")
    assert "<span>Signed, Red:</span><span>Signed, Blue:</span>" in page


def test_empty_details_say_that_they_are_as_the_kind_has_them(
    api: Api, organiser: NewPlayer
) -> None:
    page = Visitor(api, organiser).open("/tournaments/new")
    for name in ("minutes", "increment", "days"):
        assert re.search(f'name="{name}"[^>]*placeholder="as chosen above"', page)
    page = Visitor(api, organiser).open("/games/new")
    assert re.search('name="minutes"[^>]*placeholder="no limit"', page)
