"""Requests about a game to every operation of the contract that players and strangers may call."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from service.api.exports import WRITERS
from service.puzzles.collection import load_collection
from tests.contracts.document import operations
from tests.service.api.client import NDJSON, PGN
from tests.service.secrets.twins import Request

NOBODY = None
OUTSIDERS = (NOBODY, "eve", "arbiter", "admin")
SQUARES = [f"{file}{rank}" for file in "abcdefghijkl" for rank in range(1, 13)]
TOKENS = (
    *(
        "R:{0}",
        "X:{0}",
        "x:{0}",
        "{0}{1}",
        "{0}{1}=Q",
        "{0}{1}&{1}{0}",
        "H{0}",
        "Bx{0}",
        "C{0}&{1}",
    ),
    *("O-O", "0-0-0", "{0}=T", "R:{0}+", "K{0}#", "nonsense", "--", "Kx{0}", "J{0}{1}"),
)
PUZZLES = [puzzle.id for puzzle in load_collection().list_puzzles()]
IMPORTED = '[Variant "kerd"]\n[White "Ada"]\n[Black "Bo"]\n[WhiteInfiltrator "?"]\n\n1. e4 *\n'
READABLE = ("*/*", "application/json", NDJSON, PGN, "text/plain", "image/png")

CONVERTED = re.compile("<(?:([a-z]+):)?[a-z]+>")
"""A converter in the rule of a page's path."""

Operation = tuple[str, str]
"""A path and its method; the method of a page is `page`."""
EXPORTED: Mapping[str, Operation] = {kind: (f"/api/v1/export {kind}", "get") for kind in WRITERS}
"""Every type of export as if it were an operation, so that each is requested."""


@dataclass(frozen=True)
class Scene:
    """What the requests are about: a game at `/games/…`, its length, version, players, variant and
    public position.
    """

    game: str
    plies: int
    version: int
    players: Mapping[str, str]
    variant: str
    fen: str
    random: Random

    def token(self) -> str:
        """A token that looks like an action, and is hardly ever legal."""
        return self.random.choice(TOKENS).format(*self.random.sample(SQUARES, 2))


def requests(scene: Scene, by: str | None) -> Sequence[tuple[Operation, Request]]:
    """One observer's requests to every operation; none is meant to change the game."""
    found = [*reading(scene), *searching(scene), *analysing(scene)]
    found += [*acting(scene), *about_players(scene)]
    found += plain(scene, {operation for operation, _ in found})
    return [(operation, replace(request, by=by)) for operation, request in found]


def plain(scene: Scene, others: Collection[Operation]) -> Iterator[tuple[Operation, Request]]:
    """Plain requests to each operation that no other function here covers."""
    ids = {"id": scene.game.removeprefix("/games/"), "token": "0" * 16}
    ids |= {"player": scene.players["first"], "other": scene.players["second"], "round": "1"}
    ids |= {"puzzle": scene.random.choice(PUZZLES)}
    for path, method in sorted(operations().keys() - others):
        yield (path, method), Request(method.upper(), f"/{path.format(**ids)}")


