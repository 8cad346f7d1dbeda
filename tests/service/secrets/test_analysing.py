"""An analysis searches and shows no more than its viewer may know."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from engine.kerd.board import UNKNOWN
from engine.kerd.kernel import Position as Kerd
from engine.side import Side
from notation.kerd.names import SQUARE_OF
from service.analysis.finding import Finding
from service.analysis.search import search_position
from service.computer.levels import LEVELS
from service.computer.registration import register_computers
from service.game.commands import AcceptChallenge
from service.player.actor import Actor
from service.player.repository import NewPlayer
from service.player.scopes import ARBITER, PLAY
from service.webhooks.webhook import ANALYSIS_FINISHED
from tests.service.api.client import NDJSON, Api, error
from tests.service.api.test_analyses import ask, asked, shown, work
from tests.service.secrets.kerd import choose, chosen, infiltrators
from tests.service.secrets.test_at_rest import stored
from workers import analysis as analysing

OWN = {"first": "f11", "second": "d1"}


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[Kerd]:
    """The positions that were searched."""
    seen: list[Kerd] = []

    def watched(*arguments: Any) -> Iterator[Finding]:
        position = arguments[1].position
        assert isinstance(position, Kerd)
        seen.append(position.copy())
        return search_position(*arguments)

    monkeypatch.setattr(analysing, "search_position", watched)
    return seen


def views(api: Api, id: str, *players: NewPlayer | None) -> list[int]:
    """The status of each player's request for an analysis."""
    return [api.get(f"/analyses/{id}", player).status_code for player in players]


def scribed(api: Api, scribe: NewPlayer) -> str:
    """The path of a running game whose scribe has entered both choices."""
    path = api.scribed(scribe, variant="kerd")
    for side, square in OWN.items():
        assert choose(api, path, scribe, square, side=side).status_code == 200
    return path


@pytest.mark.parametrize(("ply", "plies"), [(None, 2), (1, 1)])
def test_each_viewer_has_an_analysis_of_what_they_know(
    api: Api, ada: NewPlayer, eve: NewPlayer, searched: list[Kerd], ply: int | None, plies: int
) -> None:
    path = scribed(api, ada)
    api.play(path, ada, "e4")
    game = path.removeprefix("/games/")
    found = {}
    for player, view, known in (
        (ada, "both", (SQUARE_OF["f11"], SQUARE_OF["d1"])),
        (eve, "stranger", (UNKNOWN, UNKNOWN)),
    ):
        told = asked(api, player, game=game, ply=ply)
        assert told["view"] == view
        searched.clear()
        work(api, told["id"])
        assert [tuple(map(p.choice_of, Side)) for p in searched] == [known] * plies
        found[view] = told["id"]
    assert views(api, found["both"], ada, eve, None) == [200, 404, 404]
    assert views(api, found["stranger"], ada, eve, None) == [200, 200, 200]
    asked_as_stranger = asked(api, ada, game=game, ply=ply, view="stranger")
    assert asked_as_stranger["id"] == found["stranger"]


def test_players_get_no_analysis_of_their_game_until_it_is_over(
    api: Api, ada: NewPlayer, brahim: NewPlayer, eve: NewPlayer
) -> None:
    arbiter = api.player("Anna", PLAY, ARBITER)
    path = chosen(api, ada, brahim)
    api.play(path, ada, "e4")
    game = path.removeprefix("/games/")
    id = asked(api, eve, game=game)["id"]
    assert asked(api, arbiter, game=game)["id"] == id
    work(api, id)
    reading = [f"/analyses/{id}", f"/analyses/{id}/stream", f"{path}/analysis"]
    reading.append(f"{path}/analysis.svg")
    for player in (ada, brahim):
        for wish in ({}, {"ply": 1}, {"view": "stranger"}):
            assert error(ask(api, player, game=game, **wish)) == (409, "own-game-running")
        for one in reading:
            assert error(api.get(one, player)) == (409, "own-game-running")
        assert shown(api, f"{path}/overview", player)["analysis"] is None
    refused = api.get(f"{path}/analysis", ada).json
    assert refused is not None
    assert refused["detail"] == "you play this game; you can have it analysed as soon as it is over"
    assert error(api.send("DELETE", f"/analyses/{id}", ada)) == (409, "own-game-running")
    for looking in (eve, arbiter, None):
        assert shown(api, f"{path}/analysis", looking)["id"] == id
        assert shown(api, f"{path}/overview", looking)["analysis"]["id"] == id
    api.command(path, ada, "resign")
    assert shown(api, f"{path}/analysis", ada)["id"] == id
    assert asked(api, ada, game=game)["view"] == "full"


