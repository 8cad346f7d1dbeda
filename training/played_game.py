"""A game of the search against itself."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Self

from engine.outcome import Outcome, Termination
from engine.position import Action, Position
from engine.search import Limits, Search
from engine.variant import Variant
from notation.agreement import Agreement
from notation.registry import find_dialect
from training.plan import Plan

TABLE_MEBIBYTES = 2
OCCURRENCES = 3
"""How many times a position occurs before the game is drawn."""


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game: its first position as FEN, its actions, and the search's score for each.

    `scores` are in hundredths of the game's unit from the view of the side to act, None where the
    action was a random one. `points` is the first side's share of the one point.
    """

    start: str
    actions: Sequence[Action]
    scores: Sequence[int | None]
    points: float
    termination: str

    @property
    def searched(self) -> int:
        """The number of positions that have a score."""
        return sum(score is not None for score in self.scores)

    def to_json(self) -> str:
        """The game as a line of JSON."""
        return json.dumps(
            {
                "start": self.start,
                "actions": self.actions,
                "scores": self.scores,
                "points": self.points,
                "termination": self.termination,
            },
            separators=(",", ":"),
        )

    @classmethod
    def from_json(cls, line: str) -> Self:
        """The game that `to_json` wrote."""
        return cls(**json.loads(line))


def begin_game(variant: Variant, plan: Plan, random: Random) -> Position:
    """The first position of a game."""
    start = variant.start()
    if plan.void_choices:
        return variant.plain_world(start)
    return variant.worlds(start, 1, random)[0].position


def play_game(variant: Variant, plan: Plan, random: Random) -> PlayedGame:
    """Play a game; both sides know what either has chosen in secret."""
    dialect = find_dialect(variant.name)
    position = begin_game(variant, plan, random)
    start = dialect.write_fen(position)
    search = Search(
        variant,
        table_mebibytes=TABLE_MEBIBYTES,
        seed=random.getrandbits(32),
        techniques=plan.techniques(variant),
        draw_by_points=variant.draw_by_points,
    )
    agreed = Agreement(plan.ply_limit, variant.draw_by_points)
    opening = random.randrange(plan.opening(variant.name) + 1)
    occurred = Counter[str]()
    actions: list[Action] = []
    scores: list[int | None] = []
    plies = 0
    while (outcome := agreed.outcome(position, plies)) is None:
        key = dialect.position_key(dialect.write_fen(position))
        occurred[key] += 1
        if occurred[key] == OCCURRENCES:
            drawn = Outcome(None, Termination.ADJUDICATION)
            outcome = agreed.settle_draw(drawn, position.points())
            break
        score: int | None = None
        if len(actions) < opening or random.randrange(plan.strays) == 0:
            action = random.choice(position.legal())
        else:
            *_, last = search.iterate(position, Limits(nodes=plan.nodes))
            action, score = last.lines[0].actions[0], last.lines[0].score
        side = position.side
        position.play(action)
        plies += position.side != side
        actions.append(action)
        scores.append(score)
    points = 0.5 if outcome.winner is None else 1.0 - outcome.winner
    return PlayedGame(start, actions, scores, points, outcome.termination)
