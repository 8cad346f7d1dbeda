"""`movelog bot`, and how it handles the messages of a stream."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from engine.registry import find_variant
from engine.search import Limits
from notation.registry import find_dialect
from service.cli import main
from service.cli.bot.bot import LEVEL, QUIET, Bot
from service.cli.bot.task_stream import RECONNECT
from service.cli.client import Client, RequestRefused
from service.protocol.errors import EngineFailed
from service.protocol.process import check
from tests.service.cli.test_client import serving


class Told(Client):
    """A service with one stream, which sends the given messages."""

    def __init__(
        self, *messages: tuple[str, dict[str, object]], tags: dict[str, str] | None = None
    ) -> None:
        super().__init__("http://localhost")
        self._messages = messages
        self._tags = tags
        self.sent: list[dict[str, Any]] = []

    def stream_lines(self, path: str, accept: str) -> Iterator[str]:
        for event, told in self._messages:
            yield f"event: {event}"
            yield f"data: {json.dumps(told)}"
        raise AssertionError("read beyond the last message")

    def get(self, path: str) -> dict[str, Any]:
        assert path == "/games/a"
        return {"tags": self._tags}

    def post(self, path: str, body: dict[str, Any], key: str) -> dict[str, Any]:
        self.sent.append(body)
        if body.get("expected_version") == 99:
            raise RequestRefused(409, "wrong-version", "the stream has moved on")
        return {"game": {"version": 41}}


KATRUJI = find_variant("katruji")
ACTION = find_dialect("katruji").coordinate(next(iter(KATRUJI.start().legal())))
KERD_FEN = find_dialect("kerd").write_fen(find_variant("kerd").start())
OVER = ("game-over", {"game": "a", "result": "1/2-1/2", "version": 100})


def engine(score: str) -> str:
    """The command of an engine that always gives this score and the same action."""
    script = (
        "import sys\nfor line in sys.stdin:\n"
        "    if line == 'isready\\n': print('readyok')\n"
        f"    if line[:2] == 'go': print('info depth 1 score {score}\\nbestmove {ACTION}')"
    )
    return f'{sys.executable} -ISuc "{script}"'


def turn(ply: int, version: int = 40, offer: str | None = None) -> tuple[str, dict[str, Any]]:
    """The message that tells the first side of its turn, or of a draw offer."""
    told = {"game": "a", "variant": "katruji", "side": "first", "your_turn": True, "ply": ply}
    told |= {"version": version, "draw_offer": offer}
    told["fen"] = find_dialect("katruji").write_fen(KATRUJI.start())
    return "your-turn" if offer is None else "draw-offered", told


def sent(score: str, *messages: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """What a bot sends in answer to these messages."""
    client = Told(*messages, OVER)
    Bot(client, engine(score), Limits(nodes=1), Limits(nodes=1)).play(games=1)
    return client.sent


def played(version: int = 40) -> dict[str, Any]:
    return {"action": ACTION, "expected_version": version}


def test_a_game_that_is_scored_after_its_end_is_counted_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    client = Told(
        ("caught_up", {"games": 2}),
        ("game-over", {"game": "a", "result": "1-0", "version": 8}),
        ("game-over", {"game": "a", "result": "1-0", "version": 9}),
        ("game-over", {"game": "b", "result": "0-1", "version": 7}),
    )
    Bot(client, "no-engine", Limits(nodes=1), Limits(nodes=1)).play(games=2)
    assert capsys.readouterr().out == "a 1-0\nb 0-1\n"


def test_a_level_game_that_stands_still_is_offered_as_a_draw_and_agreed() -> None:
    begun = turn(0, version=2)
    assert sent("cp -50", begun, turn(QUIET)) == [played(2), {"type": "offer-draw"}, played(41)]
    assert sent("cp 0", begun, turn(QUIET + 2)) == [played(2), played()]
    accepted = [played(2), {"type": "accept-draw"}]
    assert sent("cp 0", begun, turn(QUIET + 2, offer="second")) == accepted


@pytest.mark.parametrize(
    ("score", "ply"), [("cp 0", QUIET - 2), (f"cp {LEVEL + 1}", QUIET), ("win 3", QUIET)]
)
def test_a_draw_that_is_offered_too_early_is_played_on(score: str, ply: int) -> None:
    messages = [turn(0, version=2), turn(ply, offer="second")]
    assert sent(score, *messages) == [played(2), played()]


@pytest.mark.parametrize(("agreed", "action"), [("yes", "d4e4"), ("no", "d4d5")])
def test_an_engine_is_told_what_the_players_agreed_on_draws(agreed: str, action: str) -> None:
    script = (
        "import sys\ntold = False\nfor line in sys.stdin:\n"
        "    told |= line == 'setoption name DrawByPoints value 1\\n'\n"
        "    if line == 'isready\\n': print('readyok')\n"
        "    if line[:2] == 'go': print('bestmove', 'd4e4' if told else 'd4d5')"
    )
    name, told = turn(0)
    drawn = "c4/v5/7/8/9/4i3/3I3/6/4C r - 5-5 40"
    message = (name, {**told, "variant": "kerak", "fen": drawn})
    client = Told(message, OVER, tags={"DrawByPoints": agreed})
    Bot(client, f'{sys.executable} -ISuc "{script}"', Limits(nodes=1), Limits(nodes=1)).play(
        games=1
    )
    assert client.sent == [{"action": action, "expected_version": 40}]


@pytest.mark.parametrize(
    ("points", "agreed", "accepts"),
    [("3-5", "yes", False), ("5-3", "yes", True), ("4-4", "yes", True), ("3-5", "no", True)],
)
def test_a_draw_that_loses_by_points_is_not_agreed(points: str, agreed: str, accepts: bool) -> None:
    fen = f"c4/v5/7/8/9/4i3/3I3/6/4C r - {points} 140"
    messages = []
    for name, told in (turn(0, version=2), turn(QUIET, offer="second")):
        messages.append((name, {**told, "variant": "kerak", "fen": fen}))
    client = Told(*messages, OVER, tags={"DrawByPoints": agreed})
    level = engine("cp 0").replace(ACTION, "d4d5")
    Bot(client, level, Limits(nodes=1), Limits(nodes=1)).play(games=1)
    assert client.sent[-1] == (
        {"type": "accept-draw"} if accepts else {"action": "d4d5", "expected_version": 40}
    )


def test_a_capture_begins_the_count_anew() -> None:
    name, told = turn(10, version=20)
    fewer = {**told, "fen": told["fen"].replace("O", "1", 1)}
    assert sent("cp 0", turn(0, version=2), (name, fewer), turn(QUIET, version=42))[2:] == [
        played(42)
    ]


def test_what_is_answered_already_is_not_answered_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    refused = turn(4, version=99)
    assert sent("cp 0", turn(2), turn(2), refused, turn(4, version=100)) == [
        played(),
        played(99),
        played(100),
    ]
    assert capsys.readouterr().out == f"a {ACTION}\n" * 2 + "a 1/2-1/2\n"


def test_an_offer_out_of_turn_waits_and_a_retraction_is_declined() -> None:
    name, told = turn(QUIET, offer="second")
    offered = (name, {**told, "your_turn": False})
    assert sent("cp 0", offered, ("retraction-offered", told)) == [{"type": "decline-retraction"}]


def test_a_game_that_a_scribe_keeps_is_left_to_the_scribe() -> None:
    (name, told), (over, result) = turn(0, version=7), OVER
    kept = ((name, {**told, "mode": "scribe"}), (over, {**result, "mode": "scribe"}))
    assert sent("cp 0", *kept, turn(2)) == [played()]


class Refusing(Told):
    """A service that refuses whatever a bot posts."""

    def __init__(self, refusal: RequestRefused, *messages: tuple[str, dict[str, Any]]) -> None:
        super().__init__(*messages)
        self.refusal = refusal

    def post(self, path: str, body: dict[str, Any], key: str) -> dict[str, Any]:
        self.sent.append(body)
        raise self.refusal


SENDS = {
    "a challenge": [("challenge", {"game": "a"})],
    "an action": [turn(0)],
    "a choice": [
        ("choose", {"game": "a", "variant": "kerd", "side": "first", "fen": KERD_FEN}),
    ],
    "a retraction": [("retraction-offered", {"game": "a"})],
}


@pytest.mark.parametrize("messages", SENDS.values(), ids=list(SENDS))
@pytest.mark.parametrize(
    ("status", "code"),
    [(401, "bad-token"), (403, "missing-scope"), (404, "not-found"), (422, "illegal-move")],
)
def test_a_bot_ends_when_it_is_refused(
    status: int, code: str, messages: list[tuple[str, dict[str, Any]]]
) -> None:
    """A bot that went on would wait for ever, and nobody would know why."""
    client = Refusing(RequestRefused(status, code, "no"), *messages, OVER)
    with pytest.raises(RequestRefused) as error:
        Bot(client, engine("cp 0"), Limits(nodes=1), Limits(nodes=1)).play(games=1)
    assert (error.value.status, error.value.code, len(client.sent)) == (status, code, 1)


@pytest.mark.parametrize("messages", SENDS.values(), ids=list(SENDS))
@pytest.mark.parametrize(("status", "code"), [(409, "wrong-version"), (403, "not-a-seat")])
def test_a_bot_goes_on_where_the_game_has_moved_on_or_is_not_its_own(
    status: int,
    code: str,
    messages: list[tuple[str, dict[str, Any]]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    client = Refusing(RequestRefused(status, code, "not now"), *messages, OVER)
    Bot(client, engine("cp 0"), Limits(nodes=1), Limits(nodes=1)).play(games=1)
    assert len(client.sent) == 1
    assert capsys.readouterr().out == "a 1/2-1/2\n"


def test_a_refused_bot_says_so_and_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command fails with the sentence of the refusal and no traceback."""
    client = Refusing(RequestRefused(403, "missing-scope", "this needs 'play'"), turn(0))
    monkeypatch.setenv("MOVELOG_DATA_DIR", str(tmp_path / "none"))
    monkeypatch.setattr("service.cli.client.Client", lambda url, token: client)
    monkeypatch.setattr(client, "get", lambda path: {"name": "Ann Lee", "mark": "K7QF", "tags": {}})
    asked = ["bot", "--url", "http://localhost", "--token", "t", "--engine", engine("cp 0")]
    assert main(asked) == 1
    said = capsys.readouterr().err
    assert "playing as Ann Lee #K7QF" in said
    assert "this needs 'play'" in said
    assert "Traceback" not in said


