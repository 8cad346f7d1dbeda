"""Errors in single fields are reported in the reader's language."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import Any

import pytest
from marshmallow import Schema
from marshmallow.fields import Field

from engine.phrase import Phrase
from service.api import schemas
from service.api.field_messages import recognise_messages
from service.player.names.name_policy import MAX_NAME
from service.player.repository import NewPlayer
from tests.service.api.client import Api


def list_fields() -> list[Field[Any]]:
    """Every field of every schema of the API."""
    found: list[Field[Any]] = []
    for module in pkgutil.iter_modules(schemas.__path__):
        for member in vars(import_module(f"{schemas.__name__}.{module.name}")).values():
            if isinstance(member, type) and issubclass(member, Schema):
                found += member().fields.values()
    return found


def test_every_message_of_a_field_is_known() -> None:
    said = {message for one in list_fields() for message in one.error_messages.values() if message}
    assert len(said) > 10
    assert [one for one in said if not isinstance(recognise_messages(one), Phrase)] == []


@pytest.mark.parametrize(
    ("body", "errors"),
    [
        ({}, {"variant": ["Dieses Feld muss ausgefüllt sein."]}),
        ({"variant": "kerak", "x": 1}, {"x": ["Dieses Feld gibt es nicht."]}),
        ({"variant": 1}, {"variant": ["Kein gültiger Text."]}),
        (
            {"variant": "kerak", "side": "third"},
            {"side": ["Muss eines von diesen sein: first, second, random."]},
        ),
        ({"variant": "kerak", "rated": 3}, {"rated": ["Weder true noch false."]}),
        (
            {"variant": "kerak", "opponent_name": 300 * "x"},
            {"opponent_name": [f"1 bis {MAX_NAME} Zeichen."]},
        ),
    ],
)
def test_the_errors_of_a_form_are_german(
    api: Api, ada: NewPlayer, body: dict[str, Any], errors: Any
) -> None:
    headers = {"Authorization": f"Bearer {ada.token.secret}", "Accept-Language": "de"}
    answer = api.http.post("/api/v1/games", json=body, headers=headers)
    assert answer.json
    assert answer.json["errors"] == errors


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("limit=0", "limit: eine ganze Zahl von 1 bis 200"),
        ("since=x", "since: ein Tag wie 1999.12.31 oder 1999-12-31"),
        ("variant=x", "variant: eines von katruji, kerak, kerd, kerd-draft"),
    ],
)
def test_the_refusal_of_a_query_is_german(api: Api, query: str, reason: str) -> None:
    answer = api.http.get(f"/api/v1/games?{query}", headers={"Accept-Language": "de"})
    assert answer.json
    assert answer.json["detail"] == reason
