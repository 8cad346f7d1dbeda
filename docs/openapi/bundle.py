"""Writes `openapi.yaml`, the contract, from its parts: `python -m docs.openapi.bundle`.

`root.yaml` says what the service is and lists the tags; each tag has a file of its operations and
of the components that no other tag uses; `common.yaml` has what several use, `problems.yaml` the
errors. References are written as they stand in the bundle, `#/components/…`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

FOLDER = Path(__file__).parent
CONTRACT = FOLDER.parent.parent / "openapi.yaml"
HEADER = "# Written by `make contract` from the files of docs/openapi/: change those.\n"
SHARED = ("common", "problems")

Node = dict[str, Any]


class DefinedTwice(ValueError):
    """Two parts have the same path or component."""


def bundle(load: Callable[[Path], Node]) -> Node:
    """The whole contract, its parts read by `load`; raises DefinedTwice."""
    document = load(FOLDER / "root.yaml")
    components = document.pop("components")
    document["paths"] = {}
    document["components"] = components
    for name in (*(tag["name"] for tag in document["tags"]), *SHARED):
        part = load(FOLDER / f"{name}.yaml")
        merge(document["paths"], part.get("paths", {}))
        for section, members in part.get("components", {}).items():
            merge(components.setdefault(section, {}), members)
    return document


def merge(target: Node, members: Node) -> None:
    """Add members to the target; raises DefinedTwice."""
    for name, member in members.items():
        if name in target:
            raise DefinedTwice(f"{name} is in two parts of the contract")
        target[name] = member


def write_contract() -> None:
    """Write `openapi.yaml`, in the style that its parts are written in."""
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 10_000  # lines as they are
    yaml.indent(mapping=2, sequence=4, offset=2)
    with CONTRACT.open("w", encoding="utf-8") as file:
        file.write(HEADER)
        yaml.dump(bundle(yaml.load), file)


if __name__ == "__main__":
    write_contract()
