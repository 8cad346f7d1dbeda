"""Lists what differs for clients between two contracts.

    python -m tests.contracts.difference OLD NEW

Texts, examples and extensions are ignored, and references are resolved, so it does not matter where
a schema is defined. Each line names an operation, the place in it, and the change.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml

from tests.contracts.document import METHODS, Node

TEXTS: Final = {"description", "summary", "example", "examples", "title", "tags", "externalDocs"}
STANDING_ALONE: Final = ("Problem", "SignedHead", "PartialExport")
UNORDERED: Final = {"required", "enum", "type"}
DATA: Final = {"properties", "patternProperties", "responses", "headers", "content", "links"}
"""Members whose own members have arbitrary names, which the contract's format does not define."""


class Contract:
    """A contract whose references can be resolved."""

    def __init__(self, document: Node) -> None:
        self.document = document
        self.resolved: dict[str, Any] = {}

    def operations(self) -> dict[str, Any]:
        """The normalized operations by method and path."""
        return {
            f"{method.upper()} {path}": self.operation(item, operation)
            for path, item in self.document["paths"].items()
            for method, operation in item.items()
            if method in METHODS
        }

    def standing_alone(self) -> dict[str, Any]:
        """The shared error's schema, and the schemas that only texts name."""
        schemas = self.document.get("components", {}).get("schemas", {})
        return {name: self.plain(schemas[name]) for name in STANDING_ALONE if name in schemas}

    def operation(self, item: Node, operation: Node) -> Node:
        """An operation with its path's parameters, keyed by location and name."""
        whole = self.plain(operation)
        listed = [*item.get("parameters", ()), *operation.get("parameters", ())]
        found = [self.plain(parameter) for parameter in listed]
        whole["parameters"] = {f"{one.pop('in')} {one.pop('name')}": one for one in found}
        whole.setdefault("security", self.document.get("security", []))
        for status, answer in whole["responses"].items():
            if status >= "400":
                whole["responses"][status] = {**answer, "content": sorted(answer["content"])}
        return dict(whole)

    def plain(self, node: Any, seen: tuple[str, ...] = (), names: bool = False) -> Any:
        """The node without texts, references and `allOf` around a single schema."""
        if isinstance(node, list):
            return [self.plain(member, seen) for member in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            name = node["$ref"]
            if name in seen:
                return {"recursive": name}
            if name not in self.resolved:
                target: Any = self.document
                for step in name.removeprefix("#/").split("/"):
                    target = target[step]
                self.resolved[name] = self.plain(target, (*seen, name))
            rest = {key: value for key, value in node.items() if key != "$ref"}
            return {**self.resolved[name], **self.plain(rest, seen)}
        plain = {
            key: self.plain(value, seen, key in DATA and not names)
            for key, value in node.items()
            if names or (key not in TEXTS and not str(key).startswith("x-"))
        }
        for key in UNORDERED & plain.keys() if not names else ():
            if isinstance(plain[key], list):
                plain[key] = sorted(plain[key], key=str)
        if not names and isinstance(plain.get("allOf"), list) and len(plain["allOf"]) == 1:
            plain = {**plain.pop("allOf")[0], **plain}
        return plain


def differences(old: Any, new: Any, place: str = "") -> Iterator[str]:
    """Yield a line for each difference."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys(), key=str):
            here = f"{place} / {key}" if place else str(key)
            if key not in old:
                yield f"{here}: new: {new[key]}"
            elif key not in new:
                yield f"{here}: gone: {old[key]}"
            else:
                yield from differences(old[key], new[key], here)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from differences(before, after, f"{place} / {index}")
    elif old != new:
        yield f"{place}: {old} -> {new}"


def compare(old: Node, new: Node) -> list[str]:
    """A line for each difference between two contracts."""
    before, after = Contract(old), Contract(new)
    return [
        *differences(before.operations(), after.operations()),
        *differences(before.standing_alone(), after.standing_alone()),
    ]


def main(old: str, new: str) -> int:
    """Print the differences between two files; returns 1 if there are any."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    documents = [yaml.load(Path(file).read_text(encoding="utf-8"), loader) for file in (old, new)]
    lines = compare(*documents)
    print("\n".join(lines) or "no difference")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
