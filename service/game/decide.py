"""`decide(state, command, actor)`: what a command does to a game, as events, or why it may not."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch

from engine.outcome import Outcome, Termination
from engine.registry import variant as find_variant
from engine.side import Side
from notation.agreement import lost_on_time
from notation.game import UNFINISHED
from notation.registry import dialect
from service.errors import (
    AlreadyOffered,
    BadValue,
    MissingScope,
    NotASeat,
    NotFinished,
    NothingToRetract,
    NotOffered,
    NotRunning,
    NotYourTurn,
)
from service.game import commands, events
from service.game.choices import chosen, disclosed
from service.game.commands import Actor, Command
from service.game.endings import (
    agreed_draw,
    agreement,
    correction,
    ended,
    reopenable,
    ruling,
)
from service.game.events import GameEnded
from service.game.permissions import (
    acting_side,
    answer,
    challenged,
    may_act_for,
    needs,
    official,
    officiates,
    pairs,
    running,
    title,
    undecided,
)
from service.game.redaction import seen_position, viewer
from service.game.setup import check_annotation, check_reason, check_setup, secrecy, secrecy_tags
from service.game.state import GameState
from service.game.values import Ending, Retraction, Status
from service.log.values import Event
from service.player.scopes import PLAY

SCORER = "movelog:scorer"
"""Who the scoring worker is in the log."""


def create(command: commands.CreateGame | commands.ImportRecord, actor: Actor) -> Sequence[Event]:
    """The events of a new game; raises BadValue, BadFen, UnknownVariant or MissingScope."""
    rules = find_variant(command.variant).rules
    if isinstance(command, commands.ImportRecord):
        needs(actor, PLAY)
        return (
            events.RecordImported(
                variant=command.variant,
                rules=rules,
                first=command.first,
                second=command.second,
                tags=command.tags,
                text=command.text,
                actions=command.actions,
                result=command.result,
                fen=command.fen,
            ),
        )
    check_setup(command, actor)
    return (
        events.GameCreated(
            variant=command.variant,
            rules=rules,
            mode=command.mode,
            first=command.first,
            second=command.second,
            tags={**command.tags, **secrecy_tags(command)},
            fen=command.fen,
            infiltrators=secrecy(command),
        ),
    )


def decide(command: Command, state: GameState, actor: Actor) -> Sequence[Event]:
    """The events a command makes of a game; raises a ServiceError or a NotationError.

    With a game's end comes what was secret until then.
    """
    made = effect(command, state, actor)
    return (*made, *disclosed(state, made))


@singledispatch
def effect(command: Command, state: GameState, actor: Actor) -> Sequence[Event]:
    """The events of the command itself."""
    raise TypeError(f"{type(command).__name__} is not a command on a game")


@effect.register
def _(command: commands.AcceptChallenge, state: GameState, actor: Actor) -> Sequence[Event]:
    challenged(state, actor)
    return (events.ChallengeAccepted(player=actor.player),)


@effect.register
def _(command: commands.DeclineChallenge, state: GameState, actor: Actor) -> Sequence[Event]:
    challenged(state, actor)
    if None in state.seats:
        raise NotASeat
    return (events.ChallengeDeclined(),)


@effect.register
def _(command: commands.WithdrawChallenge, state: GameState, actor: Actor) -> Sequence[Event]:
    if state.status is not Status.OFFERED:
        raise NotOffered(state.status)
    if actor.player != state.creator:
        raise NotASeat
    needs(actor, PLAY)
    return (events.ChallengeWithdrawn(),)


@effect.register
def _(command: commands.BeginGame, state: GameState, actor: Actor) -> Sequence[Event]:
    pairs(actor)
    return (events.GameBegun(),) if state.status is Status.PREPARED else ()


@effect.register
def _(command: commands.Choose, state: GameState, actor: Actor) -> Sequence[Event]:
    return chosen(state, acting_side(state, actor, command.side), command)


@effect.register
def _(command: commands.PlayAction, state: GameState, actor: Actor) -> Sequence[Event]:
    if state.status is not Status.RUNNING:
        raise NotRunning(state.status)
    undecided(state)
    side = Side(state.position.side)
    if not may_act_for(state, actor, side):
        acting_side(state, actor, None)
        raise NotYourTurn(title(state, side))
    needs(actor, PLAY)
    check_annotation(command.annotation)
    texts = dialect(state.variant)
    # Read as the player knows the position, so that no refusal tells what it may not.
    action = texts.resolve(seen_position(state, viewer(state, actor)), command.token)
    before = state.position.copy()
    after = before.copy()
    after.play(action)
    note = command.annotation
    played = events.ActionPlayed(
        ply=len(state.played) + 1,
        action=texts.coordinate(action),
        san=texts.san(before, action),
        nags=note.nags,
        before=note.before,
        after=note.after,
        clock=note.clock,
        elapsed=note.elapsed,
    )
    plies = state.plies + (after.side != before.side)
    outcome = agreement(state).outcome(after, plies)
    return (played,) if outcome is None else (played, ended(state, outcome, after))


@effect.register
def _(command: commands.AnnotateAction, state: GameState, actor: Actor) -> Sequence[Event]:
    if not 1 <= command.ply <= len(state.played):
        raise BadValue("ply", f"the game has {len(state.played)} actions")
    if not (officiates(state, actor) or actor.player == state.played[command.ply - 1].by):
        raise NotASeat
    if not officiates(state, actor):
        needs(actor, PLAY)
    check_annotation(command.annotation)
    note = command.annotation
    old = state.played[command.ply - 1].annotation
    if (note.nags, note.before, note.after) == (old.nags, old.before, old.after):
        return ()
    return (
        events.ActionAnnotated(
            ply=command.ply, nags=note.nags, before=note.before, after=note.after
        ),
    )


@effect.register
def _(command: commands.OfferDraw, state: GameState, actor: Actor) -> Sequence[Event]:
    undecided(state)
    side = acting_side(state, actor, command.side)
    if state.draw_offer is side:
        raise AlreadyOffered("draw")
    if state.draw_offer is side.other:
        return agreed_draw(state)
    return (events.DrawOffered(side=side),)


@effect.register
def _(command: commands.AcceptDraw, state: GameState, actor: Actor) -> Sequence[Event]:
    undecided(state)
    answer(state, actor, command.side, "draw", state.draw_offer)
    return agreed_draw(state)


@effect.register
def _(command: commands.DeclineDraw, state: GameState, actor: Actor) -> Sequence[Event]:
    running(state)
    answer(state, actor, command.side, "draw", state.draw_offer)
    return (events.DrawDeclined(),)


@effect.register
def _(command: commands.Resign, state: GameState, actor: Actor) -> Sequence[Event]:
    undecided(state)
    side = acting_side(state, actor, command.side)
    return (ended(state, Outcome(side.other, Termination.RESIGNATION)),)


@effect.register
def _(command: commands.OfferRetraction, state: GameState, actor: Actor) -> Sequence[Event]:
    running(state)
    side = acting_side(state, actor, command.side)
    if state.retraction is not None and state.retraction.side is side:
        raise AlreadyOffered("retraction")
    to_ply = ply_before(state, command.plies)
    if state.retraction == Retraction(side.other, to_ply):
        return (events.ActionsRetracted(to_ply=to_ply),)
    return (events.RetractionOffered(side=side, to_ply=to_ply),)


@effect.register
def _(command: commands.AcceptRetraction, state: GameState, actor: Actor) -> Sequence[Event]:
    running(state)
    offer = state.retraction
    answer(state, actor, command.side, "retraction", offer.side if offer else None)
    assert offer is not None
    return (events.ActionsRetracted(to_ply=offer.to_ply),)


@effect.register
def _(command: commands.DeclineRetraction, state: GameState, actor: Actor) -> Sequence[Event]:
    running(state)
    offer = state.retraction
    answer(state, actor, command.side, "retraction", offer.side if offer else None)
    return (events.RetractionDeclined(),)


@effect.register
def _(command: commands.Retract, state: GameState, actor: Actor) -> Sequence[Event]:
    official(state, actor)
    running(state)
    return (events.ActionsRetracted(to_ply=ply_before(state, command.plies)),)


@effect.register
def _(command: commands.Adjudicate, state: GameState, actor: Actor) -> Sequence[Event]:
    official(state, actor)
    undecided(state)
    return (ended(state, ruling(state, command.result, command.termination)),)


@effect.register
def _(command: commands.LoseOnTime, state: GameState, actor: Actor) -> Sequence[Event]:
    official(state, actor)
    undecided(state)
    return (ended(state, lost_on_time(state.position.copy(), command.side)),)


@effect.register
def _(command: commands.CloseGame, state: GameState, actor: Actor) -> Sequence[Event]:
    official(state, actor)
    undecided(state)
    return (GameEnded(result=UNFINISHED, termination=Termination.UNTERMINATED),)


@effect.register
def _(command: commands.CorrectResult, state: GameState, actor: Actor) -> Sequence[Event]:
    official(state, actor)
    if state.ending is None:
        raise NotFinished
    check_reason(command.reason)
    right = correction(state, command.result, command.termination)
    if state.ending == Ending(right.result, right.termination):
        return ()
    return (
        events.ResultCorrected(
            result=right.result, termination=right.termination, reason=command.reason
        ),
    )


@effect.register
def _(command: commands.ReopenGame, state: GameState, actor: Actor) -> Sequence[Event]:
    official(state, actor)
    reopenable(state)
    check_reason(command.reason)
    return (events.GameReopened(reason=command.reason),)


@effect.register
def _(command: commands.ScoreGame, state: GameState, actor: Actor) -> Sequence[Event]:
    if actor.player != SCORER:
        raise MissingScope(SCORER)
    ending = Ending(command.result, command.termination)
    if state.ending != ending or command.version < state.ending_version:
        # The result was corrected, or the game reopened and perhaps ended again, while it was
        # being scored: that has its own job.
        return ()
    if state.score is not None and (state.score.ending, state.score.points) == (
        ending,
        command.points,
    ):
        return ()
    return (
        events.GameScored(
            result=command.result, termination=command.termination, points=command.points
        ),
    )


def ply_before(state: GameState, plies: int) -> int:
    """The ply to go back to when the last `plies` actions are retracted."""
    if not 1 <= plies <= len(state.played):
        raise NothingToRetract(plies, len(state.played))
    return len(state.played) - plies