def reading(scene: Scene) -> Iterator[tuple[Operation, Request]]:
    """Requests that only read."""
    pick, game = scene.random.choice, scene.game
    accept = {"Accept": pick(READABLE)}
    ply: dict[str, Any] = {"ply": scene.random.randint(0, scene.plies + 1)}
    after: dict[str, Any] = {"after": scene.random.randint(0, scene.version)}
    listed: Mapping[str, str | int] = pick(
        [{}, {"status": "running"}, {"player": scene.players["first"]}, {"limit": 1}]
    )
    v1 = "/api/v1/games"
    yield (v1, "get"), Request("GET", "/games", headers=accept, query=listed)
    yield (f"{v1}/{{id}}", "get"), Request("GET", game, headers=accept)
    yield (f"{v1}/{{id}}", "get"), Request("GET", game, headers=accept, query=ply)
    yield (f"{v1}/{{id}}", "get"), Request("HEAD", game, headers=accept)
    yield (f"{v1}/{{id}}/legal", "get"), Request("GET", f"{game}/legal")
    yield (
        (f"{v1}/{{id}}/board.svg", "get"),
        Request("GET", f"{game}/board.svg", query=pick([{}, ply])),
    )
    small: Mapping[str, Any] = {"width": 64} | pick([{}, ply])
    yield (f"{v1}/{{id}}/board.png", "get"), Request("GET", f"{game}/board.png", query=small)
    pair = dict(zip(("from", "to"), scene.random.sample(SQUARES, 2), strict=True))
    yield (f"{v1}/{{id}}/combat", "get"), Request("GET", f"{game}/combat", query=pair | ply)
    yield (
        (f"{v1}/{{id}}/events", "get"),
        Request("GET", f"{game}/events", headers=accept, query=pick([{}, after, {"limit": 3}])),
    )
    views: list[dict[str, Any]] = [{}, after, {"view": "board"}]
    for view in views:
        yield (
            (f"{v1}/{{id}}/stream", "get"),
            Request("GET", f"{game}/stream", query={"until": "caught_up"} | view),
        )
    watched = {"games": game.removeprefix("/games/")}
    yield ("/api/v1/boards", "get"), Request("GET", "/boards", query=watched)
    followed = Request("GET", "/boards/stream", query=watched | {"until": "caught_up"})
    yield ("/api/v1/boards/stream", "get"), followed
    some: Mapping[str, str | int] = pick([{}, {"from": ply["ply"]}, {"limit": 2}])
    yield (f"{v1}/{{id}}/positions", "get"), Request("GET", f"{game}/positions", query=some)
    some = pick([{}, ply])
    yield (f"{v1}/{{id}}/overview", "get"), Request("GET", f"{game}/overview", query=some)
    board = f"/variants/{scene.variant}"
    yield (
        ("/api/v1/variants/{variant}/position", "get"),
        Request("GET", f"{board}/position", query=pick([{}, {"fen": scene.fen}])),
    )
    yield ("/api/v1/variants/{variant}/board", "get"), Request("GET", f"{board}/board")
    some = pick(
        [
            {"after": "start"},
            {"games": game.removeprefix("/games/"), "limit": 3},
            {"player": scene.players["second"], "types": "choice-sealed,action-played"},
            {"variant": scene.variant, "after": "now"},
        ]
    )
    yield ("/api/v1/events", "get"), Request("GET", "/events", query=some)
    streamed = {"after": "start", **some, "until": "caught_up"}
    streamed.pop("limit", None)
    yield ("/api/v1/stream", "get"), Request("GET", "/stream", query=streamed)
    some = pick([{}, {"variant": scene.variant}, {"rated": "true"}, {"speed": "untimed"}])
    yield ("/api/v1/challenges", "get"), Request("GET", "/challenges", query=some)
    ending = {"until": "caught_up", **some}
    yield (
        ("/api/v1/challenges/stream", "get"),
        Request("GET", "/challenges/stream", query=ending),
    )
    yield ("/api/v1/me", "get"), Request("GET", "/me")
    yield ("/api/v1/me/stream", "get"), Request("GET", "/me/stream", query={"until": "caught_up"})


def pages(scene: Scene, rules: Collection[str], by: str | None) -> list[tuple[Operation, Request]]:
    """At least one request for every page that people read, as the observer's browser sends it."""
    game, ply = scene.game, scene.random.randint(0, scene.plies)
    below = scene.random.choice(["first", "second"])
    position = {"variant": scene.variant, "fen": scene.fen}
    id = game.removeprefix("/games/")
    found: list[tuple[str, str, Mapping[str, str | int]]] = [
        ("/games/<id:id>", f"/{game}", {}),
        ("/games/<id:id>", f"/{game}", {"ply": ply, "below": below}),
        ("/games/<id:id>/board", f"/{game}/board", {"ply": ply, "below": below}),
        ("/embed/games/<id:id>", f"//embed{game}", {"ply": ply, "below": below}),
        ("/embed/position", "//embed/position", position),
        ("/games", "//games", {"variant": scene.variant}),
        ("/", "//", {"watch": id}),
        ("/lobby", "//lobby", {"variant": scene.variant}),
        ("/search", "//search", {"q": scene.random.choice(["First", "First - Second"])}),
        ("/explorer", "//explorer", position),
        ("/analysis", "//analysis", position),
        ("/analysis", "//analysis", {"game": id, "ply": ply, "below": below}),
        ("/players/<id:id>", f"//players/{scene.players['first']}", {}),
        ("/players/<id:id>/opponents", f"//players/{scene.players['second']}/opponents", {}),
        (
            "/players/<id:id>/against/<id:other>",
            f"//players/{scene.players['first']}/against/{scene.players['second']}",
            {},
        ),
    ]
    for rule in sorted(set(rules) - {rule for rule, _, _ in found}):
        # Pages that are not about games are asked for what does not exist.
        path = CONVERTED.sub(lambda part: "1" if part[1] == "int" else id, rule)
        found.append((rule, f"/{path}", {}))
    return [((rule, "page"), Request("GET", path, by, query=query)) for rule, path, query in found]


def searching(scene: Scene) -> Iterator[tuple[Operation, Request]]:
    """Requests about all games at once."""
    variant: dict[str, str | int] = {"variant": scene.variant}
    wanted = scene.random.choice(
        [{"fen": "start"}, {"fen": scene.fen}, {"material": "K2k"}, {"player": "First"}, {}]
    )
    accept = {"Accept": scene.random.choice(READABLE)}
    yield ("/api/v1/search", "get"), Request("GET", "/search", query=variant | wanted)
    found = {"fen": scene.random.choice(["start", scene.fen])}
    yield ("/api/v1/explorer", "get"), Request("GET", "/explorer", query=variant | found)
    yield ("/api/v1/board.svg", "get"), Request("GET", "/board.svg", query=variant | found)
    small: dict[str, str | int] = {"width": 64, "dark": "true"}
    yield (
        ("/api/v1/board.png", "get"),
        Request("GET", "/board.png", query=variant | found | small),
    )
    yield ("/api/v1/export", "get"), Request("GET", "/export", headers=accept, query=variant)
    for kind, operation in EXPORTED.items():
        yield operation, Request("GET", "/export", headers={"Accept": kind}, query=variant)


