"""`movelog selfplay`, run as a command."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from service.cli.engine.selfplay import format_report, selfplay
from service.selfplay import opening

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
    assert text.startswith("katruji: nodes=60 against depth=1\ngames 4: ")
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
