"""One command goes from nothing to a network that has played its match."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import engine
from engine.search import build_id
from tests.orphans import assert_no_orphans
from training import pipeline
from training.__main__ import main, parser
from training.errors import FolderInUse, MatchFailed, NoNetwork, NothingSeen
from training.folder_lock import locked
from training.network import Training
from training.pipeline import digest_files, play_match
from training.plan import Plan
from training.seen import SEEN
from training.steps import run_all_steps

INSTALLED = Path(engine.__file__).parent
SMALL = ["--positions", "600", "--nodes", "20", "--games", "4", "--epochs", "2"]


def run(folder: Path, *options: str) -> None:
    assert main(["run", str(folder), "katruji", *SMALL, *options]) == 0


def report(folder: Path, variant: str = "katruji") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "matches" / f"{variant}.json").read_bytes())
    return found


def made(folder: Path) -> dict[str, object]:
    """The files that a run made, except matches and their digests: they report processor time."""
    found: dict[str, object] = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.parent.name not in ("matches", "done")
    }
    for path in (folder / "done").iterdir():
        steps = json.loads(path.read_bytes())
        del steps["match"]["files"]
        found[f"done/{path.name}"] = steps
    return found


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
def test_what_was_lost_or_changed_is_made_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def steps() -> list[str]:
        capsys.readouterr()
        run(tmp_path)
        return [line.split(": ")[1] for line in capsys.readouterr().out.splitlines()]

    steps()
    before = made(tmp_path)
    (tmp_path / "networks" / "katruji" / "katruji" / "network.bin").unlink()
    assert steps() == ["network"]
    (tmp_path / "networks" / "katruji" / "katruji" / "network.bin").write_bytes(b"another")
    assert steps() == ["network"]
    shutil.rmtree(tmp_path / "positions")
    assert steps() == ["positions"]
    (tmp_path / "matches" / "katruji.json").unlink()
    assert steps() == ["match"]
    assert made(tmp_path) == before
    # Another build would have played other games.
    monkeypatch.setattr("training.game_files.build_id", lambda: "another")
    assert main(["run", str(tmp_path), "katruji", *SMALL]) == 1
    assert f"was begun by the build {build_id()}, and this is another" in capsys.readouterr().err


def test_a_step_is_done_by_one_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made_by: list[str] = []

    class Steps(pipeline.Pipeline):
        def _once(
            self,
            variant: str,
            step: str,
            made_of: dict[str, Any],
            target: Path,
            make: Callable[[], str],
        ) -> None:
            def note() -> str:
                target.mkdir(parents=True, exist_ok=True)
                (target / "made").write_text(step)
                made_by.append(f"{step} by {made_of['build']}")
                return "noted"

            super()._once(variant, step, made_of, target, note)

        def _play(self, variants: Sequence[str]) -> None:
            pass

    budget = pipeline.Budget(Plan(), Training(), 600, 0.9, 4, 20, 1)
    for build in ("one", "one", "two"):
        monkeypatch.setattr(pipeline, "build_id", lambda build=build: build)
        Steps(tmp_path, budget).run(["katruji"])
    assert made_by == [
        f"{step} by {build}"
        for build in ("one", "two")
        for step in ("positions", "network", "match")
    ]


def test_files_are_known_by_what_is_in_them(tmp_path: Path) -> None:
    assert digest_files(tmp_path / "nothing") == {}
    (tmp_path / "folder").mkdir()
    assert digest_files(tmp_path / "folder") == {}
    file = tmp_path / "folder" / "file"
    file.write_bytes(b"one")
    first = digest_files(tmp_path / "folder")
    assert list(first) == ["folder/file"]
    assert digest_files(file) == {"file": first["folder/file"]}
    file.write_bytes(b"two")
    assert digest_files(tmp_path / "folder") != first


MATCH_OPTIONS = ["nodes=1", "nodes=1", "--games", "2", "--limit", "2", "--processes", "1"]


def test_no_match_is_played_without_the_network(tmp_path: Path) -> None:
    with pytest.raises(NoNetwork, match=f"{tmp_path} has no network of katruji"):
        play_match(tmp_path, "katruji", MATCH_OPTIONS)


def test_a_network_may_be_the_installed_one_again() -> None:
    assert json.loads(play_match(INSTALLED, "katruji", MATCH_OPTIONS))["build"] == build_id()


MATCH = """
from tests.training.test_pipeline import INSTALLED
from training.pipeline import play_match

print("begun", flush=True)
match = ["nodes=2000", "nodes=2000", "--games", "20000", "--processes", "2"]
play_match(INSTALLED, "katruji", match)
"""


def test_a_match_ends_with_a_killed_run() -> None:
    assert_no_orphans(MATCH, processes=4)


def test_a_folder_has_one_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with locked(tmp_path):
        assert main(["run", str(tmp_path), "katruji", *SMALL]) == 1
        with pytest.raises(FolderInUse), locked(tmp_path):
            pass
    assert f"another process writes into {tmp_path}\n" in capsys.readouterr().err
    assert not (tmp_path / "games").exists()


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
        play_match(INSTALLED, "katruji", ["--games", "1"])


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
