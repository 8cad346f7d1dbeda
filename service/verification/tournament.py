"""A tournament's events, folded to the tournament that they tell of."""

from __future__ import annotations

from collections.abc import Sequence

from service.errors import ServiceError
from service.log.values import Recorded
from service.tournament.evolve import fold
from service.tournament.state import TournamentState
from service.verification.errors import Location, Wrong


def replay_tournament(id: str, entries: Sequence[Recorded]) -> str:
    """What the events tell, in a sentence; raises Wrong for one that cannot follow the others.

    Whom a round should have paired, and what the games were, is not checked: games have logs of
    their own.
    """
    state: TournamentState | None = None
    for number, entry in enumerate(entries, 1):
        try:
            state = fold(id, [entry], state)
        except (ServiceError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            reason = f"no such event can follow: {type(error).__name__}: {error}"
            raise Wrong(reason, Location(line=number, event=number)) from error
    assert state is not None
    rules, entered, rounds = state.rules, len(state.entries), len(state.rounds)
    return f"tournament: a {rules.kind} of {rules.variant}, {entered} players, {rounds} rounds"