@pytest.mark.parametrize("go", ["", "infinite"])
def test_a_bot_without_a_limit_is_refused(
    go: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MOVELOG_DATA_DIR", str(tmp_path / "none"))
    asked = ["bot", "--url", "http://localhost", "--token", "t", "--engine", engine("cp 0")]
    assert main([*asked, "--go", go]) != 0
    said = capsys.readouterr().err
    assert "--go" in said
    assert "Traceback" not in said


def test_a_choice_in_a_game_without_any_is_a_fault() -> None:
    told = {"game": "a", "variant": "katruji", "side": "first", "fen": turn(0)[1]["fen"]}
    client = Told(("choose", told), OVER)
    with pytest.raises(TypeError, match="nothing is chosen in katruji"):
        Bot(client, "no-engine", Limits(nodes=1), Limits(nodes=1)).play(games=1)
    assert client.sent == []


class Breaking(Told):
    """A service whose first three streams break off."""

    broken = 0

    def stream_lines(self, path: str, accept: str) -> Iterator[str]:
        if self.broken < 3:
            self.broken += 1
            raise requests.ConnectionError
        yield from super().stream_lines(path, accept)


def test_a_stream_that_breaks_is_opened_again_after_a_pause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("service.cli.bot.task_stream.time.sleep", pauses.append)
    client = Breaking(OVER)
    Bot(client, "no-engine", Limits(nodes=1), Limits(nodes=1)).play(games=1)
    assert (client.broken, pauses) == (3, [RECONNECT] * 3)


def test_a_bot_forgets_a_game_that_is_over() -> None:
    """A bot that plays for months keeps only the games that it is playing."""
    client = Told(turn(0), ("game-over", {"game": "a", "result": "1-0"}), turn(0), OVER)
    bot = Bot(client, engine("cp 0"), Limits(nodes=1), Limits(nodes=1))
    with pytest.raises(AssertionError, match="read beyond"):
        bot.play(games=2)
    # The stream starts from the beginning, and the turn is played again: nothing was kept.
    assert client.sent == [played(), played()]


def test_a_wrong_engine_is_refused_before_any_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MOVELOG_DATA_DIR", str(tmp_path / "none"))
    with serving(0) as port:
        for command, reason in (
            ("no-such-engine", "No such file"),
            (f"{sys.executable} -ISc pass", "does not say that it is ready"),
            ("'", "No closing quotation"),
        ):
            asked = ["bot", "--url", f"http://127.0.0.1:{port}", "--token", "t"]
            assert main([*asked, "--engine", command]) == 1
            assert reason in capsys.readouterr().err


def test_an_engine_that_does_not_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.protocol.process.STARTING", 0.1)
    with pytest.raises(EngineFailed, match="does not end within"):
        check(f'{sys.executable} -ISc "import threading; threading.Event().wait()"')
