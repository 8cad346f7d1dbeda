"""The search's parameters tuned in games: SPSA on pairs of games.

Simultaneous perturbation stochastic approximation (Spall, Multivariate Stochastic Approximation
Using a Simultaneous Perturbation Gradient Approximation, 1992) as fishtest has it: in each
iteration all parameters are moved at random up or down by a step, the search so changed plays
against the search changed the other way, and the parameters move a little towards the winner's.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Final

from engine.registry import find_variant
from engine.search import Limits, build_id
from service.selfplay.match import Match, play
from service.selfplay.setting import Setting
from training.errors import OtherBuild, OtherPlan, UnknownParameter
from training.game_files import write_bytes

ALPHA: Final = 0.602
GAMMA: Final = 0.101
"""How gains and steps shrink: the exponents that Spall recommends."""
STABILITY: Final = 0.1
"""The share of the iterations that is added to their number, so that the first ones do not move
parameters too far."""
GAIN: Final = 0.5
"""The share of its step that a parameter moves in the last iterations if all pairs are won."""


@dataclass(frozen=True, slots=True)
class Range:
    """The range in which a parameter is tuned, its step at the end, and what it is used by.

    `technique` is one technique, or several joined by `+` that use it together.
    """

    technique: str
    low: int
    high: int
    step: float


RANGES: Final[Mapping[str, Range]] = {
    "futility_margin": Range("futility", 30, 500, 20),
    "reverse_margin": Range("reverse_futility", 30, 500, 20),
    "razoring_margin": Range("razoring", 50, 900, 40),
    "null_move_margin": Range("null_move", 60, 2_000, 60),
    "reduction_base": Range("late_move_reductions", -100, 200, 12),
    "reduction_divisor": Range("late_move_reductions", 100, 600, 20),
    "reduction_history": Range("late_move_reductions+history", 1_000, 16_000, 800),
    "late_move_base": Range("late_move_pruning", 1, 60, 2),
    "late_move_factor": Range("late_move_pruning", 20, 1_500, 40),
    "history_margin": Range("history_pruning", 200, 8_000, 300),
    "exchange_margin": Range("exchanges", 0, 300, 20),
    "delta_margin": Range("delta", 0, 1_500, 40),
}
"""The parameters that can be tuned. Depths are not: half an action makes no difference."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The settings of a tuning: equal terms give equal parameters.

    Each iteration plays `pairs` pairs of games with `nodes` for an action, from `opening_plies`
    random plies and, if there is a `most_chance`, only from balanced openings, as in
    `service.selfplay.match`.
    """

    iterations: int
    pairs: int = 4
    nodes: int = 2_000
    opening_plies: int = 8
    most_chance: float | None = None
    seed: int = 0
    names: tuple[str, ...] = tuple(RANGES)

    def __post_init__(self) -> None:
        for name in self.names:
            if name not in RANGES:
                raise UnknownParameter(name, list(RANGES))


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a tuning is: the iterations done, and the values so far, by name."""

    done: int
    values: Mapping[str, float]


class Tuning:
    """The tuning of one variant in a folder, which goes on where it was stopped.

    After each iteration `VARIANT.json` has its terms, its build of the search and its progress.
    Raises OtherPlan where the folder has a tuning with other terms, OtherBuild for another build.
    """

    def __init__(self, folder: Path, variant: str, terms: Terms) -> None:
        self.path = folder / f"{variant}.json"
        self.variant = find_variant(variant)
        self.terms = terms
        self.progress = self._read()

    def run(self, processes: int, report: Callable[[Progress], None]) -> Progress:
        """Do the iterations that are left; `report` is called after each."""
        while self.progress.done < self.terms.iterations:
            self.progress = self._iterate(processes)
            self._write()
            report(self.progress)
        return self.progress

    def _iterate(self, processes: int) -> Progress:
        number = self.progress.done + 1
        random = Random(f"{self.terms.seed} {self.variant.name} {number}")
        signs = {name: random.choice((-1, 1)) for name in self.terms.names}
        steps = {name: self._step(name, number) for name in self.terms.names}
        players = self._perturb(signs, steps, 1), self._perturb(signs, steps, -1)
        seed = random.getrandbits(32)
        match = Match(
            self.variant.name,
            players,
            seed,
            self.terms.opening_plies,
            most_chance=self.terms.most_chance,
        )
        shares = [pair.share for pair in play(match, self.terms.pairs, processes)]
        won = 2 * sum(shares) / len(shares) - 1
        moved = {
            name: _clamp(name, value + self._gain(number) * steps[name] * signs[name] * won)
            for name, value in self.progress.values.items()
        }
        return Progress(number, moved)

    def _step(self, name: str, number: int) -> float:
        """How far a parameter is moved in an iteration, shrinking to the step of its range."""
        return RANGES[name].step * float((self.terms.iterations / number) ** GAMMA)

    def _gain(self, number: int) -> float:
        """The share of its step that a parameter moves in an iteration if all pairs are won."""
        more = STABILITY * self.terms.iterations
        shrunk = ((self.terms.iterations + more) / (number + more)) ** ALPHA
        return float(GAIN * shrunk * (number / self.terms.iterations) ** (2 * GAMMA))

    def _perturb(self, signs: Mapping[str, int], steps: Mapping[str, float], way: int) -> Setting:
        """A player whose parameters are moved one way."""
        values = self.progress.values.items()
        moved = (
            (name, round(_clamp(name, value + way * signs[name] * steps[name])))
            for name, value in values
        )
        return Setting(Limits(nodes=self.terms.nodes), parameters=tuple(moved))

    def _read(self) -> Progress:
        if not self.path.exists():
            begun = asdict(self.variant.parameters)
            return Progress(0, {name: float(begun[name]) for name in self.terms.names})
        written = json.loads(self.path.read_text("utf-8"))
        if written["terms"] != _as_json(self.terms):
            raise OtherPlan(self.path, written["terms"])
        if (found := written.get("build", "unknown")) != build_id():
            raise OtherBuild(self.path, found, build_id())
        return Progress(written["done"], written["values"])

    def _write(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        found = {"terms": _as_json(self.terms), "build": build_id(), **asdict(self.progress)}
        write_bytes(self.path, (json.dumps(found, indent=2) + "\n").encode("utf-8"))


def describe_player(progress: Progress) -> str:
    """The tuned parameters as `movelog selfplay` takes them.

    >>> describe_player(Progress(1, {"late_move_base": 3.7, "futility_margin": 80.2}))
    'set=late_move_base:4+futility_margin:80'
    """
    values = (f"{name}:{round(value)}" for name, value in progress.values.items())
    return f"set={'+'.join(values)}"


def list_names(variant: str, text: str) -> Sequence[str]:
    """The names that are joined by `+`; without any, those that matter in a variant.

    Those are the parameters of the techniques in use there whose values are within their ranges.

    >>> "history_margin" in list_names("kerd", ""), list_names("kerd", "history_margin")
    (False, ['history_margin'])
    """
    return text.split("+") if text else [name for name in RANGES if _matters(variant, name)]


def _matters(variant: str, name: str) -> bool:
    game, bounds = find_variant(variant), RANGES[name]
    are_on = all(getattr(game.techniques, one) for one in bounds.technique.split("+"))
    return are_on and bounds.low <= getattr(game.parameters, name) <= bounds.high


def _clamp(name: str, value: float) -> float:
    return max(RANGES[name].low, min(RANGES[name].high, value))


def _as_json(terms: Terms) -> dict[str, object]:
    return {**asdict(terms), "names": list(terms.names)}