def analysing(scene: Scene) -> Iterator[tuple[Operation, Request]]:
    """Requests about analyses; there is no worker, so nothing is ever found."""
    v1, id = "/api/v1/analyses", scene.game.removeprefix("/games/")
    wish = scene.random.choice(
        [
            {"game": id},
            {"game": id, "view": "stranger", "batch": True},
            {"game": id, "ply": scene.random.randint(0, scene.plies + 1)},
            {"variant": scene.variant, "fen": scene.fen},
        ]
    )
    yield (v1, "post"), Request("POST", "/analyses", None, wish)
    of_game = f"{scene.game}/analysis"
    yield ("/api/v1/games/{id}/analysis", "get"), Request("GET", of_game)
    yield ("/api/v1/games/{id}/analysis.svg", "get"), Request("GET", f"{of_game}.svg")


def acting(scene: Scene) -> Iterator[tuple[Operation, Request]]:
    """Requests that are refused, or that create another game."""
    pick, game = scene.random.choice, scene.game
    v1 = "/api/v1/games"
    body = {"action": scene.token()} | pick([{}, {"expected_version": 1}, {"surplus": 1}])
    match = pick([{}, {"If-Match": '"1-json"'}, {"Idempotency-Key": f"k{scene.random.random()}"}])
    yield (
        (f"{v1}/{{id}}/actions", "post"),
        Request("POST", f"{game}/actions", None, body, headers=match),
    )
    id = game.removeprefix("/games/")
    lines: list[Any] = [{"game": id, "action": scene.token(), "key": f"k{scene.random.random()}"}]
    lines.append({"game": id, "action": scene.token()} | pick([{}, {"expected_version": 1}]))
    yield ("/api/v1/actions", "post"), Request("POST", "/actions", None, [*lines, {"action": 1}])
    ply = scene.random.randint(1, scene.plies + 1)
    command = pick(
        [
            *({"type": name} for name in ("accept", "decline", "withdraw", "accept-draw")),
            *({"type": name} for name in ("decline-draw", "accept-retraction", "nonsense")),
            {"type": "choose", "square": pick(SQUARES)},
            {"type": "choose", "square": pick(SQUARES), "nonce": "ab" * 16},
            {"type": "offer-retraction", "plies": scene.plies + 1},
            {"type": "retract", "plies": scene.plies + 1},
            {"type": "correct-result", "result": "1-0", "reason": "none"},
            {"type": "reopen", "reason": "none"},
            {"type": "annotate", "ply": scene.plies + 1, "annotation": {}},
            # While the game is played, a variation is refused, legal or not.
            {"type": "annotate", "ply": ply, "annotation": {}, "variations": [scene.token()]},
            {"type": "annotate", "ply": ply, "annotation": {}, "variations": []},
            {"type": "admit-annotator", "player": "a" * 16},
            {"type": "withdraw-annotator", "player": scene.players["first"]},
            {"type": "resign", "expected_version": 1},
        ]
    )
    yield (
        (f"{v1}/{{id}}/commands", "post"),
        Request("POST", f"{game}/commands", None, command, headers=match),
    )
    wish = {"variant": "kerd", "side": "first"} | pick([{}, {"fen": "x"}, {"infiltrators": "none"}])
    yield (v1, "post"), Request("POST", "/games", None, wish)
    yield ("/api/v1/imports", "post"), Request("POST", "/imports", None, record=IMPORTED)


def about_players(scene: Scene) -> Iterator[tuple[Operation, Request]]:
    """Requests about a player of the game, the player's tokens, or a new player."""
    v1, whose = "/api/v1/players", scene.random.choice(list(scene.players.values()))
    path = f"/players/{whose}"
    name = {"name": f"Zoë {scene.random.randint(0, 999)}"}
    yield (v1, "post"), Request("POST", "/players", None, name)
    yield (f"{v1}/{{id}}", "get"), Request("GET", path)
    yield (f"{v1}/{{id}}", "patch"), Request("PATCH", path, None, name)
    yield (f"{v1}/{{id}}", "delete"), Request("DELETE", f"/players/{'a' * 16}")
    variant: dict[str, str | int] = {"variant": scene.variant}
    for part in ("report", "opponents", "openings", "ratings.svg"):
        yield (f"{v1}/{{id}}/{part}", "get"), Request("GET", f"{path}/{part}", query=variant)
    yield (f"{v1}/{{id}}/tokens", "get"), Request("GET", f"{path}/tokens")
    yield (f"{v1}/{{id}}/tokens", "post"), Request("POST", f"{path}/tokens", None, {})
    token = f"{path}/tokens/{'0' * 16}"
    yield (f"{v1}/{{id}}/tokens/{{token}}", "delete"), Request("DELETE", token)
    yield (
        (f"{v1}/{{id}}/tokens/{{token}}/rotate", "post"),
        Request("POST", f"{token}/rotate", None, {}),
    )
