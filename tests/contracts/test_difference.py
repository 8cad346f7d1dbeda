"""What the comparison of two contracts reports, and what it ignores."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.contracts.difference import compare, main
from tests.contracts.document import Node, contract

GAMES = "/api/v1/games"
PLAYERS = "/api/v1/players"


def changed(change: Callable[[Node], object]) -> list[str]:
    new = copy.deepcopy(contract())
    change(new)
    return compare(contract(), new)


def query(document: Node, name: str) -> Node:
    listed: list[Node] = document["paths"][GAMES]["get"]["parameters"]
    return next(parameter for parameter in listed if parameter.get("name") == name)


SEEN: dict[str, Callable[[Node], object]] = {
    "GET /api/v1/games / parameters / query limit / schema / maximum: 200 -> 100": (
        lambda new: query(new, "limit")["schema"].update(maximum=100)
    ),
    "GET /api/v1/games / parameters / query status: gone": (
        lambda new: new["paths"][GAMES]["get"]["parameters"].remove(
            {"$ref": "#/components/parameters/WithStatus"}
        )
    ),
    "POST /api/v1/games / responses / 422: gone": (
        lambda new: new["paths"][GAMES]["post"]["responses"].pop("422")
    ),
    "POST /api/v1/games / requestBody / content / application/json / schema / required": (
        lambda new: new["components"]["schemas"]["NewGame"]["required"].append("mode")
    ),
    "POST /api/v1/games / security": lambda new: new["paths"][GAMES]["post"].pop("security"),
    "GET /api/v1/games: gone": lambda new: new["paths"][GAMES].pop("get"),
    "Problem / required": (
        lambda new: new["components"]["schemas"]["Problem"]["required"].remove("detail")
    ),
}


@pytest.mark.parametrize("line", SEEN)
def test_a_difference_for_clients_is_told(line: str) -> None:
    assert any(told.startswith(line) for told in changed(SEEN[line]))


def move_schema(new: Node) -> None:
    """Inline a page's schema, with another description."""
    content = new["paths"][PLAYERS]["get"]["responses"]["200"]["content"]
    content["application/json"]["schema"] = {
        **new["components"]["schemas"].pop("PlayerPage"),
        "description": "Players.",
    }


def test_texts_and_the_places_of_schemas_make_no_difference() -> None:
    assert changed(move_schema) == []
    assert changed(lambda new: new["info"].update(description="Other words.")) == []


def test_the_command_prints_the_differences_of_two_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = tmp_path / "old.yaml", tmp_path / "new.yaml"
    files[0].write_text("paths: {}")
    files[1].write_text("paths: {/: {get: {responses: {}}}}")
    assert main(str(files[0]), str(files[0])) == 0
    assert main(str(files[0]), str(files[1])) == 1
    assert capsys.readouterr().out.startswith("no difference\nGET /: new:")
