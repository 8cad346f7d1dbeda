"""Positions for training: quiet, labelled from the side to act, shuffled, and none lost."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from engine.registry import VARIANTS, find_variant
from engine.search import evaluate, quiesce, winning_chance
from notation.registry import find_dialect
from training.__main__ import main
from training.errors import NoGames, NoPositions
from training.game_files import GameFolder, write_lines
from training.plan import Plan
from training.played_game import PlayedGame
from training.positions import (
    LATER,
    SUFFIX,
    LabelledPosition,
    outlooks,
    quiet_positions,
    read_shards,
    write_shards,
)
from training.producing import produce

QUICK = Plan(nodes=20)


@pytest.mark.parametrize(
    ("name", "quiet", "hanging"),
    [
        ("katruji", "1SOO/1PSO/1PPS/4/4/SPP1/OSP1/OOS1 s 0-0 - 0 1", None),
        ("katruji", "4/4/4/1O2/1O2/4/4/PPPP s 0-0 - 0 1", "4/4/4/1O2/1O2/4/4/PPPP s 0-0 - 0 1"),
    ],
)
def test_nothing_hangs_where_quiescence_finds_nothing(
    name: str, quiet: str, hanging: str | None
) -> None:
    variant = find_variant(name)
    position = find_dialect(name).read_fen(hanging or quiet)
    assert (quiesce(variant, position) == evaluate(variant, position)) is (hanging is None)


def test_labels_are_seen_from_the_side_to_act() -> None:
    variant = find_variant("katruji")
    dialect = find_dialect("katruji")
    position = dialect.start({})
    first = position.legal()[0]
    position.play(first)
    second = position.legal()[0]
    start = dialect.write_fen(dialect.start({}))
    played = PlayedGame(start, [first, second], [30, -20], 1.0, "alka")
    found = list(quiet_positions(variant, played, 7, later=0.0))
    chances = [winning_chance(variant, score) for score in (30, -20)]
    assert [one.outlook for one in found] == pytest.approx(chances)
    assert [one.game for one in found] == [7, 7]
    assert [one.fen for one in found] == [start, dialect.write_fen(position)]
    parsed = [LabelledPosition.parse(str(one)) for one in found]
    assert [one.outlook for one in parsed] == pytest.approx(chances, abs=1e-4)
    assert [(one.fen, one.game) for one in parsed] == [(one.fen, one.game) for one in found]
    results = [one.outlook for one in quiet_positions(variant, played, 7, later=1.0)]
    assert results == [1.0, 0.0]
    [before, last] = [one.outlook for one in quiet_positions(variant, played, 7, later=0.5)]
    assert last == pytest.approx(chances[1] / 2)
    assert before == pytest.approx((chances[0] + 1 - last) / 2)


def test_a_random_action_says_nothing_about_the_position_before() -> None:
    assert outlooks([0.5, None, 0.5, None], 0.0, 0.9) == [0.5, None, 0.5, None]
    assert outlooks([], 1.0, 0.9) == []


def test_random_and_decided_actions_have_no_position() -> None:
    variant = find_variant("katruji")
    dialect = find_dialect("katruji")
    position = dialect.start({})
    first = position.legal()[0]
    position.play(first)
    played = PlayedGame(
        dialect.write_fen(dialect.start({})),
        [first, position.legal()[0]],
        [None, 31_990],
        0.5,
        "adjudication",
    )
    assert list(quiet_positions(variant, played, 0, LATER)) == []


@pytest.mark.slow
def test_shards_hold_every_position_once_in_random_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = GameFolder(tmp_path / "games")
    produce(games, QUICK, ["katruji"], 600, processes=1)
    monkeypatch.setattr("training.positions.SHARD", 200)
    taken = write_shards(games, "katruji", tmp_path / "positions")
    shards = sorted((tmp_path / "positions" / "katruji").iterdir())
    assert len(shards) == sum(header.positions for header in games.headers("katruji")) // 200 + 1
    found = list(read_shards(tmp_path / "positions", "katruji"))
    assert len(found) == taken
    variant, dialect = find_variant("katruji"), find_dialect("katruji")
    for one in found:
        position = dialect.read_fen(one.fen)
        assert quiesce(variant, position) == evaluate(variant, position)
    order = [one.game for one in found]
    assert order != sorted(order)
    assert len(set(order[:20])) > 5
    content = [path.read_bytes() for path in shards]
    write_shards(games, "katruji", tmp_path / "positions")
    assert [path.read_bytes() for path in shards] == content
    # Several processes write the same positions in the same order.
    write_shards(games, "katruji", tmp_path / "positions", processes=2)
    assert [path.read_bytes() for path in shards] == content
    monkeypatch.setattr("training.positions.SHARD", 100_000)
    assert write_shards(games, "katruji", tmp_path / "positions") == taken
    assert len(list((tmp_path / "positions" / "katruji").iterdir())) == 1
    whole = list(read_shards(tmp_path / "positions", "katruji"))
    assert sorted(map(str, whole)) == sorted(map(str, found))


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_the_commands_make_positions_of_each_game(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games, positions = str(tmp_path / "games"), str(tmp_path / "positions")
    assert main(["games", games, name, "--nodes", "20", "--positions", "50"]) == 0
    assert f"{name} 0, 10 games, " in capsys.readouterr().out
    assert main(["positions", games, positions, name]) == 0
    found = list(read_shards(tmp_path / "positions", name))
    assert capsys.readouterr().out == f"{name}: {len(found)} quiet positions\n"
    assert found


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> GameFolder:
    """A folder with a file of quick games."""
    folder = GameFolder(tmp_path_factory.mktemp("games"))
    produce(folder, QUICK, ["katruji"], 1, 1)
    return folder


def test_without_games_no_position_is_lost(
    games: GameFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target, mistyped = tmp_path / "positions", GameFolder(tmp_path / "mistyped")
    taken = write_shards(games, "katruji", target)
    shutil.copytree(target / "katruji", target / "kerd")
    with pytest.raises(NoGames, match="mistyped has no games of katruji"):
        write_shards(mistyped, "katruji", target)
    for named in ([], ["katruji"], ["katruji", "kerd"]):
        assert main(["positions", str(mistyped.path), str(target), *named]) == 1
    assert "mistyped has no games of any variant" in capsys.readouterr().err
    assert main(["positions", str(games.path), str(tmp_path / "new"), "katruji", "kerd"]) == 1
    assert "has no games of kerd" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()
    # Without names, the variants are those of which there are games.
    assert main(["positions", str(games.path), str(target)]) == 0
    assert capsys.readouterr().out == f"katruji: {taken} quiet positions\n"
    for name in ("katruji", "kerd"):
        assert len(list(read_shards(target, name))) == taken


@pytest.mark.parametrize("last", [0, 1, 2])
def test_a_stopped_command_leaves_no_mixture(
    last: int, games: GameFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("training.positions.SHARD", 100)
    write_shards(games, "katruji", tmp_path, seed=1)
    shards = sorted((tmp_path / "katruji").iterdir())
    assert len(shards) > 2
    before = [path.read_bytes() for path in shards]
    written: list[Path] = []

    def stop(path: Path, lines: Iterable[str]) -> None:
        if len(written) == last:
            raise KeyboardInterrupt
        written.append(path)
        write_lines(path, lines)

    with monkeypatch.context() as patch:
        patch.setattr("training.positions.write_lines", stop)
        with pytest.raises(KeyboardInterrupt):
            write_shards(games, "katruji", tmp_path, seed=2)
    assert [path.read_bytes() for path in sorted((tmp_path / "katruji").iterdir())] == before
    write_shards(games, "katruji", tmp_path, seed=2)
    assert [path.read_bytes() for path in sorted((tmp_path / "katruji").iterdir())] != before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["katruji", "lock"]


def test_without_positions_nothing_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(NoPositions, match="has no positions of katruji"):
        read_shards(tmp_path, "katruji")
    # A shard may be empty.
    (tmp_path / "katruji").mkdir()
    write_lines(tmp_path / "katruji" / f"0000{SUFFIX}", [])
    assert main(["weights", str(tmp_path), "katruji"]) == 1
    assert main(["network", str(tmp_path), str(tmp_path / "made"), "katruji"]) == 1
    assert capsys.readouterr().err == 2 * f"{tmp_path} has no positions of katruji\n"
    assert not (tmp_path / "made").exists()
    assert main(["weights", str(tmp_path / "mistyped")]) == 1
    assert "mistyped has no positions of any variant" in capsys.readouterr().err
