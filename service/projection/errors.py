"""What can go wrong with a projection.

ServiceError
└── RebuildSuperseded   another rebuild was begun; this one stops
"""

from __future__ import annotations

from service.errors import ServiceError


class RebuildSuperseded(ServiceError):
    """A later rebuild has taken this one's place; what it had built is gone."""

    code = "rebuild-superseded"
    message = "another rebuild has taken the place of rebuild {generation}"
    generation: int
