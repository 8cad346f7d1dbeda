"""Fills a running service with a small archive with all kinds of events, and saves its exports.

    python -m tests.end_to_end.write_archive URL ADMIN_TOKEN FILE

The service runs the version whose archive is kept: see `tests/data/archives/README.md`.
"""

from __future__ import annotations

import json
import lzma
import sys
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final

from tests.end_to_end.archive_writer import Writer
from tests.end_to_end.arena import CHOICES
from tests.end_to_end.exports import Reader, read_analyses, read_exports, read_webhooks

DATA: Final = Path(__file__).parents[1] / "data"
PLAYED: Final = {"katruji": 9, "kerak": 13, "kerd-draft": 27}
"""A complete game of each variant, by its index in the file of records; the rules end each."""


def records(variant: str) -> list[tuple[str, str]]:
    """The tags and the moves of each recorded game."""
    parts = (DATA / "records" / f"{variant}.pgn").read_text().strip().split("\n\n")
    return list(zip(parts[::2], parts[1::2], strict=True))


def write_scribed(writer: Writer) -> None:
    """Whole games kept by a scribe, for players known only from records."""
    for variant, number in PLAYED.items():
        body: dict[str, Any] = {"variant": variant, "mode": "scribe"}
        body["players"] = {"first": {"name": "Ada"}, "second": {"name": f"Zoë of {variant}"}}
        tags, moves = records(variant)[number]
        sealed = {
            tag.split('"')[0][1:-1]: tag.split('"')[1] for tag in tags.splitlines() if '"' in tag
        }
        game = writer.post("/games", body)["id"]
        for side, title in (("first", "White"), ("second", "Black")):
            if f"{title}Infiltrator" in sealed:
                square, nonce = sealed[f"{title}Infiltrator"], sealed[f"{title}Nonce"]
                writer.command(game, type="choose", side=side, square=square, nonce=nonce)
        for token in moves.split()[:-1]:
            if not token[0].isdigit() or not token.endswith("."):
                writer.post(f"/games/{game}/actions", {"action": token})


def write_games(writer: Writer, ann: str, bob: str, cleo: str) -> None:
    """Players' games that end in every way, and some that go on or never begin."""
    kerd = writer.challenge("kerd", ann, bob, tags={"TimeControl": "300+5"})
    writer.choose(kerd, ann, bob)
    writer.play(kerd, 9)
    writer.command(kerd, bob, type="resign")
    running = writer.challenge("kerd", bob, ann)
    writer.choose(running, bob, ann)
    writer.play(running, 6)
    choosing = writer.challenge("kerd-draft", ann, cleo)
    writer.choose(choosing, ann)
    drawn = writer.challenge("kerak", ann, cleo)
    writer.play(drawn, 8)
    writer.command(drawn, ann, type="offer-retraction", plies=1)
    writer.command(drawn, cleo, type="accept-retraction")
    writer.command(drawn, ann, type="offer-draw")
    writer.command(drawn, cleo, type="decline-draw")
    writer.command(drawn, cleo, type="offer-draw")
    writer.command(drawn, ann, type="accept-draw")
    write_rulings(writer, ann, bob, cleo)
    body = {"variant": "kerak", "side": "first", "opponent": bob}
    for answer, who in (("decline", bob), ("withdraw", ann)):
        offered = writer.post("/games", body, writer.tokens[ann])["id"]
        writer.command(offered, who, type=answer)
    writer.post("/games", body, writer.tokens[ann])


def write_rulings(writer: Writer, ann: str, bob: str, cleo: str) -> None:
    """Games that the arbiter reopens, decides, corrects and closes."""
    reopened = writer.challenge("kerd-draft", cleo, bob, tags={"PlyLimit": "6"})
    writer.choose(reopened, cleo, bob)
    writer.play(reopened, 6)
    writer.command(reopened, type="reopen", reason="entered wrong")
    writer.command(reopened, type="retract", plies=2)
    writer.play(reopened, 1)
    writer.command(reopened, type="lose-on-time", side="first")
    ruled = writer.challenge("katruji", bob, cleo)
    writer.play(ruled, 5)
    writer.command(ruled, type="annotate", ply=2, annotation={"comments": ["why?"], "nags": [2]})
    writer.command(ruled, type="adjudicate", result="1-0", termination="adjudication")
    fix = {"type": "correct-result", "result": "0-1", "termination": "adjudication"}
    writer.command(ruled, **fix, reason="wrong board")
    closed = writer.challenge("katruji", cleo, ann)
    writer.play(closed, 3)
    writer.command(closed, type="close")


