"""Records submitted move by move to the API come back unchanged, however they end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from notation.game import Game, Move
from notation.reader import read, read_game
from notation.registry import find_dialect
from notation.writer import write
from service.cli.client import Client, RequestRefused
from service.cli.play.submission import NotPlayable, make_ending_bodies, submit_game
from service.composition.service import compose
from service.operations.admin import make_first_admin
from service.operations.web_app import create_app
from service.settings import read_settings
from tests.games import NAMES, recorded
from tests.service.redis_server import RedisServer
from tests.service_tags import without_service_tags

COMMENTS = [
    ("a comment", "and another"),
    ("[%clk 1:05:00]",),
    ("[%clk 0:00:01.5] [%emt 0:00:12]", "well played"),
    ("[%clk 1:05:00] with a text",),
    ("[%emt 0:00:12] [%clk 1:05:00]",),
    ("[%clk 1:5:0]",),
    ("[%eval 0.4]",),
    ("[%clk soon]",),
]
ENDINGS = [
    ("1-0", "resignation"),
    ("0-1", "resignation"),
    ("1/2-1/2", "agreement"),
    ("0-1", "time forfeit"),
    ("1-0", "adjudication"),
    ("1/2-1/2", "adjudication"),
    ("0-1", "forfeit"),
    ("1-0", "rules infraction"),
    ("1/2-1/2", "abandoned"),
    ("*", "unterminated"),
]


# Kerak: the Infantry d4 may capture the last captor; then no Castle can be captured any more.
LAST_CAPTOR = "c4/v5/7/8/9/4i3/3I3/6/4C r - 3-5 40"
AGREED_BEFORE = [
    ({"DrawByPoints": "yes"}, LAST_CAPTOR, "40. Ixe4", (4, 5), "0-1", "points"),
    ({"DrawByPoints": "no"}, LAST_CAPTOR, "40. Ixe4", (4, 5), "1/2-1/2", "no captor left"),
    ({"DrawByPoints": "yes"}, LAST_CAPTOR, "40. Id5", (3, 5), "0-1", "points"),
    ({"DrawByPoints": "no"}, LAST_CAPTOR, "40. Id5", (3, 5), "1/2-1/2", "agreement"),
    ({"PlyLimit": "3"}, None, "1. H@c3 H@g7 2. I@e1", (0, 0), "1/2-1/2", "adjudication"),
    (
        {"DrawByPoints": "yes", "PlyLimit": "2"},
        None,
        "1. H@c3 H@g7",
        (0, 0),
        "1/2-1/2",
        "adjudication",
    ),
    (
        {"DrawByPoints": "yes", "PlyLimit": "1"},
        LAST_CAPTOR.replace("3-5", "5-5"),
        "40. Ixe4",
        (6, 5),
        "1-0",
        "points",
    ),
]
"""Tags, first position, actions, points at the end, result and termination."""


class Door(Client):
    """A client whose requests go to an application in this process."""

    def __init__(self, app: FlaskClient, token: str) -> None:
        super().__init__("http://localhost", token)
        self.app = app
        self.token = token
        self.requests: list[str] = []

    def _request(self, method: str, path: str, **sent: Any) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self.token}", **sent.pop("headers", {})}
        answer = self.app.open(f"/api/v1{path}", method=method, headers=headers, **sent)
        content = answer.get_json()
        if answer.status_code >= 400:
            raise RequestRefused(answer.status_code, content["code"], content["detail"])
        self.requests.append(f"{method} {path}")
        assert isinstance(content, dict)
        return content

    def record(self, id: str) -> str:
        accept = {"Accept": "application/x-chess-pgn"}
        text = self.app.get(f"/api/v1/games/{id}", headers=accept).get_data(as_text=True)
        return without_service_tags(text)


@pytest.fixture
def door(tmp_path: Path, redis_server: RedisServer) -> Iterator[Door]:
    given = {"MOVELOG_DATA_DIR": str(tmp_path), "MOVELOG_REDIS_URL": redis_server.url}
    service = compose(read_settings(given))
    make_first_admin(service)
    token = service.settings.admin_token_file.read_text().strip()
    app = create_app(service)
    with app.test_client() as client:
        yield Door(client, token)
    service.store.close()


@pytest.fixture(scope="module")
def game() -> Game:
    """A finished game, read from its record."""
    file = Path(__file__).parents[3] / "data" / "records" / "katruji.pgn"
    with file.open("rb") as stream:
        return next(read(stream)).game


def broken_off(game: Game, result: str, termination: str, plies: int = 8) -> Game:
    """The beginning of a game, with another ending."""
    tags = {**game.tags, "Result": result, "Termination": termination}
    tags |= {"SouthPoints": "0", "NorthPoints": "0"}
    return Game(game.variant, tags, game.moves[:plies], result)


def silent(done: float) -> None:
    assert 0 < done <= 1


@pytest.mark.parametrize(("result", "termination"), ENDINGS)
def test_each_ending_is_entered_as_what_it_was(
    door: Door, game: Game, result: str, termination: str
) -> None:
    ended = broken_off(game, result, termination)
    answer = submit_game(door, ended, "key", silent)
    assert answer["result"] == result
    assert door.record(answer["id"]) == write(ended)


def test_an_end_by_the_rules_needs_no_command(door: Door, game: Game) -> None:
    answer = submit_game(door, game, "key", silent)
    assert door.record(answer["id"]) == write(game)
    assert not [path for path in door.requests if path.endswith("/commands")]


def test_annotations_come_back_unchanged(door: Door, game: Game) -> None:
    plain = broken_off(game, "*", "unterminated", plies=len(COMMENTS))
    moves = tuple(
        Move(move.action, nags=(n, 1), before=("before",) if n == 2 else (), after=after)
        for n, (move, after) in enumerate(zip(plain.moves, COMMENTS, strict=True))
    )
    annotated = replace(plain, moves=moves)
    answer = submit_game(door, annotated, "key", silent)
    assert door.record(answer["id"]) == write(annotated)
    actions = door.get(f"/games/{answer['id']}")["actions"]
    assert actions[1]["clock_ms"] == 3_900_000
    assert (actions[2]["clock_ms"], actions[2]["elapsed_ms"]) == (1500, 12_000)
    assert [n for n, action in enumerate(actions) if "clock_ms" in action] == [1, 2]


@pytest.mark.parametrize("name", NAMES)
def test_variations_come_back_unchanged(door: Door, name: str) -> None:
    """In Kerd they include reveals, whose legality only those who know the choices can tell."""
    from_records = (one for one in recorded(name) if len(one.moves) > 8 and not one.comments)
    game = next(one for one in from_records if "FEN" not in one.tags)
    texts = find_dialect(name)
    position = texts.start(game.tags)
    moves = []
    for move in game.moves:
        legal = position.legal()
        lines = tuple((Move(each, nags=(5,), after=("or",)),) for each in {legal[0], legal[-1]})
        moves.append(replace(move, variations=lines, before=("so",)))
        position.play(move.action)
    annotated = replace(game, moves=tuple(moves[:8]) + game.moves[8:])
    answer = submit_game(door, annotated, "key", silent)
    assert door.record(answer["id"]) == write(annotated)
    before = len(door.requests)
    assert submit_game(door, annotated, "key", silent) == answer
    assert door.record(answer["id"]) == write(annotated)
    assert len(door.requests) > before


def test_variations_with_clocks_are_for_an_import(door: Door, game: Game) -> None:
    first = replace(
        game.moves[0], variations=((Move(game.moves[0].action, after=("[%clk 0:01:00]",)),),)
    )
    with pytest.raises(NotPlayable, match="clock times or evaluations: import it"):
        submit_game(door, replace(game, moves=(first, *game.moves[1:])), "key", silent)
    assert door.requests == []


def test_what_was_broken_off_is_gone_on_with(door: Door, game: Game) -> None:
    class ConnectionLost(Exception):
        pass

    def break_off(done: float) -> None:
        if done > 0.5:
            raise ConnectionLost

    ended = broken_off(game, "1/2-1/2", "agreement")
    with pytest.raises(ConnectionLost):
        submit_game(door, ended, "key", break_off)
    door.requests.clear()
    answer = submit_game(door, ended, "key", silent)
    assert door.record(answer["id"]) == write(ended)
    assert len([path for path in door.requests if path.endswith("/actions")]) == 3
    door.requests.clear()
    assert submit_game(door, ended, "key", silent) == answer
    assert len(door.requests) == 2
    assert submit_game(door, ended, "another", silent)["id"] != answer["id"]


def test_a_refusal_says_why(door: Door, game: Game) -> None:
    tags = {**game.tags, "South": game.tags["North"]}
    with pytest.raises(RequestRefused) as refused:
        submit_game(door, replace(game, tags=tags), "key", silent)
    assert (refused.value.status, refused.value.code) == (422, "bad-value")
    assert str(refused.value).startswith("refused (422 bad-value): ")


def test_an_agreed_draw_that_points_decided_is_entered_as_a_draw(game: Game) -> None:
    decided = broken_off(game, "1-0", "points")
    assert [command["type"] for command in make_ending_bodies(decided)] == [
        "offer-draw",
        "accept-draw",
    ]


@pytest.mark.parametrize(
    ("tags", "fen", "actions", "points", "result", "termination"), AGREED_BEFORE
)
def test_what_was_agreed_before_the_game_comes_back(
    door: Door,
    tags: dict[str, str],
    fen: str | None,
    actions: str,
    points: tuple[int, int],
    result: str,
    termination: str,
) -> None:
    ends = {"RedPoints": str(points[0]), "BluePoints": str(points[1]), "Termination": termination}
    start = {} if fen is None else {"SetUp": "1", "FEN": fen}
    names = {"Red": "Ada", "Blue": "Brahim", "Date": "2021.08.26"}
    every = {"Variant": "kerak", "Result": result, **names, **tags, **start, **ends}
    head = "".join(f'[{name} "{value}"]\n' for name, value in every.items())
    played = read_game(f"{head}\n{actions} {result}\n")
    answer = submit_game(door, played, "key", silent)
    assert door.record(answer["id"]) == write(played)
    by_the_rules = termination not in ("agreement", "points") or "x" in actions
    asked = [path for path in door.requests if path.endswith("/commands")]
    assert len(asked) == (0 if by_the_rules else 2)


@pytest.mark.parametrize(
    ("result", "termination"),
    [("1-0", "death"), ("1-0", "agreement"), ("1/2-1/2", "resignation"), ("1/2-1/2", "normal")],
)
def test_what_no_game_ends_by_is_adjudicated(
    door: Door, game: Game, result: str, termination: str
) -> None:
    odd = broken_off(game, result, termination)
    answer = submit_game(door, odd, "key", silent)
    assert door.record(answer["id"]) == write(broken_off(game, result, "adjudication"))
