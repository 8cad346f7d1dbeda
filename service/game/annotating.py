"""Annotating a game: comments, glyphs and variations beside its actions, and who may write them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from engine.phrase import phrase
from notation.annotation import check_comment, check_glyph
from notation.embedded_commands import (
    CLOCK,
    ELAPSED,
    EVALUATION,
    EmbeddedCommand,
    split_comment,
    write_time,
)
from notation.record import read_variation
from service.errors import BadValue
from service.game import commands, events
from service.game.annotation_size import measure_actions, measure_event, measure_texts
from service.game.commands import Annotation
from service.game.errors import (
    AnnotationTooLarge,
    NotAdmitted,
    NotRunning,
    ReservedCommand,
    TooManyAnnotators,
)
from service.game.permissions import require_annotator, require_owner
from service.game.state import GameState
from service.game.values import NOT_ACCEPTED, GameStatus
from service.game.variations import (
    MAX_ACTIONS,
    count_actions,
    judge_variations,
    write_variations,
)
from service.log.values import Event
from service.player.actor import Actor

MAX_COMMENT: Final = 4000
MAX_VARIATIONS: Final = 16
"""The most variations of one action; each may contain others."""
MAX_VARIATION: Final = 16_000
"""The most characters of a variation."""
MAX_NOTES: Final = 512 * 1024
"""The most bytes of all annotations of a game, so that its record can still be imported."""
MAX_LOGGED: Final = 32 * MAX_NOTES
"""The most bytes of annotations in a game's log, which keeps those that were replaced as well."""
MAX_ANNOTATORS: Final = 32

RESERVED: Final = (CLOCK, ELAPSED, EVALUATION)
"""Commands that the service writes itself: clocks, and in exports its engine's evaluations."""
_UNREAD: Final = re.compile(rf"\[\s*%\s*({'|'.join(RESERVED)})\b", re.IGNORECASE)
"""Matches what another program might read as such a command."""


def annotate_action(
    command: commands.AnnotateAction, state: GameState, actor: Actor
) -> Sequence[Event]:
    """Replace an action's annotation except its clock; no events if nothing changes.

    Raises BadValue, BadAnnotation, ReservedCommand, UnreadableVariation, IllegalVariation,
    AnnotationTooLarge, and what `require_annotator` raises.
    """
    if not 1 <= command.ply <= len(state.played):
        raise BadValue("ply", phrase("the game has {played} actions", played=len(state.played)))
    note, played = command.annotation, state.played[command.ply - 1]
    require_annotator(state, actor, played.by, variations=command.variations is not None)
    check_annotation(note)
    old = played.annotation
    refuse_reserved((*note.before, *note.after), (*old.before, *old.after))
    before = write_variations(state).get(command.ply, ())
    after = before
    if command.variations is not None:
        check_sizes(command.variations)
        after = judge_variations(state, command.ply, command.variations)
        refuse_more_actions(state, command.ply, after)
        refuse_reserved(list_comments(after), list_comments(before))
    refuse_growth(state, command.ply, note, after)
    if (note.nags, note.before, note.after, after) == (old.nags, old.before, old.after, before):
        return ()
    made = events.ActionAnnotated(
        ply=command.ply, nags=note.nags, before=note.before, after=note.after
    )
    if after != before:
        made = events.ActionAnnotatedWhole(
            ply=command.ply,
            nags=note.nags,
            before=note.before,
            after=note.after,
            variations=after,
        )
    refuse_longer_log(state, measure_event(made))
    return (made,)


def check_annotation(annotation: Annotation) -> None:
    """Raise BadValue or BadAnnotation for an annotation that no record can hold."""
    for comment in (*annotation.before, *annotation.after):
        check_comment(comment)
        if len(comment) > MAX_COMMENT:
            raise BadValue(
                "comments", phrase("at most {max_comment} characters each", max_comment=MAX_COMMENT)
            )
    for nag in annotation.nags:
        check_glyph(nag)
    for time in (annotation.clock, annotation.elapsed):
        if time is not None:
            write_time(time)


def check_played_annotation(annotation: Annotation, state: GameState) -> None:
    """Raise, as `annotate_action` does, if the annotation may not come with an action.

    In a game without clocks the player may state times and evaluations, even in comments.
    """
    check_annotation(annotation)
    comments = (*annotation.before, *annotation.after)
    if state.clock is not None:
        refuse_reserved(comments, ())
    if comments:
        refuse_growth(state, len(state.played) + 1, annotation, ())
        refuse_longer_log(state, measure_texts(comments))


