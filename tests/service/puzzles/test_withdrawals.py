"""Puzzles withdrawn and restored in the log."""

from __future__ import annotations

from itertools import count

import pytest

from service.composition.service import CODEC
from service.errors import NotFound
from service.log.memory import MemoryEventLog
from service.log.values import Append
from service.puzzles.withdrawals.commands import WithdrawPuzzle
from service.puzzles.withdrawals.events import PuzzleRestored, PuzzleWithdrawn
from service.puzzles.withdrawals.repository import Withdrawals
from service.puzzles.withdrawals.state import fold, stream_of

PUZZLE = "09020fa909"
BEGUN = 1_700_000_000_000
WRONG = WithdrawPuzzle(variant="katruji", reason="Sa8 wins too")


@pytest.fixture
def withdrawals() -> Withdrawals:
    return Withdrawals(MemoryEventLog(CODEC), count(BEGUN, 1000).__next__)


def test_a_puzzle_is_withdrawn_and_restored(withdrawals: Withdrawals) -> None:
    state = withdrawals.withdraw(PUZZLE, WRONG, "ada")
    assert (state.in_force, state.reason, state.updated_at) == (True, "Sa8 wins too", BEGUN)
    state = withdrawals.restore(PUZZLE, "bea")
    assert (state.in_force, state.reason, state.version) == (False, "Sa8 wins too", 2)
    other = WithdrawPuzzle(variant="katruji", reason="")
    state = withdrawals.withdraw(PUZZLE, other, "ada")
    assert (state.in_force, state.reason, state.version) == (True, "", 3)
    recorded = withdrawals.log.read(stream_of(PUZZLE))
    assert [entry.event for entry in recorded] == [
        PuzzleWithdrawn(variant="katruji", reason="Sa8 wins too"),
        PuzzleRestored(),
        PuzzleWithdrawn(variant="katruji", reason=""),
    ]
    assert [entry.by for entry in recorded] == ["ada", "bea", "ada"]
    assert fold(PUZZLE, recorded) == withdrawals.load(PUZZLE)


def test_what_is_done_already_is_not_done_again(withdrawals: Withdrawals) -> None:
    first = withdrawals.withdraw(PUZZLE, WRONG, "ada")
    assert withdrawals.withdraw(PUZZLE, WRONG, "bea") == first
    restored = withdrawals.restore(PUZZLE, "ada")
    assert withdrawals.restore(PUZZLE, "bea") == restored
    assert withdrawals.log.version(stream_of(PUZZLE)) == 2


def test_a_withdrawn_puzzle_is_given_another_reason(withdrawals: Withdrawals) -> None:
    withdrawals.withdraw(PUZZLE, WRONG, "ada")
    state = withdrawals.withdraw(PUZZLE, WithdrawPuzzle(variant="katruji", reason="dull"), "bea")
    assert (state.in_force, state.reason, state.version) == (True, "dull", 2)


def test_what_was_never_withdrawn_cannot_be_restored(withdrawals: Withdrawals) -> None:
    with pytest.raises(NotFound):
        withdrawals.restore(PUZZLE, "ada")
    assert withdrawals.log.version(stream_of(PUZZLE)) == 0


def test_two_admins_at_once_withdraw_a_puzzle_once(
    withdrawals: Withdrawals, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = withdrawals.log.append

    def be_overtaken(request: Append) -> int:
        monkeypatch.setattr(withdrawals.log, "append", append)
        Withdrawals(withdrawals.log, withdrawals.clock).withdraw(PUZZLE, WRONG, "bea")
        return append(request)

    monkeypatch.setattr(withdrawals.log, "append", be_overtaken)
    assert withdrawals.withdraw(PUZZLE, WRONG, "ada").version == 1
    (entry,) = withdrawals.log.read(stream_of(PUZZLE))
    assert entry.by == "bea"