def write_import(writer: Writer) -> None:
    """Import a file of good records, a duplicate and a bad one."""
    good = [f"{tags}\n\n{moves}\n" for tags, moves in records("katruji")[5:7]]
    good += [f"{tags}\n\n{moves}\n" for tags, moves in records("kerd")[30:33]]
    bad = (DATA / "broken" / "illegal-move.pgn").read_text()
    for mode in ("quarantine", "as-played"):
        answer = writer.http.post(
            f"{writer.url}/api/v1/imports?mode={mode}&wait=30",
            data="\n".join([*good, good[0], bad]).encode(),
            headers={
                "Authorization": f"Bearer {writer.admin}",
                "Content-Type": "application/x-chess-pgn",
            },
        )
        assert answer.ok, answer.text
        assert answer.json()["state"] == "done", answer.text


def write_tournament(writer: Writer, wish: Mapping[str, Any], rounds: int, count: int) -> None:
    """A tournament, with commands and rulings in its rounds."""
    made = writer.post("/tournaments", wish)["id"]
    about = f"/tournaments/{made}"
    entrants = [writer.player(f"{wish['name']} {'ABCDEF'[n]}") for n in range(count)]
    for number, player in enumerate(entrants):
        enter = {"type": "enter", "player": player, "rating": 2000 - 50 * number}
        writer.post(f"{about}/commands", enter)
    if wish["kind"] == "swiss":
        write_changes(writer, about, entrants)
    for _ in range(rounds):
        number = writer.post(f"{about}/commands", {"type": "pair"})["number"]
        play_round(writer, about, number)
    if wish["kind"] == "round-robin":
        writer.post(f"{about}/commands", {"type": "finish"})
        return
    number = writer.post(f"{about}/commands", {"type": "pair"})["number"]

    def ready() -> bool:
        found = writer.send("GET", f"{about}/rounds/{number}", None, writer.admin)
        return bool(found["status"] != "pairing")

    writer.until(ready, "the last round is ready")


def play_round(writer: Writer, about: str, number: int) -> None:
    """Play a round: some actions and a resignation a game, after rulings on the second board."""
    path = f"{about}/rounds/{number}"

    def status() -> str:
        return str(writer.send("GET", path, None, writer.admin)["status"])

    writer.until(lambda: status() != "pairing", "the round is ready")
    variant = writer.send("GET", about, None, writer.admin)["variant"]
    for pairing in writer.send("GET", path, None, writer.admin)["pairings"]:
        if pairing["game"] is None:
            continue
        seats = [pairing["first"]["id"], pairing["second"]["id"]]
        if (number, pairing["board"]) == (1, 2):
            ruling = {"round": 1, "board": 2, "reason": "did not come"}
            for order in ({"result": "-/+"}, None, {"result": "+/-"}):
                body = {"type": "rule", **order} if order else {"type": "lift-ruling"}
                writer.post(f"{about}/commands", body | ruling)
            continue
        if variant in CHOICES:
            writer.choose(pairing["game"], *seats)
        writer.play(pairing["game"], 4)
        writer.command(pairing["game"], seats[number % 2], type="resign")
    writer.until(lambda: status() == "finished", "the round is tallied")


def write_changes(writer: Writer, about: str, entrants: list[str]) -> None:
    """Let the arbiter make and undo changes: byes, entries, arbiters, a round, a ruling."""

    def order(type: str, **body: object) -> Any:
        return writer.post(f"{about}/commands", {"type": type, **body})

    order("grant-bye", player=entrants[-1], round=2, bye="half-bye")
    order("grant-bye", player=entrants[0], round=3, bye="half-bye")
    order("cancel-bye", player=entrants[0], round=3)
    order("appoint-arbiter", player=entrants[1])
    order("dismiss-arbiter", player=entrants[1])
    order("withdraw", player=entrants[2])
    order("enter", player=entrants[2])
    order("pair")

    def ready() -> bool:
        found = writer.send("GET", f"{about}/rounds/1", None, writer.admin)
        return bool(found["status"] != "pairing")

    writer.until(ready, "the round is ready")
    order("unpair", round=1, reason="the hall is closed")


