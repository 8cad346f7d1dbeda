"""The service reads requests as the contract describes them."""

from __future__ import annotations

import re

import fakeredis
import pytest
import redis
from flask import Flask
from marshmallow import Schema

from engine.registry import VARIANTS
from service.api import request_data
from service.api.errors import BadParameter
from service.api.schemas import actions, commands, exports, games, players, tournaments, webhooks
from service.api.schemas.analyses import LimitsSchema, NewAnalysisSchema
from service.api.schemas.fields import RESULTS
from service.api.schemas.puzzles import AttemptSchema
from service.api.schemas.queries import QuerySchema
from service.composition.service import compose
from service.operations.web_app import create_app
from service.player.scopes import SCOPES
from service.settings import Settings, read_settings
from tests.contracts.document import Node, codes_of, contract, operations, resolve, schema
from tests.contracts.reading import described, differences, plain, read_body, read_query

PAIRS: dict[str, type[Schema]] = {
    "NewGame": games.NewGameSchema,
    "Seat": games.SeatSchema,
    "NewAction": actions.ActionSchema,
    "Annotation": actions.AnnotationSchema,
    "NewPlayer": players.NewPlayerSchema,
    "Merge": players.MergeSchema,
    "NewToken": players.NewTokenSchema,
    "NewWebhook": webhooks.NewWebhookSchema,
    "ExportWish": exports.ExportSchema,
    "NewAnalysis": NewAnalysisSchema,
    "AnalysisLimits": LimitsSchema,
    "NewTournament": tournaments.NewTournamentSchema,
    "NewAttempt": AttemptSchema,
}
COMMANDS: list[Node] = [resolve(branch) for branch in schema("Command")["oneOf"]]
TOURNAMENT_COMMANDS = [resolve(branch) for branch in schema("TournamentCommand")["oneOf"]]
IDS = {"id": "a" * 16, "player": "b" * 16, "other": "c" * 16, "token": "0" * 16, "round": "1"}
IDS |= {"variant": "kerd", "puzzle": "0" * 10}


def types(node: Node) -> list[str]:
    named = node["properties"]["type"]
    return [named["const"]] if "const" in named else list(named["enum"])


@pytest.mark.parametrize("name", PAIRS)
def test_a_body_has_the_fields_of_the_contract(name: str) -> None:
    assert schema(name)["additionalProperties"] is False
    assert list(differences(plain(schema(name)), read_body(PAIRS[name]()))) == []


def test_a_line_of_actions_has_the_fields_of_the_contract() -> None:
    body = operations()["/api/v1/actions", "post"]["requestBody"]["content"]
    told = body["application/x-ndjson"]["schema"]["contentSchema"]
    assert told["additionalProperties"] is False
    assert list(differences(plain(told), read_body(actions.ActionLineSchema()))) == []


@pytest.mark.parametrize("branch", COMMANDS, ids=lambda branch: "-".join(types(branch)))
def test_a_command_has_the_fields_of_the_contract(branch: Node) -> None:
    assert_read(branch, {type: found[0] for type, found in commands.COMMANDS.items()})


@pytest.mark.parametrize("branch", TOURNAMENT_COMMANDS, ids=lambda branch: "-".join(types(branch)))
def test_a_command_on_a_tournament_has_the_fields_of_the_contract(branch: Node) -> None:
    assert_read(branch, {type: found[0] for type, found in tournaments.COMMANDS.items()})


def assert_read(branch: Node, schemas_of: dict[str, type[commands.CommandSchema]]) -> None:
    for type in types(branch):
        told, read = plain(branch), read_body(schemas_of[type]())
        # The type has already selected the schema.
        del told["properties"]["type"], read["properties"]["type"]
        assert list(differences(told, read)) == []


def test_every_command_is_in_the_contract_once() -> None:
    described = [type for branch in COMMANDS for type in types(branch)]
    assert sorted(described) == sorted(commands.COMMANDS)
    described = [type for branch in TOURNAMENT_COMMANDS for type in types(branch)]
    assert sorted(described) == sorted(tournaments.COMMANDS)


def test_what_can_be_named_is_in_the_contract() -> None:
    assert sorted(schema("Variant")["enum"]) == sorted(VARIANTS)
    assert schema("Scope")["enum"] == list(SCOPES)
    assert schema("Result")["enum"] == list(RESULTS)


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory) -> tuple[Flask, str]:
    """The application on an empty store, and a token with every scope."""

    def fake(url: str, settings: Settings) -> redis.Redis:
        client: redis.Redis = fakeredis.FakeRedis()
        return client

    folder = tmp_path_factory.mktemp("data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("service.composition.service.connect", fake)
        settings = read_settings({"MOVELOG_DATA_DIR": str(folder), "MOVELOG_RATE_LIMIT": ""})
        service = compose(settings)
    official = service.players.register("Ann", None, scopes=SCOPES)
    return create_app(service), official.token.secret


def query_of(path: str, operation: Node) -> dict[str, Node]:
    """The query parameters of an operation according to the contract."""
    listed = [*contract()["paths"][path].get("parameters", ()), *operation.get("parameters", ())]
    found = map(resolve, listed)
    return {one["name"]: described(one) for one in found if one["in"] == "query"}


def refuses_parameters(path: str, method: str) -> bool:
    """Whether an operation refuses parameters that it does not have, according to the contract."""
    return "bad-parameter" in codes_of(operations()[path, method], "400")


WITH_PARAMETERS = [
    (path, method) for (path, method), one in operations().items() if query_of(path, one)
]


@pytest.mark.parametrize(("path", "method"), operations(), ids=" ".join)
def test_a_query_has_the_parameters_of_the_contract(
    path: str,
    method: str,
    application: tuple[Flask, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The schema with which each operation reads its query matches the contract."""
    app, token = application
    used: list[Schema] = []

    def catch(schema: Schema | None = None) -> None:
        used.append(schema or QuerySchema())
        raise BadParameter("caught", "for a test")

    monkeypatch.setattr(request_data, "read_query", catch)
    where = re.sub(r"{(\w+)}", lambda name: IDS[name[1]], path)
    app.test_client().open(
        where,
        method=method.upper(),
        query_string={"unknown": "1"},
        headers={"Authorization": f"Bearer {token}"},
    )
    assert bool(used) == refuses_parameters(path, method)
    if used:
        told = query_of(path, operations()[path, method])
        assert list(differences(told, read_query(used[0]))) == []


def test_every_operation_of_the_api_refuses_unknown_parameters() -> None:
    assert {path for path, method in operations() if not refuses_parameters(path, method)} == {
        "/docs/",
        "/healthz",
        "/metrics",
        "/openapi.yaml",
        "/readyz",
    }


def test_operations_with_parameters_are_compared() -> None:
    assert len(WITH_PARAMETERS) > 25
