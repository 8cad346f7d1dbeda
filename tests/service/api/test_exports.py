"""Exports of games: one stream of records or of lines of JSON."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from notation.reader import read
from service.game.importing import import_command
from service.ids import new_id
from service.player.actor import Actor
from service.player.commands import Principal
from service.player.repository import NewPlayer
from service.records.export_cache import NAME
from service.verification.record import verify_records
from tests.games import NAMES, recorded
from tests.service.api.client import NDJSON, PGN, Api, error

NONCE = "5e" * 16 + "0b" * 8
ANNOTATED = {
    "comments": ["[%eval 0.5] good"],
    "comments_before": ["opening"],
    "nags": [2],
    "clock_ms": 60_000,
}


@pytest.fixture
def games(api: Api, ada: NewPlayer) -> list[str]:
    """A few games, oldest first."""
    return make_games(api, ada, 5)


@pytest.fixture
def batches(api: Api, ada: NewPlayer) -> list[str]:
    """Sixty games, oldest first: more than one batch."""
    return make_games(api, ada, 60)


def make_games(api: Api, ada: NewPlayer, count: int) -> list[str]:
    ids = []
    for number in range(count):
        path = api.scribed(ada, tags={"Round": str(number)})
        body = {"action": "Pd1", "annotation": ANNOTATED}
        assert api.post(f"{path}/actions", body, ada).status_code == 200
        api.command(path, ada, "resign", side="first")
        ids.append(path.removeprefix("/games/"))
    api.project()
    return ids


def ids_in(records: bytes) -> list[str]:
    return [verdict.game.tags["MovelogGame"] for verdict in read(io.BytesIO(records))]


def test_an_export_holds_every_game_that_a_search_finds(api: Api, batches: list[str]) -> None:
    answer = api.get("/export")
    assert (answer.status_code, answer.mimetype) == (200, PGN)
    assert answer.headers["X-Projection-Lag"] == "0"
    assert ids_in(answer.data) == batches[::-1]
    assert ids_in(api.get("/export", query={"tag": "Round:7"}).data) == [batches[7]]
    assert api.get("/export", query={"result": "1/2-1/2"}).data == b""


def test_the_records_are_those_of_the_games(api: Api, games: list[str]) -> None:
    answer = api.post("/export", {"ids": games[:3]})
    single = [api.get(f"/games/{id}", accept=PGN).text for id in games[:3]]
    assert answer.text == "\n".join(single)


def test_lines_of_json(api: Api, games: list[str]) -> None:
    answer = api.get("/export", accept=NDJSON)
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert [line["id"] for line in lines] == games[::-1]
    whole = api.get(f"/games/{games[-1]}").json
    assert lines[0] == whole


def test_what_broke_off_is_taken_up_again(api: Api, batches: list[str]) -> None:
    newest_first = batches[::-1]
    for at in (0, 10, 58, 59):
        rest = api.get("/export", query={"after": newest_first[at]})
        assert ids_in(rest.data) == newest_first[at + 1 :]
        listed = api.post("/export", {"ids": batches, "after": batches[at]})
        assert ids_in(listed.data) == batches[at + 1 :]


def test_it_comes_piece_by_piece(api: Api, batches: list[str], monkeypatch: Any) -> None:
    """The log is not read further until the client has taken what was sent."""
    read_of: list[str] = []
    monkeypatch.setattr(api.service.games, "read_each", reading(api, read_of))
    answer = api.http.get("/api/v1/export", buffered=False)
    stream = answer.iter_encoded()
    next(stream)
    assert len(read_of) <= 50
    rest = b"".join(stream)
    assert len(read_of) == len(batches)
    assert rest.endswith(b"0-1\n")
    answer.close()


def reading(api: Api, read_of: list[str]) -> Any:
    read_games = api.service.games.read_each

    def noted(ids: list[str]) -> Any:
        read_of.extend(ids)
        return read_games(ids)

    return noted


@pytest.mark.parametrize(
    ("toggles", "movetext"),
    [
        ({}, "{opening} 1. Pd1 $2 {[%clk 0:01:00]} {[%eval 0.5] good} 0-1"),
        ({"clocks": "false"}, "{opening} 1. Pd1 $2 {[%eval 0.5] good} 0-1"),
        ({"comments": "false"}, "1. Pd1 $2 {[%clk 0:01:00]} {[%eval 0.5]} 0-1"),
        ({"evaluations": "false"}, "{opening} 1. Pd1 $2 {[%clk 0:01:00]} {good} 0-1"),
        (
            {"comments": "false", "clocks": "false", "evaluations": "false", "literate": "true"},
            "1. Pd1 $2 {Mistake.} {North wins: resignation.} 0-1",
        ),
    ],
)
def test_toggles(api: Api, games: list[str], toggles: dict[str, str], movetext: str) -> None:
    answer = api.get("/export", query={"tag": "Round:1", **toggles})
    (verdict,) = read(io.BytesIO(answer.data))
    assert verdict.error is None
    assert " ".join(answer.text.partition("\n\n")[2].split()) == movetext
    wish = {name: text == "true" for name, text in toggles.items()}
    assert api.post("/export", {"ids": [games[1]], **wish}).text == answer.text


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"clocks": "yes"}, (400, "bad-parameter")),
        ({"limit": "3"}, (400, "bad-parameter")),
        ({"after": "nobody"}, (422, "bad-value")),
        ({"variant": "katruji", "fen": "x"}, (422, "bad-fen")),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_sent(
    api: Api, query: dict[str, str], expected: tuple[int, str]
) -> None:
    assert error(api.get("/export", query=query)) == expected


def test_a_list_with_a_game_that_is_none(api: Api, games: list[str]) -> None:
    unknown = "a" * 16
    assert error(api.post("/export", {"ids": [games[0], unknown]})) == (404, "not-found")
    bad = api.post("/export", {"ids": games[:2], "after": games[3]})
    assert error(bad) == (422, "bad-value")
    assert error(api.post("/export", {"ids": []})) == (422, "invalid-request")


def test_a_game_too_new_for_the_lists_is_exported_by_its_id(api: Api, ada: NewPlayer) -> None:
    id = api.scribed(ada).removeprefix("/games/")
    assert ids_in(api.post("/export", {"ids": [id]}).data) == [id]


def test_a_secret_choice_is_exported_to_its_owner_alone(
    api: Api, ada: NewPlayer, brahim: NewPlayer, eve: NewPlayer
) -> None:
    path = api.running(ada, brahim, variant="kerd", infiltrators="sealed")
    chosen = api.command(path, ada, "choose", side=None, square="c11", nonce=NONCE)
    assert chosen.status_code == 200, chosen.text
    assert api.command(path, brahim, "choose", side=None, square="d2").status_code == 200
    api.project()
    for kind in (PGN, NDJSON):
        own = api.get("/export", ada, accept=kind)
        assert NONCE in own.text
        for other in (brahim, eve, None):
            shown = api.get("/export", other, accept=kind)
            assert shown.status_code == 200
            assert NONCE not in shown.text
            assert '"c11"' not in shown.text
    found = api.get("/search", query={"variant": "kerd", "fen": "start"}).json
    assert found is not None
    assert found["items"] == []
    explored = api.get("/explorer", query={"variant": "kerd"}).json
    assert explored is not None
    assert explored["actions"] == explored["recent"] == []
    keys = b"".join(api.service.store.keys("movelog:{index}:g*:*"))  # type: ignore[arg-type]
    assert b":seen:" not in keys
    assert b":next:" not in keys


@pytest.mark.parametrize("variant", NAMES)
def test_a_record_taken_in_goes_out_as_if_it_had_been_played_over(
    api: Api, ada: NewPlayer, variant: str
) -> None:
    """The export uses the text in the log, and agrees with the record of the game's path."""
    for game in recorded(variant):
        first, second = ada.id, None
        command = import_command(game, first, second)
        api.service.games.create(new_id(), command, Actor(ada.id, frozenset({"play"})))
    api.project()
    exported = api.get("/export").text
    ids = ids_in(exported.encode())
    assert len(ids) == len(recorded(variant))
    single = [api.get(f"/games/{id}", accept=PGN).text for id in ids]
    assert exported == "\n".join(single)


