"""How far a solver has come with a puzzle. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from engine.position import Action, Position
from notation.dialect import Dialect
from notation.registry import find_dialect
from service.puzzles.puzzle import Puzzle


class Standing(StrEnum):
    """The state of a try."""

    OPEN = "open"
    """Everything was right so far, and the solver is to act."""
    WRONG = "wrong"
    SOLVED = "solved"


@dataclass(slots=True)
class Try:
    """A try of a puzzle: the position it has reached, and the actions and answers up to there.

    After a wrong action the position is the one before it, and `refused` is the action; whatever
    was tried after it, or after the solution, does not count.
    """

    puzzle: Puzzle
    dialect: Dialect
    position: Position
    standing: Standing = Standing.OPEN
    played: list[Action] = field(default_factory=list)
    refused: Action | None = None

    @property
    def solver(self) -> int:
        """The side that has to find the line."""
        return self.dialect.read_fen(self.puzzle.fen).side

    @property
    def expected(self) -> str:
        """The action of the line that comes next, in coordinate form."""
        return self.puzzle.line[len(self.played)]

    def list_own(self) -> list[str]:
        """The solver's own actions in coordinate form, the wrong one included."""
        position, own = self.dialect.read_fen(self.puzzle.fen), []
        solver = position.side
        for action in self.played:
            if position.side == solver:
                own.append(self.dialect.coordinate(action))
            position.play(action)
        return own if self.refused is None else [*own, self.dialect.coordinate(self.refused)]

    def play(self, token: str) -> None:
        """Try one action of the solver; raises what `Dialect.resolve` does."""
        action = self.dialect.resolve(self.position, token)
        if self.dialect.coordinate(action) != self.expected:
            if wins_at_once(self.position, action):
                self.position.play(action)
                self.played.append(action)
                self.standing = Standing.SOLVED
            else:
                self.standing, self.refused = Standing.WRONG, action
            return
        solver = self.solver
        self.follow_line()
        while len(self.played) < len(self.puzzle.line) and self.position.side != solver:
            self.follow_line()
        if len(self.played) == len(self.puzzle.line):
            self.standing = Standing.SOLVED

    def follow_line(self) -> None:
        """Play the next action of the line."""
        action = self.dialect.resolve(self.position, self.expected)
        self.position.play(action)
        self.played.append(action)


def wins_at_once(position: Position, action: Action) -> bool:
    """Whether an action wins the game at once, and so is as good as any solution."""
    after = position.copy()
    after.play(action)
    outcome = after.outcome()
    return outcome is not None and outcome.winner == position.side


def try_puzzle(puzzle: Puzzle, tokens: Sequence[str]) -> Try:
    """The state of a puzzle after the solver's actions, in any form that records know.

    Raises what `Dialect.resolve` does for a text that is not a legal action.
    """
    dialect = find_dialect(puzzle.variant)
    tried = Try(puzzle, dialect, dialect.read_fen(puzzle.fen))
    for token in tokens:
        if tried.standing is not Standing.OPEN:
            break
        tried.play(token)
    return tried
