"""The state of a tournament: the fold of its events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import singledispatch
from typing import Any

from service.log.values import GENESIS, Event, Recorded
from service.tournament import events
from service.tournament.pairing.knockout import KnockoutRules
from service.tournament.scheme import scheme_from_json
from service.tournament.standings.rules import Regulations
from service.tournament.standings.term import Edition, Term
from service.tournament.table import Bye, Entrant, EntrantId, Kind, Mark, Meeting, Result, Table
from service.tournament.values import Entry, Pairing, Round, Rules, Ruling, Status, Tallied

BOTH_MOVED = 2
"""Plies after which both players have moved, so that a game is rated."""


@dataclass(frozen=True, slots=True)
class TournamentState:
    """A tournament after `version` events. Times are milliseconds since 1970 UTC.

    `entries` are in order of entry, `withdrawn` gives the first round a player no longer plays,
    `granted` the byes by player and round, `boards` where each game is, by round and board.
    """

    id: str
    version: int
    rules: Rules
    creator: str
    arbiters: tuple[str, ...]
    created_at: int
    updated_at: int
    entries: Mapping[str, Entry] = field(default_factory=dict)
    withdrawn: Mapping[str, int] = field(default_factory=dict)
    granted: Mapping[tuple[str, int], Mark] = field(default_factory=dict)
    rounds: tuple[Round, ...] = ()
    boards: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    finished: bool = False
    head: str = GENESIS

    @property
    def status(self) -> Status:
        """Where it stands."""
        if self.finished:
            return Status.FINISHED
        return Status.RUNNING if self.rounds else Status.OPEN

    @property
    def pending(self) -> Round | None:
        """The round that is paired and not ready; there is at most one, the last."""
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
    """The entrants by seed: those the arbiter placed, then by rating, then as they entered."""
    last = len(state.entries) + 1
    ranked = sorted(
        state.entries.values(), key=lambda e: (e.seed or last, -(e.rating or 0), e.number)
    )
    return tuple(
        Entrant(EntrantId(e.player), seed, names.get(e.player, ""), e.rating, e.entered)
        for seed, e in enumerate(ranked, 1)
    )


def table(state: TournamentState, names: Mapping[str, str] | None = None) -> Table:
    """The tournament as the rules of pairing and standings read it."""
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
    """A pairing as the rules read it."""
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


def fold(
    id: str, recorded: Iterable[Recorded], state: TournamentState | None = None
) -> TournamentState | None:
    """The state after these events, from `state` or from nothing; None without any event."""
    for entry in recorded:
        state = evolve(state, id, entry)
    return state


def evolve(state: TournamentState | None, id: str, entry: Recorded) -> TournamentState:
    """The state after one more event of the tournament `id`."""
    after = created(entry, id) if state is None else change(entry.event, state, entry)
    return replace(after, version=entry.version, updated_at=entry.at, head=entry.hash)


def created(entry: Recorded, id: str) -> TournamentState:
    """The tournament after its first event."""
    event = entry.event
    if not isinstance(event, events.TournamentCreated):
        raise ValueError(f"{event.stored_name} cannot begin a tournament")
    return TournamentState(
        id, entry.version, rules(event), entry.by, (entry.by,), entry.at, entry.at
    )


def rules(event: events.TournamentCreated) -> Rules:
    """What was agreed; raises BadScheme, BadOrder or ValueError for what cannot be."""
    return Rules(
        name=event.name,
        variant=event.variant,
        kind=Kind(event.kind),
        regulations=regulations(event),
        rounds=event.rounds,
        cycles=event.cycles,
        knockout=KnockoutRules(**event.knockout),
        first_round_first=event.first_round_first,
        tags=event.tags,
        infiltrators=event.infiltrators,
    )


def regulations(event: events.TournamentCreated) -> Regulations:
    """What the standings go by."""
    order = tuple(map(Term, event.order))
    scheme, knockout = scheme_from_json(event.scoring), KnockoutRules(**event.knockout)
    return Regulations(scheme, order, Edition(event.edition), knockout)


@singledispatch
def change(event: Event, state: TournamentState, entry: Recorded) -> TournamentState:
    """What an event after the first makes of the state."""
    raise TypeError(f"{type(event).__name__} has no effect defined")


@change.register
def _(event: events.ArbiterAppointed, state: TournamentState, entry: Recorded) -> TournamentState:
    return replace(state, arbiters=(*state.arbiters, event.player))


@change.register
def _(event: events.ArbiterDismissed, state: TournamentState, entry: Recorded) -> TournamentState:
    return replace(state, arbiters=tuple(a for a in state.arbiters if a != event.player))


@change.register
def _(event: events.PlayerEntered, state: TournamentState, entry: Recorded) -> TournamentState:
    known = state.entries.get(event.player)
    number = known.number if known else len(state.entries) + 1
    # Who comes again was there from their first round on: what they missed is a zero-point bye.
    entered = known.entered if known else event.round
    new = Entry(event.player, number, entered, event.rating, event.seed)
    withdrawn = {k: v for k, v in state.withdrawn.items() if k != event.player}
    return replace(state, entries={**state.entries, event.player: new}, withdrawn=withdrawn)


@change.register
def _(event: events.PlayerWithdrawn, state: TournamentState, entry: Recorded) -> TournamentState:
    return replace(state, withdrawn={**state.withdrawn, event.player: event.round})


@change.register
def _(event: events.ByeGranted, state: TournamentState, entry: Recorded) -> TournamentState:
    granted = {**state.granted, (event.player, event.round): Mark(event.bye)}
    return replace(state, granted=granted)


@change.register
def _(event: events.ByeCancelled, state: TournamentState, entry: Recorded) -> TournamentState:
    gone = (event.player, event.round)
    return replace(state, granted={k: v for k, v in state.granted.items() if k != gone})


@change.register
def _(event: events.RoundPaired, state: TournamentState, entry: Recorded) -> TournamentState:
    pairings = tuple(paired(event.round, board) for board in event.boards)
    byes = tuple(Bye(event.round, EntrantId(b["player"]), Mark(b["bye"])) for b in event.byes)
    made = {p.named: (p.round, p.board) for p in pairings if p.named is not None}
    new = Round(event.round, entry.version, pairings, byes)
    return replace(state, rounds=(*state.rounds, new), boards={**state.boards, **made})


def paired(round: int, board: Mapping[str, Any]) -> Pairing:
    """A pairing as the event of its round has it."""
    game, result = board.get("game"), board.get("result")
    reason = board.get("reason", "withdrawn")
    ruling = Ruling(Result(result), None, reason) if result is not None else None
    first, second = board["first"], board["second"]
    return Pairing(round, board["board"], first, second, game, game, ruling=ruling)


@change.register
def _(event: events.RoundReady, state: TournamentState, entry: Recorded) -> TournamentState:
    rounds = tuple(replace(r, ready=True) if r.number == event.round else r for r in state.rounds)
    return replace(state, rounds=rounds)


@change.register
def _(event: events.GameJoined, state: TournamentState, entry: Recorded) -> TournamentState:
    known = state.pairing(event.round, event.board)
    boards = {**state.boards, event.game: (event.round, event.board)}
    if known is not None:
        boards.pop(known.game or "", None)
        return with_pairing(
            replace(state, boards=boards), replace(known, game=event.game, tallied=None)
        )
    missing = range(len(state.rounds) + 1, event.round + 1)
    rounds = (*state.rounds, *(Round(n, entry.version, ready=True) for n in missing))
    new = Pairing(event.round, event.board, event.first, event.second, game=event.game)
    last = rounds[event.round - 1]
    wider = replace(last, pairings=(*last.pairings, new))
    return replace(state, boards=boards, rounds=_with(rounds, wider))


@change.register
def _(event: events.ResultTallied, state: TournamentState, entry: Recorded) -> TournamentState:
    known = _known(state, event.round, event.board)
    result = None if event.result == "*" else Result(event.result)
    told = Tallied(event.version, result, event.termination, _pair(event.points), event.plies)
    return with_pairing(state, replace(known, tallied=told))


@change.register
def _(event: events.ResultRuled, state: TournamentState, entry: Recorded) -> TournamentState:
    ruling = Ruling(Result(event.result), _pair(event.points), event.reason)
    known = _known(state, event.round, event.board)
    return with_pairing(state, replace(known, ruling=ruling))


@change.register
def _(event: events.RulingLifted, state: TournamentState, entry: Recorded) -> TournamentState:
    known = _known(state, event.round, event.board)
    return with_pairing(state, replace(known, ruling=None))


@change.register
def _(event: events.TournamentFinished, state: TournamentState, entry: Recorded) -> TournamentState:
    return replace(state, finished=True)


def with_pairing(state: TournamentState, new: Pairing) -> TournamentState:
    """The state with this pairing in the place of the one on its board."""
    round = state.rounds[new.round - 1]
    pairings = (*round.pairings[: new.board - 1], new, *round.pairings[new.board :])
    return replace(state, rounds=_with(state.rounds, replace(round, pairings=pairings)))


def _with(rounds: tuple[Round, ...], new: Round) -> tuple[Round, ...]:
    return (*rounds[: new.number - 1], new, *rounds[new.number :])


def _known(state: TournamentState, round: int, board: int) -> Pairing:
    known = state.pairing(round, board)
    if known is None:
        raise ValueError(f"there is no board {board} in round {round}")
    return known


def _pair(points: Sequence[int] | None) -> tuple[int, int] | None:
    return None if points is None else (points[0], points[1])
