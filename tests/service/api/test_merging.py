"""Two spellings of one person: merged by an admin, and parted again."""

from __future__ import annotations

from service.log.values import StreamId
from service.players import NewPlayer
from tests.service.api.client import Api, error
from tests.service.imports.support import TAGS, imported

SPELT = [TAGS.format("1-0", "Pd1").replace('"A"', f'"{name}"') for name in ("Adda", "A. Da")]


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