class Hook(BaseHTTPRequestHandler):
    """Accepts every delivery."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


def write_analyses(writer: Writer) -> list[str]:
    """Analyse a position and a game; returns the analyses' ids."""
    [game] = writer.send("GET", "/games?variant=katruji&termination=alka", None, writer.admin)[
        "items"
    ][-1:]
    limits = {"nodes": 100}
    wishes = [{"variant": "kerak", "fen": "start"}, {"game": game["id"]}]
    ids = [writer.post("/analyses", wish | {"limits": limits})["id"] for wish in wishes]

    def ended(id: str) -> bool:
        found = writer.send("GET", f"/analyses/{id}", None, writer.admin)
        return bool(found["state"] not in ("queued", "running"))

    writer.until(lambda: all(map(ended, ids)), "the analyses end")
    return ids


def write_archive(writer: Writer, hook: str) -> dict[str, list[str]]:
    """Write everything; returns ids of players and of analyses."""
    events = ["game-finished", "import-finished", "analysis-finished"]
    writer.post("/webhooks", {"url": hook, "events": events, "everybody": True})
    ann, bob, cleo, dan = map(writer.player, ("Ann Lee", "Bob", "Cleo", "Dan Gone"))
    write_games(writer, ann, bob, cleo)
    lost = writer.challenge("katruji", dan, ann)
    writer.play(lost, 4)
    writer.command(lost, dan, type="resign")
    writer.send("PATCH", f"/players/{bob}", {"name": "Robert"}, writer.tokens[bob])
    writer.send("DELETE", f"/players/{dan}", None, writer.tokens[dan])
    write_scribed(writer)
    write_import(writer)
    [ada] = writer.send("GET", "/players?name=ada", None, writer.admin)["items"]
    writer.post(f"/players/{ada['id']}/merge", {"into": ann})
    [known] = writer.send("GET", "/players?name=zo", None, writer.admin)["items"][:1]
    writer.post(f"/players/{known['id']}/merge", {"into": cleo})
    writer.send("DELETE", f"/players/{known['id']}/merge", None, writer.admin)
    swiss = {"name": "Open", "variant": "kerd", "kind": "swiss", "rounds": 3}
    write_tournament(writer, swiss, rounds=2, count=5)
    cup = {"name": "Cup", "variant": "kerak", "kind": "round-robin"}
    write_tournament(writer, cup, rounds=3, count=4)
    analyses = write_analyses(writer)

    def settled() -> bool:
        ready = writer.http.get(f"{writer.url}/readyz").json()
        return not (
            ready["projection_lag"] or any(duty["queued"] for duty in ready["duties"].values())
        )

    writer.until(settled, "the workers have done all")
    time.sleep(3)
    return {"players": [ann, bob, cleo, dan, str(ada["id"])], "analyses": analyses}


def main(url: str, admin: str, file: str) -> None:
    server = HTTPServer(("127.0.0.1", 0), Hook)
    Thread(target=server.serve_forever, daemon=True).start()
    writer = Writer(url, admin)
    ids = write_archive(writer, f"http://127.0.0.1:{server.server_port}/hook")
    tokens = {"admin": admin, "player": writer.tokens[ids["players"][0]], "public": None}
    reader = Reader(url, tokens)
    kept = {
        "tokens": tokens,
        "ids": ids,
        "exports": read_exports(reader, ids["players"]),
        "analyses": read_analyses(reader, ids["analyses"]),
        "webhooks": read_webhooks(reader),
    }
    Path(file).write_bytes(lzma.compress(json.dumps(kept, indent=1).encode()))
    server.shutdown()


if __name__ == "__main__":
    main(*sys.argv[1:])
