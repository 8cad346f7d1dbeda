"""Requests that export games. Unknown fields are refused."""

from __future__ import annotations

from marshmallow import Schema, fields, validate

from service.api.schemas.fields import Switch, id_field
from service.ids import ID


class ExportSchema(Schema):
    """Games to export by id; `after` is the last that an earlier export gave."""

    ids = fields.List(
        fields.String(validate=validate.Regexp(ID, error="Not an id.")),
        required=True,
        validate=validate.Length(1, 1000),
    )
    after = id_field(load_default=None, allow_none=True)
    clocks = Switch(load_default=True)
    comments = Switch(load_default=True)
    evaluations = Switch(load_default=True)
    variations = Switch(load_default=True)
    literate = Switch(load_default=False)
    analysis = Switch(load_default=False)
