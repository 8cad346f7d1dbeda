"""`decide(state, command, actor)`: the events of a command to a game, or an error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from engine.registry import find_variant
from service.computer.program_tags import make_program_tags
from service.game import (
    actions,
    adjudication,
    annotating,
    challenges,
    commands,
    events,
    offers,
)
from service.game.choices import disclose_choices, make_choice
from service.game.commands import Command
from service.game.deadlines import (
    DUE,
    expire_challenge,
    forfeit_no_show,
    is_due,
    is_timed,
    refuse_expired,
)
from service.game.permissions import require_scope
from service.game.running_clock import credit_outages
from service.game.setup import check_setup, find_time_control, secrecy, secrecy_tags
from service.game.state import GameState
from service.game.terms import RATED_MODES, Terms, find_terms, make_term_tags
from service.game.timekeeping import (
    Moment,
    let_flag_fall,
    list_credits,
    refuse_late_command,
    refuse_stated_times,
    set_clocks,
    time_action,
)
from service.log.dispatch import DispatchTable, handle
from service.log.values import Event
from service.player.actor import Actor
from service.player.scopes import PLAY


def create(command: commands.CreateGame | commands.ImportRecord, actor: Actor) -> Sequence[Event]:
    """The events of a new game.

    Raises BadValue, BadFen, UnknownVariant, MissingScope, ContradictoryTerms, and BadTimeControl
    or UnplayableTimeControl.
    """
    rules = find_variant(command.variant).rules
    if isinstance(command, commands.ImportRecord):
        require_scope(actor, PLAY)
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
    created = make_setup_event(command, rules)
    control = find_time_control(command)
    if control is None:
        return (created,)
    return (created, events.TimeControlAgreed(control=str(control)))


def make_setup_event(command: commands.CreateGame, rules: str) -> events.GameCreated:
    """The first event of a new game: in its first form if that can state all terms."""
    terms = find_terms(command)
    tags = {**command.tags, **secrecy_tags(command), **make_term_tags(command)}
    facts: dict[str, Any] = {
        "variant": command.variant,
        "rules": rules,
        "mode": command.mode,
        "first": command.first,
        "second": command.second,
        "tags": {**tags, **make_program_tags(command.variant, (command.first, command.second))},
        "fen": command.fen,
        "infiltrators": secrecy(command),
    }
    if terms == Terms(rated=command.mode in RATED_MODES):
        return events.GameCreated(**facts)
    return events.GameSetUp(**facts, **asdict(terms))


def decide(
    command: Command, state: GameState, actor: Actor, moment: Moment | None = None
) -> Sequence[Event]:
    """Return the events that a command causes; raises a ServiceError or a NotationError.

    When they end the game, secret choices are disclosed with them. `moment` is needed in a game
    with clocks or other times (`deadlines.is_timed`), except to begin it.
    """
    if not is_timed(state) or isinstance(command, commands.BeginGame):
        made = DECISIONS(command, state, actor)
    elif moment is None:
        raise TypeError("a command to a game with times is decided at some time")
    else:
        made = decide_timed(command, state, actor, moment)
    return (*made, *disclose_choices(state, made))


def decide_timed(
    command: Command, state: GameState, actor: Actor, moment: Moment
) -> Sequence[Event]:
    """The events of a command to a game with times, the credits for outages first.

    Raises ClockStated, TimeIsUp and NotOffered besides what the command itself raises.
    """
    refuse_stated_times(command, state)
    refuse_expired(command, state, moment)
    credits = list_credits(state, moment)
    credited = credit_outages(state, credits)
    made = DECISIONS(command, credited, actor)
    refuse_late_command(command, credited, moment)
    if isinstance(command, DUE) and not is_due(command, credited, moment):
        made = ()
    timed = [
        time_action(event, command, credited, moment)
        if isinstance(command, commands.PlayAction)
        and isinstance(event, events.ActionPlayed)
        and state.clock is not None
        else event
        for event in made
    ]
    return (*credits, *timed)


DECISIONS = DispatchTable[GameState, Actor, Sequence[Event]](
    "a command on a game",
    handle(commands.AcceptChallenge, challenges.accept_challenge),
    handle(commands.DeclineChallenge, challenges.decline_challenge),
    handle(commands.WithdrawChallenge, challenges.withdraw_challenge),
    handle(commands.ExpireChallenge, expire_challenge),
    handle(commands.BeginGame, challenges.begin_game),
    handle(commands.AbortGame, challenges.abort_game),
    handle(commands.Choose, make_choice),
    handle(commands.PlayAction, actions.play_action),
    handle(commands.AnnotateAction, annotating.annotate_action),
    handle(commands.AdmitAnnotator, annotating.admit_annotator),
    handle(commands.WithdrawAnnotator, annotating.withdraw_annotator),
    handle(commands.OfferDraw, offers.offer_draw),
    handle(commands.AcceptDraw, offers.accept_draw),
    handle(commands.DeclineDraw, offers.decline_draw),
    handle(commands.Resign, offers.resign),
    handle(commands.OfferRetraction, offers.offer_retraction),
    handle(commands.AcceptRetraction, offers.accept_retraction),
    handle(commands.DeclineRetraction, offers.decline_retraction),
    handle(commands.Retract, adjudication.retract_actions),
    handle(commands.Adjudicate, adjudication.adjudicate),
    handle(commands.LoseOnTime, adjudication.lose_on_time),
    handle(commands.SetClocks, set_clocks),
    handle(commands.FlagFall, let_flag_fall),
    handle(commands.ForfeitNoShow, forfeit_no_show),
    handle(commands.CloseGame, adjudication.close_game),
    handle(commands.CorrectResult, adjudication.correct_result),
    handle(commands.ReopenGame, adjudication.reopen_game),
    handle(commands.ScoreGame, adjudication.score_game),
)
"""The events of each command on a game, without the disclosures that its end brings."""
