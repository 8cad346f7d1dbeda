"""How annotations change a game's state; see `service.game.evolve`."""

from __future__ import annotations

from dataclasses import replace

from service.game import events
from service.game.annotation_size import measure_event
from service.game.state import GameState
from service.log.values import Recorded


def replace_annotation(
    event: events.ActionAnnotated, state: GameState, entry: Recorded
) -> GameState:
    """The game with another annotation of an action, whose clock and variations stay."""
    index = event.ply - 1
    old = state.played[index]
    annotation = replace(
        old.annotation,
        nags=tuple(event.nags),
        before=tuple(event.before),
        after=tuple(event.after),
    )
    new = replace(old, annotation=annotation)
    return replace(
        state,
        played=(*state.played[:index], new, *state.played[index + 1 :]),
        annotation_bytes=state.annotation_bytes + measure_event(event),
    )


def replace_whole_annotation(
    event: events.ActionAnnotatedWhole, state: GameState, entry: Recorded
) -> GameState:
    """The game with another annotation of an action, and with its variations."""
    after = replace_annotation(event, state, entry)
    index = event.ply - 1
    new = replace(after.played[index], variations=tuple(event.variations))
    return replace(after, played=(*after.played[:index], new, *after.played[index + 1 :]))


def admit_annotator(
    event: events.AnnotatorAdmitted, state: GameState, entry: Recorded
) -> GameState:
    """The game after one more player may annotate it."""
    return replace(state, annotators=(*state.annotators, event.player))


def withdraw_annotator(
    event: events.AnnotatorWithdrawn, state: GameState, entry: Recorded
) -> GameState:
    """The game after a player may no longer annotate it."""
    left = tuple(each for each in state.annotators if each != event.player)
    return replace(state, annotators=left)
