"""What can go wrong with a projection.

ServiceError
└── RebuildSuperseded   another rebuild was begun; this one stops
"""

from __future__ import annotations

from service.errors import ServiceError


class RebuildSuperseded(ServiceError):
    """A later rebuild has taken this one's place; what it had built is gone."""

    code = "rebuild-superseded"

    def __init__(self, generation: int) -> None:
        super().__init__(generation)
        self.generation = generation

    def __str__(self) -> str:
        return f"another rebuild has taken the place of rebuild {self.generation}"
