"""`movelog tournament` against a running service."""

from __future__ import annotations

import json
import re
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
import requests

from service.cli import main
from service.cli.tables import format_table
from service.game.commands import PlayAction, Resign
from service.player.actor import Actor
from service.tournament.commands import PairRound
from service.tournament.standings.term import RankTerm
from tests.service.web_server import WebServer
from tests.waiting import eventually, join, patiently
from workers.job_functions import FUNCTIONS
from workers.run import carry_out


class Shell:
    """`movelog tournament` with a service to call and an arbiter's token in the environment."""

    def __init__(self, server: WebServer, capsys: pytest.CaptureFixture[str]) -> None:
        self.server = server
        self.capsys = capsys

    def run(self, *arguments: str, status: int = 0) -> str:
        """Run a tournament command; return what it prints."""
        assert main(["tournament", *arguments, "--url", self.server.url]) == status
        written = self.capsys.readouterr()
        return written.err if status else written.out

    def call(self, *arguments: str, status: int = 0) -> str:
        """Run another command; return what it prints."""
        assert main(list(arguments)) == status
        written = self.capsys.readouterr()
        return written.err if status == 2 else written.out

    def json(self, *arguments: str) -> Any:
        """Run a tournament command with `--json`; return what it prints, parsed."""
        return json.loads(self.run(*arguments, "--json"))

    def work(self) -> int:
        """Carry out the jobs that are due; return their number."""
        service = self.server.service
        due = service.jobs.due()
        for id in due:
            carry_out(id, service, service.jobs, FUNCTIONS)
        return len(due)

    def play(self, made: Any) -> None:
        """Play a round: in every game each side acts once, then the second side resigns."""
        service = self.server.service
        for one in made["pairings"]:
            for side, token in (("first", "Sd1"), ("second", "Sa8")):
                actor = Actor(one[side]["id"], frozenset({"play"}))
                service.games.execute(one["game"], PlayAction(token=token), actor)
            service.games.execute(one["game"], Resign(), actor)


