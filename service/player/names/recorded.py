"""The names that records may give to players."""

from __future__ import annotations

from typing import Final

from engine.phrase import phrase
from notation.annotation import check_tag
from service.errors import BadValue

MAX_RECORDED_NAME: Final = 255


def check_recorded_name(name: str) -> None:
    """Raise BadValue or BadAnnotation for a text that no record could hold as a player's name."""
    if not name.strip() or len(name) > MAX_RECORDED_NAME:
        raise BadValue(
            "name",
            phrase("1 to {max_recorded_name} characters", max_recorded_name=MAX_RECORDED_NAME),
        )
    check_tag("Name", name)
