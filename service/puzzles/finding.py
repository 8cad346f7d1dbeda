"""Finds puzzles in games by search: for workers and developers, never the web."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from engine.position import Action, Position
from engine.search import Iteration, Limits, Search, winning_chance
from engine.search.limit_watch import never_stop
from engine.variant import Variant
from notation.registry import find_dialect
from service.boards.described_actions import take_apart
from service.puzzles.puzzle import Puzzle
from service.puzzles.solving import wins_at_once
from service.puzzles.themes import QUIET, SACRIFICE, gain_of, name_themes, replay

WINNING: Final = 0.62
"""The least winning chance that a solution leads to."""
WON: Final = 0.9
"""The winning chance from which on a game counts as won, whatever is played."""
OTHERWISE: Final = 0.6
"""The greatest winning chance that any other action may lead to: it does not win."""
GAP: Final = 0.12
"""The least difference in winning chance between the solution and every other action."""
SEEN: Final = 0.1
"""The same difference in a search without pruning."""

GLANCE: Final = Limits(nodes=4_000)
QUICK: Final = Limits(nodes=40_000)
DEEP: Final = Limits(nodes=250_000)
PROOF: Final = Limits(nodes=1_000_000)
FURTHER: Final = Limits(nodes=120_000)
ANSWER: Final = Limits(nodes=80_000)
FULL_WIDTH: Final = Limits(depth=3)
"""The limits of searches: for candidates, to check them, to prove them, in their lines, for
answers, unpruned."""
LONGEST: Final = 5
"""The most actions of the solver in a line."""
TABLE_MEBIBYTES: Final = 16

EASIEST: Final = 1000
HARDEST: Final = 2400


class FindingStopped(Exception):
    """The finder was told to stop before it had an answer."""


@dataclass(frozen=True, slots=True)
class PlayedPosition:
    """A position of a game as it was played: the action before it, the side to act, and its chance.

    `last` is in coordinate form. `chance` is the winning chance of the side to act, playing best;
    None where it is not known.
    """

    position: Position
    last: str | None
    chance: float | None


def find_puzzles(variant: Variant, game: Iterable[PlayedPosition]) -> Iterator[Puzzle]:
    """The puzzles in a game, in its order.

    Nothing in the positions is unknown: they are of an ended game, with all its secrets revealed.
    """
    finder = PuzzleFinder(variant)
    for before, here in pairwise(game):
        if may_be_puzzle(before, here):
            puzzle = finder.examine(here)
            if puzzle is not None:
                yield puzzle


def may_be_puzzle(before: PlayedPosition, here: PlayedPosition) -> bool:
    """Whether the side to act wins here, and did not count as won before."""
    if here.chance is None or here.chance < WINNING:
        return False
    if before.chance is None:
        return True
    same = before.position.side == here.position.side
    return (before.chance if same else 1 - before.chance) < WON


class PuzzleFinder:
    """Decides whether positions of a variant are puzzles, by deeper and deeper searches.

    `stop` is called every few thousand nodes; once it returns True, the search raises
    FindingStopped.
    """

    def __init__(self, variant: Variant, stop: Callable[[], bool] = never_stop) -> None:
        self.variant = variant
        self.stop = stop
        self.dialect = find_dialect(variant.name)
        exact = variant.techniques.without_pruning()
        self.search = Search(variant, table_mebibytes=TABLE_MEBIBYTES)
        self.full_width = Search(variant, table_mebibytes=TABLE_MEBIBYTES, techniques=exact)

    def examine(self, played: PlayedPosition) -> Puzzle | None:
        """The position as a puzzle, None if it is not one; raises FindingStopped."""
        position = played.position
        solution = self.find_only_action(position, GLANCE)
        if solution is None:
            return None
        if self.find_only_action(position, QUICK) != solution:
            return None
        if not self.stands(position, solution, DEEP):
            return None
        line = self.extend(position, solution)
        if self.is_trivial(played, line):
            return None
        themes = name_themes(self.variant, position, line)
        return Puzzle(
            self.variant.name,
            self.dialect.write_fen(position),
            played.last,
            tuple(map(self.dialect.coordinate, line)),
            themes,
            self.estimate_rating(position, line, themes),
        )

    def find_only_action(
        self, position: Position, limits: Limits, search: Search | None = None
    ) -> Action | None:
        """The one action that wins while every other clearly does not; None if there is none."""
        if len(position.legal()) < 2:
            return None
        *_, last = self._iterate(search or self.search, position, limits, lines=2)
        best, second = self.best_chances(last)
        if best < WINNING or second > OTHERWISE or best - second < GAP:
            return None
        return last.lines[0].actions[0]

    def stands(self, position: Position, solution: Action, limits: Limits) -> bool:
        """Whether longer searches, the longest without pruning, find the same solution."""
        return (
            self.find_only_action(position, limits) == solution
            and self.is_seen_without_pruning(position, solution)
            and self.find_only_action(position, PROOF, self.full_width) == solution
        )

    def is_seen_without_pruning(self, position: Position, solution: Action) -> bool:
        """Whether a search of a few actions that leaves nothing out also prefers the solution."""
        *_, last = self._iterate(self.full_width, position, FULL_WIDTH, lines=2)
        best, second = self.best_chances(last)
        return last.lines[0].actions[0] == solution and best - second >= SEEN

    def best_chances(self, found: Iteration) -> tuple[float, float]:
        """The winning chances of the two best lines; equal if only one was searched."""
        best, *others = (winning_chance(self.variant, line.score) for line in found.lines)
        return best, others[0] if others else best

    def extend(self, position: Position, solution: Action) -> list[Action]:
        """The line of a solution, for as long as the solver has a single right action.

        Where the solver then wins at once, the line ends so, whatever else would win.
        """
        line = [solution]
        solver, board = position.side, position.copy()
        board.play(solution)
        acted = 1
        while board.outcome() is None and acted < LONGEST:
            answers = self.answer(board, solver)
            for action in answers:
                board.play(action)
            if board.outcome() is not None:
                break
            wins = [action for action in board.legal() if wins_at_once(board, action)]
            if wins:
                line += [*answers, wins[0]]
                break
            following = self.find_only_action(board, QUICK)
            if following is None or not self.stands(board, following, FURTHER):
                break
            board.play(following)
            line += [*answers, following]
            acted += 1
        return line

    def answer(self, position: Position, solver: int) -> list[Action]:
        """The best actions of the other side, until the solver acts again or the game is over."""
        board = position.copy()
        answers: list[Action] = []
        while board.outcome() is None and board.side != solver:
            *_, last = self._iterate(self.search, board, ANSWER)
            answers.append(last.lines[0].actions[0])
            board.play(answers[-1])
        return answers

    def is_trivial(self, played: PlayedPosition, line: Sequence[Action]) -> bool:
        """Whether a line takes no thought: one action, the only recapture or alone the top gain."""
        position = played.position
        (first, *others), end = replay(self.variant, position, line)
        if others or end.outcome() is not None or first.parts.word is not None:
            return False
        takes_back = [one for one in position.legal() if self.meets(played.last, one)]
        if takes_back == [line[0]]:
            return True
        gains = {one: gain_of(self.variant, position, one) for one in position.legal()}
        most = max(gains.values())
        return most > 0 and [one for one in gains if gains[one] == most] == [line[0]]

    def meets(self, last: str | None, action: Action) -> bool:
        """Whether an action leads to where the one before it led."""
        before = None if last is None else take_apart(last).target
        return before is not None and before == take_apart(self.dialect.coordinate(action)).target

    def estimate_rating(
        self, position: Position, line: Sequence[Action], themes: Sequence[str]
    ) -> int:
        """The estimated difficulty of an untried puzzle: by its length and its depth."""
        rating = EASIEST + 150 * (len(line) // 2)
        rating += 200 * (QUIET in themes) + 150 * (SACRIFICE in themes)
        rating += 60 * (self.depth_of(position, line[0]) - 1)
        return min(HARDEST, rating)

    def depth_of(self, position: Position, solution: Action) -> int:
        """The depth from which on a search considers the solution best."""
        found = 1
        for iteration in self._iterate(self.search, position, QUICK):
            if iteration.lines[0].actions[0] != solution:
                found = iteration.depth + 1
        return found

    def _iterate(
        self, search: Search, position: Position, limits: Limits, lines: int = 1
    ) -> Iterator[Iteration]:
        """Search with an empty memory; raises FindingStopped at the end if it is to stop."""
        search.forget()
        yield from search.iterate(position, limits, lines=lines, stop=self.stop)
        if self.stop():
            raise FindingStopped
