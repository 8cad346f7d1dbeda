"""A game annotated by an analysis: evaluations, glyphs and variations. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.errors import EngineError
from engine.position import Action, Position
from notation.embedded_commands import EVALUATION, EmbeddedCommand, join_comment, split_comment
from notation.errors import NotationError
from notation.game import Line, Move
from notation.registry import find_dialect
from service.analysis.finding import Finding
from service.analysis.judgement import GLYPHS, Judged
from service.analysis.report import judge_actions
from service.analysis.state import AnalysisState
from service.analysis.target import SIDES, AnalysisView
from service.game.begin import find_initial_position
from service.game.commands import Annotation
from service.game.redaction import mask
from service.game.state import GameState
from service.game.values import Played
from service.game.variations import list_lines, read_variations

LONGEST = 12
"""The most actions of a variation."""
MOVE_GLYPHS = range(1, 10)
"""The glyphs that judge a move (PGN standard, 10)."""


def annotate_game(state: GameState, analysis: AnalysisState) -> GameState:
    """Add evaluations to the game's actions, and better lines to those judged bad.

    Existing annotations stay: an existing evaluation, glyph or identical variation is not repeated.
    From the action on at which the game now differs from the analysed one, nothing is added.
    """
    findings = [looked.finding for looked in analysis.looked]
    judged = judge_actions(analysis)
    viewer = SIDES.get(AnalysisView(analysis.begun.view), frozenset())
    position = find_initial_position(state)
    played = []
    for ply, one in enumerate(read_variations(state).played):
        before = findings[ply] if ply < len(findings) else None
        if before is None or before.played == one.coordinate:
            seen = mask(state, position, viewer)
            after = findings[ply + 1] if ply + 1 < len(findings) else None
            judgement = judged[ply] if ply < len(judged) else None
            one = _annotate(one, seen, analysis.begun.variant, before, after, judgement)
        else:
            findings, judged = [], []
        position.play(one.action)
        played.append(one)
    return replace(state, played=tuple(played))


def _annotate(
    played: Played,
    position: Position,
    variant: str,
    before: Finding | None,
    after: Finding | None,
    judged: Judged | None,
) -> Played:
    note = played.annotation
    if after is not None and not _has_evaluation(note):
        told = join_comment([EmbeddedCommand(EVALUATION, format_evaluation(after))])
        note = replace(note, after=(told, *note.after))
    variations = list_lines(played)
    if judged is not None and judged.judgement is not None:
        if not any(nag in MOVE_GLYPHS for nag in note.nags):
            note = replace(note, nags=(*note.nags, GLYPHS[judged.judgement]))
        better = read_best_line(variant, position, before) if before else ()
        if better and all(line[0].action != better[0].action for line in variations):
            variations = (*variations, better)
    return replace(played, annotation=note, variations=variations)


def _has_evaluation(note: Annotation) -> bool:
    commands = (command for text in note.after for command in split_comment(text)[0])
    return any(command.name == EVALUATION for command in commands)


def format_evaluation(finding: Finding) -> str:
    """The value of `[%eval]`: in the game's unit, or `#n` if the winner wins in n moves.

    From the first side's point of view, so that `#-3` is the second side's win.
    """
    if finding.plies_to_end is None:
        return f"{finding.score / 100:.2f}"
    moves = (finding.plies_to_end + 1) // 2
    return f"#{'-' if finding.score < 0 else ''}{moves}"


def read_best_line(variant: str, position: Position, finding: Finding) -> Line:
    """The best line found in a position, as far as it can be played in the known position."""
    if not finding.lines:
        return ()
    return tuple(
        Move(action) for action in _parse_actions(variant, position, finding.lines[0].actions)
    )


def _parse_actions(variant: str, position: Position, tokens: Sequence[str]) -> list[Action]:
    line = position.copy()
    actions: list[Action] = []
    for token in tokens[:LONGEST]:
        try:
            action = find_dialect(variant).resolve(line, token)
        except (NotationError, EngineError):
            # A guess of an unknown choice may allow what the position alone does not.
            break
        actions.append(action)
        line.play(action)
    return actions
