"""Puzzles found in a game: recorded once for each analysis, and each puzzle once."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import pytest

from service.composition.service import CODEC
from service.log.memory import MemoryEventLog
from service.log.values import Append
from service.puzzles.collection import load_collection
from service.puzzles.found.commands import RecordPuzzles
from service.puzzles.found.events import PuzzlesFound
from service.puzzles.found.found_puzzle import FoundPuzzle
from service.puzzles.found.repository import FINDER, FoundPuzzles
from service.puzzles.found.state import GamePuzzles, fold, stream_of
from tests.service.puzzles.planted import find_planted

OTHER = FoundPuzzle(7, next(load_collection().list_puzzles("katruji")))


@pytest.fixture
def found() -> FoundPuzzles:
    return FoundPuzzles(MemoryEventLog(CODEC), count(1_700_000_000_000, 1000).__next__)


def ask(*puzzles: FoundPuzzle, analysis: str = "one", most: int = 9) -> RecordPuzzles:
    return RecordPuzzles(analysis=analysis, variant="katruji", puzzles=puzzles, most=most)


def test_what_is_found_is_read_as_it_was(found: FoundPuzzles) -> None:
    state = found.record("g", ask(find_planted(), OTHER)).state
    assert state.puzzles == (find_planted(), OTHER)
    assert state.analyses == ("one",)
    (entry,) = found.log.read(stream_of("g"))
    assert entry.by == FINDER
    assert fold("g", [entry]) == state
    without = replace(find_planted(), puzzle=replace(find_planted().puzzle, last=None))
    assert FoundPuzzle.from_json("katruji", without.to_json()) == without


def test_an_analysis_is_gone_through_once(found: FoundPuzzles) -> None:
    assert found.find("g") is None
    assert len(found.record("g", ask(find_planted())).recorded) == 1
    assert found.load("g").analyses == ("one",)
    assert found.record("g", ask(find_planted(), OTHER)).recorded == []
    assert found.load("g").puzzles == (find_planted(),)


def test_a_puzzle_is_found_once_in_a_game(found: FoundPuzzles) -> None:
    found.record("g", ask(find_planted(), find_planted(5)))
    found.record("g", ask(find_planted(9), OTHER, analysis="two"))
    assert found.load("g").puzzles == (find_planted(), OTHER)
    assert found.load("g").analyses == ("one", "two")


def test_a_game_gives_no_more_puzzles_than_are_wanted(found: FoundPuzzles) -> None:
    assert found.record("g", ask(find_planted(), OTHER, most=1)).state.puzzles == (find_planted(),)
    again = found.record("g", ask(OTHER, analysis="two", most=1))
    assert again.state.puzzles == (find_planted(),)
    assert again.state.analyses == ("one", "two")
    third = found.record("g", ask(find_planted(), OTHER, analysis="three", most=2))
    assert third.state.puzzles == (find_planted(), OTHER)


def test_two_workers_at_once_record_an_analysis_once(
    found: FoundPuzzles, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = found.log.append

    def be_overtaken(request: Append) -> int:
        monkeypatch.setattr(found.log, "append", append)
        FoundPuzzles(found.log, found.clock).record("g", ask(find_planted()))
        return append(request)

    monkeypatch.setattr(found.log, "append", be_overtaken)
    late = found.record("g", ask(find_planted()))
    assert not late.recorded
    assert late.state.puzzles == (find_planted(),)
    assert found.log.version(stream_of("g")) == 1


def test_a_game_without_puzzles_is_noted_too(found: FoundPuzzles) -> None:
    assert found.record("g", ask()).state == replace(
        GamePuzzles("g"),
        analyses=("one",),
        version=1,
        head=found.log.head(stream_of("g")),
        updated_at=1_700_000_000_000,
    )
    (entry,) = found.log.read(stream_of("g"))
    assert entry.event == PuzzlesFound(analysis="one", variant="katruji", puzzles=())
