"""A player's first attempt at a puzzle: decided from the actions, recorded once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import pytest

from notation.errors import TokenError
from notation.registry import find_dialect
from service.composition.service import CODEC
from service.errors import WrongExpectedVersion
from service.log.errors import AlreadyDone
from service.log.memory import MemoryEventLog
from service.log.values import Append, Event
from service.player.actor import Actor
from service.puzzles.attempts.commands import AttemptPuzzle, Help
from service.puzzles.attempts.decide import decide
from service.puzzles.attempts.events import PuzzleAttempted
from service.puzzles.attempts.repository import Solvers
from service.puzzles.attempts.state import SolverState, fold, stream_of
from service.puzzles.errors import AttemptOpen
from service.puzzles.puzzle import Puzzle
from tests.service.log.support import receipt
from tests.service.puzzles.solvers import find_own, find_wrong, list_long

ADA = "a" * 16
LONG = list_long()[0]
OTHER = list_long()[1]


def ask(puzzle: Puzzle, *actions: str, help: Help | None = None) -> AttemptPuzzle:
    return AttemptPuzzle(puzzle=puzzle, actions=actions, help=help)


def judge(*actions: str, help: Help | None = None) -> PuzzleAttempted:
    """The event that an attempt at the long puzzle makes."""
    nobody = SolverState(ADA, {}, 0, "", 0)
    (event,) = decide(ask(LONG, *actions, help=help), nobody, Actor(ADA))
    assert isinstance(event, PuzzleAttempted)
    return event


@pytest.fixture
def solvers() -> Solvers:
    return Solvers(MemoryEventLog(CODEC), count(1_700_000_000_000, 1000).__next__)


def test_the_line_solves_the_puzzle_and_nothing_behind_it_counts() -> None:
    own = find_own(LONG)
    for actions in (own, (*own, "nonsense")):
        event = judge(*actions)
        assert event == PuzzleAttempted(
            puzzle=LONG.id, variant="katruji", solved=True, actions=own, estimate=LONG.rating
        )


def test_a_wrong_action_ends_the_attempt_and_help_behind_it_is_none() -> None:
    wrong = find_wrong(LONG)
    for help in (None, *Help):
        event = judge(wrong, *find_own(LONG), help=help)
        assert (event.solved, event.actions, event.help) == (False, (wrong,), "")


@pytest.mark.parametrize("help", Help)
def test_who_asks_for_help_has_not_solved_it(help: Help) -> None:
    own = find_own(LONG)
    for done in range(len(own)):
        event = judge(*own[:done], help=help)
        assert (event.solved, event.actions, event.help) == (False, own[:done], help)
    # Help after the solution does not count.
    assert judge(*own, help=help).solved


def test_an_attempt_that_goes_on_is_no_event(solvers: Solvers) -> None:
    own = find_own(LONG)
    for done in range(len(own)):
        with pytest.raises(AttemptOpen) as error:
            solvers.attempt(ADA, ask(LONG, *own[:done]))
        assert error.value.puzzle == LONG.id
    assert solvers.find(ADA) is None
    assert not solvers.log.version(stream_of(ADA))


def test_what_is_no_action_is_refused(solvers: Solvers) -> None:
    for _ in range(2):
        with pytest.raises(TokenError):
            solvers.attempt(ADA, ask(LONG, "nonsense"))
        solvers.attempt(ADA, ask(OTHER, find_wrong(OTHER)))


def test_short_forms_are_recorded_in_coordinates() -> None:
    dialect = find_dialect("katruji")
    position = dialect.read_fen(LONG.fen)
    first, *others = find_own(LONG)
    short = dialect.san(position, dialect.resolve(position, first))
    assert short != first
    assert judge(short, *others).actions == find_own(LONG)


def test_the_first_attempt_counts_and_no_other(solvers: Solvers) -> None:
    first = solvers.attempt(ADA, ask(LONG, find_wrong(LONG)))
    assert len(first.recorded) == 1
    for actions in (find_own(LONG), (find_wrong(LONG),)):
        again = solvers.attempt(ADA, ask(LONG, *actions))
        assert again.state == first.state
        assert not again.recorded
    assert not solvers.load(ADA).attempts[LONG.id].event.solved
    assert solvers.has_tried(ADA, LONG.id)
    assert not solvers.has_tried(ADA, OTHER.id)
    assert not solvers.has_tried("b" * 16, LONG.id)
    solvers.check_tried(ADA, LONG.id)
    with pytest.raises(AttemptOpen):
        solvers.check_tried(ADA, OTHER.id)
    second = solvers.attempt(ADA, ask(OTHER, *find_own(OTHER))).state
    assert [*second.attempts] == [LONG.id, OTHER.id]
    assert [one.version for one in second.attempts.values()] == [1, 2]
    assert first.state.attempts.keys() == {LONG.id}


def test_a_request_that_is_repeated_is_known(solvers: Solvers) -> None:
    command = ask(LONG, *find_own(LONG))
    solvers.attempt(ADA, command, receipt("once"))
    with pytest.raises(AlreadyDone) as error:
        solvers.attempt(ADA, command, receipt("once"))
    assert (error.value.receipt.first, error.value.receipt.last) == (1, 1)


def test_two_first_attempts_at_once_are_one(
    solvers: Solvers, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = solvers.log.append

    def be_overtaken(request: Append) -> int:
        monkeypatch.setattr(solvers.log, "append", append)
        Solvers(solvers.log, solvers.clock).attempt(ADA, ask(LONG, find_wrong(LONG)))
        raise WrongExpectedVersion(str(request.stream), request.expected, 1)

    monkeypatch.setattr(solvers.log, "append", be_overtaken)
    late = solvers.attempt(ADA, ask(LONG, *find_own(LONG)))
    assert not late.recorded
    assert not late.state.attempts[LONG.id].event.solved
    assert solvers.log.version(stream_of(ADA)) == 1


def test_a_state_is_the_fold_of_all_its_events(solvers: Solvers) -> None:
    for puzzle in list_long()[:4]:
        solvers.attempt(ADA, ask(puzzle, *find_own(puzzle)))
    recorded = solvers.log.read(stream_of(ADA))
    whole = fold(ADA, recorded)
    assert whole == solvers.load(ADA)
    for cut in range(len(recorded) + 1):
        assert fold(ADA, recorded[cut:], fold(ADA, recorded[:cut])) == whole
    assert fold(ADA, []) is None


def test_an_event_of_another_entity_has_no_effect(solvers: Solvers) -> None:
    class Other(Event):
        stored_name = "other/1"

    recorded: Sequence[object] = [type("R", (), {"event": Other(), "version": 1})()]
    with pytest.raises(TypeError, match="Other has no effect here"):
        fold(ADA, recorded)  # type: ignore[arg-type]
