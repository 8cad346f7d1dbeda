"""What a helper is sent: one search, as a line of JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from engine.position import Action
from engine.registry import find_variant
from engine.search import Parameters, Techniques
from engine.search.helpers import Assignment
from notation.registry import find_dialect


@dataclass(frozen=True, slots=True)
class Job:
    """An assignment with its number; actions are those of `engine.position.Action`."""

    number: int
    variant: str
    fen: str
    techniques: dict[str, bool]
    parameters: dict[str, int]
    draw_by_points: bool
    seed: int
    generation: int
    lines: int
    actions: list[int] | None

    @classmethod
    def of(cls, number: int, assignment: Assignment) -> Job:
        """The job with this number for an assignment."""
        only = assignment.actions
        return cls(
            number,
            assignment.variant.name,
            find_dialect(assignment.variant.name).write_fen(assignment.position),
            asdict(assignment.techniques),
            asdict(assignment.parameters),
            assignment.draw_by_points,
            assignment.seed,
            assignment.generation,
            assignment.lines,
            None if only is None else sorted(only),
        )

    def to_assignment(self) -> Assignment:
        """The assignment, with a new position."""
        return Assignment(
            find_variant(self.variant),
            find_dialect(self.variant).read_fen(self.fen),
            Techniques(**self.techniques),
            Parameters(**self.parameters),
            self.draw_by_points,
            self.seed,
            self.generation,
            self.lines,
            None if self.actions is None else frozenset(map(Action, self.actions)),
        )

    def write(self) -> bytes:
        """The job as a line, after an empty line that ends one cut off by a full pipe."""
        return f"\n{json.dumps(asdict(self))}\n".encode("ascii")

    @classmethod
    def read(cls, line: bytes) -> Job | None:
        """The job in a whole line, None for a line that was cut off."""
        try:
            return cls(**json.loads(line))
        except ValueError:
            return None
