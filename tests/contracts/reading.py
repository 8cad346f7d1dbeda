"""What the service reads: marshmallow schemas, which apispec converts to the contract's form."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from marshmallow import Schema, fields

from tests.contracts.document import Node, resolve

TEXTS: Final = {"description", "example", "examples", "title"}
ANYTHING: Final[Node] = {"type": []}
NAMES: Final = {str: "string", int: "integer", bool: "boolean", type(None): "null"}


def no_name(schema: Any) -> str:
    """Leave nested schemas unnamed, so that apispec inlines them."""
    return ""


PLUGIN: Final = MarshmallowPlugin(schema_name_resolver=no_name)
SPEC: Final = APISpec("Movelog", "1", "3.1.0", plugins=[PLUGIN])


def property_names(_: Any, field: fields.Field[Any], **given: Any) -> Node:
    """The schema of a mapping's keys, which apispec omits."""
    if not isinstance(field, fields.Dict) or field.key_field is None:
        return {}
    return {"propertyNames": CONVERTER.field2property(field.key_field)}


CONVERTER: Any = PLUGIN.converter
CONVERTER.add_attribute_function(property_names)


def read_body(schema: Schema) -> Node:
    """The JSON schema of a body."""
    return plain(as_json(CONVERTER.schema2jsonschema(schema)))


def read_query(schema: Schema) -> dict[str, Node]:
    """The schema of each query parameter by name, with whether it is required."""
    found = CONVERTER.schema2parameters(schema, location="query")
    return {one["name"]: described(as_json(one)) for one in found}


def as_json(value: Any) -> Node:
    """The value after a JSON round trip, in which enum members become text."""
    read: Node = json.loads(json.dumps(value))
    return read


def described(parameter: Node) -> Node:
    """A parameter of the contract or of marshmallow, normalized."""
    return plain(parameter["schema"]) | {"needed": parameter.get("required", False)}


def plain(node: Node) -> Node:
    """A schema without texts, references and redundant keywords."""
    node = resolve(node) | {key: value for key, value in node.items() if key != "$ref"}
    for part in node.pop("allOf", ()):
        node = plain(part) | node
    node = {key: value for key, value in node.items() if key not in TEXTS}
    if "const" in node:
        node["enum"] = [node.pop("const")]
    branches = [plain(branch) for branch in node.get("anyOf", ())]
    if branches and all("enum" in one or one == {"type": ["null"]} for one in branches):
        # An enum, another enum, or null.
        node["enum"] = [value for one in branches for value in one.get("enum", [None])]
        del node["anyOf"]
    if "enum" in node and "not" in node:
        excluded = plain(node.pop("not"))["enum"]
        node["enum"] = [value for value in node["enum"] if value not in excluded]
    if "enum" in node:
        node = {key: value for key, value in node.items() if key not in ("minLength", "maxLength")}
        node["enum"] = sorted(node["enum"], key=str)
        node["type"] = [NAMES[type(value)] for value in node["enum"]]
    types = node.get("type", ())
    node["type"] = sorted({types} if isinstance(types, str) else set(types))
    if node.get("default", 0) is None:
        del node["default"]
    if "pattern" in node:
        node["pattern"] = node["pattern"].replace("\\Z", "$").removeprefix("^").removesuffix("$")
    if "propertyNames" in node:
        names = plain(node["propertyNames"])
        node["propertyNames"] = {key: names[key] for key in names if key != "type"}
    for key in ("items", "additionalProperties"):
        if isinstance(node.get(key), dict):
            node[key] = plain(node[key])
    if node.get("additionalProperties") in (ANYTHING, True):
        del node["additionalProperties"]
    if "properties" in node:
        node["properties"] = {name: plain(one) for name, one in node["properties"].items()}
        node["required"] = sorted(node.get("required", ()))
    return node


def differences(described: Any, read: Any, place: str = "") -> Iterator[str]:
    """Yield a line for each difference between the contract and what the service reads."""
    if isinstance(described, dict) and isinstance(read, dict):
        for key in sorted(described.keys() | read.keys()):
            yield from differences(described.get(key), read.get(key), f"{place} {key}".strip())
    elif described != read:
        yield f"{place}: the contract has {described}, the service reads {read}"
