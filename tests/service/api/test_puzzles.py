"""Puzzles over HTTP: found, tried and solved, with nothing given away before it is asked for."""

from __future__ import annotations

from typing import Any

import pytest

from engine.registry import VARIANTS
from service.player.repository import NewPlayer
from service.projection.puzzles.puzzles import write_collection
from service.puzzles.collection import load_collection
from service.puzzles.found.commands import RecordPuzzles
from service.puzzles.themes import THEMES
from tests.service.api.client import Api, error
from tests.service.puzzles.planted import PLANTED, PLY, find_planted, play_planted
from tests.service.puzzles.solvers import find_own, find_wrong, list_long, list_with

GAME = "g" * 16
FIRST = list_long()[0]


@pytest.fixture
def api(api: Api) -> Api:
    """An application with the puzzles that come with the service."""
    write_collection(api.service.database)
    return api


def read(api: Api, path: str, **query: str) -> Any:
    answer = api.get(path, query=query)
    assert answer.status_code == 200, answer.text
    return answer.json


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_puzzle_is_solved_action_by_action(api: Api, variant: str) -> None:
    puzzle = max(load_collection().list_puzzles(variant), key=lambda one: len(one.line))
    shown = read(api, f"/puzzles/{puzzle.id}")
    assert (shown["id"], shown["fen"], shown["variant"]) == (puzzle.id, puzzle.fen, variant)
    solution = read(api, f"/puzzles/{puzzle.id}/solution")
    line, game = solution.pop("line"), solution.pop("game")
    assert game is None
    assert solution == shown
    assert [one["action"] for one in line] == [*puzzle.line]
    assert [one["ply"] for one in line] == [*range(1, len(line) + 1)]
    own = [one["action"] for one in line if one["side"] == shown["side"]]
    for count in range(len(own) + 1):
        found = read(api, f"/puzzles/{puzzle.id}/position", actions=" ".join(own[:count]))
        assert found["standing"] == ("solved" if count == len(own) else "open")
        assert found["played"] == line[: len(found["played"])]
        assert found["wrong"] is None
        assert bool(found["actions"]) is (count < len(own))
    assert found["played"] == line


def test_a_puzzle_does_not_tell_what_solves_it(api: Api) -> None:
    puzzle = max(load_collection().list_puzzles("katruji"), key=lambda one: len(one.line))
    assert "line" not in read(api, f"/puzzles/{puzzle.id}")
    assert read(api, f"/puzzles/{puzzle.id}/position")["played"] == []


def test_a_wrong_action_is_named_and_taken_back(api: Api) -> None:
    puzzle = list_with("katruji", "advantage")[0]
    before = read(api, f"/puzzles/{puzzle.id}/position")
    wrong = next(one for one in before["actions"] if one["action"] != puzzle.line[0])
    found = read(api, f"/puzzles/{puzzle.id}/position", actions=wrong["action"])
    assert (found["standing"], found["wrong"]) == ("wrong", wrong["san"])
    assert found["position"] == before["position"]
    assert found["actions"] == before["actions"]


def test_lists_are_filtered_and_paged(api: Api) -> None:
    theme = "quiet"
    expected = [one.id for one in list_with("kerak", theme)]
    found: list[str] = []
    while True:
        after = {"after": found[-1]} if found else {}
        page = read(api, "/puzzles", variant="kerak", theme=theme, limit="7", **after)["items"]
        found += [one["id"] for one in page]
        assert all(theme in one["themes"] and one["variant"] == "kerak" for one in page)
        if len(page) < 7:
            break
    assert found == expected
    following = read(api, "/puzzles/next", variant="kerak", theme=theme, after=expected[-1])
    assert following["id"] == expected[0]


def test_the_puzzle_of_the_day_is_one_of_the_game(api: Api) -> None:
    for variant in VARIANTS:
        daily = read(api, "/puzzles/daily", variant=variant)
        assert daily["variant"] == variant
        assert daily == read(api, "/puzzles/daily", variant=variant)
        assert {**read(api, f"/puzzles/{daily['id']}"), "day": daily["day"]} == daily


