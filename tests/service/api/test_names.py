"""What players may be called, and the marks that distinguish namesakes wherever they are named."""

from __future__ import annotations

import csv
import json
import time
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest

from service.composition.service import now
from service.player.repository import NewPlayer
from tests.service.api.client import Api, error
from tests.service.api.conftest import Configured
from tests.service.api.tournaments import Desk

REFUSED = [
    ("admin", "reserved-name", "admin"),
    ("Αdmin", "reserved-name", "admin"),
    ("ａｄｍｉｎ", "reserved-name", "admin"),
    ("?", "reserved-name", "?"),
    ("movelog:scorer", "reserved-name", ":"),
    ("computer-5", "reserved-name", "computer-"),
    ("Vіctim", "mixed-scripts", None),
    ("a\u200bdmin", "bad-value", None),
    ("\u202eada", "bad-value", None),
]


@pytest.mark.parametrize(("name", "code", "reserved"), REFUSED)
def test_a_name_that_passes_for_anothers_is_refused(
    api: Api, ada: NewPlayer, admin: NewPlayer, name: str, code: str, reserved: str | None
) -> None:
    """Registering and renaming are refused for anybody, change nothing, and give the reason."""
    before = api.snapshot()
    body = json.dumps({"name": name}).encode()
    for answer in (
        api.post("/players", {"name": name}),
        api.post("/players", {"name": name}, admin),
        api.send("PATCH", f"/players/{ada.id}", ada, body, "application/json"),
        api.send("PATCH", f"/players/{ada.id}", admin, body, "application/json"),
    ):
        assert error(answer) == (422, code)
        told = answer.json or {}
        assert told["detail"].startswith("name: ")
        assert (told["field"], told.get("reserved")) == ("name", reserved)
    assert api.snapshot() == before


def test_a_mixed_word_is_told_with_its_scripts(api: Api) -> None:
    told = api.post("/players", {"name": "Ann Vіctim"}).json or {}
    assert (told["word"], told["scripts"]) == ("Vіctim", ["Cyrillic", "Latin"])


def test_a_name_is_kept_in_normal_form(api: Api) -> None:
    answer = api.post("/players", {"name": " Zoe\u0308  King "})
    assert (answer.json or {})["name"] == "Zoë King"


@pytest.mark.parametrize("name", ["?", "admin", "movelog:scorer", "Vіctim"])
def test_a_name_of_a_record_is_kept_as_written_and_marked(
    api: Api, ada: NewPlayer, name: str
) -> None:
    """A scribe may enter any name on the score sheet; the mark shows that nobody registered it."""
    seats = {"first": {"name": name}, "second": {"id": ada.id}}
    path = api.scribed(ada, players=seats)
    api.project()
    shown = (api.get(path).json or {})["players"]
    assert (shown["first"]["name"], shown["second"]["mark"]) == (name, None)
    assert shown["first"]["mark"] == shown["first"]["id"][:4].upper()


