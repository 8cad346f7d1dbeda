"""Everything that a service exports from its archive, byte for byte, as each reader sees it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import requests

RECORD = "application/x-chess-pgn"
LINES = "application/x-ndjson"
JSON = "application/json"
CSV = "text/csv"
TEXT = "text/plain"
MOMENTARY = {"failing_since", "cooling_until"}
TABLES = ("standings", "cross-table")


class Reader:
    """A service's address, and its readers' tokens by name."""

    def __init__(self, url: str, tokens: Mapping[str, str | None]) -> None:
        self.url = url
        self.tokens = tokens
        self.http = requests.Session()

    def text(self, path: str, accept: str, who: str) -> str:
        """The body at a path as a reader gets it."""
        token = self.tokens[who]
        headers = {"Accept": accept} | ({"Authorization": f"Bearer {token}"} if token else {})
        answer = self.http.get(f"{self.url}{path}", headers=headers)
        assert answer.ok, f"{path} for {who}: {answer.status_code} {answer.text}"
        return answer.content.decode()

    def ids(self, path: str) -> list[str]:
        """The ids in a list that fits on one page."""
        token = self.tokens["admin"]
        headers = {"Authorization": f"Bearer {token}"}
        answer = self.http.get(f"{self.url}/api/v1{path}", headers=headers)
        assert answer.ok, f"{path}: {answer.status_code} {answer.text}"
        found = answer.json()
        assert found.get("next_cursor") is None
        return [one["id"] for one in found["items"]]


def read_exports(reader: Reader, players: list[str]) -> dict[str, str]:
    """Each export's body, by reader, path and media type.

    Covers what is signed, listed and counted. `players` has the players' ids, since erased and
    merged players are in no list.
    """
    wanted = [("/.well-known/movelog-keys", JSON), *_games(reader), *_tournaments(reader)]
    wanted += [(f"/api/v1/players/{id}{part}", JSON) for id in players for part in ("", "/results")]
    wanted += [("/api/v1/players?limit=100", JSON), ("/api/v1/games?limit=100", LINES)]
    found = {
        f"{who} {path} {accept}": reader.text(path, accept, who)
        for who in reader.tokens
        for path, accept in wanted
    }
    for path, accept in _own(reader):
        found[f"admin {path} {accept}"] = reader.text(path, accept, "admin")
    return found


def _games(reader: Reader) -> Iterator[tuple[str, str]]:
    for accept in (RECORD, LINES):
        yield "/api/v1/export", accept
    yield "/api/v1/export?literate=true&clocks=false&variations=false", RECORD
    for id in reader.ids("/games?limit=100"):
        yield f"/api/v1/games/{id}", JSON
        yield f"/api/v1/games/{id}", RECORD
        yield f"/api/v1/games/{id}/events", LINES
        yield f"/api/v1/games/{id}/legal", JSON


def _tournaments(reader: Reader) -> Iterator[tuple[str, str]]:
    yield "/api/v1/tournaments", JSON
    for id in reader.ids("/tournaments"):
        about = f"/api/v1/tournaments/{id}"
        yield about, JSON
        yield f"{about}/rounds", JSON
        yield f"{about}/events?limit=1000", JSON
        yield f"{about}/trf", TEXT
        yield f"/api/v1/export?tournament={id}", RECORD
        for table in TABLES:
            yield f"{about}/{table}", JSON
            yield f"{about}/{table}", CSV


def _own(reader: Reader) -> Iterator[tuple[str, str]]:
    """What only the admin reads: imports, and games with the service's analyses."""
    yield "/api/v1/export?analysis=true", RECORD
    yield "/api/v1/imports", JSON
    for id in reader.ids("/imports"):
        yield f"/api/v1/imports/{id}", JSON
        yield f"/api/v1/imports/{id}/original", RECORD
        yield f"/api/v1/imports/{id}/verdicts", LINES


def read_webhooks(reader: Reader) -> list[dict[str, Any]]:
    """Each webhook with its deliveries, without the receiver's momentary state."""
    found = []
    for webhook in json.loads(reader.text("/api/v1/webhooks", JSON, "admin"))["items"]:
        path = f"/api/v1/webhooks/{webhook['id']}/deliveries"
        lasting = {name: webhook[name] for name in webhook.keys() - MOMENTARY}
        attempts = json.loads(reader.text(path, JSON, "admin"))["items"]
        found.append(lasting | {"attempts": attempts})
    return found


def read_analyses(reader: Reader, ids: list[str]) -> list[dict[str, Any]]:
    """Each analysis, without whether the engine has changed since."""
    found = [json.loads(reader.text(f"/api/v1/analyses/{id}", JSON, "public")) for id in ids]
    return [{name: one[name] for name in one.keys() - {"stale"}} for one in found]
