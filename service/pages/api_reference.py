"""What the pages take from the contract: the API's page and the values that forms offer."""

from __future__ import annotations

from functools import cache
from typing import Any

import yaml
from flask import render_template

from service.api.service_info import read_contract
from service.pages.site import pages

METHODS = ("get", "post", "put", "patch", "delete")


@cache
def load_document() -> dict[str, Any]:
    """The contract, parsed once."""
    # The C loader, if PyYAML has it, is ten times as fast.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    parsed: dict[str, Any] = yaml.load(read_contract(), loader)
    return parsed


def list_values(schema: str) -> list[str]:
    """The values that a schema of the contract lists, such as the kinds of tournaments."""
    values: list[str] = load_document()["components"]["schemas"][schema]["enum"]
    return values


@cache
def list_operations() -> list[tuple[str, list[dict[str, Any]]]]:
    """The operations of the contract by tag: method, path, summary, description, parameters."""
    named = load_document()["components"]["parameters"]
    found: dict[str, list[dict[str, Any]]] = {tag["name"]: [] for tag in load_document()["tags"]}
    for path, item in load_document()["paths"].items():
        for method in METHODS:
            if method in item:
                operation = item[method]
                given = [*item.get("parameters", []), *operation.get("parameters", [])]
                parameters = [named.get(p.get("$ref", "").rpartition("/")[2], p) for p in given]
                found[operation["tags"][0]].append(
                    {**operation, "method": method, "path": path, "parameters": parameters}
                )
    return list(found.items())


@pages.get("/api")
def show_api() -> str:
    """Show the reference of the HTTP API."""
    return render_template("api.html", operations=list_operations())
