"""The application's routes are exactly the contract's paths and methods."""

from __future__ import annotations

import re
from pathlib import Path

import fakeredis
import pytest
import redis

from service.composition.service import compose
from service.operations.web_app import create_app
from service.settings import Settings, read_settings
from tests.contracts.document import contract, operations, resolve

ASSETS = "/docs/<path:path>"
"""What the documentation page loads, which is not for clients."""
PAGES = ("pages.", "embed.", "static_files.")
"""Prefixes of the endpoints of human-readable pages, which get their content from the API."""


@pytest.fixture
def routes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> set[tuple[str, str]]:
    def fake(url: str, settings: Settings) -> redis.Redis:
        client: redis.Redis = fakeredis.FakeRedis()
        return client

    monkeypatch.setattr("service.composition.service.connect", fake)
    settings = read_settings({"MOVELOG_DATA_DIR": str(tmp_path), "MOVELOG_RATE_LIMIT": ""})
    app = create_app(compose(settings))
    return {
        (re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in app.url_map.iter_rules()
        if not rule.rule.startswith(ASSETS) and not rule.rule.startswith("/docs/dist")
        if not rule.endpoint.startswith(PAGES)
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }


def test_every_route_is_in_the_contract_and_the_other_way_round(
    routes: set[tuple[str, str]],
) -> None:
    assert routes == set(operations())


@pytest.mark.parametrize("place", operations(), ids=" ".join)
def test_an_operation_is_described(place: tuple[str, str]) -> None:
    path, _ = place
    operation = operations()[place]
    assert operation["summary"]
    assert operation["tags"][0] in {tag["name"] for tag in contract()["tags"]}
    declared = contract()["paths"][path].get("parameters", [])
    in_path = {p["name"] for p in map(resolve, declared) if p["in"] == "path"}
    assert in_path == set(re.findall(r"{(\w+)}", path))


def test_names_of_operations_are_unique() -> None:
    names = [operation["operationId"] for operation in operations().values()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("place", operations(), ids=" ".join)
def test_an_unchanged_answer_has_the_tag_of_the_whole_one(place: tuple[str, str]) -> None:
    answers = operations()[place]["responses"]
    tags = [
        resolve(headers["ETag"])
        for status in ("200", "304")
        if "ETag" in (headers := resolve(answers.get(status, {})).get("headers", {}))
    ]
    assert all(tag["schema"] == tags[0]["schema"] for tag in tags)
    assert all("pattern" in tag["schema"] for tag in tags)