def test_what_was_exported_once_is_not_folded_again(
    api: Api, games: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = api.get("/export").data

    def refuse(*given: object) -> None:
        raise AssertionError(given)

    with monkeypatch.context() as patched:
        patched.setattr("service.records.record_cache.fold", refuse)
        assert api.get("/export").data == first


def refuse_to_make(patched: pytest.MonkeyPatch) -> None:
    """Fail if a record is made or signed again."""

    def refuse(*given: object) -> None:
        raise AssertionError(given)

    patched.setattr("service.records.record_cache.Records.of", refuse)
    patched.setattr("service.records.signer.Signer.sign", refuse)


def test_what_was_exported_once_is_neither_read_nor_signed_again(
    api: Api, ada: NewPlayer, games: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for game in recorded("kerd"):
        command = import_command(game, ada.id, None)
        api.service.games.create(new_id(), command, Actor(ada.id, frozenset({"play"})))
    api.project()
    first = api.get("/export").data
    assert len(ids_in(first)) == len(games) + len(recorded("kerd"))
    with monkeypatch.context() as patched:
        refuse_to_make(patched)
        assert api.get("/export").data == first
        # The same holds for every reader and every way of finding the games.
        assert api.get("/export", ada).data == first
        assert api.post("/export", {"ids": games[::-1]}).data in first
    verdicts = verify_records(first, api.service.signer.public_keys)
    assert {verdict.error for verdict in verdicts} == {None}


def test_an_export_without_kept_records_is_the_same(api: Api, games: list[str]) -> None:
    first = api.get("/export").data
    (api.service.settings.data_dir / NAME).unlink()
    assert api.get("/export").data == first
    assert api.get("/export").data == first


def test_a_new_key_signs_what_is_kept(api: Api, games: list[str]) -> None:
    before = api.get("/export").text
    old = api.service.signer.key
    new = api.service.signer.rotate()
    for _ in range(2):
        after = api.get("/export").text
        assert (after.count(old), after.count(new)) == (0, len(games))
        assert after.replace(new, old).splitlines()[:8] == before.splitlines()[:8]
    single = [api.get(f"/games/{id}", accept=PGN).text for id in games[::-1]]
    assert after == "\n".join(single)


def test_no_name_is_in_the_file(api: Api, ada: NewPlayer, games: list[str]) -> None:
    player = seated(api, games[0])
    api.service.players.rename(player, "Quirina Zabolotny", ada.id)
    assert "Quirina Zabolotny" in api.get("/export").text
    assert b"Zabolotny" not in (api.service.settings.data_dir / NAME).read_bytes()
    api.service.players.erase(player, Principal(ada.id, None))
    assert "Quirina Zabolotny" not in api.get("/export").text


def seated(api: Api, game: str) -> str:
    """The id of a game's first player."""
    id = api.service.games.load(game).seats[0]
    assert id is not None
    return id


def test_what_not_everybody_is_shown_is_not_in_the_file(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = api.running(ada, brahim, variant="kerd", infiltrators="sealed")
    assert api.command(path, ada, "choose", side=None, square="c11", nonce=NONCE).status_code == 200
    assert api.command(path, brahim, "choose", side=None, square="d2").status_code == 200
    api.project()
    for viewer in (ada, brahim, None):
        assert ids_in(api.get("/export", viewer).data) == [path.removeprefix("/games/")]
    assert not (api.service.settings.data_dir / NAME).exists()


def test_what_is_kept_is_exported_as_the_game_is_now(
    api: Api, ada: NewPlayer, arbiter: NewPlayer, games: list[str]
) -> None:
    api.get("/export")
    changed = {"result": "1/2-1/2", "reason": "a mistake"}
    done = api.command(f"/games/{games[3]}", arbiter, "correct-result", **changed)
    assert done.status_code == 200, done.text
    api.service.players.rename(seated(api, games[2]), "Ada B.", ada.id)
    exported = api.post("/export", {"ids": games[2:5]}).text
    assert '[South "Ada B."]' in exported
    assert exported.count('[Result "1/2-1/2"]') == 1
    single = [api.get(f"/games/{id}", accept=PGN).text for id in games[2:5]]
    assert exported == "\n".join(single)
    assert api.post("/export", {"ids": games[2:5]}).text == exported
    done = api.command(f"/games/{games[4]}", arbiter, "reopen", reason="it goes on")
    assert done.status_code == 200, done.text
    assert '[Result "*"]' in api.post("/export", {"ids": games[2:5]}).text


def test_running_games_and_toggled_records_are_not_kept(
    api: Api, ada: NewPlayer, games: list[str]
) -> None:
    running = api.scribed(ada).removeprefix("/games/")
    api.post("/export", {"ids": [running]})
    api.post("/export", {"ids": games[:2], "comments": False})
    assert list(api.service.store.scan_iter(match="movelog:{records}:*")) == []
    assert list(api.service.store.scan_iter(match="movelog:{signatures}:*")) == []
    assert not (api.service.settings.data_dir / NAME).exists()
    api.post("/export", {"ids": [running, games[0]]})
    assert list(api.service.signed_records.cache.find([running, games[0]])) == [games[0]]


def test_an_export_puts_no_texts_into_the_store(api: Api, games: list[str]) -> None:
    """Games may have been archived to relieve it."""
    first = api.get("/export").data
    assert ids_in(first) == games[::-1]
    assert list(api.service.store.scan_iter(match="movelog:{records}:*")) == []