@pytest.fixture
def shell(
    server: WebServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Shell:
    monkeypatch.setenv("MOVELOG_DATA_DIR", str(tmp_path / "none"))
    arbiter = server.service.players.register("Anna", None, scopes=("arbiter",))
    monkeypatch.setenv("MOVELOG_TOKEN", arbiter.token.secret)
    return Shell(server, capsys)


def paired(shell: Shell, id: str, *options: str) -> Any:
    """Pair the next round, while a worker makes its games."""
    over = Event()

    def work() -> None:
        while not over.wait(0.05):
            shell.work()

    worker = Thread(target=work)
    worker.start()
    try:
        return shell.json("pair", id, *options)
    finally:
        over.set()
        join(worker)


def tallied(shell: Shell, id: str, round: int) -> None:
    """Carry out jobs until all results of a round are in."""
    for _ in patiently("the round is tallied"):
        shell.work()
        if shell.json("round", id, str(round))["status"] == "finished":
            return


@pytest.mark.slow
def test_a_tournament_from_the_command_line(shell: Shell, tmp_path: Path) -> None:
    id = shell.run(
        "create", "Spring Open", "katruji", "swiss", "--rounds", "2", "--tag", "PlyLimit=80"
    )
    id = id.strip()
    for number, name in enumerate(["Ada", "Bo", "Cyd", "Dan"]):
        entered = shell.run("enter", id, "--name", name, "--rating", str(2000 - number))
        assert entered.startswith(f"{name} ")
        assert entered.endswith(f": seed {number + 1} of {number + 1}\n")
    shown = shell.run("show", id).splitlines()
    assert shown[0] == f"{id} Spring Open (katruji, swiss): open, version 5, rounds 0 of 2"
    assert shown[1] == "terms: untimed, rated, at most 80 actions"
    assert shown[2].split() == ["seed", "name", "rating", "id"]
    assert [line.split()[:3] for line in shown[3:5]] == [["1", "Ada", "2000"], ["2", "Bo", "1999"]]

    made = paired(shell, id)
    shell.play(made)
    tallied(shell, id, 1)
    told = shell.run("round", id, "1").splitlines()
    assert told[0] == "Round 1, finished"
    assert told[2].split()[2] == "1-0"
    assert told[2].split()[1] == made["pairings"][0]["first"]["name"]

    see_the_effect_of_rulings(shell, id, made["pairings"][1])
    standings = shell.run("standings", id).splitlines()
    assert standings[0] == "Spring Open, after round 1"
    assert standings[1].split()[:3] == ["place", "name", "match-points"]
    assert standings[2].split()[0] == "1"
    assert len(shell.run("diff", id, "round:0").splitlines()) == 5
    leader = shell.json("standings", id)["standings"][0]["player"]["id"]
    why = shell.run("explain", id, leader, "match-points").splitlines()
    assert why[0].endswith("match-points 1")
    assert "1" in why[3].split()
    assert shell.run("cross-table", id).splitlines()[1].split() == ["name", "1", "match-points"]
    assert shell.run("card", id, leader).splitlines()[2].split()[3] == "win"

    records = tmp_path / "games.pgn"
    shell.run("records", id, "-o", str(records))
    assert records.read_text().count('[Event "Spring Open"]') == 2
    assert len(shell.run("records", id, "--json").splitlines()) == 2
    verify_exports(shell, id, tmp_path)
    report = shell.run("trf", id)
    assert report.startswith("012 Spring Open")
    file = tmp_path / "report.trf"
    file.write_text(report.replace("Spring Open", "Copy"))
    copy = shell.json("import-trf", str(file), "katruji")
    assert [player["name"] for player in copy["players"]] == ["Ada", "Bo", "Cyd", "Dan"]
    shell.run("withdraw", id, leader)
    assert "out from 2" in shell.run("show", id)
    shell.run("enter", id, "--player", leader)
    correct_what_was_entered_wrong(shell, copy["id"])
    other = copy["players"][1]["id"]
    shell.run("bye", id, other, "2", "half")
    shell.run("bye", id, other, "2", "none")
    shell.run("arbiter", id, other)
    assert len(shell.json("arbiter", id, other, "--dismiss")["arbiters"]) == 1
    assert ": finished" in shell.run("finish", id).splitlines()[0]
    assert shell.run("ratings", "katruji").split()[0] == "name"


def correct_what_was_entered_wrong(shell: Shell, report: str) -> None:
    """Correct a tournament's data and entries, remove a player, and cancel another tournament."""
    assert "Autumn Open" in shell.run("amend", report, "--name", "Autumn Open")
    eventually(lambda: report in shell.run("list", "--name", "autumn"), "it is listed")
    shell.run("enter", report, "--name", "Eev")
    eva = shell.json("show", report)["players"][-1]["id"]
    players = shell.json("correct", report, eva, "--name", "Eva", "--rating", "1500")["players"]
    (eva,) = (one["id"] for one in players if (one["name"], one["rating"]) == ("Eva", 1500))
    assert "Eva" not in shell.run("remove", report, eva)
    other = shell.run("create", "Twice", "katruji", "swiss", "--rounds", "3").strip()
    assert ": cancelled" in shell.run("cancel", other)
    eventually(lambda: other not in shell.run("list"), "it is listed no more")


def verify_exports(shell: Shell, id: str, folder: Path) -> None:
    """Export a tournament's log, standings and games, and verify them as anybody can."""
    log, standings, keys = (folder / name for name in ("log.ndjson", "standings", "keys"))
    shell.run("log", id, "-o", str(log))
    assert shell.run("log", id).encode() == log.read_bytes()
    standings.write_text(shell.run("standings", id, "--json"))
    keys.write_bytes(
        requests.get(f"{shell.server.url}/.well-known/movelog-keys", timeout=60).content
    )
    check = ["verify", str(log), "--key", str(keys), "--standings", str(standings)]
    assert shell.call(*check).count("  verified\n") == 2
    text = standings.read_text()
    standings.write_text(text.replace('"match-points": "1"', '"match-points": "2"'))
    assert "match-points 2, by the log 1" in shell.call(*check, status=1)
    games = ["export", "--tournament", id, "--url", shell.server.url]
    assert shell.call(*games) == shell.run("records", id)
    assert "exported whole" in shell.call(*games, "--variant", "katruji", status=2)


def see_the_effect_of_rulings(shell: Shell, id: str, pairing: Any) -> None:
    """Rule on a pairing that the first side has won, then lift the ruling."""
    sides = f"{pairing['first']['name']} - {pairing['second']['name']}"
    rule = ["rule", id, "1", str(pairing["board"]), "--reason"]
    told, hint = shell.run(*rule, "fair play", "--result", "-/+").splitlines()
    assert told == f"round 1, board 2: {sides} -/+, ruled: fair play"
    version = hint.rpartition(" ")[2]
    assert hint.endswith(f": movelog tournament diff {id} {version}")
    again = shell.run(*rule, "fair play", "--result", "-/+").splitlines()
    assert again == [told, "nothing has changed: the same ruling was in force"]
    changed = shell.run("diff", id, version).splitlines()[1:]
    assert {pairing[side]["name"] for side in ("first", "second")} <= {
        line.split()[0] for line in changed
    }
    assert "the version before it: version:N" in shell.run("diff", id, "round:1")
    told, _ = shell.run(*rule, "a mistake", "--result", "none").splitlines()
    assert told == f"round 1, board 2: {sides} 1-0, ruling lifted: a mistake"
    assert shell.run("diff", id, version) == f"no standing has changed since {version}\n"


@pytest.mark.slow
def test_what_the_service_refuses_is_one_line(shell: Shell) -> None:
    assert shell.run("create", "X", "katruji", "swiss", status=1).startswith(
        "movelog: refused (422 bad-value): --rounds: "
    )
    assert "(422 invalid-request): --rounds: " in shell.run(
        "create", "X", "katruji", "swiss", "--rounds", "0", status=1
    )
    assert "404 not-found" in shell.run("show", "a" * 16, status=1)
    assert "not one of 'match-points', " in shell.run("explain", "a", "b", "points", status=2)
    assert "expected NAME=VALUE" in shell.run(
        "create", "X", "katruji", "free", "--tag", "PlyLimit", status=2
    )


@pytest.mark.parametrize("command", ["create", "explain"])
def test_help_lists_the_terms(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tournament", command, "--help"]) == 0
    # Lines also break at hyphens.
    told = re.sub(r"[-\s]", "", capsys.readouterr().out)
    assert all(term.replace("-", "") in told for term in RankTerm)


@pytest.mark.slow
def test_free_boards_and_games_that_join(shell: Shell) -> None:
    order = ["--order", "match-points,wins", "--scoring", "three-points"]
    id = shell.run("create", "League", "katruji", "free", *order).strip()
    players = [shell.json("enter", id, "--name", name)["players"] for name in ("Ada", "Bo")][-1]
    sides = ":".join(player["id"] for player in players)
    assert "404 not-found" in shell.run("join", id, "a" * 16, "1", status=1)
    made = paired(shell, id, "--board", sides)
    assert [one["first"]["id"] for one in made["pairings"]] == [players[0]["id"]]
    shell.play(made)
    tallied(shell, id, 1)
    assert shell.run("standings", id).splitlines()[2].split() == ["1", "Ada", "3", "1"]
    eventually(lambda: "League" in shell.run("list", "--variant", "katruji"), "it is listed")


@pytest.mark.slow
def test_a_ruling_while_a_round_is_made_names_a_version_that_can_be_read(shell: Shell) -> None:
    id = shell.run("create", "Trio", "katruji", "round-robin").strip()
    for name in ("Ada", "Bo", "Cyd"):
        shell.run("enter", id, "--name", name)
    paired(shell, id)
    service = shell.server.service
    arbiter = Actor(service.tournaments.load(id).creator, frozenset({"arbiter"}))
    asked = service.tournaments.execute(id, PairRound(), arbiter).state.version
    rule = ["rule", id, "1", "1", "--reason", "fair play", "--result", "-/+"]
    hint = shell.run(*rule).splitlines()[1]
    assert hint.startswith(f"the version before it was {asked};")
    changed = shell.run("diff", id, hint.rpartition(" ")[2]).splitlines()[1:]
    assert {line.split()[0] for line in changed} == {"Ada", "Bo", "Cyd"}


def test_columns_of_numbers_stand_to_the_right() -> None:
    wide = format_table(["name", "n"], [["漢字", 1], ["a", 10], [None, "-"]])
    assert wide.splitlines() == ["name   n", "漢字   1", "a     10", "       -"]


@pytest.mark.slow
def test_a_round_is_taken_back_and_one_that_cannot_be_paired_says_why(shell: Shell) -> None:
    id = shell.run("create", "Duel", "katruji", "swiss", "--rounds", "3").strip()
    ids = [shell.server.service.players.register(name, None).id for name in ("Dora", "Emil")]
    for player in ids:
        shell.run("enter", id, "--player", player)
    first = paired(shell, id)
    assert "rounds 0 of 3" in shell.run("unpair", id, "1", "--reason", "Emil is late")
    again = paired(shell, id)
    assert again["pairings"][0]["game"] != first["pairings"][0]["game"]
    shell.play(again)
    tallied(shell, id, 1)
    assert "round 1 has begun" in shell.run("unpair", id, "1", "--reason", "no", status=1)
    over = Event()
    worker = Thread(target=lambda: [shell.work() for _ in iter(lambda: over.wait(0.05), True)])
    worker.start()
    try:
        assert "(no-pairing)" in shell.run("pair", id, status=1)
    finally:
        over.set()
        join(worker)
    assert "round 2 was refused" in shell.run("show", id)
