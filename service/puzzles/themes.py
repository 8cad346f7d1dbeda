"""The themes of a puzzle, by the actions of its line. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from engine.outcome import Termination
from engine.position import Action, Position
from engine.tree import evaluate, is_in_check
from engine.variant import Variant
from notation.errors import BadFen
from notation.registry import find_dialect
from service.boards.described_actions import Parts, take_apart
from service.boards.registry import find_board
from service.boards.scene import map_cells

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
"""The least that each prong of a fork gains, in hundredths of the game's unit."""


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
    names = list_cells(variant.name)
    for action in line:
        letters = dialect.cells(dialect.identify(board)).decode()
        standing = {name: one for name, one in zip(names, letters, strict=True) if one != " "}
        parts = take_apart(dialect.coordinate(action))
        steps.append(Step(parts, action, board.side == solver, board.copy(), standing))
        board.play(action)
    return steps, board


def list_cells(variant: str) -> list[str]:
    """The names of a board's cells in the order in which position strings write them."""
    return list(map_cells(find_board(variant)))


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
    if count_prongs(variant, first.before, after, target) >= 2:
        yield FORK
    if len(steps) < 3:
        return
    answer, second = steps[1], steps[2]
    if answer.parts.target == target and answer.taken:
        yield SACRIFICE
    if not second.solver or not second.taken or second.parts.origin == target:
        return
    if second.parts.target in first.standing and second.parts.target != answer.parts.target:
        held_up = find_board(variant.name).held_up
        yield REGION_TRAP if second.taken.upper() in held_up else TRAP


def _name_length(steps: Sequence[Step]) -> str:
    return SHORT if sum(step.solver for step in steps) < 3 else LONG


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


def count_prongs(variant: Variant, solver: Position, after: Position, cell: str) -> int:
    """The number of pieces that the one on `cell` could capture at a gain, acting again.

    `solver` is a position in which the solver acts; `after` is the one to look at.
    """
    if after.outcome() is not None:
        return 0
    dialect = find_dialect(variant.name)
    fields = dialect.write_fen(after).split()
    fields[1] = dialect.write_fen(solver).split()[1]
    try:
        again = dialect.read_fen(" ".join(fields))
    except BadFen:
        return 0
    prongs = set()
    for action in again.legal():
        parts = take_apart(dialect.coordinate(action))
        if parts.origin == cell and gain_of(variant, again, action) >= FORKED:
            prongs.add(parts.target)
    return len(prongs)
