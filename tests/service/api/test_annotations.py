"""Annotations over HTTP: written, shown in every format, and refused with a code for each fault."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from notation.reader import read
from service.game.annotation_size import EVENT
from service.game.variations import MAX_ACTIONS
from service.player.repository import NewPlayer
from tests.service.api.client import NDJSON, PGN, Api, error
from tests.service.api.conftest import Configured
from tests.service.imports.support import imported

TEXT = "1. Pd2 $1 {quieter} (1. Pc4 Sa8) 1... Sa8"
RECORD = '[Variant "katruji"]\n[South "A"]\n[North "B"]\n\n1. Sd1 {so} (1. Pd2 Sa8) Sa8 *\n'


@pytest.fixture
def game(api: Api, ada: NewPlayer, brahim: NewPlayer) -> str:
    """A game that Brahim has resigned after two actions."""
    path = api.running(ada, brahim)
    api.play(path, ada, "Sd1")
    api.play(path, brahim, "Sa8")
    assert api.command(path, brahim, "resign").status_code == 200
    return path


def annotate(
    api: Api, path: str, by: NewPlayer, ply: int = 1, *variations: str, **more: Any
) -> Any:
    body = {"annotation": {"comments": ["so"], "nags": [2]}, **more}
    return api.command(path, by, "annotate", ply=ply, variations=list(variations), **body)


def shown(api: Api, path: str, ply: int = 1, **query: Any) -> Any:
    view = api.get(path, query=query).json
    assert view is not None
    return view["actions"][ply - 1]


def test_an_annotation_is_shown_everywhere(api: Api, ada: NewPlayer, game: str) -> None:
    answer = annotate(api, game, ada, 1, "Pd2!{quieter}(Pc4 Sa8)Sa8").json
    (event,) = answer["events"]
    assert event["type"] == "action-annotated/2"
    assert event["data"] == {"ply": 1, "nags": [2], "after": ["so"], "variations": [TEXT]}
    told = {"comments": ["so"], "nags": [2], "variations": [TEXT]}
    assert told.items() <= shown(api, game).items()
    assert told.items() <= shown(api, game, ply=1).items()
    record = api.get(game, accept=PGN).text
    assert f"1. Sd1 $2 {{so}} ({TEXT})" in record.replace("\n", " ")
    (verdict,) = read(io.BytesIO(record.encode()))
    assert verdict.error is None
    last = api.get(f"{game}/stream", query={"until": "caught_up", "after": event["version"] - 1})
    feed = api.get("/events", query={"types": "action-annotated"})
    for text in (last.text, feed.text, api.get(game, accept=NDJSON).text):
        assert "1. Pd2 $1 {quieter}" in text


def test_exports_show_variations_or_leave_them_out(api: Api, ada: NewPlayer, game: str) -> None:
    annotate(api, game, ada, 1, TEXT)
    wish = {"ids": [game.removeprefix("/games/")]}
    for kind in (PGN, NDJSON):
        for variations in (True, False):
            found = api.send(
                "POST",
                "/export",
                raw=json.dumps(wish | {"variations": variations}).encode(),
                content_type="application/json",
                accept=kind,
            )
            assert ("quieter" in found.text) is variations


def test_an_empty_annotation_removes_it(api: Api, ada: NewPlayer, game: str) -> None:
    annotate(api, game, ada, 1, TEXT)
    before = shown(api, game)
    assert api.command(game, ada, "annotate", ply=1, annotation={}).status_code == 200
    assert shown(api, game)["variations"] == before["variations"]
    api.command(game, ada, "annotate", ply=1, annotation={}, variations=[])
    assert not {"comments", "nags", "variations"} & shown(api, game).keys()


def test_two_who_write_at_once(api: Api, ada: NewPlayer, brahim: NewPlayer, game: str) -> None:
    """With an expected version nothing is overwritten unseen; without one the last writer wins."""
    version = api.get(game).json["version"]  # type: ignore[index]
    assert annotate(api, game, ada, 1, TEXT, expected_version=version).status_code == 200
    late = annotate(api, game, brahim, 1, expected_version=version)
    assert error(late) == (409, "wrong-version")
    assert late.json["missed"][0]["data"]["variations"] == [TEXT]
    assert shown(api, game)["variations"] == [TEXT]
    assert annotate(api, game, brahim, 1, "Pd1").status_code == 200
    assert shown(api, game)["variations"] == ["1. Pd1"]


def test_annotators_are_admitted_by_name_or_id(
    api: Api, ada: NewPlayer, brahim: NewPlayer, eve: NewPlayer, game: str
) -> None:
    api.project()
    assert error(annotate(api, game, eve)) == (403, "not-a-seat")
    assert error(api.command(game, eve, "admit-annotator", player=eve.id)) == (403, "not-the-owner")
    assert api.command(game, ada, "admit-annotator", player_name="eve").status_code == 200
    view = api.get(game).json
    assert view is not None
    assert [one["id"] for one in view["annotators"]] == [eve.id]
    assert [one["name"] for one in view["annotators"]] == ["Eve"]
    assert annotate(api, game, eve, 1, TEXT).status_code == 200
    assert api.command(game, brahim, "withdraw-annotator", player=eve.id).status_code == 200
    gone = api.command(game, brahim, "withdraw-annotator", player_name="Eve")
    assert error(gone) == (409, "not-admitted")
    assert error(annotate(api, game, eve)) == (403, "not-a-seat")


@pytest.mark.parametrize(
    "named",
    [
        {},
        {"player": "a" * 16},
        {"player_name": "Nobody At All"},
        {"player": "a" * 16, "player_name": "Eve"},
    ],
)
def test_who_is_admitted_must_exist(
    api: Api, ada: NewPlayer, game: str, named: dict[str, str]
) -> None:
    api.project()
    before = api.snapshot()
    assert error(api.command(game, ada, "admit-annotator", **named)) == (422, "bad-value")
    assert api.snapshot() == before


BAD: dict[str, tuple[int, dict[str, Any], dict[str, Any]]] = {
    "bad-variation": (422, {"variations": ["Pd2", "Pd2 ("]}, {"variation": 2, "column": 5}),
    "illegal-variation": (
        422,
        {"variations": ["Pd2 Pd9"]},
        {"variation": 1, "column": 5, "ply": 2, "token": "Pd9"},
    ),
    "annotation-too-large": (422, {"variations": ["Pd2"] * 17}, {"limit": 16}),
    "reserved-command": (
        422,
        {"annotation": {"comments": ["[%clk 0:00:01]"]}},
        {"name": "clk"},
    ),
    "bad-annotation": (422, {"annotation": {"comments": ["}"]}}, {"what": "comment"}),
    "bad-value": (422, {"ply": 3}, {"field": "ply"}),
    "invalid-request": (422, {"variations": "Pd2"}, {}),
}


@pytest.mark.parametrize("code", BAD)
def test_each_fault_has_its_code(api: Api, ada: NewPlayer, game: str, code: str) -> None:
    status, wish, members = BAD[code]
    before = api.snapshot()
    body = {"ply": 1, "annotation": {}} | wish
    answer = api.command(game, ada, "annotate", **body)
    assert error(answer) == (status, code)
    assert answer.json is not None
    assert members.items() <= answer.json.items()
    assert api.snapshot() == before


def test_the_actions_of_all_variations_are_bounded(api: Api, ada: NewPlayer, game: str) -> None:
    crowded = "Pd2" + "(Pd1)" * 3000
    assert annotate(api, game, ada, 1, *[crowded] * 3).status_code == 200
    for ply, variations in ((1, [crowded] * 4), (2, ["Pa7" + "(Pa6)" * 1000])):
        before = api.snapshot()
        answer = annotate(api, game, ada, ply, *variations)
        assert error(answer) == (422, "annotation-too-large")
        assert (answer.json or {})["limit"] == MAX_ACTIONS
        assert api.snapshot() == before
    assert annotate(api, game, ada, 1, crowded).status_code == 200


def test_a_days_annotations_are_bounded(configured: Configured) -> None:
    """A player could once fill the store: what an annotation replaces stays in the log."""
    api = configured(MOVELOG_ANNOTATION_QUOTA=str(1024 + 2 * EVENT))
    dana, admin = api.player("Dana"), api.player("Root", "play", "admin", "arbiter")
    path = api.scribed(dana)

    def act(action: str, *comments: str) -> Any:
        body = {"action": action, "annotation": {"comments": list(comments)}}
        return api.post(f"{path}/actions", body, dana)

    def comment(by: NewPlayer, text: str, key: str | None = None) -> Any:
        body = {"type": "annotate", "ply": 1, "annotation": {"comments": [text]}}
        return api.post(f"{path}/commands", body, by, key)

    assert act("Sd1", "ž" * 250).status_code == 200
    for _ in range(2):
        assert comment(dana, "x" * 500, key="k").status_code == 200
        assert comment(dana, "x" * 500).json["events"] == []
    before = api.snapshot()
    refused = comment(dana, "y" * 25)
    assert error(refused) == (429, "annotation-quota-used")
    assert refused.json["limit"] == 1024 + 2 * EVENT
    assert 0 < refused.json["retry_after"] <= 24 * 3600
    assert refused.headers["Retry-After"] == str(refused.json["retry_after"])
    assert error(act("Sa8", "y" * (EVENT + 25))) == (429, "annotation-quota-used")
    line: dict[str, Any] = {"game": path.removeprefix("/games/"), "action": "Sa8"}
    line |= {"annotation": {"comments": ["y" * (EVENT + 25)]}}
    raw = json.dumps(line).encode()
    answer = api.send("POST", "/actions", dana, raw, NDJSON, accept=NDJSON)
    assert json.loads(answer.text)["problem"]["code"] == "annotation-quota-used"
    assert api.snapshot() == before
    # What was refused did not count; admins and what takes no room are not refused.
    assert comment(dana, "y" * 24).status_code == 200
    assert comment(admin, "z" * 2000).status_code == 200
    assert act("Sa8").status_code == 200
    glyph = api.command(path, dana, "annotate", ply=1, annotation={"nags": [1]})
    assert error(glyph) == (429, "annotation-quota-used")
    assert api.command(path, dana, "annotate", ply=1, annotation={}).status_code == 200
    quota = api.service.games.annotation_quota
    assert quota is not None
    counts: Any = quota.counts
    today = counts.clock
    counts.clock = lambda: today() + 24 * 3600 * 1000
    assert comment(dana, "z" * 1000).status_code == 200


def test_nobody_helps_while_two_play(
    api: Api, ada: NewPlayer, brahim: NewPlayer, eve: NewPlayer, arbiter: NewPlayer
) -> None:
    path = api.running(ada, brahim)
    api.play(path, ada, "Sd1")
    api.command(path, ada, "admit-annotator", player=eve.id)
    for by in (brahim, eve):
        assert error(api.command(path, by, "annotate", ply=1, annotation={})) == (
            409,
            "still-played",
        )
    for by in (ada, arbiter):
        assert error(annotate(api, path, by, 1, "Pd2")) == (409, "still-played")
    assert "variations" not in shown(api, path)


def test_an_imported_game_is_edited_by_who_imported_it(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    (verdict,) = imported(api, ada, RECORD)["items"]
    path = f"/games/{verdict['game']}"
    assert shown(api, path)["comments"] == ["so"]
    assert shown(api, path)["variations"] == ["1. Pd2 Sa8"]
    assert error(annotate(api, path, brahim)) == (403, "not-a-seat")
    assert annotate(api, path, ada, 1, "Pd2 Pa7").status_code == 200
    assert annotate(api, path, ada, 2, "Pa7 Pd2").status_code == 200
    assert "(1. Pd2 Pa7) 1... Sa8 $2 {so} (1... Pa7 2. Pd2)" in api.get(
        path, accept=PGN
    ).text.replace("\n", " ")
    api.project()
    found = api.get("/search", query={"variant": "katruji", "fen": "start"}).json
    assert found is not None
    assert [one["id"] for one in found["items"]] == [verdict["game"]]


def test_only_the_service_states_times_where_it_keeps_them(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = api.running(ada, brahim, time_control="300+2")
    body = {"action": "Sd1", "annotation": {"comments": ["[%clk 9:00:00] ha"]}}
    assert error(api.post(f"{path}/actions", body, ada)) == (422, "reserved-command")
    free = api.running(ada, brahim)
    assert api.post(f"{free}/actions", body, ada).status_code == 200
