"""The boards of the variants, and any position on them, over HTTP."""

from __future__ import annotations

import pytest

from engine.registry import VARIANTS
from tests.service.api.client import Api, error


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_board_may_be_kept_by_its_version(api: Api, variant: str) -> None:
    answer = api.get(f"/variants/{variant}/board")
    assert answer.json
    assert answer.json["variant"] == variant
    assert answer.headers["Cache-Control"] == "public, no-cache"
    tag = answer.headers["ETag"].strip('"')
    named = api.get(f"/variants/{variant}/board", query={"version": tag})
    assert named.data == answer.data
    assert named.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    old = api.get(f"/variants/{variant}/board", query={"version": "old"})
    assert old.headers["Cache-Control"] == "public, no-cache"
    again = api.get(f"/variants/{variant}/board", If_None_Match=answer.headers["ETag"])
    assert again.status_code == 304


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_position_can_be_played_on(api: Api, variant: str) -> None:
    start = api.get(f"/variants/{variant}/position").json
    assert start
    assert (start["position"]["ply"], start["position"]["san"]) == (0, None)
    chosen = start["actions"][-1]
    fen = start["position"]["fen"]
    asked = {"fen": fen, "action": chosen["san"]}
    played = api.get(f"/variants/{variant}/position", query=asked).json
    assert played
    assert (played["position"]["ply"], played["position"]["san"]) == (1, chosen["san"])
    assert played["position"]["last"] == [
        cell for cell in (chosen["from"], chosen["to"]) if cell and len(cell) > 1
    ]
    further = api.get(
        f"/variants/{variant}/position", query={"fen": played["position"]["fen"]}
    ).json
    assert further
    assert further["actions"] == played["actions"]


def test_a_position_that_is_over_has_no_actions(api: Api) -> None:
    over = "c4/6/7/8/4h4/4I3/7/6/4C r - 0-0 40"
    found = api.get("/variants/kerak/position", query={"fen": over}).json
    assert found
    assert (found["actions"], found["refused"], found["position"]["to_act"]) == ([], [], None)
    asked = {"fen": over, "action": "--"}
    assert error(api.get("/variants/kerak/position", query=asked)) == (409, "after-the-end")


@pytest.mark.parametrize(
    ("path", "query", "refused"),
    [
        ("/variants/chess/board", {}, (404, "not-found")),
        ("/variants/chess/position", {}, (404, "not-found")),
        ("/variants/kerd/position", {"fen": "8/8"}, (422, "bad-fen")),
        ("/variants/kerd/position", {"action": "e2e9"}, (422, "illegal-move")),
        ("/variants/kerd/position", {"action": "x" * 4001}, (400, "bad-parameter")),
        ("/variants/kerd/board", {"surplus": "1"}, (400, "bad-parameter")),
    ],
)
def test_what_there_is_not_is_refused(
    api: Api, path: str, query: dict[str, str], refused: tuple[int, str]
) -> None:
    assert error(api.get(path, query=query)) == refused


def test_a_line_of_actions_is_played(api: Api) -> None:
    line = {"action": "Pd1 Pa7 Pd2"}
    told = api.get("/variants/katruji/position", query=line).json
    assert told
    assert (told["position"]["ply"], told["position"]["san"]) == (3, "Pd2")
    one_by_one = "start"
    for action in line["action"].split():
        query = {"fen": one_by_one, "action": action}
        step = api.get("/variants/katruji/position", query=query).json
        assert step
        one_by_one = step["position"]["fen"]
    assert told["position"]["fen"] == one_by_one
    broken = {"action": "Pd1 Pd2 Pa7"}
    refused = api.get("/variants/katruji/position", query=broken)
    assert error(refused) == (422, "illegal-move")
