"""Tuning follows the winner, is seeded, and resumes where it was stopped."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.search import Parameters
from engine.search.parameters import NAMES
from engine.search.techniques import NAMES as TECHNIQUES
from service.selfplay import opening
from service.selfplay.match import GameScore, Match, Pair, play
from service.selfplay.setting import read_setting
from training import tuning
from training.__main__ import main
from training.errors import FolderInUse, OtherBuild, OtherPlan, UnknownParameter
from training.folder_lock import locked
from training.tuning import RANGES, Progress, Terms, Tuning, describe_player, list_names

TINY = Terms(3, pairs=1, nodes=30, opening_plies=4, names=("futility_margin", "reduction_base"))

ONE = Terms(1, pairs=1, nodes=20, opening_plies=4, names=("futility_margin",))


def run(folder: Path, terms: Terms = TINY) -> Progress:
    return Tuning(folder, "katruji", terms).run(1, lambda progress: None)


def test_every_range_is_that_of_a_parameter_and_holds_its_default() -> None:
    assert RANGES.keys() <= set(NAMES)
    for name, bounds in RANGES.items():
        assert bounds.low <= getattr(Parameters(), name) <= bounds.high
        assert bounds.step > 0
        assert {*bounds.technique.split("+")} <= {*TECHNIQUES}


def test_what_makes_no_difference_in_a_game_is_not_tuned() -> None:
    assert "late_move_base" in list_names("kerd-draft", "")
    assert "late_move_base" not in list_names("katruji", "")
    # Kerak has history, but does not reduce late moves by it.
    assert "reduction_history" in list_names("kerd", "")
    assert "reduction_history" not in list_names("kerak", "")
    # Kerak's value is outside the range, where it has no effect.
    assert "null_move_margin" not in list_names("kerak", "")


def test_a_divisor_is_at_least_1() -> None:
    with pytest.raises(ValueError, match="null_move_share"):
        Parameters().with_value("null_move_share", 0)


def test_equal_terms_give_equal_parameters(tmp_path: Path) -> None:
    first = run(tmp_path / "a")
    assert first.done == 3
    assert run(tmp_path / "b") == first


def test_it_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    class Killed(Exception):
        pass

    def kill(progress: Progress) -> None:
        if progress.done == 2:
            raise Killed

    with pytest.raises(Killed):
        Tuning(tmp_path / "a", "katruji", TINY).run(1, kill)
    begun = Tuning(tmp_path / "a", "katruji", TINY)
    assert begun.progress.done == 2
    assert begun.run(1, lambda progress: None) == run(tmp_path / "b")


def test_the_folder_of_other_terms_is_refused(tmp_path: Path) -> None:
    run(tmp_path)
    with pytest.raises(OtherPlan, match="iterations"):
        Tuning(tmp_path, "katruji", Terms(4))


def test_the_folder_of_another_build_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path, ONE)
    with monkeypatch.context() as patch:
        patch.setattr(tuning, "build_id", lambda: "another")
        with pytest.raises(OtherBuild, match="and this is another: use a new folder"):
            Tuning(tmp_path, "katruji", ONE)
    path = tmp_path / "katruji.json"
    written = json.loads(path.read_text())
    del written["build"]
    path.write_text(json.dumps(written))
    with pytest.raises(OtherBuild, match="was begun by the build unknown"):
        Tuning(tmp_path, "katruji", ONE)


def test_a_variant_has_one_tuning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = "--iterations 1 --pairs 1 --nodes 20 --opening 4 --parameters futility_margin"
    with locked(tmp_path, "katruji.lock"):
        assert main(["tune", "katruji", str(tmp_path), *words.split()]) == 1
        assert f"another process writes into {tmp_path}\n" in capsys.readouterr().err
        assert not (tmp_path / "katruji.json").exists()
        with pytest.raises(FolderInUse), locked(tmp_path, "katruji.lock"):
            pass
        # Another variant's does not disturb it.
        words = words.replace("--opening 4", "--opening 8")
        assert main(["tune", "kerd-draft", str(tmp_path), *words.split()]) == 0


def test_an_unknown_parameter_is_refused() -> None:
    with pytest.raises(UnknownParameter, match="depth"):
        Terms(3, names=("depth",))


@pytest.mark.parametrize("sign", [1, -1], ids=["small", "large"])
def test_a_parameter_goes_towards_who_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sign: int
) -> None:
    def decide(match: Match, pairs: int, processes: int) -> Iterator[Pair]:
        first, second = (dict(player.parameters)["futility_margin"] for player in match.players)
        for _ in range(pairs):
            game = GameScore(float(sign * first < sign * second), 40, "yara")
            yield Pair((game, game), (1, 1), (1.0, 1.0))

    monkeypatch.setattr(tuning, "play", decide)
    tuned = run(tmp_path, Terms(200, names=("futility_margin", "late_move_factor"))).values
    bounds = RANGES["futility_margin"]
    assert tuned["futility_margin"] == (bounds.low if sign > 0 else bounds.high)


def test_openings_may_be_balanced_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[float | None] = []

    def decide(match: Match, pairs: int, processes: int) -> Iterator[Pair]:
        seen.append(match.most_chance)
        yield from play(match, pairs, processes)

    monkeypatch.setattr(tuning, "play", decide)
    run(tmp_path / "any", ONE)
    balanced = ["--iterations", "1", "--pairs", "1", "--nodes", "20", "--balanced"]
    assert main(["tune", "katruji", str(tmp_path / "balanced"), *balanced, "0.9"]) == 0
    assert seen == [None, 0.9]
    for chance in ("0.5", "1.1", "even"):
        with pytest.raises(SystemExit):
            main(["tune", "katruji", str(tmp_path / "wrong"), *balanced, chance])


def test_no_balanced_opening_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(opening, "find_chance", lambda *_: 0.31)
    assert main(["tune", "katruji", str(tmp_path), "--iterations", "1", "--balanced", "0.6"]) == 1
    assert "none leaves each side a chance of 0.6 at most" in capsys.readouterr().err


def test_games_shorter_than_the_opening_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(opening, "MOST_TRIES", 20)
    words = ["--iterations", "1", "--opening", "9000"]
    assert main(["tune", "katruji", str(tmp_path), *words]) == 1
    assert "none goes on after 9000 plies: ask for a shorter opening" in capsys.readouterr().err


def test_the_command_prints_a_player(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = "--iterations 1 --pairs 1 --nodes 20 --opening 4 --parameters futility_margin"
    assert main(["tune", "katruji", str(tmp_path), *words.split()]) == 0
    described = describe_player(Tuning(tmp_path, "katruji", ONE).progress)
    assert described in capsys.readouterr().out
    assert read_setting(described).parameters
