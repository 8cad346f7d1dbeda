"""What the contract says of a tournament's events is what is stored."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator

from service.tournament.events import EVENTS
from tests.contracts.document import Node, contract, resolve, schema

WRONG: dict[str, list[dict[str, str]]] = {"nothing": [{}]}
"""What no member of an event can be."""
FORMS = Path(__file__).parents[1] / "data" / "events"


def branches() -> dict[str, Node]:
    """What `data` is, by the type of the event."""
    found: dict[str, Node] = {}
    for branch in schema("TournamentEvent")["allOf"][-1]["oneOf"]:
        named = branch["properties"]["type"]
        for type in named.get("enum", [named.get("const")]):
            found[type] = branch["properties"]["data"]
    return found


def validator(described: Node) -> Draft202012Validator:
    """Of a schema that may refer to others."""
    return Draft202012Validator({**described, "components": contract()["components"]})


def stored(name: str) -> list[dict[str, Any]]:
    """The data of an event as it was ever stored."""
    file = FORMS / f"{name.replace('/', '.')}.json"
    return [json.loads(each["stored"]) for each in json.loads(file.read_text(encoding="utf-8"))]


def test_every_event_is_in_the_contract() -> None:
    assert set(branches()) == set(EVENTS)


@pytest.mark.parametrize("name", EVENTS)
def test_an_event_has_the_members_of_the_contract(name: str) -> None:
    described = resolve(branches()[name])
    found = fields(EVENTS[name])
    assert set(described.get("properties", ())) == {each.name for each in found}
    needed = {e.name for e in found if e.default is MISSING and e.default_factory is MISSING}
    assert set(described.get("required", ())) == needed


@pytest.mark.parametrize("name", EVENTS)
def test_what_is_stored_is_what_the_contract_says(name: str) -> None:
    judge = validator(schema("TournamentEvent"))
    head = {"version": 1, "type": name, "at": "2030-01-31T12:00:00.000+00:00", "by": "b" * 16}
    head |= {"previous": "0" * 64, "stream": "tournament:" + "t" * 16}
    for data in stored(name):
        judge.validate({**head, "data": data})
        for member in data:
            assert not judge.is_valid({**head, "data": {**data, member: WRONG}})
