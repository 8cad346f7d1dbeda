"""The rules of C.04.1 and C.04.3 that a round must obey, written again for the tests.

They use nothing of the service or of the pairing library: players are numbered by seed, and
everything is computed from the list of what each has done so far.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

Pair = tuple[int, int]


@dataclass
class Player:
    """By round: the opponent met over the board or 0, "w" or "b" or "", tenths of points scored."""

    seed: int
    met: list[int] = field(default_factory=list)
    colours: list[str] = field(default_factory=list)
    scores: list[int] = field(default_factory=list)
    had_bye: bool = False
    """Whether there was a pairing-allocated bye, or a point because the opponent stayed away."""

    @property
    def score(self) -> int:
        return sum(self.scores)

    @property
    def history(self) -> str:
        return "".join(self.colours)

    @property
    def difference(self) -> int:
        return self.history.count("w") - self.history.count("b")

    @property
    def preference(self) -> tuple[int, str]:
        """The preference's strength (3 absolute, 2 strong, 1 mild, 0 none) and colour (A.6)."""
        history, difference = self.history, self.difference
        if not history:
            return 0, ""
        twice = len(history) > 1 and history[-1] == history[-2]
        if difference:
            due = "b" if difference > 0 else "w"
        else:
            due = "b" if history[-1] == "w" else "w"
        if abs(difference) > 1 or twice:
            return 3, due
        return (2 if difference else 1), due


@dataclass(frozen=True)
class Round:
    """The round to judge: who takes part, its number, the number of rounds, what a win is worth."""

    players: Mapping[int, Player]
    number: int
    planned: int
    win: int
    first_round_first: bool

    def topscorer(self, player: Player) -> bool:
        return self.number == self.planned and 2 * player.score > self.win * (self.number - 1)

    def may_meet(self, one: Player, other: Player) -> bool:
        """Whether C.1 and C.3 let two players meet."""
        if other.seed in one.met:
            return False
        if self.topscorer(one) or self.topscorer(other):
            return True
        return not (one.preference == other.preference and one.preference[0] == 3)


def faults(round: Round, pairs: Sequence[Pair], byes: Sequence[int]) -> list[str]:
    """Every rule that these byes and pairs (White first) break."""
    found = []
    seated = sorted([each for pair in pairs for each in pair] + list(byes))
    if seated != sorted(round.players):
        found.append(f"not everybody is seated once: {seated}")
    if len(byes) != len(round.players) % 2:
        found.append(f"{len(byes)} byes for {len(round.players)} players")
    found += [f"C.2: {each} has the bye again" for each in byes if round.players[each].had_bye]
    for white, black in pairs:
        one, other = round.players[white], round.players[black]
        if not round.may_meet(one, other):
            found.append(f"C.1 or C.3: {white} and {black}")
        if white != (whose := due_white(round, one, other)):
            found.append(f"E: {whose}, not {white}, has white in {white}-{black}")
        if not (round.topscorer(one) or round.topscorer(other)):
            found += [
                f"C.04.1.f, g: {player.seed} has {colour} after {player.history}"
                for player, colour in ((one, "w"), (other, "b"))
                if out_of_bounds(player.history + colour)
            ]
    return found


def out_of_bounds(history: str) -> bool:
    """Whether a colour came three times in a row, or three times more often than the other."""
    return history.endswith(("www", "bbb")) or abs(history.count("w") - history.count("b")) > 2


def due_white(round: Round, one: Player, other: Player) -> int:
    """The player who has White by E.1 to E.5, by seed."""
    high, low = sorted((one, other), key=lambda player: (-player.score, player.seed))
    (high_strength, high_due), (low_strength, low_due) = high.preference, low.preference

    def granted(player: Player, due: str) -> int:
        return player.seed if due == "w" else (low if player is high else high).seed

    if high_due and low_due and high_due != low_due:
        return granted(high, high_due)
    if high_strength != low_strength:
        stronger = high if high_strength > low_strength else low
        return granted(stronger, stronger.preference[1])
    if high_strength == 3 and abs(high.difference) != abs(low.difference):
        wider = high if abs(high.difference) > abs(low.difference) else low
        return granted(wider, wider.preference[1])
    for mine, theirs in zip(reversed(high.history), reversed(low.history), strict=False):
        if mine != theirs:
            return low.seed if mine == "w" else high.seed
    if high_due:
        return granted(high, high_due)
    first = high.seed % 2 == 1
    return high.seed if first == round.first_round_first else low.seed


def needless_floats(round: Round, pairs: Sequence[Pair], byes: Sequence[int]) -> list[str]:
    """Brackets that could have had more pairs (C.5), given those above and a complete round (C.4).

    Every completion is tried, so this is for a dozen players at most.
    """
    found: list[str] = []
    left = dict(round.players)
    scores = sorted({player.score for player in left.values()}, reverse=True)
    for score in scores:
        bracket = {seed for seed, player in left.items() if player.score >= score}
        inside = [pair for pair in pairs if bracket.issuperset(pair)]
        best = most_pairs(round, left, bracket)
        if best is None:
            return [*found, f"the bracket of {score} leaves no completion"]
        if len(inside) < best:
            found.append(f"C.5: {len(inside)} pairs in the bracket of {score}, {best} can be")
        for pair in inside:
            for seed in pair:
                del left[seed]
    return found


def most_pairs(round: Round, left: Mapping[int, Player], bracket: set[int]) -> int | None:
    """The most pairs within the bracket that any complete pairing of the remaining players has."""

    @cache
    def best(unpaired: frozenset[int]) -> int | None:
        if not unpaired:
            return 0
        first = min(unpaired)
        rest = unpaired - {first}
        options = []
        if len(unpaired) % 2 and not left[first].had_bye:
            options.append(best(rest))
        for other in rest:
            if round.may_meet(left[first], left[other]):
                below = best(rest - {other})
                if below is not None:
                    options.append(below + (first in bracket and other in bracket))
        return max((each for each in options if each is not None), default=None)

    return best(frozenset(left))
