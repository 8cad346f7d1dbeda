"""The themes of a puzzle, by the actions of its line. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from engine.outcome import Termination
from engine.position import Action, Position
from engine.tree import evaluate, is_in_check
from engine.variant import Variant
from notation.registry import find_dialect
from service.boards.described_actions import MOVE, Parts, take_apart
from service.boards.registry import find_board
from service.boards.scene import map_cells
from service.puzzles.solving import wins_at_once

EXECUTION: Final = "execution"
REVEAL: Final = "reveal"
CLOCK: Final = "clock-claim"
FORK: Final = "fork"
SACRIFICE: Final = "sacrifice"
QUIET: Final = "quiet"
PROMOTION: Final = "promotion"
REGION_TRAP: Final = "region-trap"
TRAP: Final = "trap"
ADVANTAGE: Final = "advantage"
AT_ONCE: Final = "win-at-once"
SHORT: Final = "short"
LONG: Final = "long"

DEEDS: Final = {"X": EXECUTION, "R": REVEAL, "Kyan": CLOCK, "Alka": CLOCK}
"""The themes of actions that move nothing, by the words of their coordinate forms."""

ENDS: Final = {
    Termination.MATE: "mate",
    Termination.KING_CAPTURED: "king-capture",
    Termination.CASTLE_CAPTURED: "castle-capture",
    Termination.YARA: "yara",
    Termination.YEMUBUS: "yemubus",
    Termination.ALKA: CLOCK,
}
"""The themes of lines that end the game, by how they end it."""

THEMES: Final = (
    "mate", "king-capture", "castle-capture", "yara", "yemubus", CLOCK, EXECUTION, REVEAL, FORK,
    TRAP, REGION_TRAP, SACRIFICE, PROMOTION, QUIET, ADVANTAGE, AT_ONCE, SHORT, LONG,
)  # fmt: skip
"""All themes, in the order in which they are listed."""

FORKED: Final = 180
"""The least that capturing each prong of a fork gains, in hundredths of the game's unit."""


@dataclass(frozen=True, slots=True)
class Step:
    """An action of a line: what it is, who acts, and what stood where before it."""

    parts: Parts
    action: Action
    solver: bool
    before: Position
    standing: dict[str, str]

    @property
    def taken(self) -> str:
        """The letter of the piece that stood where the action leads; empty if there was none."""
        return "" if self.parts.target is None else self.standing.get(self.parts.target, "")


def name_themes(variant: Variant, position: Position, line: Sequence[Action]) -> tuple[str, ...]:
    """The themes of a line that solves a position, in the order of `THEMES`."""
    steps, end = replay(variant, position, line)
    found = {
        *_name_deeds(steps),
        *_name_end(end, steps),
        *_name_tactics(variant, steps, end),
        _name_length(steps),
    }
    return tuple(theme for theme in THEMES if theme in found)


def replay(
    variant: Variant, position: Position, line: Sequence[Action]
) -> tuple[list[Step], Position]:
    """The steps of a line, and the position after it."""
    dialect = find_dialect(variant.name)
    board, steps, solver = position.copy(), [], position.side
    for action in line:
        parts, standing = take_apart(dialect.coordinate(action)), list_pieces(variant, board)
        steps.append(Step(parts, action, board.side == solver, board.copy(), standing))
        board.play(action)
    return steps, board


def list_pieces(variant: Variant, position: Position) -> dict[str, str]:
    """The letters of the pieces on the board, by the names of their cells."""
    dialect = find_dialect(variant.name)
    letters = dialect.cells(dialect.identify(position)).decode()
    names = map_cells(find_board(variant.name))
    return {name: one for name, one in zip(names, letters, strict=True) if one != " "}


def _name_deeds(steps: Iterable[Step]) -> Iterator[str]:
    for step in steps:
        if step.solver and step.parts.word is not None and step.parts.word in DEEDS:
            yield DEEDS[step.parts.word]


