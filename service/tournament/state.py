"""The state of a tournament, as everybody sees it and as the rules read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from service.log.values import GENESIS
from service.tournament.table import Bye, Entrant, EntrantId, Mark, Meeting, Table
from service.tournament.values import (
    Entry,
    Pairing,
    Refusal,
    Round,
    TournamentRules,
    TournamentStatus,
    UndoneRound,
)

BOTH_MOVED = 2
"""Plies after which both players have moved, so that a game is rated."""


@dataclass(frozen=True, slots=True)
class TournamentState:
    """A tournament after `version` events. Times are milliseconds since 1970 UTC.

    `entries` are in order of entry, `withdrawn` gives the first round a player no longer plays,
    `granted` the byes by player and round, `boards` the round and board of each game, `undone` the
    rounds that were taken back, `self_entry` whether players may enter and withdraw by
    themselves. `refusal` is that of the round requested last, if it could not be paired.
    """

    id: str
    version: int
    rules: TournamentRules
    creator: str
    arbiters: tuple[str, ...]
    created_at: int
    updated_at: int
    entries: Mapping[str, Entry] = field(default_factory=dict)
    withdrawn: Mapping[str, int] = field(default_factory=dict)
    granted: Mapping[tuple[str, int], Mark] = field(default_factory=dict)
    rounds: tuple[Round, ...] = ()
    boards: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    undone: tuple[UndoneRound, ...] = ()
    refusal: Refusal | None = None
    self_entry: bool = False
    finished: bool = False
    cancelled: bool = False
    head: str = GENESIS

    @property
    def status(self) -> TournamentStatus:
        """Where it stands."""
        if self.cancelled:
            return TournamentStatus.CANCELLED
        if self.finished:
            return TournamentStatus.FINISHED
        return TournamentStatus.RUNNING if self.rounds else TournamentStatus.OPEN

    @property
    def over(self) -> bool:
        """Whether nobody can enter and no round is paired any more."""
        return self.finished or self.cancelled

    @property
    def pending(self) -> Round | None:
        """The round that is requested and not ready; there is at most one, the last."""
        return self.rounds[-1] if self.rounds and not self.rounds[-1].ready else None

    @property
    def told(self) -> int:
        """The version up to which everybody may read the log: not beyond a pending round."""
        pending = self.pending
        return self.version if pending is None else pending.version - 1

    def pairing(self, round: int, board: int) -> Pairing | None:
        """The pairing on a board of a round."""
        if not 1 <= round <= len(self.rounds):
            return None
        found = self.rounds[round - 1].pairings
        return found[board - 1] if 1 <= board <= len(found) else None

    def of_game(self, game: str) -> Pairing | None:
        """The pairing that a game counts for."""
        place = self.boards.get(game)
        return None if place is None else self.pairing(*place)


def public(state: TournamentState) -> TournamentState:
    """The tournament as everybody sees it: without a round that is not ready."""
    return state if state.pending is None else replace(state, rounds=state.rounds[:-1])


def entrants(state: TournamentState, names: Mapping[str, str]) -> tuple[Entrant, ...]:
    """The entrants by seed: those that the arbiter placed, then by rating, then by entry."""
    last = len(state.entries) + 1
    ranked = sorted(
        state.entries.values(), key=lambda e: (e.seed or last, -(e.ranked_by or 0), e.number)
    )
    return tuple(
        Entrant(EntrantId(e.player), seed, names.get(e.player, ""), e.rating, e.entered)
        for seed, e in enumerate(ranked, 1)
    )


def table(state: TournamentState, names: Mapping[str, str] | None = None) -> Table:
    """The tournament as the rules of pairing and standings see it."""
    granted = [Bye(r, EntrantId(player), bye) for (player, r), bye in state.granted.items()]
    return Table(
        kind=state.rules.kind,
        rounds=len(state.rounds),
        entrants=entrants(state, names or {}),
        meetings=tuple(meeting(p) for r in state.rounds for p in r.pairings),
        byes=(*granted, *(bye for r in state.rounds for bye in r.byes)),
        withdrawn={EntrantId(player): round for player, round in state.withdrawn.items()},
    )


def meeting(pairing: Pairing) -> Meeting:
    """A pairing as the rules see it."""
    return Meeting(
        round=pairing.round,
        first=EntrantId(pairing.first),
        second=EntrantId(pairing.second),
        result=pairing.result,
        points=pairing.points,
        game=pairing.game,
        rated=pairing.tallied is None or pairing.tallied.plies >= BOTH_MOVED,
        board=pairing.board,
    )
