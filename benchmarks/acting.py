"""Actions in many games, a line each in one request, against one request for each.

Both go to one service in turn, and play the same games. The figure is the processor time that the
web process and Redis together take for an action, so that other programs do not matter.
"""

from __future__ import annotations

import http.client
import itertools
import json
from collections.abc import Iterator

from benchmarks.server import GunicornServer, Redis
from benchmarks.submitting import CLIENTS, KeptConnection, long_game, new_game, register
from benchmarks.turns import Measurement, measure_in_turn

GAMES = 100
LINES = 500
"""How many lines a request has."""
ACTIONS = 1000
"""How many actions a round sends each way."""
PLIES = 200


def iter_actions(client: KeptConnection) -> Iterator[tuple[str, str]]:
    """Ids of games with actions: one action of each of GAMES games in turn, then other games."""
    for seed in itertools.count():
        action_lists = long_game(PLIES, seed)
        ids = [new_game(client).split("/")[-2] for _ in range(GAMES)]
        for action in action_lists:
            for id in ids:
                yield id, action


def post_lines(port: int, token: str, lines: list[dict[str, str]]) -> None:
    """Send one request of lines; RuntimeError where one of them is refused."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    body = "".join(json.dumps(line) + "\n" for line in lines)
    headers = {"Content-Type": "application/x-ndjson", "Authorization": f"Bearer {token}"}
    connection.request("POST", "/api/v1/actions", body, headers)
    answers = [json.loads(line) for line in connection.getresponse().read().splitlines()]
    connection.close()
    refused = [answer for answer in answers if answer["status"] != 200]
    if refused or len(answers) != len(lines):
        raise RuntimeError(f"{len(answers)} answers to {len(lines)} lines; {refused[:1]}")


def figures(rounds: int) -> list[Measurement]:
    """Actions per second of processor time, in lines and one by one."""
    with Redis() as store, GunicornServer("service.operations.wsgi:app", store) as web:
        token = register(web.port)
        clients = [KeptConnection(web.port, token) for _ in range(CLIENTS)]
        together, alone = iter_actions(clients[0]), iter_actions(clients[0])
        keys = itertools.count()

        def take(actions: Iterator[tuple[str, str]], count: int) -> list[dict[str, str]]:
            return [
                {"game": id, "action": action, "key": f"k{next(keys)}"}
                for id, action in itertools.islice(actions, count)
            ]

        def measure(lines: list[dict[str, str]], size: int) -> float:
            before = web.cpu_seconds() + store.cpu_seconds()
            for start in range(0, len(lines), size):
                part = lines[start : start + size]
                if size > 1:
                    post_lines(web.port, token, part)
                else:
                    (line,) = part
                    post_one(clients[start % CLIENTS], line)
            return len(lines) / (web.cpu_seconds() + store.cpu_seconds() - before)

        bulk, single, ratio = measure_in_turn(
            "act in many games",
            lambda: measure(take(together, ACTIONS), LINES),
            lambda: measure(take(alone, ACTIONS), 1),
            rounds,
        )
    return [
        Measurement(
            f"actions in {GAMES} games, {LINES} lines a request, against one request each",
            f"lines {bulk:.0f} actions per CPU second",
            f"one by one {single:.0f} actions per CPU second",
            ratio,
            bar=5,
        )
    ]


def post_one(client: KeptConnection, line: dict[str, str]) -> None:
    """Send one action by itself, with its key."""
    client.headers["Idempotency-Key"] = line["key"]
    client.post(f"/api/v1/games/{line['game']}/actions", {"action": line["action"]})