class TwoOfAName:
    """Two players called Ann Lee, in a tournament, a challenge and ratings."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.one, self.other = api.player("Ann Lee"), api.player("ANN LEE")
        self.desk = Desk(api, api.player("Ann Arbiter", "play", "arbiter"), players=0, rounds=3)
        self.desk.players = [self.one, self.other]
        for player in self.desk.players:
            self.desk.do("enter", player=player.id)
        self.desk.do("appoint-arbiter", player=self.one.id)
        self.desk.play_round()
        self.game = api.running(self.one, self.other)
        self.desk.work()
        time.sleep(1)  # the shortest rating period there is
        api.service.ratings.close(now())
        self.marks = {player.id: player.id[:4].upper() for player in (self.one, self.other)}


@pytest.fixture
def two(configured: Configured) -> TwoOfAName:
    return TwoOfAName(configured(MOVELOG_RATING_PERIOD="1"))


def people(value: Any) -> Iterator[dict[str, Any]]:
    """The objects of an answer that name a player called Ann Lee."""
    if isinstance(value, dict):
        if str(value.get("name")).lower() == "ann lee":
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from people(one)


@pytest.mark.slow
def test_they_are_told_apart_wherever_they_are_named(two: TwoOfAName) -> None:
    one, other, path = two.one.id, two.other.id, two.desk.path
    expected = {
        "/players": 2,
        f"/players/{one}": 1,
        "/ratings?variant=katruji": 2,
        two.game: 2,
        f"{two.game}?ply=0": 2,
        "/games": 4,
        "/search": 4,
        "/explorer?variant=katruji": 2,
        path: 3,
        f"{path}/standings": 2,
        f"{path}/standings/diff?from=round:0": 2,
        f"{path}/standings/explain?player={one}&term=match-points": 2,
        f"{path}/cross-table": 4,
        f"{path}/rounds": 2,
        f"{path}/rounds/1": 2,
        f"{path}/players/{other}": 2,
    }
    for asked, count in expected.items():
        answer = two.api.get(asked)
        assert answer.status_code == 200, asked
        found = list(people(answer.json))
        assert [p["mark"] for p in found] == [two.marks[p["id"]] for p in found], asked
        assert len(found) == count, asked
    exported = two.api.get("/export", accept="application/x-ndjson")
    found = [p for line in exported.text.splitlines() for p in people(json.loads(line))]
    assert [p["mark"] for p in found] == [two.marks[p["id"]] for p in found]
    assert len(found) == 4
    me = two.api.get("/me", two.one).json or {}
    assert me["mark"] == two.marks[one]


def test_who_registers_under_a_name_that_is_there_is_told_the_mark(two: TwoOfAName) -> None:
    made = two.api.post("/players", {"name": "Ann Lee"}).json or {}
    assert made["mark"] == made["id"][:4].upper()
    assert (two.api.post("/players", {"name": "Cem"}).json or {})["mark"] is None


def test_a_bracket_tells_them_apart(api: Api, arbiter: NewPlayer) -> None:
    desk = Desk(api, arbiter, players=0, kind="knockout", rounds=None)
    desk.players = [api.player("Ann Lee"), api.player("ann lee")]
    for player in desk.players:
        desk.do("enter", player=player.id)
    desk.play_round()
    marks = {player.id: player.id[:4].upper() for player in desk.players}
    found = list(people(desk.get("/bracket")))
    assert [one["mark"] for one in found] == [marks[one["id"]] for one in found]
    assert len(found) == 7  # the tie, its winner and its board, and both places


def test_tables_have_the_mark_behind_the_name(two: TwoOfAName) -> None:
    names = {f"{p.name} #{two.marks[p.id]}" for p in (two.one, two.other)}
    path = two.desk.path
    for asked, count in {
        f"{path}/standings": 2,
        f"{path}/cross-table": 2,
        f"{path}/rounds/1": 2,
        f"{path}/players/{two.one.id}": 1,
        "/ratings?variant=katruji": 2,
    }.items():
        text = two.api.get(asked, accept="text/csv").text
        found = [
            cell for row in csv.reader(StringIO(text)) for cell in row if "ann lee" in cell.lower()
        ]
        assert len(found) == count, asked
        assert set(found) <= names, asked


def test_records_have_the_plain_name(two: TwoOfAName) -> None:
    texts = [
        two.api.get(two.game, accept="application/x-chess-pgn").text,
        two.api.get("/games", accept="application/x-chess-pgn").text,
        two.api.get("/export", accept="application/x-chess-pgn").text,
        two.api.get(f"{two.desk.path}/trf", accept="text/plain").text,
    ]
    for text in texts:
        assert "Ann Lee" in text
        assert "#" + two.marks[two.one.id] not in text


def test_a_game_is_another_for_caches_once_its_players_have_marks(api: Api) -> None:
    ada, eve = api.player("Ada"), api.player("Eve")
    path = api.running(ada, eve)
    api.project()
    etag = api.get(path).headers["ETag"]
    assert api.get(path, headers={"If-None-Match": etag}).status_code == 304
    api.player("ADA")
    api.project()
    answer = api.get(path, headers={"If-None-Match": etag})
    assert answer.status_code == 200
    assert (answer.json or {})["players"]["first"]["mark"] == ada.id[:4].upper()
