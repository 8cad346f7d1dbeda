"""Two releases side by side, as during a rolling restart."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

import pytest

from service.player.repository import NewPlayer
from service.records.export_cache import NAME
from service.storage.release import PACKAGES, digest_release, digest_sources
from tests.contracts.document import operations
from tests.engine.kerak_support import KERAK, at
from tests.service.analysis.support import start_fen
from tests.service.api.client import PGN, Api, error
from tests.service.api.conftest import Configured
from tests.service.api.test_analyses import asked, played, work
from tests.service.api.tournaments import Desk

NAMED: Final = (
    ("/games/{id}", "{game}"),
    ("/games/{id}", "{game}?ply=1"),
    ("/games/{id}/legal", "{game}/legal"),
    ("/games/{id}/combat", "{melee}/combat?from=d4&to=e4"),
    ("/games/{id}/board.svg", "{game}/board.svg"),
    ("/games/{id}/board.png", "{game}/board.png"),
    ("/games/{id}/positions", "{game}/positions"),
    ("/games/{id}/analysis", "{analysed}/analysis"),
    ("/games/{id}/analysis.svg", "{analysed}/analysis.svg"),
    ("/board.svg", "/board.svg?variant=kerd&fen={fen}"),
    ("/board.png", "/board.png?variant=kerd&fen={fen}"),
    ("/variants/{variant}/position", "/variants/kerd/position"),
    ("/explorer", "/explorer?variant=kerak"),
)
"""Operations whose ETags name what the answer is made from."""
BY_CONTENT: Final = (
    ("/games", "/games"),
    ("/games/{id}/overview", "{game}/overview"),
    ("/search", "/search"),
    ("/variants/{variant}/board", "/variants/kerd/board"),
    ("/players/{id}/ratings.svg", "/players/{player}/ratings.svg?variant=kerd&speed=blitz"),
    ("/ratings", "/ratings?variant=kerd&speed=blitz"),
    ("/tournaments/{id}", "{tournament}"),
    ("/tournaments/{id}/trf", "{tournament}/trf"),
    ("/tournaments/{id}/cross-table", "{tournament}/cross-table"),
)
"""Operations whose ETags are digests of the answer; not all of those on tournaments."""


@dataclass(frozen=True)
class Releases:
    """An application of each of two releases, the ids in paths, and the player to act."""

    one: Api
    other: Api
    ids: dict[str, str]
    to_act: NewPlayer

    def fill(self, path: str) -> str:
        """Fill in the ids of a path."""
        return path.format(**self.ids)


@pytest.fixture
def releases(configured: Configured, monkeypatch: pytest.MonkeyPatch) -> Releases:
    one = configured()
    with monkeypatch.context() as patched:
        for module in ("operations.web_app", "records.record_cache", "storage.spare_file"):
            patched.setattr(f"service.{module}.digest_release", lambda: "feedfacefeedface")
        other = configured()
    ada, brahim = one.player("Ada"), one.player("Brahim")
    ids = {"player": ada.id, "fen": quote(start_fen("kerd"))}
    ids["game"] = one.running(ada, brahim, rated=False)
    one.play(ids["game"], ada, "c2d1")
    ids["melee"] = one.scribed(ada, variant="kerak", fen=KERAK.write_fen(at("Id4 he4 ie3 Ae5")))
    ids["tournament"] = Desk(one, one.player("Anna", "arbiter")).path
    game = played(one, ada)
    ids["analysed"] = f"/games/{game}"
    work(one, asked(one, ada, game=game)["id"])
    one.project()
    return Releases(one, other, ids, brahim)


def test_every_operation_with_a_304_is_one_or_the_other() -> None:
    unchanged = {
        path.removeprefix("/api/v1")
        for (path, _), operation in operations().items()
        if "304" in operation["responses"]
    }
    known = {operation for operation, _ in (*NAMED, *BY_CONTENT)}
    assert known <= unchanged
    assert all(path.startswith("/tournaments/{id}/") for path in unchanged - known)


def test_no_release_answers_304_to_the_tag_of_another(releases: Releases) -> None:
    for _, path in NAMED:
        asked, accepts = releases.fill(path), [None, PGN] if path == "{game}" else [None]
        for accept in accepts:
            tags = []
            for app in (releases.one, releases.other):
                answer = app.get(asked, accept=accept)
                assert answer.status_code == 200, answer.text
                tags.append(answer.headers["ETag"])
            statuses = [
                app.get(asked, accept=accept, headers={"If-None-Match": tag}).status_code
                for app in (releases.one, releases.other)
                for tag in tags
            ]
            assert statuses == [304, 200, 200, 304], asked
            if accept is None and path.startswith("{game}"):
                assert "-" in tags[0].strip('"')


def test_content_is_the_same_in_any_release(releases: Releases) -> None:
    for _, path in BY_CONTENT:
        tag = releases.one.get(releases.fill(path)).headers["ETag"]
        again = releases.other.get(releases.fill(path), headers={"If-None-Match": tag})
        assert again.status_code == 304, path


def test_who_has_read_of_one_release_acts_through_another(releases: Releases) -> None:
    path = releases.ids["game"]
    tag = releases.other.get(path).headers["ETag"]
    legal = releases.other.get(f"{path}/legal").json
    assert legal
    body = {"action": legal["actions"][0]["action"]}
    done = releases.one.post(f"{path}/actions", body, releases.to_act, If_Match=tag)
    assert done.status_code == 200, done.text
    again = releases.one.post(f"{path}/actions", body, releases.to_act, If_Match=tag)
    assert error(again) == (412, "stale-match")


def keep_played(api: Api, id: str) -> None:
    """Keep a game's record in the store, as its scoring does."""
    api.service.records.keep_played(api.service.games.load(id))


def test_a_record_is_kept_for_the_release_that_made_it(releases: Releases) -> None:
    """A release trusts only records that it kept itself, in the store and in the signed file."""
    id = releases.ids["analysed"].rpartition("/")[2]
    first = releases.one.post("/export", {"ids": [id]}).text
    keep_played(releases.one, id)
    (key,) = releases.one.service.store.keys("movelog:{records}:*")
    kept = json.loads(releases.one.service.store.get(key) or b"")
    kept["record"]["movetext"] = "{another release} 1-0\n"
    releases.one.service.store.set(key, json.dumps(kept))
    (releases.one.service.settings.data_dir / NAME).unlink()
    assert "another release" in releases.one.post("/export", {"ids": [id]}).text
    assert releases.other.post("/export", {"ids": [id]}).text == first
    # The other release overwrites the altered record with its own.
    keep_played(releases.other, id)
    (releases.one.service.settings.data_dir / NAME).unlink()
    assert releases.one.post("/export", {"ids": [id]}).text == first


def test_a_release_is_another_with_any_other_source(tmp_path: Path) -> None:
    for package in PACKAGES:
        (tmp_path / package).mkdir()
        (tmp_path / package / "one.py").write_text("text = 1\n")
    told = {digest_sources(tmp_path)}
    changes = ("service/one.py", "engine/two.py", "notation/one.po", "service/board.svg")
    for number, name in enumerate(changes):
        (tmp_path / name).write_text(f"text = {number + 2}\n")
        told.add(digest_sources(tmp_path))
    (tmp_path / "engine" / "one.pyc").write_text("compiled")
    assert digest_sources(tmp_path) in told
    assert len(told) == 1 + len(changes)
    assert digest_release() == digest_release() != digest_sources(tmp_path)