def test_themes_are_counted(api: Api) -> None:
    for one in read(api, "/puzzles/themes")["items"]:
        assert one["theme"] in THEMES
        fitting = list_with(one["variant"], one["theme"])
        assert len(fitting) == one["puzzles"] > 0


@pytest.mark.parametrize(
    ("path", "query", "refused"),
    [
        ("/puzzles", {"variant": "chess"}, (400, "bad-parameter")),
        ("/puzzles", {"theme": "../etc"}, (400, "bad-parameter")),
        ("/puzzles", {"after": "x" * 10}, (400, "bad-parameter")),
        ("/puzzles", {"limit": "0"}, (400, "bad-parameter")),
        ("/puzzles", {"other": "1"}, (400, "bad-parameter")),
        ("/puzzles/themes", {"other": "1"}, (400, "bad-parameter")),
        ("/puzzles/next", {"variant": "katruji", "theme": "mate"}, (404, "no-puzzle")),
        ("/puzzles/daily", {"theme": "mate"}, (400, "bad-parameter")),
        ("/puzzles/0000000000", {}, (404, "not-found")),
        (f"/puzzles/{FIRST.id}", {"other": "1"}, (400, "bad-parameter")),
        (f"/puzzles/{FIRST.id}/solution", {"other": "1"}, (400, "bad-parameter")),
        ("/puzzles/..%2f..%2fetc", {}, (404, "no-such-path")),
        ("/puzzles/0000000000/position", {}, (404, "not-found")),
        ("/puzzles/0000000000/solution", {}, (404, "not-found")),
    ],
)
def test_what_is_not_there_is_refused(
    api: Api, path: str, query: dict[str, str], refused: tuple[int, str]
) -> None:
    assert error(api.get(path, query=query)) == refused


@pytest.mark.parametrize(
    ("actions", "refused"),
    [
        ("nonsense", (422, "illegal-move")),
        ("\x00", (422, "illegal-move")),
        ("<script>", (422, "illegal-move")),
        ("a1" * 101, (400, "bad-parameter")),
    ],
)
def test_actions_that_are_none_are_refused(
    api: Api, actions: str, refused: tuple[int, str]
) -> None:
    puzzle = next(load_collection().list_puzzles("katruji"))
    answer = api.get(f"/puzzles/{puzzle.id}/position", query={"actions": actions})
    assert error(answer) == refused


def test_the_game_of_a_found_puzzle_is_told_when_that_gives_nothing_away(
    api: Api, ada: NewPlayer
) -> None:
    play_planted(api.service.games, GAME)
    command = RecordPuzzles(analysis="a", variant="katruji", puzzles=(find_planted(),), most=3)
    api.service.found_puzzles.record(GAME, command)
    api.project()
    path, own = f"/puzzles/{PLANTED.id}", find_own(PLANTED)
    listed = read(api, "/puzzles", variant="katruji", limit="200")["items"]
    assert PLANTED.id in [one["id"] for one in listed]
    assert read(api, path).keys() == read(api, f"/puzzles/{FIRST.id}").keys()
    # Strangers see the game once they have solved the puzzle or looked at the solution.
    assert read(api, f"{path}/position")["game"] is None
    assert read(api, f"{path}/position", actions=own[0])["game"] is None
    told = {"id": GAME, "ply": PLY}
    assert read(api, f"{path}/position", actions=" ".join(own))["game"] == told
    assert read(api, f"{path}/solution")["game"] == told
    # A player sees it once the attempt is over, even by a wrong action.
    assert error(api.get(f"{path}/solution", ada)) == (409, "attempt-open")
    for action, expected in ((own[0], ("open", None)), (find_wrong(PLANTED), ("wrong", told))):
        tried: Any = api.post(f"{path}/attempts", {"actions": [action]}, ada).json
        assert (tried["standing"], tried["game"]) == expected
    again: Any = api.get(f"{path}/position", ada).json
    assert again["game"] == told


def test_a_puzzle_that_comes_with_the_service_is_from_no_game(api: Api) -> None:
    own = " ".join(find_own(FIRST))
    assert read(api, f"/puzzles/{FIRST.id}/position", actions=own)["game"] is None
    assert read(api, f"/puzzles/{FIRST.id}/solution")["game"] is None
