"""`openapi.yaml` is the bundle of its parts, and all its references resolve."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from docs.openapi.bundle import FOLDER, SHARED, DefinedTwice, bundle, merge
from tests.contracts.document import Node, contract, operations

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load(file: Path) -> Node:
    document: Node = yaml.load(file.read_text(encoding="utf-8"), LOADER)
    return document


def references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for member in node.values():
            yield from references(member)
    elif isinstance(node, list):
        for member in node:
            yield from references(member)


def test_the_contract_is_what_its_parts_say() -> None:
    assert contract() == bundle(load), "run `make contract`"


def test_every_tag_has_a_part_with_its_operations() -> None:
    tags = [tag["name"] for tag in contract()["tags"]]
    parts = {file.stem for file in FOLDER.glob("*.yaml")}
    assert parts == {"root", *tags, *SHARED}
    for tag in tags:
        for path, item in load(FOLDER / f"{tag}.yaml")["paths"].items():
            tagged = [op["tags"] for (of, _), op in operations().items() if of == path]
            assert tagged == [[tag]] * len(tagged)
            assert tagged, item


def test_what_two_parts_define_is_refused() -> None:
    with pytest.raises(DefinedTwice, match="Game"):
        merge({"Game": {}}, {"Game": {}})


def test_every_reference_leads_to_a_component() -> None:
    components = {
        f"#/components/{section}/{name}"
        for section, members in contract()["components"].items()
        for name in members
    }
    assert set(references(contract())) <= components
