"""What the lines of a plain world are worth over the worlds that were compared with it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, Final

from engine.position import Action
from engine.search.chance import score_of, winning_chance
from engine.search.iteration import ScoredLine
from engine.search.score import is_decided
from engine.search.uncertain_iteration import UncertainLine
from engine.world import World

if TYPE_CHECKING:
    from engine.variant import Variant

SUREST: Final = 0.999
"""The highest chance of an action that has not been seen to win in every world."""
CLOSE: Final = 0.01
"""A difference of two chances that says nothing about which action is better."""


@dataclass(frozen=True, slots=True)
class WorldFinding:
    """What a search of one world found: scores of the lines' actions, and the best of all lines."""

    depth: int
    scores: Mapping[Action, int]
    best: ScoredLine


@dataclass(slots=True)
class WorldComparison:
    """The worlds, what was found in each of them, and in the plain world at the same depths.

    `shown` are the actions that are legal in every world. `found` has the deepest finding of each
    world by its number, `plain` those of the plain world by depth.
    """

    variant: Variant
    worlds: Sequence[World]
    shown: Collection[Action]
    found: dict[int, WorldFinding] = field(default_factory=dict)
    plain: dict[int, WorldFinding] = field(default_factory=dict)

    def judge_lines(self, lines: Sequence[ScoredLine]) -> tuple[UncertainLine, ...]:
        """Lines of the plain world with their scores over all worlds, in the same order.

        So a sample that contains an unlikely choice does not decide which action is best. Without
        lines, there is one that has the position's score and no actions.
        """
        if not lines:
            of_best = {number: found.best.score for number, found in self.found.items()}
            return (self.make_line((), of_best, 1.0),)
        scores = [self.scores_of(line) for line in lines]
        highest = {number: max(by_world[number] for by_world in scores) for number in scores[0]}
        return tuple(
            self.make_line(line.actions, by_world, self.share_of_best(line, by_world, highest))
            for line, by_world in zip(lines, scores, strict=True)
        )

    def judge_position(self, lines: Sequence[ScoredLine]) -> int:
        """The score of the best action, in each world of the best that is legal there."""
        if not any(self.hides_best(number) for number in self.found):
            return self.mean_score(self.scores_of(lines[0]))
        return self.mean_score(
            {
                number: self.best_score_in(number, lines)
                for number in range(len(self.worlds))
                if lines or number in self.found
            }
        )

    def make_line(
        self, actions: tuple[Action, ...], scores: Mapping[int, int], share: float
    ) -> UncertainLine:
        """A line with these scores, by world."""
        lowest, highest = min(scores.values()), max(scores.values())
        return UncertainLine(self.mean_score(scores), actions, lowest, highest, share)

    def share_of_best(
        self, line: ScoredLine, scores: Mapping[int, int], highest: Mapping[int, int]
    ) -> float:
        """The share of the worlds, by weight, where no other action is better than a line's."""
        return sum(
            self.worlds[number].weight
            for number, score in scores.items()
            if score == highest[number] and not self.is_beaten(number, line)
        )

    def is_beaten(self, number: int, line: ScoredLine) -> bool:
        """Whether a world has a better action than a line's, by more than the plain world has.

        A shallow search may prefer another action than the deep one in either of them.
        """
        found = self.found.get(number)
        if found is None:
            return False
        lead = self.lead_of_best(found, line.actions[0])
        plain = self.plain.get(found.depth)
        usual = 0.0 if plain is None else self.lead_of_best(plain, line.actions[0])
        return lead > usual + CLOSE

    def lead_of_best(self, found: WorldFinding, action: Action) -> float:
        """By how much the best action's chance in a world is above another's; 0 if unknown."""
        score = found.scores.get(action, found.best.score)
        return self.chance_of(found.best.score) - self.chance_of(score)

    def hides_best(self, number: int) -> bool:
        """Whether the best action of a world is one that is not shown."""
        return self.found[number].best.actions[0] not in self.shown

    def scores_of(self, line: ScoredLine) -> dict[int, int]:
        """The scores of a line by world."""
        return {number: self.score_in(number, line) for number in range(len(self.worlds))}

    def score_in(self, number: int, line: ScoredLine) -> int:
        """The score of a line in one world: the plain world's, shifted by what differs there."""
        found = self.found.get(number)
        shift = 0.0
        if found is not None:
            score = found.scores.get(line.actions[0])
            if score is not None and is_decided(score):
                return score
            shift = self.shift_of(line.actions[0], found)
        return self.undecided_score(self.chance_of(line.score) + shift)

    def best_score_in(self, number: int, lines: Sequence[ScoredLine]) -> int:
        """The score of the best of all actions in one world, shown or not."""
        scores = [self.score_in(number, line) for line in lines]
        if number in self.found and self.hides_best(number):
            found = self.found[number]
            known = found.scores.get(lines[0].actions[0]) if lines else None
            if known is None or is_decided(found.best.score):
                scores.append(found.best.score)
            else:
                gain = self.chance_of(found.best.score) - self.chance_of(known)
                scores.append(self.undecided_score(self.chance_of(scores[0]) + gain))
        return max(scores)

    def shift_of(self, action: Action, found: WorldFinding) -> float:
        """How an action's chance in a world differs from the plain world's at the same depth.

        An action that was not compared is taken to differ as those do that were.
        """
        plain = self.plain.get(found.depth)
        shifts = {
            each: self.chance_of(score) - self.chance_of(plain.scores[each])
            for each, score in found.scores.items()
            if plain is not None and each in plain.scores
        }
        return shifts.get(action, fmean(shifts.values()) if shifts else 0.0)

    def mean_score(self, scores: Mapping[int, int]) -> int:
        """The score of the mean chance over worlds; if all are wins, or all losses, the least."""
        least = min(scores.values())
        if all(is_decided(score) and score * least > 0 for score in scores.values()):
            return least
        weights = {number: self.worlds[number].weight for number in scores}
        chance = sum(weights[number] * self.chance_of(score) for number, score in scores.items())
        return self.undecided_score(chance / sum(weights.values()))

    def chance_of(self, score: int) -> float:
        """The winning chance of a score."""
        return winning_chance(self.variant, score)

    def undecided_score(self, chance: float) -> int:
        """The score of a chance that is not certain."""
        return score_of(self.variant, max(1 - SUREST, min(SUREST, chance)))