def _name_end(end: Position, steps: Sequence[Step]) -> Iterator[str]:
    outcome = end.outcome()
    if outcome is None:
        yield ADVANTAGE
        return
    if outcome.termination in ENDS:
        yield ENDS[outcome.termination]
    if len(steps) == 1:
        yield AT_ONCE


def _name_tactics(variant: Variant, steps: Sequence[Step], end: Position) -> Iterator[str]:
    first = steps[0]
    target = first.parts.target
    after = steps[1].before if len(steps) > 1 else end
    if is_quiet(variant, first, after):
        yield QUIET
    if any(step.solver and step.parts.back for step in steps):
        yield PROMOTION
    if target is None:
        return
    if first.parts.kind == MOVE and count_prongs(variant, after, target) >= 2:
        yield FORK
    if len(steps) < 3:
        return
    answer, second = steps[1], steps[2]
    if is_sacrifice(variant, first, answer):
        yield SACRIFICE
    if not second.solver or not second.taken or second.parts.origin == target:
        return
    if second.parts.target in first.standing and second.parts.target != answer.parts.target:
        held_up = find_board(variant.name).held_up
        yield REGION_TRAP if second.taken.upper() in held_up else TRAP


def _name_length(steps: Sequence[Step]) -> str:
    return SHORT if sum(step.solver for step in steps) < 3 else LONG


def is_sacrifice(variant: Variant, first: Step, answer: Step) -> bool:
    """Whether an answer takes the piece that acted, and gains more than that piece did."""
    if not answer.taken or answer.parts.target != first.parts.target:
        return False
    gained = gain_of(variant, first.before, first.action)
    return gained < gain_of(variant, answer.before, answer.action)


def is_quiet(variant: Variant, step: Step, after: Position) -> bool:
    """Whether an action neither ends the game, nor wins material, nor threatens to win at once.

    `after` is the position after it.
    """
    if after.outcome() is not None or gain_of(variant, step.before, step.action) > 0:
        return False
    return after.side == step.before.side or not is_in_check(variant.tree(after))


def gain_of(variant: Variant, position: Position, action: Action) -> int:
    """The material that an action wins if nothing answers it, in hundredths of the game's unit."""
    after = position.copy()
    after.play(action)
    if after.outcome() is not None:
        return 0
    before = count_material(variant, position)
    gained = count_material(variant, after)
    return (gained if after.side == position.side else -gained) - before


def count_material(variant: Variant, position: Position) -> int:
    """The material of a position that is not over, from the view of the side to act."""
    tree = variant.tree(position)
    tree.material_only = 1
    return evaluate(tree)


def count_prongs(variant: Variant, after: Position, cell: str) -> int:
    """The number of pieces that the one on `cell`, which has just acted, attacks at a gain.

    It could capture each of them at a gain if the other side did nothing.
    """
    if after.outcome() is not None or variant.null_move is None:
        return 0
    again, standing = variant.null_move(after), list_pieces(variant, after)
    prongs = set()
    for action in again.legal():
        parts = take_apart(find_dialect(variant.name).coordinate(action))
        if parts.origin == cell and parts.target in standing and is_prong(variant, again, action):
            prongs.add(parts.target)
    return len(prongs)


def is_prong(variant: Variant, position: Position, capture: Action) -> bool:
    """Whether a capture wins the game, or gains enough and more than is taken back."""
    if wins_at_once(position, capture):
        return True
    gain = gain_of(variant, position, capture)
    return gain >= FORKED and gain > find_recapture(variant, position, capture)


def find_recapture(variant: Variant, position: Position, capture: Action) -> int:
    """The most that the other side gains by recapturing, 0 if it cannot."""
    dialect = find_dialect(variant.name)
    target = take_apart(dialect.coordinate(capture)).target
    after = position.copy()
    after.play(capture)
    answers = [one for one in after.legal() if take_apart(dialect.coordinate(one)).target == target]
    return max((gain_of(variant, after, answer) for answer in answers), default=0)
