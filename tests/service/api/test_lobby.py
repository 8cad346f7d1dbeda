"""The lobby over HTTP: open challenges as a list and live, players by name, rematches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from service.game import challenges
from service.game.commands import WithdrawChallenge
from service.game.repository import Games
from service.game.terms import DAY
from service.log.redis import RedisEventLog
from service.player.actor import Actor
from service.player.repository import NewPlayer
from service.projection.checkpoints import Checkpoints
from service.projection.database.database import Database
from service.projection.errors import DatabaseAway
from tests.service.api.client import Api, error
from tests.service.api.live import Stream, post, read_messages
from tests.service.api.test_terms import offer
from tests.service.game.support import NO_TOURNAMENTS, QUIET, new_game
from tests.service.web_server import WebServer


def listed(api: Api, **query: str) -> list[str]:
    """The ids of the listed open challenges."""
    api.project()
    page: Any = api.get("/challenges", query=query).json
    return [item["id"] for item in page["items"]]


def test_the_lobby_lists_what_anybody_may_accept(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    one = offer(api, ada)["id"]
    offer(api, ada, opponent=brahim.id)
    offer(api, ada, visibility="private")
    two = offer(api, brahim, time_control="180+2", rated=False)
    assert listed(api) == [two["id"], one]
    page: Any = api.get("/challenges").json
    told = page["items"][0]
    assert (told["status"], told["terms"]["speed"], told["terms"]["rated"]) == (
        "offered",
        "blitz",
        False,
    )
    assert told["players"]["first"]["id"] == brahim.id
    # The list lags, but the game does not: an accepted challenge is not listed.
    api.command(f"/games/{one}", brahim, "accept")
    rest: Any = api.get("/challenges").json
    assert [item["id"] for item in rest["items"]] == [two["id"]]


def test_the_lobby_is_filtered_by_terms(api: Api, ada: NewPlayer) -> None:
    slow = offer(api, ada)["id"]
    blitz = offer(api, ada, time_control="180+2")["id"]
    casual = offer(api, ada, rated=False)["id"]
    kerd = offer(api, ada, variant="kerd")["id"]
    assert listed(api, variant="kerd") == [kerd]
    assert listed(api, speed="blitz") == [blitz]
    assert listed(api, speed="untimed", variant="katruji") == [casual, slow]
    assert listed(api, rated="false") == [casual]
    assert listed(api, rated="true", variant="katruji") == [blitz, slow]
    for name, value in (("speed", "slow"), ("rated", "yes"), ("variant", "go"), ("side", "first")):
        assert error(api.get("/challenges", query={name: value})) == (400, "bad-parameter")


def test_the_lobby_is_paged(api: Api, ada: NewPlayer) -> None:
    made = [offer(api, ada)["id"] for _ in range(5)]
    api.project()
    found: list[str] = []
    cursor: dict[str, str] = {}
    for _ in range(4):
        page: Any = api.get("/challenges", query={"limit": 2, **cursor}).json
        found += [item["id"] for item in page["items"]]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert sorted(found) == sorted(made)
    assert error(api.get("/challenges", query={"cursor": "nonsense"})) == (422, "bad-cursor")


def test_an_expired_challenge_is_not_listed(api: Api, ada: NewPlayer) -> None:
    service = api.service
    early = Games(service.log, lambda: service.games.clock() - 2 * DAY, NO_TOURNAMENTS)
    wish = new_game("challenge")  # type: ignore[arg-type]
    command = type(wish)(
        variant="katruji", mode="challenge", first=ada.id, second=None, expires_after=DAY
    )
    early.create("g" * 16, command, Actor(ada.id, frozenset({"play"})))
    assert listed(api) == []
    other = offer(api, ada, expires_in_seconds=60)["id"]
    assert listed(api) == [other]


def test_ones_own_challenges_are_listed_private_ones_too(
    api: Api, ada: NewPlayer, brahim: NewPlayer, eve: NewPlayer
) -> None:
    open_one = offer(api, ada)["id"]
    private = offer(api, ada, opponent=brahim.id, visibility="private")["id"]
    api.project()

    def own(player: NewPlayer) -> list[str]:
        page: Any = api.get("/me/challenges", player).json
        return [item["id"] for item in page["items"]]

    assert (own(ada), own(brahim), own(eve)) == ([private, open_one], [private], [])
    api.command(f"/games/{private}", brahim, "decline")
    assert (own(ada), own(brahim)) == ([open_one], [])
    assert error(api.get("/me/challenges")) == (401, "missing-token")


def test_ones_own_challenges_go_on_at_a_cursor(api: Api, ada: NewPlayer, brahim: NewPlayer) -> None:
    made = [offer(api, ada, opponent=brahim.id)["id"] for _ in range(5)]
    api.project()
    pages, query = [], dict[str, str | int](limit=2)
    while True:
        page: Any = api.get("/me/challenges", brahim, query=query).json
        pages.append([item["id"] for item in page["items"]])
        if page["next_cursor"] is None:
            break
        query["cursor"] = page["next_cursor"]
    assert [len(page) for page in pages] == [2, 2, 1]
    listed = [id for page in pages for id in page]
    assert sorted(listed) == sorted(made)
    whole: Any = api.get("/me/challenges", brahim).json
    assert ([item["id"] for item in whole["items"]], whole["next_cursor"]) == (listed, None)
    bad = api.get("/me/challenges", brahim, query={"cursor": "x"})
    assert error(bad) == (422, "bad-cursor")
    for limit in (0, 1001):
        answer = api.get("/me/challenges", brahim, query={"limit": limit})
        assert error(answer) == (400, "bad-parameter")


def test_the_stream_ends_where_it_has_caught_up(api: Api, ada: NewPlayer) -> None:
    first = offer(api, ada)["id"]
    second = offer(api, ada, time_control="60")["id"]
    api.project()
    messages = read_messages(api.get("/challenges/stream", query={"until": "caught_up"}))
    assert [(one.event, one.data.get("id")) for one in messages] == [
        ("challenge", first),
        ("challenge", second),
        ("caught_up", None),
    ]
    assert messages[-1].data == {"challenges": 2}
    wanted = {"until": "caught_up", "speed": "bullet"}
    some = read_messages(api.get("/challenges/stream", query=wanted))
    assert [one.data.get("id") for one in some] == [second, None]


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is read in one round trip or query each, from now on."""
    made: list[str] = []
    for kind, method in (
        (RedisEventLog, "_ask"),
        (RedisEventLog, "attributes"),
        (Database, "read"),
    ):
        monkeypatch.setattr(
            kind, method, noted(getattr(kind, method), f"{kind.__name__}.{method}", made)
        )
    return made


