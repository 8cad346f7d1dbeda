"""Games for training: reproducible, and only ever in whole files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from engine.registry import VARIANTS, find_variant
from engine.replay import replay
from engine.search import build_id
from notation.agreement import Agreement
from notation.registry import find_dialect
from tests.project.tree import ROOT
from tests.waiting import eventually
from training.__main__ import main
from training.errors import FolderInUse, OtherBuild, OtherPlan
from training.game_files import GameFile, GameFolder
from training.plan import Plan
from training.played_game import PlayedGame, play_game
from training.producing import GAMES, play_file, produce

QUICK = Plan(nodes=20)


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*.zst"))
    }


@pytest.mark.parametrize("name", VARIANTS)
def test_a_game_replays_to_its_result_and_says_which_actions_were_searched(name: str) -> None:
    variant = find_variant(name)
    played = play_game(variant, Plan(nodes=20, ply_limit=60), Random(3))
    assert play_game(variant, Plan(nodes=20, ply_limit=60), Random(3)) == played
    assert PlayedGame.from_json(played.to_json()) == played
    begun = find_dialect(name).read_fen(played.start)
    plies = sum(
        before != after
        for before, after in [
            (position.side, replay(position, [action]).side)
            for position in [begun.copy()]
            for action in played.actions
        ]
    )
    end = replay(begun, played.actions)
    outcome = Agreement(plies, variant.draw_by_points).outcome(end, plies)
    assert outcome is not None
    assert played.points == (0.5 if outcome.winner is None else 1 - outcome.winner)
    opening = next(i for i, score in enumerate(played.scores) if score is not None)
    assert opening <= QUICK.opening(name) + 10
    assert played.searched > len(played.actions[opening:]) / 2


def test_nobody_has_an_infiltrator_where_choices_are_void() -> None:
    kerd, dialect = find_variant("kerd"), find_dialect("kerd")
    void = play_game(kerd, Plan(nodes=20, ply_limit=10, void_choices=True), Random(3))
    known = play_game(kerd, Plan(nodes=20, ply_limit=10), Random(3))
    assert void.start == dialect.write_fen(kerd.plain_world(kerd.start()))
    assert known.start != void.start
    assert dialect.position_key(known.start) == dialect.position_key(void.start)


def test_games_begin_differently() -> None:
    games = [play_game(find_variant("katruji"), QUICK, Random(seed)) for seed in range(8)]
    assert len({tuple(game.actions[:3]) for game in games}) > 4


def test_a_repeated_position_ends_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("training.played_game.OCCURRENCES", 1)
    played = play_game(find_variant("kerd"), QUICK, Random(1))
    assert (played.actions, played.points, played.termination) == ([], 0.5, "adjudication")


@pytest.mark.slow
def test_enough_games_are_played_and_of_the_variant_that_has_the_fewest(tmp_path: Path) -> None:
    folder = GameFolder(tmp_path)
    produce(folder, QUICK, ["katruji", "kerd-draft"], 400, processes=1)
    headers = {name: list(folder.headers(name)) for name in ("katruji", "kerd-draft")}
    for name, found in headers.items():
        assert sum(header.positions for header in found) >= 400
        read = [GameFile.read(path) for path in folder.files(name)]
        assert [one.header for one in read] == found
        assert all(sum(game.searched for game in one.games) == one.header.positions for one in read)
        assert {len(one.games) for one in read} == {GAMES}
    before = files(tmp_path)
    produce(folder, QUICK, ["katruji", "kerd-draft"], 400, processes=1)
    assert files(tmp_path) == before


def test_a_lost_file_is_played_again_as_it_was(tmp_path: Path) -> None:
    folder = GameFolder(tmp_path)
    folder.begin(QUICK)
    for number in range(3):
        play_file(tmp_path, QUICK, "katruji", number)
    before = files(tmp_path)
    folder.files("katruji")[1].unlink()
    wanted = sum(header.positions for header in folder.headers("katruji")) + 1
    produce(folder, QUICK, ["katruji"], wanted, processes=1)
    assert files(tmp_path) == before


@pytest.mark.slow
def test_a_folder_has_one_plan_and_one_writer(tmp_path: Path) -> None:
    folder = GameFolder(tmp_path)
    produce(folder, QUICK, ["katruji"], 1, processes=1)
    with pytest.raises(OtherPlan, match="nodes=20"):
        produce(folder, Plan(nodes=30), ["katruji"], 1, processes=1)
    with pytest.raises(FolderInUse):
        produce(
            folder,
            QUICK,
            ["katruji"],
            1_000,
            1,
            lambda header: produce(folder, QUICK, ["katruji"], 1, processes=1),
        )


@pytest.mark.slow
def test_a_killed_run_leaves_whole_files_and_no_process_and_goes_on(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "training", "games", str(tmp_path), "katruji"]
    process = subprocess.Popen(
        [*command, "--nodes", "20", "--processes", "2"], cwd=ROOT, start_new_session=True
    )
    try:
        eventually(lambda: len(files(tmp_path)) > 2, "files")
    finally:
        process.kill()
        process.wait()
    eventually(lambda: not group_is_alive(process.pid), "the processes to end")
    killed = files(tmp_path)
    folder = GameFolder(tmp_path)
    games = [game for path in folder.files("katruji") for game in GameFile.read(path).games]
    assert len(games) == GAMES * len(killed)
    assert main(["games", str(tmp_path), "katruji", "--nodes", "20", "--positions", "1"]) == 0
    # The killed process's file is played first and nothing more: there are enough positions.
    again = files(tmp_path)
    assert again.items() >= killed.items()
    assert len(again) == max(number_of(name) for name in killed) + 1


def number_of(name: str) -> int:
    """The number of a file of games, as in `katruji/000002.jsonl.zst`."""
    return int(Path(name).name.partition(".")[0])


def group_is_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_command_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["games", str(tmp_path), "chess"])
    assert left.value.code == 2
    assert "no variant 'chess'; the variants are katruji," in capsys.readouterr().err
    GameFolder(tmp_path).begin(QUICK)
    assert main(["games", str(tmp_path), "katruji"]) == 1
    assert "was made by Plan(seed=0, nodes=20" in capsys.readouterr().err


def test_the_games_of_a_folder_are_of_one_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = GameFolder(tmp_path)
    folder.begin(QUICK)
    play_file(tmp_path, QUICK, "katruji", 0)
    monkeypatch.setattr("training.game_files.build_id", lambda: "another")
    with pytest.raises(OtherBuild, match="and this is another: use a new folder, or go on with"):
        produce(folder, QUICK, ["kerd"], 1, processes=1)
    assert main(["games", str(tmp_path), "katruji", "--nodes", "20"]) == 1
    assert f"was begun by the build {build_id()}" in capsys.readouterr().err
    assert list(files(tmp_path)) == ["katruji/000000.jsonl.zst"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("games {} --nodes 0", "'0' is less than 1"),
        ("games {} --nodes many", "'many' is not a whole number"),
        ("games {} --processes 0", "'0' is less than 1"),
        ("games {} --positions 0", "'0' is less than 1"),
        ("games {} --random-actions -1", "'-1' is less than 0"),
        ("positions {} {} --processes 0", "'0' is less than 1"),
        ("positions {} {} --lambda 1.1", "'1.1' is not from 0 to 1"),
        ("positions {} {} --lambda nan", "'nan' is not from 0 to 1"),
        ("openings {} --fewest 0", "'0' is less than 1"),
        ("weights {} --positions 0", "'0' is less than 1"),
        ("network {} {} katruji --epochs 0", "'0' is less than 1"),
        ("network {} {} katruji --rate 0", "'0' is not above 0 and finite"),
        ("network {} {} katruji --rate fast", "'fast' is not a number"),
        ("network {} {} katruji --decay -0.1", "'-0.1' is not 0 or more and finite"),
        ("network {} {} katruji --decay inf", "'inf' is not 0 or more and finite"),
        ("puzzles {} {} --count -1", "'-1' is less than 0"),
        ("tune katruji {} --iterations 0", "'0' is less than 1"),
        ("tune katruji {} --pairs 0", "'0' is less than 1"),
        ("tune katruji {} --opening -1", "'-1' is less than 0"),
        ("tune katruji {} --balanced 0.5", "'0.5' is not above 0.5 and at most 1"),
        ("run {} --games 1", "'1' is less than 2"),
        ("run {} --games 5", "'5' is not an even number"),
        ("run {} --nodes 0", "'0' is less than 1"),
    ],
)
def test_a_bad_number_is_refused_before_anything_is_done(
    options: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "folder"
    with pytest.raises(SystemExit) as left:
        main([word.format(folder) for word in options.split()])
    assert left.value.code == 2
    assert reason in capsys.readouterr().err
    assert not folder.exists()
