"""`decide(state, command, actor)`: what a command does to a tournament, or why it may not."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch

from service.errors import BadValue, MissingScope, NotFound
from service.game.commands import Actor
from service.game.decide import SCORER
from service.game.permissions import needs, pairs
from service.game.setup import check_reason
from service.log.values import Event
from service.player.scopes import ARBITER
from service.tournament import commands, events
from service.tournament.commands import TournamentCommand
from service.tournament.errors import (
    AlreadyEntered,
    EntriesClosed,
    NothingToRule,
    NotTheArbiter,
    RoundBegun,
    RoundPending,
    TournamentOver,
)
from service.tournament.joining import joined
from service.tournament.pairing.board import Board, require_results
from service.tournament.rounds import check
from service.tournament.setup import check_points, most_entries, rules_event
from service.tournament.state import TournamentState, table
from service.tournament.table import MOST_ROUNDS, EntrantId, Kind, Mark, Result
from service.tournament.values import Pairing, Round, Ruling, Stage, Status, result_of

BYES = (Mark.FULL_BYE, Mark.HALF_BYE, Mark.ZERO_BYE)
"""The byes that an arbiter can grant."""
LATE = (Kind.SWISS, Kind.FREE)
"""The kinds that players may enter once they have begun, and sit a round out in."""
MOST_RATING = 10_000


def create(command: commands.CreateTournament, actor: Actor) -> Sequence[Event]:
    """The events of a new tournament; raises MissingScope, and what `setup.rules_event` raises."""
    needs(actor, ARBITER)
    return (rules_event(command),)


def official(state: TournamentState, actor: Actor) -> None:
    """Raise MissingScope or NotTheArbiter unless the actor may rule on the tournament."""
    needs(actor, ARBITER)
    if actor.player not in state.arbiters:
        raise NotTheArbiter


def going_on(state: TournamentState) -> None:
    """Raise TournamentOver once it is finished."""
    if state.finished:
        raise TournamentOver


def present(state: TournamentState, player: str) -> None:
    """Raise BadValue unless the player has entered and not withdrawn."""
    if player not in state.entries or player in state.withdrawn:
        raise BadValue("player", "is not in the tournament")


@singledispatch
def decide(command: TournamentCommand, state: TournamentState, actor: Actor) -> Sequence[Event]:
    """The events a command makes of a tournament; raises a ServiceError."""
    raise TypeError(f"{type(command).__name__} is not a command on a tournament")


@decide.register
def _(command: commands.AppointArbiter, state: TournamentState, actor: Actor) -> Sequence[Event]:
    official(state, actor)
    if command.player in state.arbiters:
        return ()
    return (events.ArbiterAppointed(player=command.player),)


@decide.register
def _(command: commands.DismissArbiter, state: TournamentState, actor: Actor) -> Sequence[Event]:
    official(state, actor)
    if command.player not in state.arbiters:
        return ()
    if len(state.arbiters) == 1:
        raise BadValue("player", "is the only arbiter")
    return (events.ArbiterDismissed(player=command.player),)


@decide.register
def _(command: commands.Enter, state: TournamentState, actor: Actor) -> Sequence[Event]:
    official(state, actor)
    going_on(state)
    if command.player in state.entries and command.player not in state.withdrawn:
        raise AlreadyEntered
    if state.status is not Status.OPEN and state.rules.kind not in LATE:
        return (returned(state, command),)
    most = most_entries(state.rules.kind, state.rules.cycles)
    if command.player not in state.entries and len(state.entries) >= most:
        raise BadValue("player", f"at most {most} players")
    return (
        events.PlayerEntered(
            player=command.player,
            round=len(state.rounds) + 1,
            rating=command.rating,
            seed=command.seed,
        ),
    )


def returned(state: TournamentState, command: commands.Enter) -> events.PlayerEntered:
    """The event of a player who comes back to a round robin that was scheduled with them.

    Their place in the schedule stays, so BadValue is raised for a rating or a seed. Raises
    EntriesClosed for everybody else: in a knockout who withdrew has lost.
    """
    player = command.player
    known = state.entries.get(player)
    if state.rules.kind is not Kind.ROUND_ROBIN or known is None or state.withdrawn[player] <= 1:
        raise EntriesClosed(state.rules.kind)
    for field, given in (("rating", command.rating), ("seed", command.seed)):
        if given is not None:
            raise BadValue(field, "stays as it was for who comes back")
    number = len(state.rounds) + 1
    return events.PlayerEntered(player=player, round=number, rating=known.rating, seed=known.seed)


@decide.register
def _(command: commands.Withdraw, state: TournamentState, actor: Actor) -> Sequence[Event]:
    official(state, actor)
    going_on(state)
    present(state, command.player)
    return (events.PlayerWithdrawn(player=command.player, round=len(state.rounds) + 1),)


@decide.register
def _(command: commands.GrantBye, state: TournamentState, actor: Actor) -> Sequence[Event]:
    official(state, actor)
    going_on(state)
    present(state, command.player)
    if state.rules.kind is not Kind.SWISS:
        raise BadValue("bye", f"nobody sits a round of a {state.rules.kind} out")
    if command.bye not in BYES:
        raise BadValue("bye", f"one of {', '.join(BYES)}")
    missed = command.round < state.entries[command.player].entered
    if not missed and not len(state.rounds) < command.round <= MOST_ROUNDS:
        raise BadValue("round", "one that is not paired, or that the player came too late for")
    if state.granted.get((command.player, command.round)) == command.bye:
        return ()
    bye = events.ByeGranted(player=command.player, round=command.round, bye=command.bye)
    return (bye,)


@decide.register
def _(command: commands.CancelBye, state: TournamentState, actor: Actor) -> Sequence[Event]:
    official(state, actor)
    going_on(state)
    if (command.player, command.round) not in state.granted:
        return ()
    late = command.player in state.entries and command.round < state.entries[command.player].entered
    if command.round <= len(state.rounds) and not late:
        raise BadValue("round", "is paired already")
    return (events.ByeCancelled(player=command.player, round=command.round),)


@decide.register
def _(command: commands.PairRound, state: TournamentState, actor: Actor) -> Sequence[Event]:
    official(state, actor)
    going_on(state)
    if state.pending is not None:
        raise RoundPending(state.pending.number)
    boards = command.boards
    given = None if boards is None else [Board(EntrantId(a), EntrantId(b)) for a, b in boards]
    check(state, given)
    told = None if boards is None else tuple({"first": a, "second": b} for a, b in boards)
    return (events.RoundAsked(round=len(state.rounds) + 1, boards=told),)


@decide.register
def _(command: commands.UnpairRound, state: TournamentState, actor: Actor) -> Sequence[Event]:
    official(state, actor)
    going_on(state)
    check_reason(command.reason)
    if not state.rounds or command.round != len(state.rounds):
        raise BadValue("round", "the last one alone can be taken back")
    if any(pairing.begun for pairing in state.rounds[-1].pairings):
        raise RoundBegun(command.round)
    return (events.RoundUnpaired(round=command.round, reason=command.reason),)


def pending_of(state: TournamentState, asked: int, actor: Actor) -> Round | None:
    """The round that a worker speaks of, unless it is ready or gone; raises MissingScope."""
    pairs(actor)
    pending = state.pending
    return pending if pending is not None and pending.version == asked else None


@decide.register
def _(command: commands.SettleRound, state: TournamentState, actor: Actor) -> Sequence[Event]:
    pending = pending_of(state, command.asked, actor)
    if pending is None or pending.stage is not Stage.ASKED:
        return ()
    boards, byes = tuple(command.boards), tuple(command.byes)
    return (events.RoundPaired(round=pending.number, boards=boards, byes=byes),)


@decide.register
def _(command: commands.RefuseRound, state: TournamentState, actor: Actor) -> Sequence[Event]:
    pending = pending_of(state, command.asked, actor)
    if pending is None or pending.stage is not Stage.ASKED:
        return ()
    refused = events.RoundRefused(round=pending.number, code=command.code, detail=command.detail)
    return (refused,)


@decide.register
def _(command: commands.ConfirmRound, state: TournamentState, actor: Actor) -> Sequence[Event]:
    pending = pending_of(state, command.asked, actor)
    if pending is None or pending.stage is not Stage.PAIRED:
        return ()
    return (events.RoundReady(round=pending.number),)


@decide.register
def _(command: commands.Tally, state: TournamentState, actor: Actor) -> Sequence[Event]:
    if actor.player != SCORER:
        raise MissingScope(SCORER)
    pairing = state.of_game(command.game.id)
    return () if pairing is None else tallied(pairing, command.game.version, command)


def tallied(
    pairing: Pairing, version: int, command: commands.Tally | commands.Join
) -> Sequence[Event]:
    """What a counted game says of its pairing; nothing if that is known, or older."""
    game = command.game
    known = pairing.tallied
    result = result_of(game.result, game.termination)
    if known is None and result is None and game.termination is None:
        # The game goes on, and nothing of it has ever counted.
        return ()
    if known is not None:
        same = (known.result, known.termination, known.points)
        if version <= known.version or same == (result, game.termination, game.points):
            return ()
    return (
        events.ResultTallied(
            round=pairing.round,
            board=pairing.board,
            game=game.id,
            version=version,
            result=result or "*",
            termination=game.termination,
            points=game.points,
            plies=game.plies,
        ),
    )


@decide.register
def _(command: commands.Join, state: TournamentState, actor: Actor) -> Sequence[Event]:
    if command.record:
        # A worker asks for whoever imported the record: that has to be an arbiter's doing.
        if actor.player not in state.arbiters:
            raise NotTheArbiter
    else:
        official(state, actor)
    going_on(state)
    if command.game.id in state.boards:
        return ()
    event = joined(state, command)
    pairing = Pairing(event.round, event.board, event.first, event.second, game=event.game)
    return (event, *tallied(pairing, command.game.version, command))


@decide.register
def _(command: commands.Rule, state: TournamentState, actor: Actor) -> Sequence[Event]:
    official(state, actor)
    pairing = on_board(state, command.round, command.board)
    check_reason(command.reason)
    if command.result not in list(Result):
        raise BadValue("result", f"one of {', '.join(Result)}")
    result = Result(command.result)
    check_points(state.rules.variant, result, command.points)
    if pairing.ruling == Ruling(result, command.points, command.reason):
        return ()
    return (
        events.ResultRuled(
            round=command.round,
            board=command.board,
            result=result,
            points=command.points,
            reason=command.reason,
        ),
    )


@decide.register
def _(command: commands.LiftRuling, state: TournamentState, actor: Actor) -> Sequence[Event]:
    official(state, actor)
    pairing = on_board(state, command.round, command.board)
    check_reason(command.reason)
    if pairing.ruling is None or pairing.game is None:
        raise NothingToRule(command.round, command.board)
    return (events.RulingLifted(round=command.round, board=command.board, reason=command.reason),)


@decide.register
def _(command: commands.Finish, state: TournamentState, actor: Actor) -> Sequence[Event]:
    official(state, actor)
    if state.pending is not None:
        raise RoundPending(state.pending.number)
    require_results(table(state))
    return () if state.finished else (events.TournamentFinished(),)


def on_board(state: TournamentState, round: int, board: int) -> Pairing:
    """The pairing there; raises RoundPending or NotFound."""
    if state.pending is not None and state.pending.number == round:
        raise RoundPending(round)
    pairing = state.pairing(round, board)
    if pairing is None:
        raise NotFound("board", f"{round}.{board}")
    return pairing