def noted(method: Callable[..., Any], name: str, made: list[str]) -> Callable[..., Any]:
    def note(*given: Any, **named: Any) -> Any:
        made.append(name)
        return method(*given, **named)

    return note


@pytest.mark.slow
def test_many_challenges_are_read_together(api: Api, ada: NewPlayer, reads: list[str]) -> None:
    made = [offer(api, ada)["id"] for _ in range(200)]
    api.project()
    reads.clear()
    messages = read_messages(api.get("/challenges/stream", query={"until": "caught_up"}))
    assert [one.data.get("id") for one in messages] == [*made, None]
    assert len(reads) <= 10
    for path, by in (("/challenges", None), ("/me/challenges", ada)):
        reads.clear()
        page: Any = api.get(path, by, query={"limit": "200"}).json
        assert [one["id"] for one in page["items"]] == made[::-1]
        assert len(reads) <= 10


def test_a_list_that_lags_is_not_read_again_as_a_whole(
    api: Api, ada: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = offer(api, ada)["id"]
    api.project()
    loaded: list[str] = []
    looks = iter([False, False, False, True])
    load = Games.read

    def read(games: Games, id: str, *given: int) -> Any:
        loaded.append(id)
        return load(games, id, *given)

    def read_each(games: Games, ids: Sequence[str]) -> Any:
        return [read(games, id) for id in ids]

    def look(*given: object) -> bool:
        if len(loaded) == 1:
            offer(api, ada)
            api.project()
        return next(looks)

    monkeypatch.setattr(Games, "read", read)
    monkeypatch.setattr(Games, "read_each", read_each)
    monkeypatch.setattr(Checkpoints, "wait_until", look)
    monkeypatch.setattr("service.api.lobby_stream.LOOK", 0.01)
    messages = read_messages(api.get("/challenges/stream", query={"until": "caught_up"}))
    assert [one.event for one in messages] == ["challenge", "challenge", "caught_up"]
    assert messages[0].data["id"] == first
    assert loaded.count(first) == 1


def test_one_that_cannot_be_read_hides_no_other(
    api: Api, ada: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, sound = (offer(api, ada)["id"] for _ in range(2))
    fold = api.service.games.entity.fold

    def refuse(id: str, *given: Any) -> Any:
        if id == broken:
            raise ValueError(id)
        return fold(id, *given)

    api.project()
    entity = replace(api.service.games.entity, fold=refuse)
    monkeypatch.setattr(api.service.games, "entity", entity)
    api.service.games._cache.forget(broken)
    assert listed(api) == [sound]


@pytest.mark.slow
def test_challenges_come_and_go_live(
    server: WebServer, api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    with Stream(server, "/challenges/stream?variant=katruji") as stream:
        messages = iter(stream)
        assert next(messages).event == "caught_up"

        def make(**wish: Any) -> str:
            body = {"variant": "katruji", "side": "first", **wish}
            return str(post(server, "/games", body, ada).json()["id"])

        make(variant="kerd")
        make(opponent=brahim.id)
        make(visibility="private")
        for answer, by in (("accept", brahim), ("withdraw", ada)):
            challenge = make(time_control="180+2", expires_in_seconds=3600)
            came = next(messages)
            assert (came.event, came.data["id"]) == ("challenge", challenge)
            assert came.data["terms"]["time_control"] == "180+2"
            post(server, f"/games/{challenge}/commands", {"type": answer}, by)
            gone = next(messages)
            assert (gone.event, gone.data) == ("gone", {"game": challenge})


def test_a_player_is_challenged_by_name(api: Api, ada: NewPlayer) -> None:
    lovelace = api.player("Ada Lovelace")
    api.scribed(ada, players={"first": {"name": "Zoë"}, "second": {"name": "Ada Lovelace"}})
    api.project()
    wish = {"variant": "katruji", "side": "first", "opponent_name": "ada LOVELACE"}
    made: Any = api.post("/games", wish, ada).json
    assert made["players"]["second"]["id"] == lovelace.id
    found: Any = api.get("/players", query={"name": "love"}).json
    assert lovelace.id in [player["id"] for player in found["items"]]
    # Zoë is known only from a record, and cannot play.
    for name in ("Zoë", "Nobody"):
        refused = api.post("/games", wish | {"opponent_name": name}, ada)
        assert error(refused) == (422, "bad-value")
    both = wish | {"opponent": lovelace.id}
    assert error(api.post("/games", both, ada)) == (422, "bad-value")
    api.player("Ada Lovelace")
    api.project()
    assert error(api.post("/games", wish, ada)) == (422, "ambiguous-name")


def test_only_so_many_challenges_of_a_player_stand(
    api: Api, ada: NewPlayer, brahim: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(challenges, "MOST_STANDING", 2)
    wish, key = {"variant": "katruji"}, "k" * 16
    first = api.post("/games", wish, ada, key).json
    api.post("/games", wish | {"expires_in_seconds": 60}, ada)
    api.project()
    refused = api.post("/games", wish, ada)
    assert error(refused) == (429, "too-many-challenges")
    assert refused.json
    assert refused.json["limit"] == 2
    assert "Retry-After" not in refused.headers
    # Sent again, what was done is answered; others, and games that are no challenges, go on.
    assert api.post("/games", wish, ada, key).json == first
    offer(api, brahim, opponent=ada.id)
    api.scribed(ada)
    clock = api.service.games.clock
    monkeypatch.setattr(api.service.games, "clock", lambda: clock() + 60_000)
    offer(api, ada)
    api.project()
    assert error(api.post("/games", wish, ada)) == (429, "too-many-challenges")


def test_challenges_are_made_while_the_lists_are_away(
    api: Api, ada: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise DatabaseAway("no")

    monkeypatch.setattr(api.service.challenges.database, "read", refuse)
    assert offer(api, ada)["status"] == "offered"


def ended(api: Api, ada: NewPlayer, brahim: NewPlayer, **wish: Any) -> str:
    """A game that Brahim has resigned."""
    path = api.running(ada, brahim, **wish)
    assert api.command(path, brahim, "resign").status_code == 200
    return path


def test_a_rematch_has_the_same_terms_and_other_sides(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = ended(api, ada, brahim, time_control="180+2", ply_limit=80, tags={"Event": "Cup"})
    made = api.post(f"{path}/rematch", {}, brahim)
    assert made.status_code == 201
    new: Any = made.json
    assert made.headers["Location"] == f"/api/v1/games/{new['id']}"
    assert (new["status"], new["creator"]) == ("offered", brahim.id)
    assert [new["players"][side]["id"] for side in ("first", "second")] == [brahim.id, ada.id]
    assert new["tags"] == {"TimeControl": "180+2", "PlyLimit": "80"}
    assert new["clocks"]["time_control"] == "180+2"
    assert new["terms"]["rated"]
    # Asking again is safe; when the other player asks too, that accepts the rematch.
    assert api.post(f"{path}/rematch", {}, brahim).json == new
    accepted: Any = api.post(f"{path}/rematch", {}, ada).json
    assert (accepted["id"], accepted["status"]) == (new["id"], "running")
    assert api.post(f"{path}/rematch", {}, brahim).json == accepted


def test_a_rematch_takes_no_terms(api: Api, ada: NewPlayer, brahim: NewPlayer) -> None:
    path = f"{ended(api, ada, brahim)}/rematch"
    assert error(api.post(f"{path}?rated=false", {}, ada)) == (400, "bad-parameter")
    assert error(api.post(path, {"rated": False}, ada)) == (422, "invalid-request")
    assert api.post(path, {}, ada).status_code == 201


def test_another_rematch_is_asked_for_once_one_came_to_nothing(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = ended(api, ada, brahim)
    first: Any = api.post(f"{path}/rematch", {}, ada).json
    api.command(f"/games/{first['id']}", brahim, "decline")
    second: Any = api.post(f"{path}/rematch", {}, brahim).json
    assert second["id"] != first["id"]
    assert (second["creator"], second["status"]) == (brahim.id, "offered")


@pytest.mark.parametrize("withdrawn", [False, True])
def test_a_rematch_that_was_answered_at_the_same_moment_is_not_refused(
    api: Api,
    ada: NewPlayer,
    brahim: NewPlayer,
    monkeypatch: pytest.MonkeyPatch,
    withdrawn: bool,
) -> None:
    path = ended(api, ada, brahim)
    first: Any = api.post(f"{path}/rematch", {}, ada).json
    execute = Games.execute

    def execute_late(games: Games, id: str, command: Any, *rest: Any) -> Any:
        monkeypatch.undo()
        if withdrawn:
            execute(games, id, WithdrawChallenge(), Actor(ada.id, frozenset({"play"})))
        else:
            execute(games, id, command, *rest)
        return execute(games, id, command, *rest)

    monkeypatch.setattr(Games, "execute", execute_late)
    asked = api.post(f"{path}/rematch", {}, brahim)
    shown: Any = asked.json
    assert asked.status_code == 201
    assert shown["status"] == ("offered" if withdrawn else "running")
    assert (shown["id"] != first["id"]) is withdrawn


def test_a_rematch_from_a_position_is_casual(api: Api, ada: NewPlayer, brahim: NewPlayer) -> None:
    new: Any = api.post(f"{ended(api, ada, brahim, fen=QUIET)}/rematch", {}, ada).json
    assert new["initial_fen"] == QUIET
    assert not new["terms"]["rated"]


def test_what_has_no_rematch_is_refused(
    api: Api, ada: NewPlayer, brahim: NewPlayer, eve: NewPlayer
) -> None:
    running = api.running(ada, brahim)
    before = set(api.service.log.streams("game"))
    assert error(api.post(f"{running}/rematch", {}, ada)) == (409, "cannot-rematch")
    assert error(api.post(f"{running}/rematch", {}, eve)) == (403, "not-a-seat")
    assert error(api.post(f"{running}/rematch", {})) == (401, "missing-token")
    assert error(api.post(f"/games/{'a' * 16}/rematch", {}, ada)) == (404, "not-found")
    assert set(api.service.log.streams("game")) == before
    scribed = api.scribed(ada)
    api.command(scribed, ada, "close")
    assert error(api.post(f"{scribed}/rematch", {}, ada)) == (409, "cannot-rematch")


@pytest.mark.parametrize("control", [None, "60"])
def test_a_rematch_that_expired_is_no_more(
    api: Api, ada: NewPlayer, brahim: NewPlayer, control: str | None
) -> None:
    path = ended(api, ada, brahim, time_control=control)
    first: Any = api.post(f"{path}/rematch", {}, ada).json
    clock = api.service.games.clock
    api.service.games.clock = lambda: clock() + DAY
    second: Any = api.post(f"{path}/rematch", {}, ada).json
    assert second["id"] != first["id"]
