"""What a board needs to know of a game, over HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest

from notation.registry import find_dialect
from service.player.repository import NewPlayer
from tests.service.api.client import PGN, Api, error
from tests.service.secrets.kerd import chosen, kerd


def read(
    api: Api,
    path: str,
    by: NewPlayer | None = None,
    query: Mapping[str, int | str] | None = None,
    **named: int | str,
) -> dict[str, Any]:
    """The JSON at a path."""
    answer = api.get(path, by, query={**(query or {}), **named})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json or {}
    return found


def play_at_random(api: Api, path: str, scribe: NewPlayer, plies: int) -> None:
    """Let a scribe play random actions, `plies` of them or until the rules end the game."""
    random = Random(path)
    for _ in range(plies):
        legal = read(api, f"{path}/legal", scribe)["actions"]
        if not legal:
            return
        api.play(path, scribe, random.choice(legal)["action"])


@pytest.mark.parametrize("variant", ["katruji", "kerak"])
def test_the_positions_of_a_game_are_those_it_has_stood_in(
    api: Api, ada: NewPlayer, variant: str
) -> None:
    path = api.scribed(ada, variant=variant)
    play_at_random(api, path, ada, 12)
    found = read(api, f"{path}/positions")
    assert (found["ply"], found["next"], found["variant"]) == (12, None, variant)
    assert [one["ply"] for one in found["items"]] == list(range(13))
    for one in found["items"]:
        game = read(api, path, ply=one["ply"])
        assert (one["fen"], one["points"]) == (game["fen"], game["points"])
        assert one["to_act"] == game["to_act"]
        last = game["actions"][-1] if game["actions"] else {}
        assert (one["action"], one["san"]) == (last.get("action"), last.get("san"))


def test_positions_come_in_ranges(api: Api, ada: NewPlayer) -> None:
    path = api.scribed(ada)
    play_at_random(api, path, ada, 7)
    whole = read(api, f"{path}/positions")["items"]
    found: list[dict[str, Any]] = []
    start: int | None = 0
    while start is not None:
        part = read(api, f"{path}/positions", query={"from": start, "limit": 3})
        found += part["items"]
        start = part["next"]
    assert found == whole
    assert read(api, f"{path}/positions", query={"from": 7})["items"] == whole[7:]
    for query in ({"from": 8}, {"limit": 0}, {"limit": 501}, {"from": "x"}):
        refused = error(api.get(f"{path}/positions", query=query))
        assert refused == (400, "bad-parameter")


def test_positions_are_kept_until_the_game_changes(api: Api, ada: NewPlayer) -> None:
    path = api.scribed(ada)
    tag = api.get(f"{path}/positions").headers["ETag"]
    assert api.get(f"{path}/positions", If_None_Match=tag).status_code == 304
    play_at_random(api, path, ada, 1)
    assert api.get(f"{path}/positions", If_None_Match=tag).status_code == 200


def test_clocks_stand_in_the_positions(api: Api, ada: NewPlayer, brahim: NewPlayer) -> None:
    path = api.running(ada, brahim, time_control="180+2")
    for by in (ada, brahim, ada):
        play_at_random(api, path, by, 1)
    found = [one["clocks_ms"] for one in read(api, f"{path}/positions")["items"]]
    assert found[0] == [180_000, 180_000]
    noted = [one["clock_ms"] for one in read(api, path)["actions"]]
    assert found[1:] == [[noted[0], 180_000], noted[:2], [noted[2], noted[1]]]


def test_a_hidden_choice_is_in_no_position(api: Api, ada: NewPlayer, brahim: NewPlayer) -> None:
    path = chosen(api, ada, brahim)
    api.play(path, ada, "e2e4")
    for by, known in ((ada, ["f11"]), (brahim, ["d1"]), (None, [])):
        for one in read(api, f"{path}/positions", by)["items"]:
            assert one["marked"] == known
            assert find_dialect("kerd").write_fen(find_dialect("kerd").read_fen(one["fen"]))
        assert read(api, f"{path}/overview", by)["position"]["marked"] == known


def test_an_overview_has_what_the_parts_have(api: Api, ada: NewPlayer) -> None:
    path = api.scribed(ada)
    play_at_random(api, path, ada, 5)
    seen = read(api, f"{path}/overview", ada, ply=3)
    assert seen["game"] == read(api, path, ada)
    assert seen["legal"] == read(api, f"{path}/legal", ada)
    assert seen["position"] == read(api, f"{path}/positions", ada)["items"][3]
    assert (seen["analysis"], seen["novelty"]) == (None, None)
    record = api.get(path, accept=PGN).text
    assert f'[RecordHash "{seen["record_hash"]}"]' in record
    assert f'[RecordSignature "{seen["record_key"]}.' in record
    assert error(api.get(f"{path}/overview", query={"ply": 6})) == (400, "bad-parameter")


def test_an_overview_of_an_ended_game_has_its_analysis_and_its_novelty(
    api: Api, ada: NewPlayer
) -> None:
    path = api.scribed(ada)
    play_at_random(api, path, ada, 2)
    assert api.command(path, ada, "resign", side="first").status_code == 200
    id = path.removeprefix("/games/")
    assert api.post("/analyses", {"game": id}, ada).status_code == 202
    api.project()
    seen = read(api, f"{path}/overview", ada)
    alone = read(api, f"{path}/analysis", ada)
    # The waiting time is as of the request.
    assert seen["analysis"] | {"waiting": None} == alone | {"waiting": None}
    assert seen["novelty"] == read(api, f"{path}/novelty", ada)


def test_an_overview_is_the_same_until_something_in_it_changes(api: Api, ada: NewPlayer) -> None:
    path = api.scribed(ada)
    tag = api.get(f"{path}/overview").headers["ETag"]
    assert api.get(f"{path}/overview", If_None_Match=tag).status_code == 304
    play_at_random(api, path, ada, 1)
    assert api.get(f"{path}/overview", If_None_Match=tag).status_code == 200


def test_legal_actions_say_what_is_refused_for_want_of_strength(api: Api, ada: NewPlayer) -> None:
    fen = "c4/6/i6/8/4h4/4I3/7/6/4C r - 0-0 40"
    path = api.scribed(ada, variant="kerak", fen=fen)
    (refused,) = read(api, f"{path}/legal", ada)["refused"]
    told = read(api, f"{path}/combat", query={"from": refused["from"], "to": refused["to"]})
    assert (told["legal"], told["verdict"]) == (False, refused["verdict"])
    best = told["assaults"][0]
    assert (refused["attack"], refused["defence"]) == (best["attack"], best["defence"])
    assert refused["attack"] < refused["defence"]
    assert read(api, f"{api.scribed(ada)}/legal")["refused"] == []


def test_legal_captures_have_both_strengths(api: Api, ada: NewPlayer) -> None:
    fen = "c4/6/i6/8/4i4/4I3/7/6/4C r - 0-0 40"
    path = api.scribed(ada, variant="kerak", fen=fen)
    legal = read(api, f"{path}/legal", ada)
    (capture,) = legal["captures"]
    told = read(api, f"{path}/combat", query={"from": capture["from"], "to": capture["to"]})
    assert (told["legal"], told["verdict"]) == (True, capture["verdict"])
    assert (capture["attack"], capture["defence"]) == (1, 1)
    assert legal["refused"] == []


def test_only_the_owner_of_a_choice_is_told_of_its_reveal(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = kerd(api, ada, brahim)
    assert read(api, f"{path}/legal")["choosable"].keys() == {"first", "second"}
    for by, square in ((ada, "f11"), (brahim, "d1")):
        assert api.command(path, by, "choose", square=square).status_code == 200
    own, others = (read(api, f"{path}/legal", by)["actions"] for by in (ada, brahim))
    revealed = [one for one in own if one["action"].startswith("R:")]
    assert [one for one in own if one not in revealed] == others


def test_a_line_leaves_a_game(api: Api, ada: NewPlayer) -> None:
    path = api.scribed(ada)
    api.play(path, ada, "Pd1", "Pa7", "Pd2")
    found = read(api, f"{path}/positions", query={"from": 1, "line": "b7a6 Pc4"})
    assert found["next"] is None
    assert [(one["ply"], one["san"]) for one in found["items"]] == [
        (1, None),
        (2, "Pa6"),
        (3, "Pc4"),
    ]
    assert found["items"][0]["fen"] == read(api, f"{path}/positions")["items"][1]["fen"]
    played = api.get("/variants/katruji/position", query={"action": "Pd1 Pa6 Pc4"}).json
    assert played
    assert found["items"][2]["fen"] == played["position"]["fen"]
    refused = error(api.get(f"{path}/positions", query={"from": 1, "line": "Pa6 Pd9"}))
    assert refused == (422, "illegal-move")


def test_a_line_asks_for_no_secret(api: Api, ada: NewPlayer, brahim: NewPlayer) -> None:
    """A line that reveals the infiltrator does not disclose whether it stands on the square."""
    path = chosen(api, ada, brahim)
    query: dict[str, int | str] = {"from": 0, "line": "e2e4"}
    for by in (ada, brahim, None):
        own = read(api, f"{path}/positions", by)["items"][0]["fen"].split()[5]
        line = read(api, f"{path}/positions", by, query=query)["items"]
        assert {one["fen"].split()[5] for one in line} == {own}
