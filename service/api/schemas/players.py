"""Schemas of requests about players. Unknown fields are refused."""

from __future__ import annotations

from typing import Final

from marshmallow import Schema, fields, validate

from service.api.schemas.fields import Whole, name_of
from service.ids import ID
from service.player.names.name_policy import MAX_NAME
from service.player.scopes import SCOPES

MAX_TOKEN_NAME: Final = 100


class NewPlayerSchema(Schema):
    """The name of a player to register or rename."""

    name = name_of(MAX_NAME, required=True)


class MergeSchema(Schema):
    """The player to merge into."""

    into = fields.String(required=True, validate=validate.Regexp(ID))


class NewTokenSchema(Schema):
    """A token to issue; `expires_in` is in seconds."""

    name = name_of(MAX_TOKEN_NAME, load_default=None, allow_none=True)
    scopes = fields.List(
        fields.String(validate=validate.OneOf(SCOPES)), validate=validate.Length(1, len(SCOPES))
    )
    expires_in = Whole(least=1, most=10**9, load_default=None, allow_none=True)
