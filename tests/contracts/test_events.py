"""The events of games and tournaments are stored as the contract says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator

import service.game.events
import service.tournament.events
from service.log.values import Event
from tests.contracts.document import Node, contract, resolve, schema

WRONG: dict[str, list[dict[str, str]]] = {"nothing": [{}]}
"""A value that no member of an event can have."""
EVENTS: dict[str, Mapping[str, type[Event]]] = {
    "Event": service.game.events.EVENTS,
    "TournamentEvent": service.tournament.events.EVENTS,
}
"""The stored names and classes of events, by the name of their schema."""
EACH = [(kind, name) for kind, known in EVENTS.items() for name in known]
FORMS = Path(__file__).parents[1] / "data" / "events"


def branches(kind: str) -> dict[str, Node]:
    """The schema of `data` by event type."""
    found: dict[str, Node] = {}
    for branch in schema(kind)["allOf"][-1]["oneOf"]:
        named = branch["properties"]["type"]
        for type in named.get("enum", [named.get("const")]):
            found[type] = branch["properties"]["data"]
    return found


def validator(described: Node) -> Draft202012Validator:
    """A validator for a schema, with the contract's components to refer to."""
    return Draft202012Validator({**described, "components": contract()["components"]})


def stored(name: str) -> list[dict[str, Any]]:
    """The data of an event in every form that was ever stored."""
    file = FORMS / f"{name.replace('/', '.')}.json"
    return [json.loads(each["stored"]) for each in json.loads(file.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("kind", EVENTS)
def test_every_event_is_in_the_contract(kind: str) -> None:
    assert set(branches(kind)) == set(EVENTS[kind])


@pytest.mark.parametrize(("kind", "name"), EACH)
def test_an_event_has_the_members_of_the_contract(kind: str, name: str) -> None:
    described = resolve(branches(kind)[name])
    event = EVENTS[kind][name]
    found = [field for field in fields(event) if field.name not in event.private]
    assert set(described.get("properties", ())) == {each.name for each in found}
    needed = {e.name for e in found if e.default is MISSING and e.default_factory is MISSING}
    assert set(described.get("required", ())) == needed


@pytest.mark.parametrize(("kind", "name"), EACH)
def test_what_is_stored_is_what_the_contract_says(kind: str, name: str) -> None:
    judge = validator(schema(kind))
    head = {"version": 1, "type": name, "at": "2030-01-31T12:00:00.000+00:00", "by": "b" * 16}
    head |= {"previous": "0" * 64, "stream": "tournament:" + "t" * 16}
    for data in stored(name):
        judge.validate({**head, "data": data})
        for member in data:
            assert not judge.is_valid({**head, "data": {**data, member: WRONG}})
