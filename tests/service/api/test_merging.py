"""Two spellings of one person's name: merged by an admin, and parted again."""

from __future__ import annotations

import pytest

from service.api import merging
from service.composition.projector import rebuild
from service.log.values import StreamId
from service.player.repository import NewPlayer
from service.tournament.state import TournamentState
from tests.service.api.client import Api, error
from tests.service.api.tournaments import Desk
from tests.service.imports.support import TAGS, imported, project

SPELT = [TAGS.format("1-0", "Pd1").replace('"A"', f'"{name}"') for name in ("Adda", "A. Da")]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no merger wait for the lists: they are written only between two requests."""
    monkeypatch.setattr(merging, "CATCH_UP", 0)


def seats(api: Api, game: str) -> list[tuple[str, str]]:
    shown = (api.get(f"/games/{game}").json or {})["players"]
    return [(shown[side]["id"], shown[side]["name"]) for side in ("first", "second")]


def test_a_merged_player_has_the_others_name_until_they_are_parted(
    api: Api, ada: NewPlayer, admin: NewPlayer
) -> None:
    one, other = (item["game"] for item in imported(api, ada, "\n".join(SPELT))["items"])
    ((first, _), _), ((second, _), _) = seats(api, one), seats(api, other)
    merged = api.post(f"/players/{first}/merge", {"into": second}, admin)
    assert merged.status_code == 200
    assert (merged.json or {})["merged_into"] == second
    assert [name for _, name in seats(api, one)] == ["A. Da", "B"]
    assert '[South "A. Da"]' in api.get(f"/games/{one}", accept="text/plain").text
    api.send("PATCH", f"/players/{second}", admin, b'{"name": "Ada"}', "application/json")
    assert seats(api, one)[0][1] == "Ada"
    parted = api.send("DELETE", f"/players/{first}/merge", admin)
    assert (parted.json or {})["merged_into"] is None
    assert seats(api, one)[0] == (first, "Adda")
    assert [e.event.stored_name for e in api.service.log.read(stream(first))] == [
        "player-registered/1",
        "player-merged/1",
        "player-parted/1",
    ]


def stream(id: str) -> StreamId:
    return StreamId("player", id)


def test_what_cannot_be_merged(api: Api, ada: NewPlayer, admin: NewPlayer) -> None:
    ids = [seats(api, item["game"])[0][0] for item in imported(api, ada, "\n".join(SPELT))["items"]]
    one, other = ids
    assert error(api.post(f"/players/{one}/merge", {"into": other}, ada)) == (403, "missing-scope")
    for into in (one, "x"):
        assert api.post(f"/players/{one}/merge", {"into": into}, admin).status_code == 422
    nobody = "a" * 16
    assert error(api.post(f"/players/{one}/merge", {"into": nobody}, admin)) == (404, "not-found")
    claimed = api.post(f"/players/{ada.id}/merge", {"into": one}, admin)
    assert error(claimed) == (422, "bad-value")
    assert api.post(f"/players/{one}/merge", {"into": other}, admin).status_code == 200
    circle = api.post(f"/players/{other}/merge", {"into": one}, admin)
    assert error(circle) == (422, "bad-value")
    assert api.send("DELETE", f"/players/{other}/merge", admin).status_code == 200


def unknown(api: Api, by: NewPlayer, *names: str) -> list[str]:
    """The ids of new players who are known only from records, under these names."""
    return [api.service.players.unclaimed(name, by.id) for name in names]


def test_two_entrants_of_one_tournament_are_not_merged(
    api: Api, arbiter: NewPlayer, admin: NewPlayer
) -> None:
    open, blitz = (Desk(api, arbiter, players=1, name=name) for name in ("Open", "Blitz"))
    adda, ada, other = unknown(api, admin, "Adda", "A. Da", "Other")
    open.do("enter", player=adda)
    open.do("enter", player=ada)
    blitz.do("enter", player=other)
    project(api.service)
    refused = api.post(f"/players/{adda}/merge", {"into": ada}, admin)
    assert error(refused) == (409, "both-entered")
    told = refused.json or {}
    assert (told["id"], told["name"]) == (open.made["id"], "Open")
    assert "'Open'" in told["detail"]
    assert api.service.players.load(adda).merged_into is None
    # A player who has withdrawn still counts as an entrant.
    open.do("withdraw", player=adda)
    assert error(api.post(f"/players/{adda}/merge", {"into": ada}, admin))[1] == "both-entered"
    assert api.post(f"/players/{other}/merge", {"into": ada}, admin).status_code == 200


def test_only_the_players_own_tournaments_are_read(
    api: Api, arbiter: NewPlayer, admin: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    open, blitz = (Desk(api, arbiter, players=1, name=name) for name in ("Open", "Blitz"))
    adda, ada = unknown(api, admin, "Adda", "A. Da")
    blitz.do("enter", player=ada)
    open.do("enter", player=adda)
    project(api.service)
    read: list[str] = []
    load = api.service.tournaments.load

    def note(id: str) -> TournamentState:
        read.append(id)
        return load(id)

    monkeypatch.setattr(api.service.tournaments, "load", note)
    assert api.post(f"/players/{adda}/merge", {"into": ada}, admin).status_code == 200
    assert read == [open.made["id"]]


def test_a_tournament_entered_a_moment_ago_is_not_missed(
    api: Api, arbiter: NewPlayer, admin: NewPlayer
) -> None:
    open = Desk(api, arbiter, players=1)
    adda, ada = unknown(api, admin, "Adda", "A. Da")
    open.do("enter", player=ada)
    project(api.service)
    open.do("enter", player=adda)
    refused = api.post(f"/players/{adda}/merge", {"into": ada}, admin)
    assert error(refused) == (409, "both-entered")


def test_entrants_are_not_merged_by_way_of_somebody_else(
    api: Api, arbiter: NewPlayer, admin: NewPlayer
) -> None:
    open = Desk(api, arbiter, players=0)
    entered, also, between, last = unknown(api, admin, "Entered", "Also", "Between", "Last")
    open.do("enter", player=entered)
    open.do("enter", player=also)
    project(api.service)
    assert api.post(f"/players/{entered}/merge", {"into": between}, admin).status_code == 200
    assert api.post(f"/players/{also}/merge", {"into": last}, admin).status_code == 200
    for into in (also, last):
        refused = api.post(f"/players/{between}/merge", {"into": into}, admin)
        assert error(refused) == (409, "both-entered")


def test_nobody_enters_whom_a_merger_makes_an_entrant(
    api: Api, arbiter: NewPlayer, admin: NewPlayer
) -> None:
    open = Desk(api, arbiter, players=0)
    adda, ada = unknown(api, admin, "Adda", "A. Da")
    open.do("enter", player=adda)
    assert api.post(f"/players/{adda}/merge", {"into": ada}, admin).status_code == 200
    assert error(open.order(arbiter, "enter", player=ada)) == (409, "already-entered")
    open.do("withdraw", player=adda)
    open.do("enter", player=adda)


def test_a_report_whose_players_were_merged_makes_no_tournament(
    api: Api, arbiter: NewPlayer, admin: NewPlayer
) -> None:
    desk = Desk(api, arbiter, players=0)
    for name in ("Adda", "A. Da"):
        desk.do("enter", player=api.player(name).id)
    report = api.get(f"{desk.path}/trf", accept="text/plain").data.replace(b"Open", b"Next")
    adda, ada = unknown(api, admin, "Adda", "A. Da")
    assert api.post(f"/players/{adda}/merge", {"into": ada}, admin).status_code == 200
    query = {"variant": "katruji", "kind": "swiss"}
    refused = api.send("POST", "/tournaments/trf", arbiter, report, "text/plain", query=query)
    assert error(refused) == (422, "bad-value")
    assert "one player, by a merger" in (refused.json or {})["detail"]


@pytest.mark.slow
def test_tournaments_of_the_merged_are_the_survivors_too(
    api: Api, ada: NewPlayer, arbiter: NewPlayer, admin: NewPlayer
) -> None:
    """The list and the player's page have them until the two are parted, even after a rebuild."""
    ids = [seats(api, item["game"])[0][0] for item in imported(api, ada, "\n".join(SPELT))["items"]]
    one, other = ids
    before, after = Desk(api, arbiter, name="Spring"), Desk(api, arbiter, name="Autumn")
    before.do("enter", player=one)
    api.project()

    def entered(player: str) -> list[str]:
        api.project()
        found = api.get("/tournaments", query={"player": player}).json
        assert found
        return sorted(each["name"] for each in found["items"])

    assert (entered(one), entered(other)) == (["Spring"], [])
    assert api.post(f"/players/{one}/merge", {"into": other}, admin).status_code == 200
    assert (entered(one), entered(other)) == (["Spring"], ["Spring"])
    assert f'href="{before.path}"' in api.http.get(f"/players/{other}").text
    after.do("enter", player=one)
    assert entered(other) == ["Autumn", "Spring"]
    rebuild(api.service)
    assert entered(other) == ["Autumn", "Spring"]
    assert api.send("DELETE", f"/players/{one}/merge", admin).status_code == 200
    assert (entered(one), entered(other)) == (["Autumn", "Spring"], [])
