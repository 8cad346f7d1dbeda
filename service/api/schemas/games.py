"""Requests that create a game. Unknown fields are refused.

If the domain, with its own errors, checks what the contract says about a field, the contract's part
is in the field's `metadata`.
"""

from __future__ import annotations

from marshmallow import Schema, fields, validate

from engine.registry import VARIANTS
from service.api.schemas.fields import SIDES, Switch, Whole, id_field, name_of, text_field
from service.game.setup import MAX_TAG_VALUE, MAX_TAGS
from service.game.terms import EXPIRY, Visibility
from service.game.values import Secrecy
from service.player.names.name_policy import MAX_NAME
from service.player.names.recorded import MAX_RECORDED_NAME

MODES = ("challenge", "scribe", "arbiter")


MAX_PLIES = 999_999_999
"""The longest limit of plies."""


class SeatSchema(Schema):
    """A seat: a registered player's id, or a name that nobody has claimed."""

    id = id_field()
    name = name_of(MAX_RECORDED_NAME)


class PlayersSchema(Schema):
    """Both seats of a game."""

    first = fields.Nested(SeatSchema, required=True)
    second = fields.Nested(SeatSchema, required=True)


class NewGameSchema(Schema):
    """A game to create: `side` and `opponent` for a challenge, `players` otherwise."""

    variant = text_field(40, required=True, metadata={"enum": list(VARIANTS)})
    mode = fields.String(load_default="challenge", validate=validate.OneOf(MODES))
    side = fields.String(validate=validate.OneOf([*SIDES, "random"]))
    opponent = id_field(allow_none=True)
    opponent_name = name_of(MAX_NAME)
    players = fields.Nested(PlayersSchema)
    tags = fields.Dict(
        keys=text_field(100, metadata={"pattern": "^[A-Za-z0-9][A-Za-z0-9_]*$"}),
        values=text_field(MAX_TAG_VALUE, metadata={"pattern": r"^[^\x00-\x1f\x7f]*$"}),
        load_default=dict,
        metadata={"maxProperties": MAX_TAGS},
    )
    fen = text_field(1000, load_default=None, allow_none=True)
    infiltrators = fields.String(
        load_default=None, allow_none=True, validate=validate.OneOf(list(Secrecy))
    )
    time_control = text_field(200, load_default=None, allow_none=True)
    rated = Switch(load_default=None, allow_none=True)
    ply_limit = Whole(least=1, most=MAX_PLIES, load_default=None, allow_none=True)
    draw_by_points = Switch(load_default=None, allow_none=True)
    visibility = fields.String(
        load_default=Visibility.PUBLIC.value, validate=validate.OneOf(list(Visibility))
    )
    expires_in_seconds = Whole(
        least=EXPIRY[0] // 1000, most=EXPIRY[1] // 1000, load_default=None, allow_none=True
    )
