"""Requests that register a webhook. Unknown fields are refused."""

from __future__ import annotations

from marshmallow import Schema, fields, validate

from service.api.schemas.fields import Switch, text_field
from service.webhooks.webhook import EVENTS

LONGEST_FILTER = 2000
"""The most characters of a webhook's filter."""


class NewWebhookSchema(Schema):
    """A webhook to register; `everybody` is an admin's."""

    url = text_field(2000, required=True, metadata={"format": "uri"})
    events = fields.List(
        fields.String(validate=validate.OneOf(EVENTS)),
        required=True,
        validate=validate.Length(1, len(EVENTS)),
    )
    everybody = Switch(load_default=False)
    filter = fields.String(
        validate=validate.Length(1, LONGEST_FILTER), load_default=None, allow_none=True
    )
