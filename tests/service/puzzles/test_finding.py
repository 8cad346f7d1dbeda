"""What makes a position a puzzle, and what does not."""

from __future__ import annotations

import pytest

from engine.registry import find_variant
from notation.registry import find_dialect
from service.puzzles.collection import load_collection
from service.puzzles.finding import PlayedPosition, PuzzleFinder, find_puzzles, may_be_puzzle
from tests.service.puzzles.solvers import list_with

FREE = "4/3O/1P2/3S/4/1O2/PS2/4 s 0-0 - 0 1"
"""South may capture one of two pieces."""


def played(name: str, fen: str, last: str | None = None, chance: float = 0.9) -> PlayedPosition:
    return PlayedPosition(find_dialect(name).read_fen(fen), last, chance)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["katruji", "kerak"])
def test_a_puzzle_is_found_again(name: str) -> None:
    puzzle = next(load_collection().list_puzzles(name))
    finder = PuzzleFinder(find_variant(name))
    found = finder.examine(played(name, puzzle.fen))
    assert found is not None
    assert (found.id, found.line, found.themes) == (puzzle.id, puzzle.line, puzzle.themes)


@pytest.mark.slow
def test_a_line_goes_on_to_a_win_at_once() -> None:
    known = list_with("kerd-draft", "king-capture")
    puzzle = next(one for one in known if len(one.line) > 1)
    found = PuzzleFinder(find_variant("kerd-draft")).examine(played("kerd-draft", puzzle.fen))
    assert found is not None
    assert (found.line, found.themes) == (puzzle.line, puzzle.themes)


@pytest.mark.slow
def test_a_game_gives_its_puzzles() -> None:
    puzzle = next(load_collection().list_puzzles("katruji"))
    here = played("katruji", puzzle.fen)
    other = find_dialect("katruji").read_fen(puzzle.fen)
    other.play(other.legal()[0])
    before = PlayedPosition(other, None, 0.5)
    found = [one.id for one in find_puzzles(find_variant("katruji"), [before, here])]
    assert found == [puzzle.id]


def test_no_puzzle_is_where_nobody_has_a_choice_or_an_advantage() -> None:
    finder = PuzzleFinder(find_variant("katruji"))
    start = find_dialect("katruji").write_fen(find_variant("katruji").start())
    assert finder.examine(played("katruji", start)) is None
    assert finder.examine(played("katruji", "4/3O/4/4/4/4/4/P3 s 0-0 - 0 1")) is None


def test_the_plain_capture_of_the_most_is_trivial() -> None:
    here = played("katruji", "4/3O/4/3S/4/1O2/PS2/4 s 0-0 - 0 1")
    finder = PuzzleFinder(find_variant("katruji"))
    capture = find_dialect("katruji").resolve(here.position, "Oxd5")
    assert finder.is_trivial(here, [capture])
    quiet = find_dialect("katruji").resolve(here.position, "Ob4")
    assert not finder.is_trivial(here, [quiet])


def test_a_side_that_had_won_already_has_no_puzzle() -> None:
    first = played("katruji", FREE, chance=0.8)
    second = find_dialect("katruji").read_fen(FREE)
    second.play(find_dialect("katruji").resolve(second, "Oxd5"))
    for chance, expected in ((0.05, False), (0.4, True)):
        assert may_be_puzzle(PlayedPosition(second, None, chance), first) is expected
    for here, expected in ((0.5, False), (0.7, True)):
        assert (
            may_be_puzzle(played("katruji", FREE, chance=0.5), played("katruji", FREE, chance=here))
            is expected
        )
