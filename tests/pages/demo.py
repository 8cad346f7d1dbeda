"""A service with everything that pages can show: players of all kinds, games, tournaments, files.

The names are hostile: markup, right-to-left script, 100 letters without a break.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tests.end_to_end.archive_writer import Writer
from tests.end_to_end.running import Running
from tests.waiting import eventually

MARKUP: Final = "\"><b class='x'>&amp;</b>"
RIGHT_TO_LEFT: Final = "שחקן חזק מאוד"
LONG: Final = "W" * 100
LONG_RIGHT_TO_LEFT: Final = "ש" * 100
NAMES: Final = (f"Ann {MARKUP}", RIGHT_TO_LEFT, LONG, LONG_RIGHT_TO_LEFT, "Ada Lovelace", "Bo")
"""The players' names, all of which the pages must bear."""
RECORD: Final = f"""[Event "{LONG}"]
[South "{LONG}"]
[North "{RIGHT_TO_LEFT}"]
[Result "1-0"]
[Variant "katruji"]
[Termination "resignation"]

1. Pc4 Scb7=O 2. Pb4 Sa8 1-0

[Event "Broken"]
[South "Ada"]
[North "Carla"]
[Result "*"]
[Variant "katruji"]

1. Pc5 *
"""

Examples = Mapping[str, Sequence[str]]
"""Values for the variable parts of paths, by the part before each."""
WHOLE: Final = ""
"""The key, in examples, of whole addresses: pages in a state of their own."""


def fill_demo(service: Running) -> Examples:
    """Fill a new service; returns the ids and names to open its pages with."""
    writer = Writer(service.url, service.token)
    players = [writer.player(name) for name in NAMES]
    games = write_games(writer, players)
    tournaments, entered = write_tournaments(service, writer, players)
    answer = service.session.post(
        f"{service.url}/api/v1/imports",
        data=RECORD.encode(),
        headers={"Content-Type": "application/x-chess-pgn"},
    )
    assert answer.ok, answer.text
    analysis = service.post("/analyses", {"game": games[2], "limits": {"nodes": 500}}).json()
    finished = eventually(lambda: service.get("/search", limit=5)["items"])
    assert finished
    return {
        "games": games,
        "players": [players[0], players[2]],
        "against": [players[1]],
        "tournaments": tournaments,
        "rounds": ["1"],
        "imports": [answer.json()["id"]],
        "analyses": [analysis["id"]],
        WHOLE: [
            f"/tournaments/{entered}",
            f"/tournaments/{tournaments[0]}?player={players[0]}&term=buchholz",
            f"/tournaments/{tournaments[0]}?since=8&corrected=1",
        ],
    }


def write_games(writer: Writer, players: Sequence[str]) -> list[str]:
    """Begin games on clocks, with choices to make, finished, kept by a scribe; returns ids."""
    ann, right, long, left = players[:4]
    tags = {"Event": LONG}
    running = writer.challenge("kerak", ann, long, tags=tags)
    writer.play(running, 7)
    timed = writer.challenge("katruji", ann, right, time_control="900+10", rated=False)
    choosing = writer.challenge("kerd", right, long, tags=tags)
    over = writer.challenge("katruji", long, left, tags=tags)
    writer.play(over, 9)
    writer.command(over, long, type="annotate", ply=1, annotation={"comments": [LONG, MARKUP]})
    writer.command(over, left, type="resign")
    scribed = {"first": {"name": LONG}, "second": {"name": MARKUP}}
    kept = writer.post("/games", {"variant": "kerd", "mode": "scribe", "players": scribed})["id"]
    for variant, player in (("kerak", ann), ("katruji", long)):
        writer.post("/games", {"variant": variant, "tags": tags}, writer.tokens[player])
    return [running, choosing, over, timed, str(kept)]


def write_tournaments(
    service: Running, writer: Writer, players: Sequence[str]
) -> tuple[list[str], str]:
    """Create a Swiss and a knockout with results, and one open for entries; returns their ids."""
    made = []
    for kind, name, more in (
        ("swiss", f"{MARKUP} {LONG}", {"rounds": 3}),
        ("knockout", f"{LONG_RIGHT_TO_LEFT} Cup", {}),
        ("round-robin", RIGHT_TO_LEFT, {"self_entry": True, "time_control": "1/259200"}),
    ):
        wish: dict[str, Any] = {"name": name, "variant": "katruji", "kind": kind, **more}
        id = str(writer.post("/tournaments", wish)["id"])
        made.append(id)
        for number, player in enumerate(players[:5]):
            entry = {"type": "enter", "player": player, "rating": 2000 - number}
            writer.post(f"/tournaments/{id}/commands", entry)
        if kind != "round-robin":
            play_round(service, writer, id)
    return made[:-1], made[-1]


def play_round(service: Running, writer: Writer, id: str) -> None:
    """Pair a round and rule on its first board, twice, with a long reason."""
    path = f"/tournaments/{id}"
    writer.post(f"{path}/commands", {"type": "pair"})

    def pair() -> list[dict[str, Any]]:
        rounds = service.get(f"{path}/rounds")["rounds"]
        return list(rounds[0]["pairings"]) if rounds else []

    board = eventually(pair, "the round is paired")[0]["board"]
    for result in ("1-0", "0-1"):
        ruling = {"round": 1, "board": board, "result": result, "reason": LONG}
        writer.post(f"{path}/commands", {"type": "rule", **ruling})
