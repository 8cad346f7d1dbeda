"""A page fetches its data in one request, besides the one that tells who reads it."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from werkzeug.test import run_wsgi_app

from service.pages import api_client
from service.player.repository import NewPlayer
from tests.service.api.client import Api
from tests.service.pages.visitor import Visitor


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that pages request from the API."""
    paths: list[str] = []

    def ask(
        app: object, environ: dict[str, str], buffered: bool
    ) -> tuple[Iterable[bytes], str, object]:
        paths.append(environ["PATH_INFO"])
        return run_wsgi_app(app, environ, buffered=buffered)  # type: ignore[arg-type]

    monkeypatch.setattr(api_client, "run_wsgi_app", ask)
    return paths


def test_a_game_is_shown_with_one_request(api: Api, ada: NewPlayer, asked: list[str]) -> None:
    path = api.scribed(ada)
    api.play(path, ada, "Pd1")
    overview = f"/api/v1{path}/overview"
    Visitor(api).open(f"/{path.strip('/')}")
    assert asked == [overview]
    asked.clear()
    Visitor(api, ada).open(f"{path}?ply=0")
    assert sorted(asked) == [overview, "/api/v1/me"]
