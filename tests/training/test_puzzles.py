"""Puzzles are collected into files, and collecting resumes where it stopped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.registry import find_variant
from notation.registry import find_dialect
from service.puzzles.collection import load_collection
from service.puzzles.finding import PlayedPosition, PuzzleFinder
from service.puzzles.puzzle import Puzzle
from training import examined, puzzles
from training.__main__ import main
from training.errors import FolderInUse, NoGames
from training.folder_lock import locked
from training.game_files import GameFile, GameFolder
from training.plan import Plan
from training.producing import produce
from training.puzzles import EACH_GAME, SHARES, read_puzzles, replay_game, write_puzzles

TEXTS = find_dialect("katruji")


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file of quick games."""
    folder = tmp_path_factory.mktemp("games")
    produce(GameFolder(folder), Plan(nodes=20), ["katruji"], 1, 1)
    return folder


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The positions that are examined: every third of a game, and every other one is a puzzle."""
    seen: list[str] = []

    def examine(finder: PuzzleFinder, played: PlayedPosition) -> Puzzle | None:
        fen = TEXTS.write_fen(played.position)
        seen.append(fen)
        if played.position.number % 2:
            return None
        return Puzzle("katruji", fen, played.last, ("a1a2",), ("fork",), 1000)

    monkeypatch.setattr(PuzzleFinder, "examine", examine)
    monkeypatch.setattr(puzzles, "may_be_puzzle", lambda before, here: here.position.number % 3)
    return seen


def test_a_file_is_filled_and_added_to(
    games: Path, tmp_path: Path, asked: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "katruji.txt"
    for count in (3, 8):
        main(["puzzles", str(games), str(tmp_path), "katruji", "--count", str(count)])
        found = read_puzzles(path, "katruji")
        assert len(found) == len({one.id for one in found}) == count
        assert f"katruji: {count} puzzles" in capsys.readouterr().out
    assert len(asked) > 8


def test_no_game_gives_more_in_a_second_run(
    games: Path, tmp_path: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    played = GameFile.read(GameFolder(games).files("katruji")[0]).games[0]
    once = replay_game(find_variant("katruji"), played)
    monkeypatch.setattr(puzzles, "replay_game", lambda variant, played: once)
    for _ in range(2):
        assert write_puzzles(GameFolder(games), "katruji", tmp_path, 100, 0) == EACH_GAME
        (tmp_path / "katruji.json").unlink()
    assert len(read_puzzles(tmp_path / "katruji.txt", "katruji")) == EACH_GAME


def test_what_was_examined_is_not_examined_again(
    games: Path, tmp_path: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, other = GameFolder(games), tmp_path / "other"
    every = write_puzzles(folder, "katruji", other, 1_000, 0)
    once, asked[:] = list(asked), []
    finds = PuzzleFinder.examine

    def stop(finder: PuzzleFinder, played: PlayedPosition) -> Puzzle | None:
        if len(asked) == len(once) // 2:
            raise KeyboardInterrupt
        return finds(finder, played)

    with monkeypatch.context() as patch:
        patch.setattr(PuzzleFinder, "examine", stop)
        with pytest.raises(KeyboardInterrupt):
            write_puzzles(folder, "katruji", tmp_path, 1_000, 0)
    stopped = len(asked)
    assert write_puzzles(folder, "katruji", tmp_path, 1_000, 0) == every
    assert read_puzzles(tmp_path / "katruji.txt", "katruji") == read_puzzles(
        other / "katruji.txt", "katruji"
    )
    # Of the game that was stopped, those are examined again that are no puzzles.
    again = set(asked[:stopped]) & set(asked[stopped:])
    assert len(again) < 20
    assert all(TEXTS.read_fen(fen).number % 2 for fen in again)
    # Everything is known: neither another order of the games nor examining anew finds work to do.
    asked.clear()
    assert write_puzzles(folder, "katruji", tmp_path, 1_000, 5, anew=True) == every
    assert asked == []
    # Another finder examines everything again, but not the positions that are puzzles already.
    monkeypatch.setattr(examined, "identify_finder", lambda: "another")
    assert write_puzzles(folder, "katruji", tmp_path, 1_000, 0) == every
    assert asked
    assert all(TEXTS.read_fen(fen).number % 2 for fen in asked)


def test_puzzles_with_a_common_theme_are_few(
    games: Path, tmp_path: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SHARES, "fork", 0.2)
    assert write_puzzles(GameFolder(games), "katruji", tmp_path, 20, 0) == 4


def test_puzzles_that_this_build_does_not_find_are_dropped(
    games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = list(load_collection().list_puzzles("katruji"))[:4]
    path = tmp_path / "katruji.txt"
    path.write_text("".join(f"{one.to_line()}\n" for one in known))
    stops = [known[2]]

    def examine(finder: PuzzleFinder, played: PlayedPosition) -> Puzzle | None:
        of = next(one for one in known if TEXTS.write_fen(played.position) == one.fen)
        assert played.last == of.last
        if of in stops:
            stops.remove(of)
            raise KeyboardInterrupt
        return None if of is known[1] else replace(of, rating=of.rating + 1)

    monkeypatch.setattr(PuzzleFinder, "examine", examine)
    command = ["puzzles", str(games), str(tmp_path), "katruji", "--count", "0"]
    main(command)
    assert read_puzzles(path, "katruji") == known
    with pytest.raises(KeyboardInterrupt):
        main([*command, "--anew"])
    first, third, last = known[0], *known[2:]
    examined_first = replace(first, rating=first.rating + 1)
    assert read_puzzles(path, "katruji") == [examined_first, third, last]
    main([*command, "--anew"])
    left = [replace(one, rating=one.rating + 1) for one in (first, third, last)]
    assert read_puzzles(path, "katruji") == left
    assert path.read_text().startswith("# Found by ")


def test_a_removed_file_begins_again(games: Path, tmp_path: Path, asked: list[str]) -> None:
    every = write_puzzles(GameFolder(games), "katruji", tmp_path, 1_000, 0)
    (tmp_path / "katruji.txt").unlink()
    assert write_puzzles(GameFolder(games), "katruji", tmp_path, 1_000, 0) == every


def test_without_games_nothing_is_written(
    games: Path, tmp_path: Path, asked: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "puzzles"
    assert main(["puzzles", str(tmp_path / "mistyped"), str(target), "katruji"]) == 1
    assert "mistyped has no games of katruji" in capsys.readouterr().err
    assert main(["puzzles", str(tmp_path / "mistyped"), str(target)]) == 1
    assert "mistyped has no games of any variant" in capsys.readouterr().err
    with pytest.raises(NoGames):
        write_puzzles(GameFolder(games), "kerd", target, 10, 0)
    assert not target.exists()
    # Without names, the variants are those of which there are games.
    assert main(["puzzles", str(games), str(target), "--count", "1"]) == 0
    assert capsys.readouterr().out == "katruji: 1 puzzles\n"


def test_one_command_writes_a_file(games: Path, tmp_path: Path, asked: list[str]) -> None:
    with locked(tmp_path, "katruji.lock"), pytest.raises(FolderInUse):
        write_puzzles(GameFolder(games), "katruji", tmp_path, 10, 0)