def check_sizes(variations: Sequence[str]) -> None:
    """Raise AnnotationTooLarge if there are too many variations or one is too long to be read."""
    if len(variations) > MAX_VARIATIONS:
        raise AnnotationTooLarge("variations of one action", MAX_VARIATIONS)
    if any(len(text) > MAX_VARIATION for text in variations):
        raise AnnotationTooLarge("characters of a variation", MAX_VARIATION)


def refuse_growth(
    state: GameState, ply: int, annotation: Annotation, variations: Sequence[str]
) -> None:
    """Raise AnnotationTooLarge if a new annotation makes the game's annotations too large."""
    new = measure_texts((*annotation.before, *annotation.after, *variations))
    # An imported record may have brought more; such annotations can be reduced.
    if new > measure_actions(state.played[ply - 1 : ply]):
        others = measure_actions((*state.played[: ply - 1], *state.played[ply:]))
        if new + others > MAX_NOTES:
            raise AnnotationTooLarge("bytes of all annotations of a game", MAX_NOTES)


def refuse_longer_log(state: GameState, more: int) -> None:
    """Raise AnnotationTooLarge if this many bytes of annotations make the game's log too large.

    An annotation can always be removed.
    """
    if more and state.annotation_bytes + more > MAX_LOGGED:
        raise AnnotationTooLarge(
            "bytes of all annotations that a game ever had, those replaced included", MAX_LOGGED
        )


def refuse_more_actions(state: GameState, ply: int, variations: Sequence[str]) -> None:
    """Raise AnnotationTooLarge if new variations give the game too many actions."""
    old = state.played[ply - 1]
    more = count_actions([replace(old, variations=tuple(variations))]) - count_actions([old])
    if more > 0 and count_actions(state.played) + more > MAX_ACTIONS:
        raise AnnotationTooLarge("actions of a game, with those of its variations", MAX_ACTIONS)


def refuse_reserved(new: Iterable[str], old: Iterable[str]) -> None:
    """Raise ReservedCommand for a reserved command that the old comments do not have."""
    surplus = find_reserved(new) - find_reserved(old)
    if surplus:
        raise ReservedCommand(next(iter(surplus)).name)


def find_reserved(comments: Iterable[str]) -> Counter[EmbeddedCommand]:
    """The commands in comments that only the service writes, and how often each occurs."""
    found: Counter[EmbeddedCommand] = Counter()
    for comment in comments:
        told, text = split_comment(comment)
        found.update(each for each in told if each.name.lower() in RESERVED)
        found.update(EmbeddedCommand(match[1].lower(), "") for match in _UNREAD.finditer(text))
    return found


def list_comments(variations: Iterable[str]) -> Iterator[str]:
    """All comments of variations, including those nested in others."""
    lines = [read_variation(text).line for text in variations]
    while lines:
        line = lines.pop()
        for notes in line.notes.values():
            yield from (*notes.before, *notes.after)
            lines += notes.variations


def admit_annotator(
    command: commands.AdmitAnnotator, state: GameState, actor: Actor
) -> Sequence[Event]:
    """Let a player annotate the game; no events if they are already admitted.

    Raises BadValue, NotRunning, NotTheOwner, MissingScope or TooManyAnnotators.
    """
    require_owner(state, actor)
    player = require_player(command)
    if state.status in (*NOT_ACCEPTED, GameStatus.PREPARED):
        raise NotRunning(state.status)
    if player in state.annotators:
        return ()
    if len(state.annotators) >= MAX_ANNOTATORS:
        raise TooManyAnnotators(MAX_ANNOTATORS)
    return (events.AnnotatorAdmitted(player=player),)


def withdraw_annotator(
    command: commands.WithdrawAnnotator, state: GameState, actor: Actor
) -> Sequence[Event]:
    """No longer let a player annotate the game; what they have written stays.

    Raises BadValue, NotTheOwner, MissingScope or NotAdmitted.
    """
    require_owner(state, actor)
    player = require_player(command)
    if player not in state.annotators:
        raise NotAdmitted
    return (events.AnnotatorWithdrawn(player=player),)


def require_player(command: commands.AnnotatorCommand) -> str:
    """The id of the player whom the command names; raises BadValue if it names nobody."""
    if command.player is None:
        raise BadValue("player", "required: an id, or player_name instead")
    return command.player
