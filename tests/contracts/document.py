"""`openapi.yaml` as data."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

FILE = Path(__file__).parents[2] / "openapi.yaml"
METHODS = {"get", "put", "post", "patch", "delete", "head", "options", "trace"}

Node = dict[str, Any]


@cache
def contract() -> Node:
    """The whole document, parsed once."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast where it is built
    document: Node = yaml.load(FILE.read_text(encoding="utf-8"), loader)
    return document


def schema(name: str) -> Node:
    """A component schema by name."""
    found: Node = contract()["components"]["schemas"][name]
    return found


def resolve(node: Node) -> Node:
    """The node itself, or the one it refers to."""
    while "$ref" in node:
        target: Any = contract()
        for step in node["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        node = target
    return node


def operations() -> dict[tuple[str, str], Node]:
    """Each operation by path and method."""
    return {
        (path, method): operation
        for path, item in contract()["paths"].items()
        for method, operation in item.items()
        if method in METHODS
    }


def codes_of(operation: Node, status: str) -> list[str]:
    """The codes an operation can return with a status; none if it never returns that status."""
    declared = operation["responses"].get(status)
    if declared is None:
        return []
    codes: list[str] = operation.get("x-codes", {}).get(status, resolve(declared)["x-codes"])
    return codes
