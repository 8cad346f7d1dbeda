"""What the service reads from requests is what the contract says."""

from __future__ import annotations

from typing import Any

import pytest
from marshmallow import Schema, fields

from engine.registry import VARIANTS
from service.api import schemas, tournament_schemas
from service.api.analysis_schemas import LimitsSchema, NewAnalysisSchema
from service.player.scopes import SCOPES
from tests.contracts.document import Node, resolve, schema

PAIRS: dict[str, type[Schema]] = {
    "NewGame": schemas.NewGameSchema,
    "Seat": schemas.SeatSchema,
    "NewAction": schemas.ActionSchema,
    "Annotation": schemas.AnnotationSchema,
    "NewPlayer": schemas.NewPlayerSchema,
    "Rename": schemas.RenameSchema,
    "Merge": schemas.MergeSchema,
    "NewToken": schemas.NewTokenSchema,
    "NewWebhook": schemas.NewWebhookSchema,
    "ExportWish": schemas.ExportSchema,
    "NewAnalysis": NewAnalysisSchema,
    "AnalysisLimits": LimitsSchema,
    "NewTournament": tournament_schemas.NewTournamentSchema,
}
COMMANDS: list[Node] = [resolve(branch) for branch in schema("Command")["oneOf"]]
TOURNAMENT_COMMANDS = [resolve(branch) for branch in schema("TournamentCommand")["oneOf"]]


def types(node: Node) -> list[str]:
    named = node["properties"]["type"]
    return [named["const"]] if "const" in named else list(named["enum"])


def admits_null(node: Node) -> bool:
    node = resolve(node)
    if "allOf" in node:
        return all(admits_null(part) for part in node["allOf"])
    return "null" in node.get("type", ()) or None in node.get("enum", ())


def assert_agree(described: Node, read: Schema) -> None:
    properties = described["properties"]
    assert described["additionalProperties"] is False
    assert set(properties) == set(read.fields)
    assert set(described.get("required", ())) == {
        name for name, field in read.fields.items() if field.required
    }
    for name, field in read.fields.items():
        assert_same(resolve(properties[name]), field, name)


def assert_same(described: Node, field: fields.Field[Any], name: str) -> None:
    assert admits_null(described) == field.allow_none, name
    if isinstance(field, fields.Nested):
        assert_agree(described, field.schema)
    for validator in field.validators:
        for ours, theirs in (("max", "maxLength"), ("max", "maxItems")):
            if hasattr(validator, ours) and theirs in described:
                assert getattr(validator, ours) == described[theirs], name
        choices = getattr(validator, "choices", None)
        if choices is not None:
            listed = [value for value in described["enum"] if value is not None]
            assert sorted(choices) == sorted(listed), name


@pytest.mark.parametrize("name", PAIRS)
def test_a_body_has_the_fields_of_the_contract(name: str) -> None:
    assert_agree(schema(name), PAIRS[name]())


@pytest.mark.parametrize("branch", COMMANDS, ids=lambda branch: "-".join(types(branch)))
def test_a_command_has_the_fields_of_the_contract(branch: Node) -> None:
    assert_read(branch, {type: found[0] for type, found in schemas.COMMANDS.items()})


@pytest.mark.parametrize("branch", TOURNAMENT_COMMANDS, ids=lambda branch: "-".join(types(branch)))
def test_a_command_on_a_tournament_has_the_fields_of_the_contract(branch: Node) -> None:
    assert_read(branch, {type: found[0] for type, found in tournament_schemas.COMMANDS.items()})


def assert_read(branch: Node, schemas_of: dict[str, type[schemas.CommandSchema]]) -> None:
    for type in types(branch):
        described = branch | {
            "properties": {k: v for k, v in branch["properties"].items() if k != "type"}
        }
        read = schemas_of[type](exclude=["type"])
        described["required"] = [name for name in branch["required"] if name != "type"]
        assert_agree(described, read)


def test_every_command_is_in_the_contract_once() -> None:
    described = [type for branch in COMMANDS for type in types(branch)]
    assert sorted(described) == sorted(schemas.COMMANDS)
    described = [type for branch in TOURNAMENT_COMMANDS for type in types(branch)]
    assert sorted(described) == sorted(tournament_schemas.COMMANDS)


def test_what_can_be_named_is_in_the_contract() -> None:
    assert sorted(schema("Variant")["enum"]) == sorted(VARIANTS)
    assert schema("Scope")["enum"] == list(SCOPES)
    assert schema("Result")["enum"] == list(schemas.RESULTS)
