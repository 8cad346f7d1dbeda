"""The contract describes every operation, parameter and field."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.contracts.document import Node, contract, operations, resolve

SCHEMAS: dict[str, Node] = contract()["components"]["schemas"]


def is_described(node: Node) -> bool:
    """Whether the schema, its target or one of its `allOf` parts has a description."""
    if node.get("description") or "const" in node:
        return True
    return ("$ref" in node and is_described(resolve(node))) or any(
        is_described(part) for part in node.get("allOf", ())
    )


def fields(node: Node, place: str) -> Iterator[tuple[str, Node]]:
    """Yield the fields of a schema and of the schemas nested in it, each with its place."""
    for name, field in node.get("properties", {}).items():
        yield f"{place}.{name}", field
        yield from fields(field, f"{place}.{name}")
    for key in ("items", "additionalProperties"):
        if isinstance(node.get(key), dict):
            yield from fields(node[key], f"{place}[]")
    for key in ("allOf", "oneOf", "anyOf"):
        for part in node.get(key, ()):
            yield from fields(part, place)


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_and_its_fields_are_described(name: str) -> None:
    found = fields(SCHEMAS[name], name)
    assert SCHEMAS[name].get("description"), "the schema has no description"
    # An event's type only selects the form of its data.
    assert [
        place
        for place, field in found
        if not is_described(field) and not place.endswith("Event.type")
    ] == []


@pytest.mark.parametrize("place", operations(), ids=" ".join)
def test_an_operation_and_its_parameters_are_described(place: tuple[str, str]) -> None:
    path, _ = place
    operation = operations()[place]
    listed = [*contract()["paths"][path].get("parameters", ()), *operation.get("parameters", ())]
    found = map(resolve, listed)
    assert operation.get("description")
    assert [
        one["name"]
        for one in found
        if not one.get("description") and not is_described(one["schema"])
    ] == []
