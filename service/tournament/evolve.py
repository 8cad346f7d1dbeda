"""The effects of events on a tournament: its state is their fold, rebuilt at any time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from service.log.dispatch import DispatchTable, handle
from service.log.folding import make_fold
from service.log.values import Recorded
from service.tournament import corrected_state, events
from service.tournament.agreed import read_rules
from service.tournament.pairing.board import PairedBoard
from service.tournament.state import TournamentState
from service.tournament.table import Bye, EntrantId, Mark, Result
from service.tournament.values import (
    WITHDRAWN,
    Entry,
    Pairing,
    Refusal,
    Round,
    Ruling,
    Stage,
    Tallied,
    UndoneRound,
)


def evolve(state: TournamentState | None, id: str, entry: Recorded) -> TournamentState:
    """The state after one more event of the tournament `id`."""
    after = create_tournament(entry, id) if state is None else EFFECTS(entry.event, state, entry)
    return replace(after, version=entry.version, updated_at=entry.at, head=entry.hash)


fold: Final = make_fold(evolve)
"""The fold of a tournament's events."""


def create_tournament(entry: Recorded, id: str) -> TournamentState:
    """The tournament after its first event."""
    event = entry.event
    if not isinstance(event, events.TournamentCreated):
        raise ValueError(f"{event.stored_name} cannot begin a tournament")
    return TournamentState(
        id, entry.version, read_rules(event), entry.by, (entry.by,), entry.at, entry.at
    )


def _add_arbiter(
    event: events.ArbiterAppointed, state: TournamentState, entry: Recorded
) -> TournamentState:
    return replace(state, arbiters=(*state.arbiters, event.player))


def _remove_arbiter(
    event: events.ArbiterDismissed, state: TournamentState, entry: Recorded
) -> TournamentState:
    return replace(state, arbiters=tuple(a for a in state.arbiters if a != event.player))


def _add_entry(
    event: events.PlayerEntered, state: TournamentState, entry: Recorded
) -> TournamentState:
    known = state.entries.get(event.player)
    numbers = (one.number for one in state.entries.values())
    number = known.number if known else max(numbers, default=0) + 1
    # A player who returns was there from their first round on: missed rounds are zero-point byes.
    entered = known.entered if known else event.round
    # A player who returns to a schedule has the earlier rating, perhaps corrected meanwhile.
    same = known is not None and known.rating == event.rating
    ranked_by = known.ranked_by if known is not None and same else event.rating
    new = Entry(event.player, number, entered, event.rating, event.seed, ranked_by)
    withdrawn = {k: v for k, v in state.withdrawn.items() if k != event.player}
    return replace(state, entries={**state.entries, event.player: new}, withdrawn=withdrawn)


def _withdraw_player(
    event: events.PlayerWithdrawn, state: TournamentState, entry: Recorded
) -> TournamentState:
    withdrawn = {**state.withdrawn, event.player: event.round}
    return replace(state, withdrawn=withdrawn, granted=keep_byes(state.granted, withdrawn))


def _open_self_entry(
    event: events.SelfEntryOpened, state: TournamentState, entry: Recorded
) -> TournamentState:
    return replace(state, self_entry=True)


def _close_self_entry(
    event: events.SelfEntryClosed, state: TournamentState, entry: Recorded
) -> TournamentState:
    return replace(state, self_entry=False)


def keep_byes(
    granted: Mapping[tuple[str, int], Mark], withdrawn: Mapping[str, int]
) -> dict[tuple[str, int], Mark]:
    """The granted byes, without those in rounds that their players now play."""
    return {
        (player, round): bye
        for (player, round), bye in granted.items()
        if player not in withdrawn or round < withdrawn[player]
    }


def _add_bye(event: events.ByeGranted, state: TournamentState, entry: Recorded) -> TournamentState:
    granted = {**state.granted, (event.player, event.round): Mark(event.bye)}
    return replace(state, granted=granted)


def _remove_bye(
    event: events.ByeCancelled, state: TournamentState, entry: Recorded
) -> TournamentState:
    gone = (event.player, event.round)
    return replace(state, granted={k: v for k, v in state.granted.items() if k != gone})


def _request_round(
    event: events.RoundAsked, state: TournamentState, entry: Recorded
) -> TournamentState:
    given = event.boards
    wish = None if given is None else tuple(map(_board, given))
    new = Round(event.round, entry.version, Stage.ASKED, wish=wish)
    return replace(state, rounds=(*state.rounds, new), refusal=None)


def _refuse_round(
    event: events.RoundRefused, state: TournamentState, entry: Recorded
) -> TournamentState:
    refusal = Refusal(event.round, event.code, event.detail)
    return replace(without_last_round(state), refusal=refusal)


def _take_back_round(
    event: events.RoundUnpaired, state: TournamentState, entry: Recorded
) -> TournamentState:
    last = state.rounds[-1]
    games = tuple(p.named for p in last.pairings if p.named is not None)
    undone = UndoneRound(last.version, entry.version, games)
    return replace(without_last_round(state), undone=(*state.undone, undone))


def without_last_round(state: TournamentState) -> TournamentState:
    """The tournament without its last round; entries and withdrawals since then count before it."""
    number = len(state.rounds)
    entries = {k: replace(e, entered=min(e.entered, number)) for k, e in state.entries.items()}
    withdrawn = {player: min(since, number) for player, since in state.withdrawn.items()}
    return replace(
        state,
        rounds=state.rounds[:-1],
        entries=entries,
        withdrawn=withdrawn,
        granted=keep_byes(state.granted, withdrawn),
        boards={game: place for game, place in state.boards.items() if place[0] != number},
    )


