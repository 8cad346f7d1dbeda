"""Somebody who visits pages without a browser."""

from __future__ import annotations

import re

from werkzeug.test import TestResponse

from service.pages.session import COOKIE
from service.player.repository import NewPlayer
from tests.service.api.client import Api


class Visitor:
    """Opens pages and sends forms, as a player or as a stranger."""

    def __init__(self, api: Api, player: NewPlayer | None = None) -> None:
        self.api = api
        self.player = player

    def _ask(self, method: str, path: str, form: dict[str, str] | None = None) -> TestResponse:
        if self.player is not None:
            self.api.http.set_cookie(COOKIE, self.player.token.secret)
        try:
            headers = {"Accept": "text/html"}
            return self.api.http.open(path, method=method, data=form, headers=headers)
        finally:
            self.api.http.delete_cookie(COOKIE)

    def open(self, path: str) -> str:
        """Open a page, which must exist."""
        answer = self._ask("GET", path)
        assert answer.status_code == 200, answer.text
        return answer.text

    def send(self, path: str, **fields: str) -> TestResponse:
        """Send a form of this site; returns the answer."""
        page = self._ask("GET", "/").text
        found = re.search(r'name="csrf-token" content="(\w+)"', page)
        return self._ask("POST", path, {"csrf": found[1] if found else "", **fields})
