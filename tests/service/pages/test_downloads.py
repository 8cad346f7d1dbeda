"""What a page offers to save is saved by following its link, without scripts or extra headers."""

from __future__ import annotations

import csv
import re

from service.player.repository import NewPlayer
from service.verification.file import verify_file
from service.verification.standings import verify_standings
from tests.service.api.client import Api
from tests.service.api.test_verification import game_of, keys
from tests.service.api.tournaments import Desk
from tests.service.pages.visitor import Visitor


def save(api: Api, page: str, label: str) -> tuple[str, str, bytes]:
    """Follow a page's link; returns the media type, file name and bytes that a browser saves."""
    found = re.search(rf'<a [^>]*href="([^"]+)"[^>]*>{re.escape(label)}</a>', page)
    assert found, label
    # The Accept header that Chromium sends when somebody follows a link.
    accept = "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8"
    answer = api.http.get(found[1], headers={"Accept": accept})
    assert answer.status_code == 200
    kind, _, name = answer.headers["Content-Disposition"].partition("; filename=")
    assert kind == "attachment"
    return str(answer.mimetype), name.strip('"'), answer.get_data()


def test_a_tournaments_tables_are_saved_as_csv(api: Api, arbiter: NewPlayer) -> None:
    desk = Desk(api, arbiter, players=2, rounds=1)
    desk.pair()
    page = Visitor(api).open(desk.path)
    id = desk.path.rpartition("/")[2]
    kind, name, standings = save(api, page, "Standings (CSV)")
    assert (kind, name) == ("text/csv", f"{id}-standings.csv")
    header, *rows = csv.reader(standings.decode().splitlines())
    assert (header[:4], len(rows)) == (["place", "id", "name", "match-points"], 2)
    kind, name, table = save(api, page, "Cross table (CSV)")
    assert (kind, name) == ("text/csv", f"{id}-cross-table.csv")
    assert table.decode().splitlines()[0].endswith(",round 1")
    kind, name, log = save(api, page, "Signed log (NDJSON)")
    assert (kind, name) == ("application/x-ndjson", f"{id}.ndjson")
    assert verify_standings(standings, log, keys(api)).error is None


def test_a_games_record_and_log_are_saved(api: Api, ada: NewPlayer) -> None:
    path = game_of(api, ada)
    id = path.rpartition("/")[2]
    page = Visitor(api).open(path)
    for label, kind, name in (
        ("Record (PGN)", "application/x-chess-pgn", f"{id}.pgn"),
        ("Log (NDJSON)", "application/x-ndjson", f"{id}.ndjson"),
    ):
        *found, data = save(api, page, label)
        assert found == [kind, name]
        assert [verdict.error for verdict in verify_file(data, keys(api))] == [None]


def test_what_is_not_there_cannot_be_saved(api: Api) -> None:
    for path in ("/games/{}/record.pgn", "/tournaments/{}/standings.csv"):
        answer = api.http.get(path.format("2" * 16), headers={"Accept": "text/html"})
        assert (answer.status_code, answer.mimetype) == (404, "text/html")
        assert "Content-Disposition" not in answer.headers
