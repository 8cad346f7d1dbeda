"""Schemas of requests for analyses."""

from __future__ import annotations

from typing import Final

from marshmallow import Schema, fields, validate

from service.analysis.parameters import (
    MOST_DEPTH,
    MOST_LINES,
    MOST_NODES,
    MOST_SECONDS,
    MOST_SEED,
)
from service.api.schemas.fields import Switch, Whole, id_field, text_field

OWN: Final = "own"
STRANGER: Final = "stranger"
"""The views of a game that can be requested: everything one may know, or what everybody may."""


class LimitsSchema(Schema):
    """The limits of each position's search; the first one reached ends it."""

    depth = Whole(least=1, most=MOST_DEPTH)
    nodes = Whole(least=1, most=MOST_NODES)
    seconds = Whole(least=1, most=MOST_SECONDS)


class NewAnalysisSchema(Schema):
    """What to analyse: a position string with its variant, a game after `ply` actions, or all
    positions of a game.
    """

    variant = text_field(40, load_default=None, allow_none=True)
    fen = text_field(1000, load_default=None, allow_none=True)
    game = id_field(load_default=None, allow_none=True)
    ply = Whole(load_default=None, allow_none=True)
    limits = fields.Nested(LimitsSchema, load_default=dict)
    lines = Whole(least=1, most=MOST_LINES, load_default=1)
    seed = Whole(most=MOST_SEED, load_default=0)
    view = fields.String(load_default=OWN, validate=validate.OneOf([OWN, STRANGER]))
    draw_by_points = Switch(load_default=False)
    batch = Switch(load_default=False)