def _pair_round(
    event: events.RoundPaired, state: TournamentState, entry: Recorded
) -> TournamentState:
    pairings = tuple(read_pairing(event.round, board) for board in event.boards)
    byes = tuple(Bye(event.round, EntrantId(b["player"]), Mark(b["bye"])) for b in event.byes)
    made = {p.named: (p.round, p.board) for p in pairings if p.named is not None}
    # The rounds of a report were requested by nobody.
    asked = state.pending or Round(event.round, entry.version, Stage.ASKED)
    new = replace(asked, stage=Stage.PAIRED, pairings=pairings, byes=byes)
    return replace(state, rounds=_with(state.rounds, new), boards={**state.boards, **made})


def read_pairing(round: int, board: Mapping[str, Any]) -> Pairing:
    """Read one board of a round's event as a pairing."""
    game, first, second = board.get("game"), board["first"], board["second"]
    ruling = read_given_result(board)
    return Pairing(round, board["board"], first, second, game, game, ruling=ruling)


def read_given_result(board: Mapping[str, Any]) -> Ruling | None:
    """Read the result that a board of a round's event has from the start, if any.

    Results of a report have a reason; a result without one is the forfeit of a withdrawn player.
    """
    if (result := board.get("result")) is None:
        return None
    reason = board.get("reason", WITHDRAWN)
    return Ruling(Result(result), None, reason, automatic="reason" not in board)


def _open_round(
    event: events.RoundReady, state: TournamentState, entry: Recorded
) -> TournamentState:
    ready = replace(state.rounds[event.round - 1], stage=Stage.READY, ready_at=entry.at)
    return replace(state, rounds=_with(state.rounds, ready))


def _join_game(
    event: events.GameJoined, state: TournamentState, entry: Recorded
) -> TournamentState:
    known = state.pairing(event.round, event.board)
    boards = {**state.boards, event.game: (event.round, event.board)}
    if known is not None:
        boards.pop(known.game or "", None)
        return with_pairing(
            replace(state, boards=boards), replace(known, game=event.game, tallied=None)
        )
    missing = range(len(state.rounds) + 1, event.round + 1)
    rounds = (*state.rounds, *(Round(n, entry.version, Stage.READY) for n in missing))
    new = Pairing(event.round, event.board, event.first, event.second, game=event.game)
    last = rounds[event.round - 1]
    wider = replace(last, pairings=(*last.pairings, new))
    return replace(state, boards=boards, rounds=_with(rounds, wider))


def _tally_result(
    event: events.ResultTallied, state: TournamentState, entry: Recorded
) -> TournamentState:
    known = _known(state, event.round, event.board)
    result = None if event.result == "*" else Result(event.result)
    told = Tallied(event.version, result, event.termination, _pair(event.points), event.plies)
    return with_pairing(state, replace(known, tallied=told))


def _set_ruling(
    event: events.ResultRuled, state: TournamentState, entry: Recorded
) -> TournamentState:
    ruling = Ruling(Result(event.result), _pair(event.points), event.reason)
    known = _known(state, event.round, event.board)
    return with_pairing(state, replace(known, ruling=ruling))


def _lift_ruling(
    event: events.RulingLifted, state: TournamentState, entry: Recorded
) -> TournamentState:
    known = _known(state, event.round, event.board)
    return with_pairing(state, replace(known, ruling=None))


def _finish(
    event: events.TournamentFinished, state: TournamentState, entry: Recorded
) -> TournamentState:
    return replace(state, finished=True)


def with_pairing(state: TournamentState, new: Pairing) -> TournamentState:
    """The state with this pairing in place of the one on its board."""
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


def _board(told: Mapping[str, str]) -> PairedBoard:
    return PairedBoard(EntrantId(told["first"]), EntrantId(told["second"]))


def _pair(points: Sequence[int] | None) -> tuple[int, int] | None:
    return None if points is None else (points[0], points[1])


EFFECTS = DispatchTable[TournamentState, Recorded, TournamentState](
    "an event after a tournament's first",
    handle(events.ArbiterAppointed, _add_arbiter),
    handle(events.ArbiterDismissed, _remove_arbiter),
    handle(events.PlayerEntered, _add_entry),
    handle(events.PlayerWithdrawn, _withdraw_player),
    handle(events.SelfEntryOpened, _open_self_entry),
    handle(events.SelfEntryClosed, _close_self_entry),
    handle(events.ByeGranted, _add_bye),
    handle(events.ByeCancelled, _remove_bye),
    handle(events.RoundAsked, _request_round),
    handle(events.RoundRefused, _refuse_round),
    handle(events.RoundUnpaired, _take_back_round),
    handle(events.RoundPaired, _pair_round),
    handle(events.RoundReady, _open_round),
    handle(events.GameJoined, _join_game),
    handle(events.ResultTallied, _tally_result),
    handle(events.ResultRuled, _set_ruling),
    handle(events.RulingLifted, _lift_ruling),
    handle(events.TournamentFinished, _finish),
    handle(events.TournamentAmended, corrected_state.amend_rules),
    handle(events.EntryCorrected, corrected_state.correct_entry),
    handle(events.EntryRemoved, corrected_state.remove_entry),
    handle(events.TournamentCancelled, corrected_state.cancel_tournament),
)
"""The effect of each event after the first on the state."""
