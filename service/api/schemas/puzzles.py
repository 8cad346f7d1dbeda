"""Schemas of requests about puzzles. Unknown fields are refused."""

from __future__ import annotations

from typing import Final

from marshmallow import Schema, fields, validate

from engine.registry import VARIANTS
from service.api.schemas.fields import text_field
from service.api.schemas.queries import (
    MOST,
    PAGE,
    Number,
    PageSchema,
    QuerySchema,
    choice_field,
    pattern_field,
)
from service.puzzles.attempts.commands import Help
from service.puzzles.themes import THEMES

PUZZLE: Final = r"^[0-9a-f]{10}\Z"
LONGEST_TRY: Final = 200
"""The most characters of the actions of a try."""
LONGEST_ACTION: Final = 32
LONGEST_REASON: Final = 500
MOST_ACTIONS: Final = 20
"""The most actions of an attempt: far more than any line has."""


class DailySchema(QuerySchema):
    """The variant of the puzzle of the day."""

    variant = choice_field(VARIANTS)


class PuzzlesSchema(DailySchema):
    """Which puzzles to list, and after which one to begin."""

    theme = choice_field(THEMES)
    after = pattern_field(
        PUZZLE, "the id of a puzzle", load_default="", metadata={"pattern": "^[0-9a-f]{10}$"}
    )


class PuzzleListSchema(PuzzlesSchema):
    """A page of the matching puzzles."""

    limit = Number(least=1, most=MOST, load_default=PAGE)


class TrySchema(QuerySchema):
    """The solver's actions so far."""

    actions = fields.String(
        load_default="", validate=validate.Length(max=LONGEST_TRY, error="actions")
    )


class AttemptSchema(Schema):
    """The solver's actions in an attempt, and what the solver asks for after them."""

    actions = fields.List(
        text_field(LONGEST_ACTION), load_default=[], validate=validate.Length(max=MOST_ACTIONS)
    )
    help = fields.String(
        load_default=None, allow_none=True, validate=validate.OneOf([str(one) for one in Help])
    )


class WithdrawalSchema(Schema):
    """Why a puzzle is withdrawn."""

    reason = text_field(LONGEST_REASON, load_default="")


class AttemptListSchema(PageSchema):
    """A page of a player's attempts, at puzzles of one variant or all."""

    variant = choice_field(VARIANTS)
