"""The list of all pages, from which they are checked and photographed, leaves none out."""

from __future__ import annotations

import pytest

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


def test_every_page_can_be_filled_in_with_what_the_demo_makes() -> None:
    made = ("games", "players", "against", "tournaments", "rounds", "imports", "analyses")
    paths = list_paths({part: ["x"] for part in made})
    assert len(paths) >= len(list_rules())
    assert not [path for path in paths if "<" in path]


def test_a_page_that_nothing_is_known_of_is_told() -> None:
    with pytest.raises(UnknownPart, match="give examples for 'clubs'"):
        list(fill_rule("/clubs/<id:id>", {}))
