"""Puzzles are collected into files, and collecting resumes where it stopped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.variant import Variant
from service.puzzles.collection import load_collection
from service.puzzles.finding import PlayedPosition, PuzzleFinder
from service.puzzles.puzzle import Puzzle
from training import puzzles
from training.__main__ import main
from training.game_files import GameFolder
from training.plan import Plan
from training.producing import produce
from training.puzzles import EACH_GAME, read_puzzles, write_puzzles


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file of quick games."""
    folder = tmp_path_factory.mktemp("games")
    produce(GameFolder(folder), Plan(nodes=20), ["katruji"], 1, 1)
    return folder


def test_a_file_is_filled_and_added_to(
    games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    known = list(load_collection().list_puzzles("katruji"))
    asked = iter(range(1000))

    def find(variant: Variant, game: Iterable[PlayedPosition]) -> Iterator[Puzzle]:
        at = 3 * next(asked) % len(known)
        yield from known[at : at + 9]

    monkeypatch.setattr(puzzles, "find_puzzles", find)
    path = tmp_path / "katruji.txt"
    for count in (3, 8):
        main(["puzzles", str(games), str(tmp_path), "katruji", "--count", str(count)])
        found = read_puzzles(path, "katruji")
        assert len(found) == len({one.id for one in found}) == count
        assert f"katruji: {count} puzzles" in capsys.readouterr().out
    assert EACH_GAME < 9


def test_no_game_gives_more_in_a_second_run(
    games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = list(load_collection().list_puzzles("katruji"))[: 2 * EACH_GAME]
    monkeypatch.setattr(puzzles, "find_puzzles", lambda variant, game: iter(known))
    for _ in range(2):
        assert write_puzzles(GameFolder(games), "katruji", tmp_path, 100, 0) == EACH_GAME
    assert read_puzzles(tmp_path / "katruji.txt", "katruji") == known[:EACH_GAME]


def test_puzzles_that_this_build_does_not_find_are_dropped(
    games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = list(load_collection().list_puzzles("katruji"))[:4]
    path = tmp_path / "katruji.txt"
    path.write_text("".join(f"{one.to_line()}\n" for one in known))

    def examine(finder: PuzzleFinder, played: PlayedPosition) -> Puzzle | None:
        of = next(one for one in known if finder.dialect.write_fen(played.position) == one.fen)
        assert played.last == of.last
        return None if of is known[1] else replace(of, rating=1234)

    monkeypatch.setattr(PuzzleFinder, "examine", examine)
    main(["puzzles", str(games), str(tmp_path), "katruji", "--count", "0"])
    assert read_puzzles(path, "katruji") == known
    main(["puzzles", str(games), str(tmp_path), "katruji", "--count", "0", "--anew"])
    left = [replace(one, rating=1234) for one in (known[0], *known[2:])]
    assert read_puzzles(path, "katruji") == left
    assert path.read_text().startswith("# Found by ")
