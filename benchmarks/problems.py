"""Win-in-n problems, made and checked by exhaustive search over the kernels alone.

    python -m benchmarks.problems [VARIANT…]

writes `tests/data/problems/VARIANT.txt` anew. The result is the same each time, as long as the
evaluation that guides the careless play in its games is the same. When a game is decided, the
positions before its end are searched. A line is `plies actions fen`: the winner acts first and can
force the end within `plies` actions of both sides together, and no sooner; `actions` are all that
do so, in coordinate form with commas between. Lines that begin with `#` are comments.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from engine.position import Action, Position
from engine.registry import VARIANTS
from engine.replay import replay
from engine.search import evaluate
from notation.registry import find_dialect

FOLDER: Final = Path(__file__).parent.parent / "tests" / "data" / "problems"
PLAN: Final[Mapping[str, Mapping[int, int]]] = {
    "katruji": {1: 6, 3: 12, 5: 10, 7: 6},
    "kerak": {1: 4, 3: 14, 5: 12, 7: 4},
    "kerd": {1: 6, 3: 20, 5: 8},
    "kerd-draft": {1: 2, 3: 8},
}
"""How many problems each variant has, by their number of plies."""

LONGEST: Final = 400
"""The plies after which a careless game is abandoned."""
CONSIDERED: Final = 10
"""How many actions a careless player considers."""
MOST_NODES: Final = 200_000
"""The most positions visited for a problem; one that takes more is left out."""
WON: Final = 10**6
EASY: Final = 4
"""A problem that more than one in this many actions solve is left out."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One line of a file: the side to act of `fen` wins in `plies` with one of `actions`."""

    plies: int
    actions: tuple[str, ...]
    fen: str

    def __str__(self) -> str:
        return f"{self.plies} {','.join(self.actions)} {self.fen}"


def read_problems(lines: Iterable[str]) -> list[Problem]:
    """The problems of a file; ValueError for a line of another form, or if there are none.

    >>> read_problems(["# one", "3 a1b2,a1c3 x y"])
    [Problem(plies=3, actions=('a1b2', 'a1c3'), fen='x y')]
    """
    problems = []
    for line in lines:
        if line.strip() and not line.startswith("#"):
            plies, actions, fen = line.rstrip().split(" ", 2)
            problems.append(Problem(int(plies), tuple(actions.split(",")), fen))
    if not problems:
        raise ValueError("no problems")
    return problems


class TooHard(Exception):
    """The problem takes more nodes than are allowed."""


class Solver:
    """Exhaustive search for a forced win of one side, on a position that it borrows."""

    def __init__(self, position: Position, most_nodes: int = MOST_NODES) -> None:
        self._position = position
        self._winner = position.side
        self._left = most_nodes
        self._known: dict[tuple[int, tuple[object, ...]], bool] = {}
        self._best: dict[tuple[int, bool], Action] = {}

    def solve(self, most: int) -> tuple[int, list[Action]] | None:
        """The plies in which the side to act wins, and the actions that do; None beyond `most`.

        Raises TooHard.
        """
        for plies in range(1, most + 1):
            winning = [a for a in self._position.legal() if self._behind(a, plies - 1)]
            if winning:
                return plies, winning
        return None

    def _behind(self, action: Action, plies: int) -> bool:
        self._position.make(action)
        try:
            return self._wins(plies)
        finally:
            self._position.unmake()

    def _wins(self, plies: int) -> bool:
        """Whether the winner can force the end within `plies` plies from here."""
        self._left -= 1
        if self._left < 0:
            raise TooHard
        outcome = self._position.outcome()
        if outcome is not None:
            return outcome.winner == self._winner
        if plies == 0:
            return False
        if plies == 1:
            return self._decide(plies)
        key = (plies, self._position.key())
        if key not in self._known:
            self._known[key] = self._decide(plies)
        return self._known[key]

    def _decide(self, plies: int) -> bool:
        """Look for an action that wins or, when the other side acts, one that does not lose."""
        wanted = self._position.side == self._winner
        actions = self._position.legal()
        best = self._best.get((plies, wanted))
        if best in actions:
            actions.remove(best)
            actions.insert(0, best)
        for action in actions:
            if self._behind(action, plies - 1) is wanted:
                self._best[plies, wanted] = action
                return wanted
        return not wanted


def careless_game(variant: str, random: Random) -> tuple[Position, list[Action]]:
    """A first position and a game from it by players who take the best of a few actions.

    They go by the evaluation of the position after each action; they never miss a winning end.
    """
    first = VARIANTS[variant].worlds(VARIANTS[variant].start(), 1, random)[0].position
    position = first.copy()
    played: list[Action] = []
    while len(played) < LONGEST and (legal := position.legal()):
        winning = [action for action in legal if worth(variant, position, action) >= WON]
        few = winning or random.sample(legal, min(CONSIDERED, len(legal)))
        action = max(few, key=lambda action: worth(variant, position, action))
        position.play(action)
        played.append(action)
    return first, played


def worth(variant: str, position: Position, action: Action) -> int:
    """The evaluation after an action, from the view of the side to act; WON where it wins."""
    side = position.side
    position.make(action)
    try:
        outcome = position.outcome()
        if outcome is not None:
            return 0 if outcome.winner is None else WON if outcome.winner == side else -WON
        score = evaluate(VARIANTS[variant], position)
        return score if position.side == side else -score
    finally:
        position.unmake()


def problems(variant: str, seed: int = 1) -> Iterator[Problem]:
    """The variant's problems as planned, at most one from each game."""
    random = Random(f"problems {variant} {seed}")
    missing = dict(PLAN[variant])
    while any(missing.values()):
        problem = problem_from(variant, *careless_game(variant, random), missing)
        if problem is not None:
            missing[problem.plies] -= 1
            yield problem


def problem_from(
    variant: str, first: Position, played: list[Action], missing: Mapping[int, int]
) -> Problem | None:
    """The longest missing problem found in a decided game's last positions, or None."""
    if replay(first.copy(), played).outcome() is None:
        return None
    for plies in sorted((p for p, count in missing.items() if count), reverse=True):
        if plies > len(played):
            continue
        position = replay(first.copy(), played[: len(played) - plies])
        try:
            solved = Solver(position).solve(plies)
        except TooHard:
            continue
        if solved is None or not missing.get(solved[0]):
            continue
        if EASY * len(solved[1]) <= len(position.legal()):
            texts = find_dialect(variant)
            actions = tuple(texts.coordinate(action) for action in solved[1])
            return Problem(solved[0], actions, texts.write_fen(position))
    return None


def main(names: list[str]) -> None:
    """Write the files of the named variants, or of all."""
    for name in names or sorted(PLAN):
        found = sorted(problems(name), key=lambda problem: (problem.plies, problem.fen))
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / f"{name}.txt").write_text("\n".join(map(str, found)) + "\n", "ascii")


if __name__ == "__main__":
    main(sys.argv[1:])
