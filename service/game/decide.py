"""`decide(state, command, actor)`: the events of a command to a game, or an error."""

from __future__ import annotations

from collections.abc import Sequence

from engine.registry import find_variant
from service.game import actions, adjudication, challenges, commands, events, offers
from service.game.choices import disclose_choices, make_choice
from service.game.commands import Command
from service.game.permissions import require_scope
from service.game.setup import check_setup, secrecy, secrecy_tags
from service.game.state import GameState
from service.log.dispatch import DispatchTable, handle
from service.log.values import Event
from service.player.actor import Actor
from service.player.scopes import PLAY


def create(command: commands.CreateGame | commands.ImportRecord, actor: Actor) -> Sequence[Event]:
    """The events of a new game; raises BadValue, BadFen, UnknownVariant or MissingScope."""
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
    """Return the events that a command causes; raises a ServiceError or a NotationError.

    When they end the game, secret choices are disclosed with them.
    """
    made = DECISIONS(command, state, actor)
    return (*made, *disclose_choices(state, made))


DECISIONS = DispatchTable[GameState, Actor, Sequence[Event]](
    "a command on a game",
    handle(commands.AcceptChallenge, challenges.accept_challenge),
    handle(commands.DeclineChallenge, challenges.decline_challenge),
    handle(commands.WithdrawChallenge, challenges.withdraw_challenge),
    handle(commands.BeginGame, challenges.begin_game),
    handle(commands.Choose, make_choice),
    handle(commands.PlayAction, actions.play_action),
    handle(commands.AnnotateAction, actions.annotate_action),
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
    handle(commands.CloseGame, adjudication.close_game),
    handle(commands.CorrectResult, adjudication.correct_result),
    handle(commands.ReopenGame, adjudication.reopen_game),
    handle(commands.ScoreGame, adjudication.score_game),
)
"""The events of each command on a game, without the disclosures that its end brings."""
