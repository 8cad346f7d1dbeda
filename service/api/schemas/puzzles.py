"""Schemas of the queries for puzzles."""

from __future__ import annotations

from typing import Final

from marshmallow import fields, validate

from engine.registry import VARIANTS
from service.api.schemas.queries import (
    MOST,
    PAGE,
    Number,
    QuerySchema,
    choice_field,
    pattern_field,
)
from service.puzzles.themes import THEMES

PUZZLE: Final = r"^[0-9a-f]{10}\Z"
LONGEST_TRY: Final = 200
"""Characters of the actions of a try, at most."""


class DailySchema(QuerySchema):
    """Of which game the puzzle of the day is."""

    variant = choice_field(VARIANTS)


class PuzzlesSchema(DailySchema):
    """Which puzzles, and behind which one."""

    theme = choice_field(THEMES)
    after = pattern_field(
        PUZZLE, "the id of a puzzle", load_default="", metadata={"pattern": "^[0-9a-f]{10}$"}
    )


class PuzzleListSchema(PuzzlesSchema):
    """A page of the puzzles that fit."""

    limit = Number(least=1, most=MOST, load_default=PAGE)


class TrySchema(QuerySchema):
    """The solver's actions so far."""

    actions = fields.String(
        load_default="", validate=validate.Length(max=LONGEST_TRY, error="actions")
    )
