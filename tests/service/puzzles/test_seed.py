"""The puzzles that come with the service: enough of them, legal throughout, rightly labelled."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from engine.registry import VARIANTS, find_variant
from notation.registry import find_dialect
from service.errors import NotFound
from service.puzzles.collection import Collection, load_collection, read_seed
from service.puzzles.puzzle import Puzzle
from service.puzzles.themes import name_themes
from tests.service.puzzles.material import name_sacrifice_and_fork, read_board


def test_each_game_has_enough() -> None:
    counted = {name: len(read_seed(name)) for name in VARIANTS}
    assert min(counted.values()) >= 150, counted


@pytest.mark.parametrize("name", VARIANTS)
def test_every_line_is_legal_and_has_its_themes(name: str) -> None:
    dialect = find_dialect(name)
    for puzzle in read_seed(name):
        position, line = dialect.read_fen(puzzle.fen), []
        solver, after = position.side, position.copy()
        assert len(position.legal()) > 1
        for token in puzzle.line:
            assert after.outcome() is None
            last = after.side
            line.append(dialect.resolve(after, token))
            assert dialect.coordinate(line[-1]) == token
            after.play(line[-1])
        assert last == solver
        outcome = after.outcome()
        assert outcome is None or outcome.winner == solver
        assert puzzle.themes == name_themes(find_variant(name), position, line)


@pytest.mark.parametrize("name", VARIANTS)
def test_forks_and_sacrifices_are_those_that_material_shows(name: str) -> None:
    for puzzle in read_seed(name):
        board = read_board(name, puzzle.fen)
        named = {"fork", "sacrifice"} & {*puzzle.themes}
        assert name_sacrifice_and_fork(board, puzzle.line) == named, puzzle.id


@pytest.mark.parametrize("name", VARIANTS)
def test_nothing_in_a_puzzle_is_unknown(name: str) -> None:
    assert not any("?" in puzzle.fen for puzzle in read_seed(name))


def test_no_position_is_there_twice_and_a_puzzle_is_found_by_its_id() -> None:
    puzzles = [puzzle for name in VARIANTS for puzzle in read_seed(name)]
    assert len({puzzle.id for puzzle in puzzles}) == len(puzzles) == len(load_collection())
    assert all(load_collection().find(one.id) == one for one in puzzles)
    assert all(Puzzle.from_line(one.variant, one.to_line()) == one for one in puzzles)
    with pytest.raises(NotFound):
        load_collection().find("0" * 10)


def test_each_day_has_another_puzzle() -> None:
    known = load_collection()
    count = sum(1 for _ in known.list_puzzles("katruji"))
    days = [date(2026, 1, 1) + timedelta(n) for n in range(count)]
    assert len({known.list_daily(day, "katruji")[0].id for day in days}) == count


def test_behind_the_puzzle_of_a_day_are_those_of_the_next_days() -> None:
    today, tomorrow = date(2026, 1, 1), date(2026, 1, 2)
    known = load_collection()
    order = known.list_daily(today, "kerd")
    assert order[1:] + order[:1] == known.list_daily(tomorrow, "kerd")
    assert sorted(one.id for one in order) == [one.id for one in known.list_puzzles("kerd")]


def test_where_there_are_none_none_is_found() -> None:
    assert Collection([]).list_daily(date(2026, 1, 1)) == []
