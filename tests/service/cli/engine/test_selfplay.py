"""`movelog selfplay`, run as a command."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from service.cli.engine.selfplay import format_report, selfplay
from service.protocol.errors import EngineFailed
from service.selfplay import match, opening
from tests.orphans import killing_group, list_group
from tests.project.tree import ROOT
from tests.waiting import eventually

PLAYING = """
import sys
import time
from pathlib import Path

from service.cli.commands import main
from service.selfplay import match

file = Path(sys.argv[1])
play, play_game = match.play, match.play_game


def play_and_tell(*arguments):
    for number, pair in enumerate(play(*arguments)):
        if number:
            file.touch()
        yield pair


def play_or_wait(*arguments):
    if file.exists():
        time.sleep(60)
    return play_game(*arguments)


match.play, match.play_game = play_and_tell, play_or_wait
sys.exit(main(["selfplay", "katruji", "nodes=50", "nodes=50", "--games", "20000", "--json",
               "--opening", "4", "--processes", sys.argv[2]]))
"""
"""A match that makes a file when a pair has been reported; games after that do not end."""
MATCH = ["katruji", "nodes=60", "depth=1", "--opening", "4", "--limit", "30", "--processes", "1"]


def test_a_match_is_reported() -> None:
    run = CliRunner().invoke(selfplay, [*MATCH, "--games", "4", "--sprt", "0", "30", "--json"])
    report = json.loads(run.stdout)
    assert report["games"] == 4 == report["won"] + report["drawn"] + report["lost"]
    value, low, high = report["score"]
    assert value == (report["won"] + report["drawn"] / 2) / 4
    assert low <= value <= high
    assert report["sprt"]["elo"] == [0, 30]
    assert sum(report["pairs"]) == 2
    assert value == sum(n * points for n, points in enumerate(report["pairs"])) / 8
    assert sum(report["terminations"].values()) == 4
    text = "\n".join(format_report(report))
    assert text.startswith("katruji: nodes=60 against depth=1\ngames 4 of 4: ")
    assert f"pairs by points from 0 to 2: {', '.join(map(str, report['pairs']))}\n" in text
    assert "test of Elo 0 against 30" in text
    lost = "\n".join(format_report(report | {"score": [0, 0, 0.5]}))
    assert "Elo -inf (-inf to +0)" in lost


def test_the_sequential_test_ends_a_match() -> None:
    players = ["katruji", "nodes=900", "depth=1 without=evaluation+quiescence"]
    options = ["--games", "60", "--sprt", "-200", "0", "--processes", "1", "--json"]
    report = json.loads(CliRunner().invoke(selfplay, [*players, *options]).stdout)
    assert report["games"] < 60
    assert report["sprt"]["accepted"] == "upper"


def test_a_match_in_which_an_engine_fails_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def play_one(begun: match.Match, pairs: int, processes: int) -> Iterator[match.Pair]:
        yield match.play_pair(begun, 0)
        raise EngineFailed("other", "has ended")

    monkeypatch.setattr(match, "play", play_one)
    run = CliRunner().invoke(selfplay, [*MATCH, "--games", "10", "--json"])
    assert run.exit_code == 1
    assert "other: has ended" in run.stderr
    report = json.loads(run.stdout)
    assert (report["games"], report["most_games"]) == (2, 10)


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_match_is_reported(
    processes: int, number: signal.Signals, tmp_path: Path
) -> None:
    """The games that are being played are given up; a shell starts its jobs ignoring Ctrl-C."""
    command = [sys.executable, "-c", PLAYING, str(tmp_path / "pairs"), str(processes)]
    ignoring = ["sh", "-c", 'trap "" INT; exec "$@"', "sh", *command]
    running = subprocess.Popen(
        ignoring, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    with killing_group(running):
        eventually(lambda: (tmp_path / "pairs").exists(), "a pair to be played")
        running.send_signal(number)
        out, err = running.communicate(timeout=20)
        assert running.returncode == 130
        assert err.endswith(b"movelog: interrupted\n")
        report = json.loads(out)
        assert 2 <= report["games"] < report["most_games"] == 20_000
        assert not list_group(running.pid)


def test_a_match_may_have_balanced_openings_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    options = ["--games", "2", "--balanced", "0.6", "--json"]
    assert json.loads(CliRunner().invoke(selfplay, [*MATCH, *options]).stdout)["balanced"] == 0.6
    monkeypatch.setattr(opening, "find_chance", lambda *_: 0.31)
    run = CliRunner().invoke(selfplay, [*MATCH, *options])
    assert run.exit_code == 1
    assert "none leaves each side a chance of 0.6 at most" in run.output
    assert CliRunner().invoke(selfplay, [*MATCH, "--balanced", "0.5"]).exit_code == 2


@pytest.mark.parametrize(
    ("hypotheses", "reason"),
    [
        (["nan", "30"], "the first Elo difference is not lower than the second"),
        (["0", "nan"], "the first Elo difference is not lower than the second"),
        (["30", "0"], "the first Elo difference is not lower than the second"),
        (["30", "30"], "the first Elo difference is not lower than the second"),
        (["0", "inf"], "inf is not in the range -1000<=x<=1000"),
        (["-1e9", "0"], "-1000000000.0 is not in the range -1000<=x<=1000"),
    ],
)
def test_a_sequential_test_has_two_ordered_differences(hypotheses: list[str], reason: str) -> None:
    run = CliRunner().invoke(selfplay, [*MATCH, "--games", "2", "--sprt", *hypotheses])
    assert run.exit_code == 2
    assert f"Invalid value for '--sprt': {reason}" in run.output


def test_openings_longer_than_games_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "MOST_TRIES", 20)
    run = CliRunner().invoke(selfplay, [*MATCH, "--opening", "9000"])
    assert run.exit_code == 1
    assert "of 20 random games none goes on after 9000 plies" in run.output


def test_wrong_players_and_games_are_told() -> None:
    for arguments in (["katruji", "fast", ""], ["chess", "", ""]):
        run = CliRunner().invoke(selfplay, arguments)
        assert run.exit_code == 2
    run = CliRunner().invoke(selfplay, ["katruji", "engine=no-such-engine", "", "--processes", "1"])
    assert run.exit_code == 1
    assert "no-such-engine: No such file or directory\n" in run.output
    # `cat` only echoes, so waiting for it to be ready would never end.
    run = CliRunner().invoke(selfplay, ["katruji", "", "engine=cat", "--processes", "1"])
    assert run.exit_code == 1
    assert "cat: does not say that it is ready" in run.output