def test_an_arbiter_who_plays_is_a_player(api: Api, brahim: NewPlayer) -> None:
    arbiter = api.player("Anna", PLAY, ARBITER)
    game = api.running(arbiter, brahim).removeprefix("/games/")
    assert error(ask(api, arbiter, game=game)) == (409, "own-game-running")


def test_nobody_is_helped_against_the_computer(api: Api, ada: NewPlayer) -> None:
    register_computers(api.service.players)
    level = LEVELS[2].player
    path = api.created({"variant": "katruji", "side": "first", "opponent": level}, ada)
    wish = {"game": path.removeprefix("/games/")}
    assert error(ask(api, ada, **wish)) == (409, "own-game-running")
    api.service.games.execute(wish["game"], AcceptChallenge(), Actor(level, frozenset({PLAY})))
    api.play(path, ada, "Pd1")
    assert error(ask(api, ada, **wish)) == (409, "own-game-running")
    api.command(path, ada, "resign")
    assert ask(api, ada, **wish).status_code == 202


def test_a_position_is_analysed_wherever_it_comes_from(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = api.running(ada, brahim)
    fen = str(shown(api, path, ada)["fen"])
    assert ask(api, ada, variant="katruji", fen=fen).status_code == 202


def test_that_there_is_an_analysis_with_a_secret_is_told_to_nobody_else(
    api: Api, ada: NewPlayer, brahim: NewPlayer, admin: NewPlayer
) -> None:
    path = scribed(api, ada)
    id = asked(api, ada, game=path.removeprefix("/games/"))["id"]
    work(api, id)
    none = "a" * 16
    for by in (None, brahim, admin):
        for method, suffix in (("GET", ""), ("GET", "/stream"), ("DELETE", "")):
            answers = [
                api.send(method, f"/analyses/{one}{suffix}", by).text.replace(one, none)
                for one in (id, none)
            ]
            assert answers[0] == answers[1]
        assert error(api.get(f"{path}/analysis", by)) == (404, "not-found")
        assert error(api.get(f"{path}/analysis.svg", by)) == (404, "not-found")
    assert shown(api, f"{path}/analysis", ada)["id"] == id
    assert api.get(f"{path}/analysis.svg", ada).status_code == 200


def test_a_guess_is_not_answered_by_what_the_opponent_has_had_analysed(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = chosen(api, ada, brahim)
    fen = str(shown(api, path, ada)["fen"])
    assert infiltrators(api, path, ada) == "f11/?"
    told = asked(api, ada, variant="kerd", fen=fen)
    assert told["view"] == "given"
    work(api, told["id"])
    assert shown(api, f"/analyses/{told['id']}", ada)["fen"] == fen
    assert views(api, told["id"], brahim, None) == [404, 404]
    guess = ask(api, brahim, variant="kerd", fen=fen)
    assert guess.status_code == 202
    assert guess.json is not None
    assert guess.json["id"] != told["id"]
    # If a position names no choice, all who ask for it share one analysis.
    public = [asked(api, who, variant="kerd", fen=fen.replace("f11", "?")) for who in (ada, brahim)]
    assert public[0]["id"] == public[1]["id"]


def test_what_is_found_with_a_secret_is_kept_sealed(api: Api, ada: NewPlayer) -> None:
    path = scribed(api, ada)
    fen = str(shown(api, path, ada)["fen"])
    assert infiltrators(api, path, ada) == "f11/d1"
    asking = ({"game": path.removeprefix("/games/")}, {"variant": "kerd", "fen": fen})
    for wish in asking:
        id = asked(api, ada, **wish)["id"]
        state = api.service.analyses.load(id)
        job = api.service.jobs.claim(id, "worker")
        assert job is not None
        place = next(api.service.analyses.iterate_positions(state))
        first = next(search_position("kerd", place, state.parameters, lambda: False))
        note = api.service.analyses.note(state, 0, first)
        api.service.jobs.heartbeat(job, 0, 1, note)
        assert api.service.analyses.read_partial_finding(state, api.service.jobs.get(id)) == first
        assert list(note["finding"]) == ["sealed"]
        api.service.jobs.release(job)
        work(api, id)
        [looked] = shown(api, f"/analyses/{id}", ada)["findings"]
        assert looked["finding"]["lines"]
        kept = stored(api.service.store)
        assert "position-analysed/1" in kept
        assert "f11/" not in kept
        assert "R:f11" not in kept
        assert not holds_line(kept, looked["finding"])
    public = asked(api, ada, variant="kerd", fen=fen.replace("f11/d1", "?/?"))["id"]
    work(api, public)
    [looked] = shown(api, f"/analyses/{public}", ada)["findings"]
    assert holds_line(stored(api.service.store), looked["finding"])


def holds_line(kept: str, finding: dict[str, Any]) -> bool:
    """Whether a finding's best line is in what is stored, in JSON or in JSON within JSON."""
    line = ",".join(finding["lines"][0]["actions"])
    return line in re.sub(r'[\\" ]', "", kept)


def test_at_the_end_everybody_may_have_it_all(
    api: Api, ada: NewPlayer, eve: NewPlayer, searched: list[Kerd]
) -> None:
    path = scribed(api, ada)
    game = path.removeprefix("/games/")
    own = asked(api, ada, game=game)["id"]
    work(api, own)
    assert views(api, own, eve, None) == [404, 404]
    api.command(path, ada, "resign", side="second")
    assert views(api, own, eve, None) == [200, 200]
    whole = asked(api, eve, game=game)
    assert whole["view"] == "full"
    searched.clear()
    work(api, whole["id"])
    known = tuple(SQUARE_OF[OWN[side]] for side in ("first", "second"))
    assert [tuple(map(p.choice_of, Side)) for p in searched] == [known]
    assert shown(api, f"{path}/analysis")["id"] == whole["id"]


def test_a_webhook_for_everybody_is_not_told_of_a_secret(
    api: Api, ada: NewPlayer, brahim: NewPlayer, admin: NewPlayer
) -> None:
    hooks = {
        api.service.webhooks.register(who, "https://club.example/", (ANALYSIS_FINISHED,), every).id
        for who, every in ((ada.id, False), (admin.id, True))
    }
    for by, told in ((ada, 1), (brahim, 0)):
        path = scribed(api, by)
        before = len(api.service.jobs.due())
        id = asked(api, by, game=path.removeprefix("/games/"))["id"]
        work(api, id)
        assert len(api.service.jobs.due()) - before == told
    assert len(hooks) == 2


def test_an_export_has_what_its_reader_may_have(
    api: Api, ada: NewPlayer, brahim: NewPlayer, eve: NewPlayer
) -> None:
    kept = scribed(api, ada)
    api.play(kept, ada, "e4")
    played = chosen(api, ada, brahim)
    api.play(played, ada, "e4")
    told = {}
    for path, asker in ((kept, ada), (played, eve)):
        id = path.removeprefix("/games/")
        work(api, asked(api, asker, game=id)["id"])
        body = {"ids": [id], "analysis": True}
        for name, by in (("ada", ada), ("brahim", brahim), ("eve", eve), ("nobody", None)):
            raw = api.post("/export", body, by, Accept=NDJSON).text
            told[asker.name, name] = "[%eval" in raw
    readers = ("ada", "brahim", "eve", "nobody")
    # The scribe's analysis knows the choices; a stranger's is kept from the game's two players.
    assert [told["Ada", name] for name in readers] == [True, False, False, False]
    assert [told["Eve", name] for name in readers] == [False, False, True, True]
