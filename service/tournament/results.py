"""Commands on results: a game counted or joined to a board, and an arbiter's rulings."""

from __future__ import annotations

from collections.abc import Sequence

from engine.phrase import phrase
from service.errors import BadValue, MissingScope, NotFound
from service.game.permissions import SCORER
from service.game.setup import check_reason
from service.log.values import Event
from service.player.actor import Actor
from service.tournament import commands, events
from service.tournament.errors import NothingToRule, NotTheArbiter, RoundPending
from service.tournament.joining import make_join_event
from service.tournament.permissions import require_arbiter, require_unfinished
from service.tournament.setup import check_points
from service.tournament.state import TournamentState
from service.tournament.table import Result
from service.tournament.values import Pairing, Ruling, result_of


def count_game(
    command: commands.CountGame, state: TournamentState, actor: Actor
) -> Sequence[Event]:
    """Record a game's result as a worker reports it; no events if no board counts the game.

    Raises MissingScope unless the actor is the scoring worker.
    """
    if actor.player != SCORER:
        raise MissingScope(SCORER)
    pairing = state.of_game(command.game.id)
    return () if pairing is None else record_tally(pairing, command.game.version, command)


def record_tally(
    pairing: Pairing, version: int, command: commands.CountGame | commands.Join
) -> Sequence[Event]:
    """Make the event that records the game's result on its board.

    Returns no events when the result is already recorded, or a newer version of the game is.
    """
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


def join_game(command: commands.Join, state: TournamentState, actor: Actor) -> Sequence[Event]:
    """Let a game from elsewhere count for a board, with its result; no events if it already does.

    Raises NotTheArbiter, TournamentOver or CannotJoin.
    """
    if command.record:
        # A worker acts for whoever imported the record: that has to be an arbiter.
        if actor.player not in state.arbiters:
            raise NotTheArbiter
    else:
        require_arbiter(state, actor)
    require_unfinished(state)
    if command.game.id in state.boards:
        return ()
    event = make_join_event(state, command)
    pairing = Pairing(event.round, event.board, event.first, event.second, game=event.game)
    return (event, *record_tally(pairing, command.game.version, command))


def rule_result(command: commands.Rule, state: TournamentState, actor: Actor) -> Sequence[Event]:
    """Set a board's result by an arbiter's ruling; no events if that ruling already stands.

    The first result of a board needs no reason. Raises BadValue, RoundPending, NotFound,
    MissingScope or NotTheArbiter.
    """
    require_arbiter(state, actor)
    pairing = find_pairing(state, command.round, command.board)
    if command.result not in list(Result):
        raise BadValue("result", phrase("one of {result}", result=", ".join(Result)))
    result = Result(command.result)
    check_points(state.rules.variant, result, command.points)
    if pairing.ruling == Ruling(result, command.points, command.reason):
        return ()
    if command.reason or pairing.result is not None:
        check_correction(pairing, command.reason)
    return (
        events.ResultRuled(
            round=command.round,
            board=command.board,
            result=result,
            points=command.points,
            reason=command.reason,
        ),
    )


def check_correction(pairing: Pairing, reason: str) -> None:
    """Raise BadValue if the reason is not a text, or is missing where a result changes."""
    if not reason.strip():
        said = f"board {pairing.board} of round {pairing.round} has a result: say why it changes"
        raise BadValue("reason", said)
    check_reason(reason)


def enter_results(
    command: commands.EnterResults, state: TournamentState, actor: Actor
) -> Sequence[Event]:
    """Set the results of several boards; no events for those whose ruling already stands.

    Raises BadValue for a board that is named twice, and what `rule_result` raises; a BadValue names
    the place in the list, such as `results.0.reason`.
    """
    rulings = [commands.Rule(round=command.round, **one) for one in command.results]
    boards = [ruling.board for ruling in rulings]
    if len({*boards}) < len(boards):
        raise BadValue("results", "each board at most once")
    found: list[Event] = []
    for number, ruling in enumerate(rulings):
        try:
            found += rule_result(ruling, state, actor)
        except BadValue as error:
            raise BadValue(f"results.{number}.{error.field}", error.reason) from error
    return tuple(found)


def lift_ruling(
    command: commands.LiftRuling, state: TournamentState, actor: Actor
) -> Sequence[Event]:
    """Withdraw a ruling, so that the board's game counts again.

    Over the board, the board then has no result. Raises NothingToRule if there is no ruling, or no
    game to fall back on.
    """
    require_arbiter(state, actor)
    pairing = find_pairing(state, command.round, command.board)
    check_reason(command.reason)
    if pairing.ruling is None or not can_be_open(state, pairing):
        raise NothingToRule(command.round, command.board)
    return (events.RulingLifted(round=command.round, board=command.board, reason=command.reason),)


def can_be_open(state: TournamentState, pairing: Pairing) -> bool:
    """Whether a pairing can be without a ruling: it has a game, or is played over the board."""
    if pairing.game is not None:
        return True
    forfeited = pairing.ruling is not None and pairing.ruling.automatic
    return state.rules.over_the_board and not forfeited


def find_pairing(state: TournamentState, round: int, board: int) -> Pairing:
    """Find the pairing on a board of a round; raises RoundPending or NotFound."""
    if state.pending is not None and state.pending.number == round:
        raise RoundPending(round)
    pairing = state.pairing(round, board)
    if pairing is None:
        raise NotFound("board", f"{round}.{board}")
    return pairing
