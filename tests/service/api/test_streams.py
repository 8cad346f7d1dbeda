"""Event streams of a real web process: in order, each event once, without a gap."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from service.game import annotating
from service.game.commands import AnnotateAction, Annotation
from service.game.events import ActionPlayed
from service.game.repository import stream_of
from service.log.values import Append
from service.player.actor import Actor
from service.player.commands import Principal
from service.player.repository import NewPlayer
from tests.service.api.live import SILENCE, Stream, bearer, post, running
from tests.service.redis_server import RedisServer
from tests.service.web_server import WebServer
from tests.waiting import patiently

ACTIONS = ("Pd1", "Pa7", "Pd2", "Pa8")


@pytest.fixture
def ada(server: WebServer) -> NewPlayer:
    return server.service.players.register("Ada", None)


@pytest.fixture
def brahim(server: WebServer) -> NewPlayer:
    return server.service.players.register("Brahim", None)


@pytest.fixture
def game(server: WebServer, ada: NewPlayer, brahim: NewPlayer) -> str:
    return running(server, ada, brahim)


def versions(stream: Stream, count: int) -> list[int]:
    """The versions of the next events, without `caught_up`."""
    found = []
    for message in stream:
        if message.event is None:
            assert message.id == str(message.data["version"])
            found.append(message.data["version"])
        if len(found) == count:
            break
    return found


def open_streams(server: WebServer) -> float:
    text = requests.get(f"{server.url}/metrics", timeout=SILENCE).text
    return float(
        next(line for line in text.splitlines() if line.startswith("movelog_event_s")).split()[1]
    )


@pytest.mark.slow
def test_followers_see_every_event_once_in_order(
    server: WebServer, ada: NewPlayer, brahim: NewPlayer, game: str
) -> None:
    with Stream(server, f"{game}/stream") as one, Stream(server, f"{game}/stream?after=2") as two:
        assert [m.event for m in one.take(3)] == [None, None, "caught_up"]
        (caught_up,) = two.take(1)
        assert (caught_up.id, caught_up.event, caught_up.data) == ("2", "caught_up", {"version": 2})
        for action, by in zip(ACTIONS, (ada, brahim) * 2, strict=True):
            post(server, f"{game}/actions", {"action": action}, by)
        post(server, f"{game}/commands", {"type": "resign"}, ada)
        told = one.take(5)
        assert [m.data["version"] for m in told] == [3, 4, 5, 6, 7]
        assert told == two.take(5)
        assert told[0].data["data"]["san"] == "Pd1"
        log = requests.get(f"{server.url}/api/v1{game}/events?after=2", timeout=SILENCE).json()
        assert [m.data for m in told] == log["items"]


@pytest.mark.parametrize("last", range(5))
def test_a_stream_is_resumed_after_the_last_event(
    server: WebServer, ada: NewPlayer, brahim: NewPlayer, game: str, last: int
) -> None:
    post(server, f"{game}/actions", {"action": "Pd1"}, ada)
    post(server, f"{game}/actions", {"action": "Pa7"}, brahim)
    with Stream(server, f"{game}/stream?after=1&until=caught_up", last=str(last)) as stream:
        told = list(stream)
    assert [m.data["version"] for m in told] == [*range(last + 1, 5), 4]
    assert told[-1].event == "caught_up"


@pytest.mark.parametrize("last", ["3", "999999999", "x", "-1", "2-0", "9" * 40])
def test_an_event_that_never_was_is_refused(server: WebServer, game: str, last: str) -> None:
    url = f"{server.url}/api/v1{game}/stream"
    answer = requests.get(url, headers={"Last-Event-ID": last}, timeout=SILENCE)
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed-header")
    answer = requests.get(f"{url}?after={last}", timeout=SILENCE)
    assert (answer.status_code, answer.json()["code"]) == (400, "bad-parameter")


@pytest.mark.slow
def test_a_slow_client_is_cut_off_and_resumes(
    server: WebServer, ada: NewPlayer, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(annotating, "MAX_LOGGED", 1 << 30)
    post(server, f"{game}/actions", {"action": "Pd1"}, ada)
    slow = socket.create_connection(("127.0.0.1", server.port))
    with slow:
        slow.sendall(f"GET /api/v1{game}/stream HTTP/1.0\r\n\r\n".encode())
        assert b"200 OK" in slow.recv(100)
        newest = flood(server, ada, game.removeprefix("/games/"))
        slow.settimeout(SILENCE)
        received = b"".join(iter(lambda: slow.recv(1 << 20), b""))
    # The last message may be cut off anywhere, even within its id.
    whole = received[: received.rindex(b"\n\n")]
    seen = int(whole.rsplit(b"\nid: ", 1)[1].split(b"\n")[0])
    assert 3 < seen < newest
    with Stream(server, f"{game}/stream?until=caught_up", last=str(seen)) as stream:
        assert versions(stream, newest - seen) == list(range(seen + 1, newest + 1))


def flood(server: WebServer, ada: NewPlayer, id: str) -> int:
    """Append more and larger events than buffers and queues hold; returns the newest version."""
    actor = Actor(ada.id, frozenset({"play", "admin"}))
    for number in range(600):
        large = Annotation(after=tuple(f"{number}-{part} {'x' * 3900}" for part in range(16)))
        done = server.service.games.execute(id, AnnotateAction(ply=1, annotation=large), actor)
    return done.state.version


def test_what_waits_for_a_player(server: WebServer, ada: NewPlayer, brahim: NewPlayer) -> None:
    with Stream(server, "/me/stream", brahim) as stream:
        (begun,) = stream.take(1)
        assert (begun.event, begun.data) == ("caught_up", {"games": 0})
        wish = {"variant": "katruji", "side": "first", "opponent": brahim.id}
        game = f"/games/{post(server, '/games', wish, ada).json()['id']}"
        # A message shows the game as of when it is sent, so each step waits for the one before.
        (challenge,) = stream.take(1)
        assert (challenge.event, challenge.data["status"]) == ("challenge", "offered")
        post(server, f"{game}/commands", {"type": "accept"}, brahim)
        (accepted,) = stream.take(1)
        assert (accepted.event, accepted.data["side"]) == ("waiting", "second")
        post(server, f"{game}/actions", {"action": "Pd1"}, ada)
        (turn,) = stream.take(1)
        assert (turn.event, turn.data["your_turn"]) == ("your-turn", True)
        assert turn.data["game"] == game.removeprefix("/games/")
        assert (turn.data["last_action"], turn.data["last_san"]) == ("c2d1", "Pd1")
        post(server, f"{game}/commands", {"type": "offer-draw"}, ada)
        (offered,) = stream.take(1)
        assert (offered.event, offered.data["draw_offer"]) == ("draw-offered", "first")
        post(server, f"{game}/commands", {"type": "offer-retraction", "plies": 1}, ada)
        assert stream.take(1)[0].event == "draw-offered"
        post(server, f"{game}/commands", {"type": "decline-draw"}, brahim)
        assert stream.take(1)[0].event == "retraction-offered"
        post(server, f"{game}/commands", {"type": "resign"}, ada)
        over = stream.until("game-over")
        assert (over.data["result"], over.data["your_turn"]) == ("0-1", False)


def test_a_challenge_says_who_challenges(
    server: WebServer, ada: NewPlayer, brahim: NewPlayer
) -> None:
    with Stream(server, "/me/stream", brahim) as stream:
        stream.until("caught_up")
        wish = {"variant": "katruji", "side": "first", "opponent": brahim.id}
        game = post(server, "/games", wish, ada).json()
        (challenge,) = stream.take(1)
    assert challenge.data["creator"] == ada.id
    assert challenge.data["players"] == game["players"]
    assert challenge.data["last_san"] is None


def test_what_waited_already(server: WebServer, ada: NewPlayer, brahim: NewPlayer) -> None:
    game = running(server, ada, brahim)
    open_challenge = post(server, "/games", {"variant": "katruji"}, ada).json()["id"]
    post(server, "/games", {"variant": "katruji"}, brahim)
    with Stream(server, "/me/stream?until=caught_up", ada) as stream:
        told = list(stream)
    assert {m.data["game"]: m.event for m in told[:-1]} == {
        game.removeprefix("/games/"): "your-turn",
        open_challenge: "challenge-sent",
    }
    assert (told[-1].event, told[-1].data) == ("caught_up", {"games": 2})


def break_log(server: WebServer, id: str) -> None:
    """Append an event to a game that no state can follow."""
    state = server.service.games.load(id)
    move = ActionPlayed(ply=len(state.played) + 1, action="a1a1", san="a1a1")
    server.service.log.append(
        Append(
            stream=stream_of(id),
            expected=state.version,
            events=[move],
            at=state.updated_at,
            by=state.creator,
            head=state.head,
            audience=[seat for seat in state.seats if seat],
        )
    )


def test_what_happens_to_a_player_is_no_news_of_a_game(
    server: WebServer, ada: NewPlayer, brahim: NewPlayer
) -> None:
    game = running(server, ada, brahim)
    with Stream(server, "/me/stream", ada) as stream:
        stream.until("caught_up")
        server.service.players.issue(ada.id, ["play"], Principal(ada.id, None))
        post(server, f"{game}/actions", {"action": "Pd1"}, ada)
        (told,) = stream.take(1)
        assert (told.event, told.data["game"]) == ("waiting", game.removeprefix("/games/"))


def test_a_game_that_cannot_be_read_does_not_silence_the_others(
    server: WebServer, ada: NewPlayer, brahim: NewPlayer
) -> None:
    broken = running(server, ada, brahim)
    sound = running(server, ada, brahim).removeprefix("/games/")
    with Stream(server, "/me/stream", ada) as stream:
        stream.until("caught_up")
        break_log(server, broken.removeprefix("/games/"))
        assert stream.until("unreadable").data == {"game": broken.removeprefix("/games/")}
        post(server, f"/games/{sound}/actions", {"action": "Pd1"}, ada)
        assert stream.take(1)[0].data["game"] == sound
    with Stream(server, "/me/stream?until=caught_up", ada) as stream:
        told = {m.data["game"]: m.event for m in list(stream)[:-1]}
    assert told == {broken.removeprefix("/games/"): "unreadable", sound: "waiting"}


def test_what_waits_is_nobody_elses_business(server: WebServer) -> None:
    answer = requests.get(f"{server.url}/api/v1/me/stream", timeout=SILENCE)
    assert (answer.status_code, answer.json()["code"]) == (401, "missing-token")


@pytest.mark.slow
def test_a_stream_goes_on_when_redis_was_away(durable: RedisServer, tmp_path: Path) -> None:
    with WebServer(durable.url, tmp_path) as server:
        ada = server.service.players.register("Ada", None)
        brahim = server.service.players.register("Brahim", None)
        game = running(server, ada, brahim)
        with Stream(server, f"{game}/stream") as stream, Stream(server, "/me/stream", brahim) as me:
            stream.until("caught_up")
            me.until("caught_up")
            post(server, f"{game}/actions", {"action": "Pd1"}, ada)
            durable.kill()
            answer = requests.post(
                f"{server.url}/api/v1{game}/actions",
                json={"action": "Pa7"},
                headers=bearer(brahim),
                timeout=SILENCE,
            )
            assert (answer.status_code, answer.json()["code"]) == (503, "log-unavailable")
            durable.start()
            for action, by in (("Pa7", brahim), ("Pd2", ada)):
                post(server, f"{game}/actions", {"action": action}, by)
            assert versions(stream, 3) == [3, 4, 5]
            told = [me.take(1)[0].data["version"]]
            while told[-1] < 5:
                told += [me.take(1)[0].data["version"]]
            assert told == sorted(set(told))


def test_a_large_body_is_refused_also_in_chunks(server: WebServer) -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(300):
            yield b"x" * 10_000

    answer = requests.post(
        f"{server.url}/api/v1/players",
        data=chunks(),
        headers={"Content-Type": "application/json"},
        timeout=SILENCE,
    )
    assert (answer.status_code, answer.json()["code"]) == (413, "too-large"), server.log()


@pytest.mark.slow
def test_a_client_that_leaves_is_forgotten(durable: RedisServer, tmp_path: Path) -> None:
    with WebServer(durable.url, tmp_path) as server:
        ada = server.service.players.register("Ada", None)
        game = running(server, ada, server.service.players.register("Brahim", None))
        post(server, f"{game}/actions", {"action": "Pd1"}, ada)
        requests.head(f"{server.url}/api/v1{game}/stream", timeout=SILENCE)
        with Stream(server, f"{game}/stream") as stream:
            stream.until("caught_up")
            assert open_streams(server) == 1
        for _ in patiently("the stream is forgotten"):
            if not open_streams(server):
                break
            # A closed connection is noticed when something is sent on it.
            note = {"comments": [str(time.time_ns())]}
            body = {"type": "annotate", "ply": 1, "annotation": note}
            post(server, f"{game}/commands", body, ada)
            time.sleep(0.1)
