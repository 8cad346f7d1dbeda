"""One command goes from nothing to a network that has played its match."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.search import build_id
from training.__main__ import main, parser
from training.errors import MatchFailed, NothingSeen
from training.pipeline import play_match
from training.seen import SEEN
from training.steps import run_all_steps

SMALL = ["--positions", "600", "--nodes", "20", "--games", "4", "--epochs", "2"]


def run(folder: Path, *options: str) -> None:
    assert main(["run", str(folder), "katruji", *SMALL, *options]) == 0


def report(folder: Path, variant: str = "katruji") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "matches" / f"{variant}.json").read_bytes())
    return found


def made(folder: Path) -> dict[str, bytes]:
    """The files that a run made, except matches, which report processor time."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.parent.name != "matches"
    }


@pytest.mark.slow
def test_a_run_ends_in_a_match_of_the_network_that_it_made(tmp_path: Path) -> None:
    run(tmp_path / "one")
    played = report(tmp_path / "one")
    assert played["games"] == 4
    assert played["players"] == ["nodes=20", "nodes=20 without=evaluation"]
    assert played["build"] != build_id()
    run(tmp_path / "two")
    assert made(tmp_path / "one") == made(tmp_path / "two")
    assert report(tmp_path / "two")["pairs"] == played["pairs"]


@pytest.mark.slow
def test_a_run_makes_only_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def steps(*options: str) -> list[str]:
        capsys.readouterr()
        run(tmp_path, *options)
        return [line.split(": ")[1] for line in capsys.readouterr().out.splitlines()]

    assert steps() == ["positions", "network", "match"]
    before = made(tmp_path)
    assert steps() == []
    assert steps("--games", "2") == ["match"]
    assert steps("--epochs", "3", "--games", "2") == ["network", "match"]
    # A lost file of games is played again identically, even if there are enough positions.
    (tmp_path / "games" / "katruji" / "000000.jsonl.zst").unlink()
    run(tmp_path)
    assert made(tmp_path) == before
    assert steps("--positions", "1500") == ["positions", "network", "match"]


@pytest.mark.slow
def test_a_step_that_was_stopped_is_made_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path)
    before = made(tmp_path)

    def stop(target: Path, *given: object) -> str:
        (target / "network.bin").write_bytes(b"another")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("training.pipeline.write", stop)
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path, "--epochs", "3")
    capsys.readouterr()
    run(tmp_path)
    assert "network: loss" in capsys.readouterr().out
    assert made(tmp_path) == before


def test_what_a_run_cannot_do_it_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(SEEN, "katruji")
    with pytest.raises(NothingSeen, match=r"only for kerak, kerd$"):
        run_all_steps(parser().parse_args(["run", str(tmp_path), "katruji"]))
    assert main(["run", str(tmp_path), "katruji"]) == 1
    assert "no network has inputs for katruji, only for kerak, kerd\n" in capsys.readouterr().err
    monkeypatch.undo()
    with pytest.raises(SystemExit):
        main(["run", str(tmp_path), "katruji", "--without", "luck"])
    assert "no technique 'luck'" in capsys.readouterr().err
    with pytest.raises(MatchFailed, match="selfplay katruji --games 1 ended with status 2"):
        play_match(tmp_path, ["katruji", "--games", "1"])


BUDGETS = {
    "katruji": ["--without", "evaluation", "--positions", "60000", "--nodes", "400"],
    # In Kerak, a search that knows only material draws by repetition with equal material, which
    # teaches nothing; and 400 nodes are too few to win against it.
    "kerak": ["--without", "network", "--positions", "200000", "--nodes", "2000"],
    # Kerd's network is added to the terms; few positions need a slow fit that stays near 0.
    "kerd": [
        *("--without", "network", "--positions", "100000", "--nodes", "400"),
        *("--rate", "0.001", "--decay", "0.0002"),
    ],
}


@pytest.mark.soak
@pytest.mark.parametrize("variant", SEEN)
def test_a_network_learned_from_nothing_beats_material_alone(variant: str, tmp_path: Path) -> None:
    """Trained on games that no network played, a network beats material only."""
    options = [*BUDGETS[variant], "--games", "200", "--processes", "2"]
    assert main(["run", str(tmp_path), variant, *options]) == 0
    played = report(tmp_path, variant)
    assert played["games"] == 200
    assert played["build"] != build_id()
    assert played["score"][1] > 0.5
