"""Which annotations of a game are shown, and which are expressed in words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from engine.registry import find_variant
from notation.embedded_commands import CLOCK, ELAPSED, EVALUATION, join_comment, split_comment
from notation.game import Line, Move
from service.game.outline import GameOutline
from service.game.state import GameState
from service.game.values import Played
from service.game.variations import list_lines, read_variations

AGREED_TAGS: Final = ("TimeControl", "PlyLimit", "DrawByPoints")
"""Tags that say what the players agreed on before the game."""
LISTED_TAGS: Final = ("Event", "Site", "Date", "Round", *AGREED_TAGS)
"""Tags that are shown wherever a game is one of several."""
GLYPHS: Final = {
    1: "Good move.",
    2: "Mistake.",
    3: "Brilliant move.",
    4: "Blunder.",
    5: "Interesting move.",
    6: "Dubious move.",
}
"""The glyphs of moves in words (PGN standard, 10)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Presentation:
    """What to show beside the actions.

    `clocks` are the times left and taken, `evaluations` those of a program, `comments` all other
    texts, and `variations` what could have been played. `literate` expresses glyphs and the game's
    end in words; `analysis` adds what the service itself has found.
    """

    clocks: bool = True
    comments: bool = True
    evaluations: bool = True
    variations: bool = True
    literate: bool = False
    analysis: bool = False


WHOLE: Final = Presentation()


def presented(state: GameState, shown: Presentation) -> GameState:
    """The game with the annotations that are to be shown."""
    if shown == WHOLE:
        return state
    if shown.variations:
        state = read_variations(state)
    played = [_played(one, shown) for one in state.played]
    comments = _comments(state.comments, shown)
    if shown.literate and state.ending is not None:
        sentence = end_in_words(state)
        if played:
            note = played[-1].annotation
            last = replace(note, after=(*note.after, sentence))
            played[-1] = replace(played[-1], annotation=last)
        else:
            comments = (*comments, sentence)
    return replace(state, played=tuple(played), comments=comments)


def end_in_words(state: GameState) -> str:
    """How an ended game ended, for example `South wins: resignation.`"""
    assert state.ending is not None
    first, second = find_variant(state.variant).sides
    told = {"1-0": f"{first} wins", "0-1": f"{second} wins", "1/2-1/2": "Draw", "*": "No result"}
    reason = state.ending.termination
    return f"{told[state.ending.result]}{f': {reason}' if reason else ''}."


def _played(played: Played, shown: Presentation) -> Played:
    note = played.annotation
    words = [GLYPHS[nag] for nag in note.nags if nag in GLYPHS] if shown.literate else []
    kept = replace(
        note,
        before=_comments(note.before, shown),
        after=(*_comments(note.after, shown), *words),
        clock=note.clock if shown.clocks else None,
        elapsed=note.elapsed if shown.clocks else None,
    )
    lines = _lines(list_lines(played), shown) if shown.variations else ()
    return replace(played, annotation=kept, variations=lines)


def _lines(lines: Iterable[Line], shown: Presentation) -> tuple[Line, ...]:
    if not shown.variations:
        return ()
    return tuple(tuple(_move(move, shown) for move in line) for line in lines)


def _move(move: Move, shown: Presentation) -> Move:
    return replace(
        move,
        before=_comments(move.before, shown),
        after=_comments(move.after, shown),
        variations=_lines(move.variations, shown),
    )


def _comments(comments: Iterable[str], shown: Presentation) -> tuple[str, ...]:
    left = (_comment(comment, shown) for comment in comments)
    return tuple(comment for comment in left if comment)


def _comment(comment: str, shown: Presentation) -> str:
    """What is shown of a comment; empty if nothing is."""
    kept = {
        CLOCK: shown.clocks,
        ELAPSED: shown.clocks,
        EVALUATION: shown.evaluations,
    }
    commands, text = split_comment(comment)
    left = [command for command in commands if kept.get(command.name, shown.comments)]
    if len(left) == len(commands) and shown.comments:
        return comment
    text = text if shown.comments else ""
    return join_comment(left, text) if left or text else ""


def listed_tags(state: GameOutline) -> dict[str, str]:
    """The tags of a game that are shown where it is one of several, by name."""
    return {name: state.tags[name] for name in LISTED_TAGS if name in state.tags}
