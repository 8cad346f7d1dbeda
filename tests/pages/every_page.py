"""The addresses of all pages, from the application's URL map.

So no page escapes the tests and screenshots: for a variable part without examples, `UnknownPart` is
raised, and `PARTS` or `tests.pages.demo` must get some.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Final

from flask import Flask
from werkzeug.routing import Rule

from engine.registry import VARIANTS
from service.operations.web_app import IdConverter
from service.pages.site import register_pages
from service.puzzles.collection import load_collection
from tests.pages.demo import WHOLE, Examples

PART: Final = re.compile(r"<(?:\w+:)?(\w+)>")
FILE: Final = re.compile(
    r"\.[a-z]+$|^/static/|/commands$|^/lobby/|^/guest$|^/sign-in/link$|^/analyses$|^/account/<what>$"
    r"|^/games/<id:id>/(?:actions|annotations|rematch|board|combat)$"
)
"""Addresses that are not pages: files, form targets, and what a game's script loads."""
PARTS: Final[Examples] = {
    "rules": [*VARIANTS, "rulings"],
    "puzzles": [next(load_collection().list_puzzles(name)).id for name in VARIANTS],
    **{part: ["token"] for part in ("confirm", "stop", "link", "address")},
}
"""Values for the variable parts of paths on any service, by the part before each."""
QUERIES: Final[Mapping[str, str]] = {
    "/analysis": "variant=kerd",
    "/embed/position": "variant=kerd",
    "/explorer": "variant=katruji",
    "/ratings": "variant=katruji",
    "/search": "q=a",
}
"""Queries with which pages show more."""


class UnknownPart(LookupError):
    """No examples are known for a variable part of a page's address."""


def list_rules() -> list[Rule]:
    """The URL rules of all pages."""
    app = Flask(__name__, static_folder=None)
    app.url_map.converters["id"] = IdConverter
    register_pages(app)
    return [rule for rule in app.url_map.iter_rules() if is_page(rule)]


def is_page(rule: Rule) -> bool:
    """Whether a URL rule is of a page that people look at."""
    return "GET" in (rule.methods or ()) and not FILE.search(rule.rule)


def list_paths(examples: Examples) -> list[str]:
    """Each page's address with every example that fits; raises UnknownPart."""
    found = [path for rule in list_rules() for path in fill_rule(rule.rule, examples)]
    return [*found, *examples.get(WHOLE, ())]


def fill_rule(rule: str, examples: Examples) -> Iterator[str]:
    """Yield the addresses that match a rule, with the examples filled in.

    >>> list(fill_rule("/players/<id:id>/against/<id:other>", {"players": "ab", "against": "c"}))
    ['/players/a/against/c', '/players/b/against/c']
    >>> list(fill_rule("/players", {}))
    ['/players']
    """
    known = {**PARTS, **examples}
    texts, values = [], []
    at, before = 0, ""
    for part in PART.finditer(rule):
        texts.append(rule[at : part.start()])
        before = rule[: part.start()].rstrip("/").rpartition("/")[2]
        if before not in known:
            raise UnknownPart(f"{rule}: give examples for {before!r}")
        values.append(known[before])
        at = part.end()
    query = f"?{QUERIES[rule]}" if rule in QUERIES else ""
    for chosen in product(*values):
        filled = "".join(text + value for text, value in zip(texts, chosen, strict=True))
        yield filled + rule[at:] + query
