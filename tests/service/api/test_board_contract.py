"""What the API sends to boards conforms to the contract."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator

from service.player.repository import NewPlayer
from tests.contracts.document import contract
from tests.service.api.client import Api
from tests.service.api.live import read_messages
from tests.service.api.test_game_boards import play_at_random, read


def check(described: dict[str, Any], value: object) -> None:
    """Validate a value against a schema that may refer to others."""
    validator = Draft202012Validator({**described, "components": contract()["components"]})
    assert [error.message for error in validator.iter_errors(value)] == []


def answer_of(path: str) -> dict[str, Any]:
    """The schema of an operation's JSON answer."""
    content = contract()["paths"][path]["get"]["responses"]["200"]["content"]
    found: dict[str, Any] = content["application/json"]["schema"]
    return found


@pytest.mark.parametrize("variant", ["katruji", "kerak", "kerd"])
def test_answers_are_as_the_contract_says(api: Api, ada: NewPlayer, variant: str) -> None:
    wish = {"infiltrators": "none"} if variant == "kerd" else {}
    path = api.scribed(ada, variant=variant, **wish)
    play_at_random(api, path, ada, 6)
    for part in ("positions", "overview", "legal"):
        check(answer_of(f"/api/v1/games/{{id}}/{part}"), read(api, f"{path}/{part}", ada))
    for part in ("board", "position"):
        told = read(api, f"/variants/{variant}/{part}")
        check(answer_of(f"/api/v1/variants/{{variant}}/{part}"), told)
    stream = contract()["paths"]["/api/v1/games/{id}/stream"]["get"]["responses"]["200"]
    message = stream["content"]["text/event-stream"]["schema"]["else"]["else"]["else"]["then"]
    query = {"view": "board", "until": "caught_up"}
    told = read_messages(api.get(f"{path}/stream", ada, query=query))[0].data
    check(message["properties"]["data"]["contentSchema"], json.loads(json.dumps(told)))
