"""`movelog combat`: captures broken down, for a position string and for a service's game."""

from __future__ import annotations

import json

import pytest
import requests

from notation.kerak.dialect import KerakDialect
from service.cli import main
from tests.service.web_server import WebServer

KERAK = KerakDialect()
FEN = "c4/6/7/3i4/3n5/4V3/7/6/I3C r - 0-0 40"
LEGAL = """\
e4e6 is legal: from f5: attack 1 (Cavalry e4 1) >= defence 1 (Infantry e6 1)
  from e5: attack 1 (Cavalry e4 1) < defence 3 (Infantry e6 1 + Knight d6 2)
"""
ILLEGAL = """\
e4d6 is illegal: from d5: attack 1 (Cavalry e4 1) < defence 2 (Knight d6 2)
  from e5: attack 1 (Cavalry e4 1) < defence 3 (Knight d6 2 + Infantry e6 1)
"""


@pytest.fixture(scope="module")
def game(server: WebServer) -> tuple[str, str]:
    """The URL of a service and the id of its only game, which is at FEN after one action."""
    first = KERAK.read_fen("c4/6/7/8/3ni4/4V3/7/6/I3C b - 0-0 39")
    scribe = server.service.players.register("Ann", None)
    wish = {"variant": "kerak", "mode": "scribe", "fen": KERAK.write_fen(first)}
    seats = {"first": {"name": "Ada"}, "second": {"name": "Brahim"}}
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {scribe.token.secret}"
        games = f"{server.url}/api/v1/games"
        id = session.post(games, json=wish | {"players": seats}, timeout=60).json()["id"]
        session.post(f"{games}/{id}/actions", json={"action": "e5e6"}, timeout=60)
    return server.url, str(id)


@pytest.mark.parametrize(("pair", "told"), [("e4 e6", LEGAL), ("e4 d6", ILLEGAL)])
@pytest.mark.parametrize("fen", [[FEN], FEN.split(" ")], ids=["quoted", "in words"])
def test_a_position_s_capture_is_told(
    fen: list[str], pair: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["combat", *fen, *pair.split(" ")]) == 0
    assert capsys.readouterr().out == told


def test_what_is_no_assault_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["combat", FEN, "e4", "e8"]) == 0
    assert capsys.readouterr().out == "e4e8 is illegal: there is nothing to capture on e8\n"


def test_json_is_what_the_dialect_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["combat", FEN, "e4", "d6", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == KERAK.combat(KERAK.read_fen(FEN), "e4", "d6")


def test_a_game_without_strengths_is_told_so(capsys: pytest.CaptureFixture[str]) -> None:
    fen = "1SOO/1PSO/1PPS/4/4/SPP1/OSP1/OOS1 s 0-0 - 0 1"
    assert main(["combat", fen, "d1", "d2"]) == 1
    assert capsys.readouterr().err == ("movelog: katruji: captures need no strength in this game\n")


@pytest.mark.slow
def test_a_service_s_game_is_asked(
    game: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    url, id = game
    asked = ["combat", "--game", id, "--url", url, "e4", "e6"]
    assert main(asked) == 0
    assert capsys.readouterr().out == LEGAL
    assert main([*asked, "--ply", "0"]) == 0
    assert capsys.readouterr().out == "e4e6 is illegal: there is nothing to capture on e6\n"
    assert main([*asked, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    expected = KERAK.combat(KERAK.read_fen(FEN), "e4", "e6")
    assert told == {"id": id, "version": 2, "ply": 1, **expected}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changed", "problem"),
    [({"to": "z9"}, "400 bad-parameter"), ({"id": "../games"}, "404 no-such-path")],
    ids=str,
)
def test_a_service_s_refusal_is_one_line(
    game: tuple[str, str],
    changed: dict[str, str],
    problem: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    url, id = game
    asked = {"id": id, "to": "e6"} | changed
    assert main(["combat", "--game", asked["id"], "--url", url, "e4", asked["to"]]) == 1
    written = capsys.readouterr()
    assert written.out == ""
    assert written.err.startswith(f"movelog: refused ({problem}): ")
    assert written.err.count("\n") == 1


def test_without_a_service_there_is_no_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["combat", "--game", "a", "--url", "http://127.0.0.1:1", "e4", "e6"]) == 1
    assert capsys.readouterr().err.startswith("movelog: no service answers at http://127.0.0.1:1;")
