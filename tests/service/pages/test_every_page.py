"""The list of all pages, from which they are checked and photographed, leaves none out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from werkzeug.exceptions import NotFound
from werkzeug.routing import MapAdapter

import service
from tests.pages.every_page import FILE, UnknownPart, fill_rule, list_paths, list_rules
from tests.service.api.client import Api


def test_no_page_of_the_whole_application_is_left_out(api: Api) -> None:
    """Whatever answers outside the API is a listed page, a file, or reports on the service."""
    rules = [
        rule
        for rule in api.http.application.url_map.iter_rules()
        if "GET" in (rule.methods or ()) and not rule.rule.startswith("/api/")
    ]
    known = {rule.rule for rule in list_rules()}
    others = {rule.rule for rule in rules if not FILE.search(rule.rule)}
    told = {rule for rule in others - known if not rule.startswith(("/docs", "/.well-known/"))}
    assert told == {"/healthz", "/metrics", "/readyz"}


LINK = re.compile(r"""href=\\?"(/[^"'{}%?#\\]*)[\\"?#]""")
"""A link to one page of this site, always the same, in a template or in a catalogue's text."""
TEXTS = ("pages/templates/**/*.html", "languages/*/*.po")


def leads_nowhere(application: MapAdapter, path: str) -> bool:
    try:
        application.match(path)
    except NotFound:
        return True
    return False


def test_every_link_leads_to_a_page(api: Api) -> None:
    root = Path(service.__file__).parent
    texts = [path.read_text() for pattern in TEXTS for path in root.glob(pattern)]
    links = {path for text in texts for path in LINK.findall(text)}
    assert {"/imports", "/lobby"} <= links
    application = api.http.application.url_map.bind("localhost")
    assert [path for path in sorted(links) if leads_nowhere(application, path)] == []


def test_every_page_can_be_filled_in_with_what_the_demo_makes() -> None:
    made = ("games", "players", "against", "tournaments", "rounds", "imports", "analyses")
    paths = list_paths({part: ["x"] for part in made})
    assert len(paths) >= len(list_rules())
    assert not [path for path in paths if "<" in path]


def test_a_page_that_nothing_is_known_of_is_told() -> None:
    with pytest.raises(UnknownPart, match="give examples for 'clubs'"):
        list(fill_rule("/clubs/<id:id>", {}))
